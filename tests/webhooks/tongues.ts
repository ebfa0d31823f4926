import type { WebhookRequest } from '../../src/webhooks/informant.ts';
import type { WebhookSecrets } from '../../src/webhooks/webhook.ts';
import { webhookPassword, webhookSecret } from '../support/webhooks.ts';
import { type EventWords, eventBody, signed } from './signed.ts';

/**
 * How a provider says things. What is tried of webhooks in general is written in Resend's words, and said in each one's own:
 * a provider that is added is added here, and has to end as the others do.
 */
export interface Tongue {
  provider: string;
  secrets: WebhookSecrets;
  /** Whether it has a word for this. */
  canSay(words: Pick<EventWords, 'type' | 'data'>): boolean;
  /** Another `id` is another event, also if it says the same. */
  request(id: string, words: EventWords, at: number): WebhookRequest;
}

const resend: Tongue = {
  provider: 'resend',
  secrets: { resend: [webhookSecret] },
  canSay: () => true,
  request: (id, words, at) => signed(id, eventBody(words), { at }),
};

const postmark: Tongue = {
  provider: 'postmark',
  secrets: { postmark: [webhookPassword] },
  canSay: (words) => fieldsOf(words) !== undefined,
  request: (id, { messageId = null, tags = null, at = Date.UTC(2026, 0, 1), ...words }) => {
    const fields = fieldsOf(words);
    if (!fields) throw new Error(`Postmark has no word for ${words.type}`);
    const time = new Date(at).toISOString().replace('Z', '0000Z');
    const body = JSON.stringify({
      ...{ ID: id, Recipient: 'person-s3cret@example.org', Email: 'person-s3cret@example.org' },
      ...{ Subject: 'Subject s3cret', DeliveredAt: time, BouncedAt: time, ChangedAt: time },
      ...(messageId !== null && { MessageID: messageId }),
      ...(tags && { Metadata: tags }),
      ...fields,
    });
    return { provider: 'postmark', headers: basic(webhookPassword), body: Buffer.from(body) };
  },
};

export const basic = (password: string, user = 'tidings') => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

const bounce = (Type: string) => ({ RecordType: 'Bounce', Type });

/** Undefined where Postmark never says such a thing. */
function fieldsOf({ type, data }: Pick<EventWords, 'type' | 'data'>): object | undefined {
  const { bounce: bounced, failed } = (data ?? {}) as {
    bounce?: { type: string };
    failed?: { reason: string };
  };
  switch (type) {
    case 'email.sent':
      return bounce('AutoResponder');
    case 'email.delivery_delayed':
      return bounce('Transient');
    case 'email.delivered':
    case 'email.opened':
    case 'email.clicked':
      return { RecordType: 'Delivery' };
    case 'email.bounced':
      return bounce(bounced?.type === 'Permanent' ? 'HardBounce' : 'SoftBounce');
    case 'email.failed':
      return failed?.reason === 'reached_daily_quota' ? undefined : bounce('DMARCPolicy');
    case 'email.complained':
      return { RecordType: 'SpamComplaint' };
    case 'email.suppressed':
      return {
        ...{
          RecordType: 'SubscriptionChange',
          SuppressSending: true,
          SuppressionReason: 'ManualSuppression',
        },
      };
    default:
      return undefined;
  }
}

export const tongues: readonly Tongue[] = [resend, postmark];
