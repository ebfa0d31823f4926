import { Agent, request } from 'undici';
import type { Clock } from '../../../src/std/clock.ts';
import { type AcceptedMail, easternTime, type PostmarkLedger } from './postmark-ledger.ts';

/** `https://user:password@host/…`, as it is written down at Postmark. */
export interface PostmarkWebhookTarget {
  url: string;
  password: string;
}

export interface PostmarkWebhooks {
  target: PostmarkWebhookTarget | undefined;
  /** What was sent, in order, and what the target said (0 when nobody was there). */
  sent: { type: string; status: number }[];
  /** Tells the target; resolves when it has answered. `copies` are the same bytes: Postmark gives an event no name. */
  emit(type: string, messageId: string, extra?: PostmarkWebhookExtra): Promise<void>;
  /** From now on events wait. */
  hold(): void;
  release(order?: 'as emitted' | 'reversed'): Promise<void>;
  close(): Promise<void>;
}

export interface PostmarkWebhookExtra {
  /** Fields instead of the event's own, e.g. `{ Type: 'SoftBounce' }`. */
  data?: Record<string, unknown>;
  at?: number;
  copies?: number;
}

export interface WebhooksParts {
  clock: Clock;
  ledger: PostmarkLedger;
  target: PostmarkWebhookTarget | undefined;
}

export function createPostmarkWebhooks({ clock, ledger, target }: WebhooksParts): PostmarkWebhooks {
  const agent = new Agent();
  let held: (() => Promise<void>)[] | undefined;
  let bounces = 0;

  async function post(type: string, body: string): Promise<void> {
    if (!webhooks.target) throw new Error('fake Postmark: webhooks have no target');
    const { url, password } = webhooks.target;
    const authorization = `Basic ${Buffer.from(`tidings:${password}`).toString('base64')}`;
    const headers = { 'content-type': 'application/json', 'user-agent': 'Postmark', authorization };
    try {
      const answer = await request(url, { dispatcher: agent, method: 'POST', headers, body });
      await answer.body.dump();
      webhooks.sent.push({ type, status: answer.statusCode });
    } catch {
      webhooks.sent.push({ type, status: 0 });
    }
  }

  const webhooks: PostmarkWebhooks = {
    target,
    sent: [],
    async emit(type, messageId, { data = {}, at = clock.now(), copies = 1 } = {}) {
      const mail = ledger.accepted.find(({ id }) => id === messageId);
      if (!mail) throw new Error(`fake Postmark: it has no mail ${messageId}`);
      bounces += 1;
      const body = JSON.stringify({ ...eventOf(type, mail, at, bounces), ...data });
      const send = async () => {
        for (let copy = 0; copy < copies; copy++) await post(type, body);
      };
      if (held) held.push(send);
      else await send();
    },
    hold() {
      held ??= [];
    },
    async release(order = 'as emitted') {
      const waiting = held ?? [];
      held = undefined;
      for (const send of order === 'reversed' ? waiting.reverse() : waiting) await send();
    },
    close: () => agent.destroy(),
  };
  return webhooks;
}

function eventOf(type: string, { id, body }: AcceptedMail, at: number, number: number): object {
  const { To, From, Subject, Metadata = {}, MessageStream = 'outbound' } = body;
  const common = { RecordType: type, ServerID: 23, MessageStream, MessageID: id, Tag: '', Metadata };
  const time = easternTime(at);
  const bounce = {
    ...{ ID: 4_000_000 + number, Details: `smtp;550 5.1.1 <${To}> unknown`, Email: To, From, Subject },
    ...{ BouncedAt: time, DumpAvailable: true, CanActivate: true, Content: '' },
  };
  switch (type) {
    case 'Delivery':
      return { ...common, Recipient: To, DeliveredAt: time, Details: `250 2.0.0 OK ${To}` };
    case 'Bounce':
      return { ...common, ...bounce, Type: 'HardBounce', TypeCode: 1, Name: 'Hard bounce', Inactive: true };
    case 'SpamComplaint':
      return {
        ...common,
        ...bounce,
        Type: 'SpamComplaint',
        TypeCode: 512,
        Name: 'Spam complaint',
        Inactive: true,
      };
    case 'SubscriptionChange':
      return {
        ...{ ...common, Recipient: To, ChangedAt: time, Origin: 'Recipient' },
        ...{ SuppressSending: true, SuppressionReason: 'ManualSuppression' },
      };
    default:
      return { ...common, Recipient: To, ReceivedAt: time };
  }
}
