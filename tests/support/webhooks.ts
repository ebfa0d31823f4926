import type { Database } from '../../src/db/database.ts';
import { plainPolicy } from '../../src/domain/policy.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';
import type { Clock } from '../../src/std/clock.ts';
import { type Log, silentLog } from '../../src/std/log.ts';
import { createWebhooks, type WebhookParts, type Webhooks } from '../../src/webhooks/webhook.ts';
import { createWebhookLog } from '../../src/webhooks/webhook-log.ts';

/** Good for tests only. */
export const webhookSecret = `whsec_${Buffer.from('a webhook secret of tests').toString('base64')}`;

/** As good. */
export const webhookPassword = 'a-password-of-tests-s3cret-0123456789';

export function webhooksOf(
  { db, clock, outbox, log = silentLog }: { db: Database; clock: Clock; outbox: Outbox; log?: Log },
  more: Partial<WebhookParts> = {},
): Webhooks {
  return createWebhooks({
    ...{
      events: createWebhookLog({ db, outbox }),
      clock,
      log,
      secrets: { resend: [webhookSecret], postmark: [webhookPassword] },
    },
    ...{ environment: 'test', policyOf: () => plainPolicy, retentionMs: 90 * 86_400_000, ...more },
  });
}
