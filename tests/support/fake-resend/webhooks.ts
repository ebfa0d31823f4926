import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import type { Clock } from '../../../src/std/clock.ts';
import type { Ids } from '../../../src/std/ids.ts';
import { type Ledger, tagsOf } from './ledger.ts';

/** Where webhooks go, and the secret (`whsec_…`) that they are signed with. */
export interface WebhookTarget {
  url: string;
  secret: string;
}

/** `data` is merged into the event's own, e.g. `{ bounce: { type: 'Permanent' } }`. */
export interface WebhookExtra {
  data?: Record<string, unknown>;
  /** When it happened; now, if not given. */
  at?: number;
  /** How often the same event is sent: more than one has the same id. */
  copies?: number;
  delayMs?: number;
}

export interface Webhooks {
  target: WebhookTarget | undefined;
  /** What was sent, in order, and what the target said (0 when nobody was there). */
  sent: { id: string; type: string; status: number }[];
  emit(type: string, messageId: string, extra?: WebhookExtra): Promise<void>;
  /** From now on events wait. */
  hold(): void;
  /** Sends what has waited, in this order, one after another. */
  release(order?: 'as emitted' | 'reversed'): Promise<void>;
  close(): Promise<void>;
}

export interface WebhooksParts {
  clock: Clock;
  ids: Ids;
  ledger: Ledger;
  target: WebhookTarget | undefined;
}

export function createWebhooks({ clock, ids, ledger, target }: WebhooksParts): Webhooks {
  const agent = new Agent();
  const closing = new AbortController();
  let held: (() => Promise<void>)[] | undefined;

  async function post(id: string, type: string, body: string): Promise<void> {
    if (!webhooks.target) throw new Error('fake Resend: webhooks have no target');
    const { url, secret } = webhooks.target;
    const timestamp = String(Math.floor(clock.now() / 1000));
    const headers = {
      'content-type': 'application/json',
      'svix-id': id,
      'svix-timestamp': timestamp,
      'svix-signature': sign(secret, id, timestamp, body),
    };
    try {
      const answer = await request(url, { dispatcher: agent, method: 'POST', headers, body });
      await answer.body.dump();
      webhooks.sent.push({ id, type, status: answer.statusCode });
    } catch {
      webhooks.sent.push({ id, type, status: 0 });
    }
  }

  const webhooks: Webhooks = {
    target,
    sent: [],
    async emit(type, messageId, { data = {}, at = clock.now(), copies = 1, delayMs = 0 } = {}) {
      const mail = ledger.accepted.find(({ id }) => id === messageId);
      if (!mail) throw new Error(`fake Resend: it has no mail ${messageId}`);
      mail.lastEvent = type.replace(/^email\./, '');
      const { from, to, subject } = mail.body;
      const createdAt = new Date(mail.at).toISOString();
      const id = `msg_${ids.uuid().replaceAll('-', '')}`;
      const body = JSON.stringify({
        type,
        created_at: new Date(at).toISOString(),
        data: {
          ...{ email_id: messageId, created_at: createdAt, from, to: [to].flat(), subject },
          tags: tagsOf(mail.body),
          ...data,
        },
      });
      const send = async () => {
        if (delayMs > 0) await clock.sleep(delayMs, closing.signal);
        for (let copy = 0; copy < copies && !closing.signal.aborted; copy++) await post(id, type, body);
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
    async close() {
      closing.abort();
      await agent.destroy();
    },
  };
  return webhooks;
}

function sign(secret: string, id: string, timestamp: string, body: string): string {
  const bytes = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', bytes).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
