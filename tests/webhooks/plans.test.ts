import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { createWebhookMetrics } from '../../src/http/webhook-metrics.ts';
import { silentLog } from '../../src/std/log.ts';
import { planOf, type Statement } from '../support/plan-of.ts';
import { webhooksOf } from '../support/webhooks.ts';
import { onBothDatabases } from '../support/world.ts';
import { eventBody, signed } from './signed.ts';
import { createWebhookWorld, type WebhookWorld } from './webhook-world.ts';

const events = 20_000;

/** Events are kept for ever. Whatever is asked of them again and again must not read them all. */
onBothDatabases('statements on many webhooks', (dialect) => {
  let world: WebhookWorld;
  let db: Database;
  const seen: Statement[] = [];
  beforeAll(async () => {
    world = await createWebhookWorld(dialect);
    db = await openDatabase(world.url, {
      clock: world.clock,
      log: silentLog,
      onStatement: (one) => seen.push(one),
    });
    await sql`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${sql.lit(events)})
      INSERT INTO webhook_events (provider, provider_event_id, type, happened_at, received_at, processed_at, outcome, due_at, payload)
      SELECT 'resend', 'old_' || i, 'email.sent', i, i, i, 'applied', NULL, CASE WHEN i > 19000 THEN 'x' END FROM n
    `.execute(db.write);
    await world.outbox.enqueue(
      Array.from({ length: 2_000 }, (_, number) => ({
        ...{ source: 'plain', occasion: 'o', recipient: `p-${number}`, toEmail: `p-${number}@example.org` },
        ...({ lane: 'normal', variables: { subject: 's', text: 't' } } as const),
      })),
    );
    if (db.dialect === 'postgres') await sql.raw('ANALYZE').execute(db.write);
  });
  afterAll(async () => {
    await db.close();
    await world.close();
  });

  it('read by an index', async () => {
    const { clock, outbox } = world;
    const webhooks = webhooksOf({ db, clock, outbox });
    seen.length = 0;
    const body = eventBody({ type: 'email.delivered', messageId: 'unknown' });
    await webhooks.receive(signed('msg_1', body, { at: clock.now() }));
    await webhooks.receive(signed('msg_1', body, { at: clock.now() }));
    await clock.advance(20_000);
    await webhooks.linkWaiting();
    await webhooks.forget();
    await createWebhookMetrics({ db, clock, webhooks })();
    const asked = seen.filter(
      ({ sql: text }) => /webhook_events|deliver/.test(text) && !/^\s*insert/i.test(text),
    );
    expect(asked.length).toBeGreaterThanOrEqual(8);
    for (const statement of asked) {
      const plan = await planOf(db, statement);
      const whole = plan.filter((line) =>
        /Seq Scan on (webhook|deliver)|SCAN (webhook|deliver)\w+$/.test(line),
      );
      expect(whole, `${statement.sql}\n${plan.join('\n')}`).toEqual([]);
    }
  });
});
