import { Webhook } from 'svix';
import type { WebhookRequest } from '../../src/webhooks/informant.ts';
import { webhookSecret } from '../support/webhooks.ts';

/** A request as Resend makes it, signed by Svix's own package and not by anything of ours. */
export function signed(
  id: string,
  body: string,
  { at, secret = webhookSecret }: { at: number; secret?: string },
): WebhookRequest & { headers: Record<SvixHeader, string> } {
  const seconds = Math.floor(at / 1000);
  return {
    provider: 'resend',
    headers: {
      'svix-id': id,
      'svix-timestamp': String(seconds),
      'svix-signature': new Webhook(secret).sign(id, new Date(seconds * 1000), body),
    },
    body: Buffer.from(body),
  };
}

type SvixHeader = 'svix-id' | 'svix-timestamp' | 'svix-signature';

export interface EventWords {
  type: string;
  at?: number;
  messageId?: string | null;
  /** As our mails have them: delivery_id, round, env. */
  tags?: Readonly<Record<string, string>> | null;
  /** How the tags come. */
  form?: 'object' | 'list';
  data?: object;
}

/** An event as Resend words it. */
export function eventBody({
  type,
  at = Date.UTC(2026, 0, 1),
  messageId = null,
  tags = null,
  form = 'object',
  data = {},
}: EventWords): string {
  const list = Object.entries(tags ?? {}).map(([name, value]) => ({ name, value }));
  return JSON.stringify({
    type,
    created_at: new Date(at).toISOString(),
    data: {
      ...(messageId !== null && { email_id: messageId }),
      ...{ from: 'a@example.org', to: ['person-s3cret@example.org'], subject: 'Subject s3cret' },
      ...(tags && { tags: form === 'list' ? list : tags }),
      ...data,
    },
  });
}
