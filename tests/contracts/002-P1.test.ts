import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrate, schemaState } from '../../src/db/migrate.ts';
import { statusNames } from '../../src/domain/status.ts';
import { newsletterWords } from '../../src/sources/newsletters/words.ts';
import { systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { addressOf } from '../newsletters/civic-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { type CivicContract, createCivicContract, setStatus, tagsOf } from './civic-contract-world.ts';

/**
 * Spec 002, phase 1: the tables. Its `NotificationDeliveries` is the part of our outbox that belongs to this source, read through a
 * view of that name; `UnsubscribeTokens` and `ResendWebhookEvents` are ours likewise, and shared with other sources and providers.
 */
onBothDatabases('002 phase 1: the tables', (dialect) => {
  let world: CivicContract;
  beforeEach(async () => {
    world = await createCivicContract(dialect);
  });
  afterEach(() => world.close());

  /** By the specification's own names. */
  const select = async <Row = Record<string, unknown>>(statement: string) =>
    (await sql<Row>`${sql.raw(statement)}`.execute(world.db.read)).rows;
  const change = (statement: string) =>
    world.db.transaction(async (tx) => void (await sql`${sql.raw(statement)}`.execute(tx)));

  /** The definitions of a table's indexes, in one spelling. */
  async function indexesOf(table: string): Promise<string[]> {
    const found =
      dialect === 'sqlite'
        ? await select<{ text: string }>(
            `SELECT sql AS text FROM sqlite_master WHERE tbl_name = '${table}' AND type = 'index'`,
          )
        : await select<{ text: string }>(
            `SELECT indexdef AS text FROM pg_indexes WHERE tablename = '${table}'`,
          );
    return found.map(({ text }) => text.replaceAll('::text', '').replaceAll(/[()"]|ARRAY|\[|\]/g, ' '));
  }
  const wordsIn = (text: string) => [...text.matchAll(/'(\w+)'/g)].map(([, word]) => word);

  it('002-P1-01 Added columns, nullable first: `status` VARCHAR(20), `unsubscribe_token_id` UUID, `rendered_subject`, `rendered_html`, `rendered_text`, `content_hash`, `template_name`, `template_version`, `to_email`, `resend_email_id`, `last_error` TEXT, `attempt_count` INT default 0, `last_attempt_at` TIMESTAMPTZ', async () => {
    const columns = `status, unsubscribe_token_id, rendered_subject, rendered_html, rendered_text, content_hash,
      template_name, template_version, to_email, resend_email_id, last_error, attempt_count, last_attempt_at`;
    const read = () => select(`SELECT ${columns} FROM NotificationDeliveries`);
    world.budget.broken.add('4305857');
    await world.composed();
    // It exists, and nothing is known yet.
    const nothing = Object.fromEntries(columns.split(',').map((name) => [name.trim(), null]));
    const [first] = await read();
    expect({ ...first, unsubscribe_token_id: null }).toEqual({
      ...nothing,
      status: 'pending',
      attempt_count: 0,
    });
    world.budget.broken.clear();
    await world.clock.advance(60_000);
    while ((await world.newsletters.runs.runOnce()) === 'again') {}
    world.provider.answer(({ key }) => ({ kind: 'accepted', messageId: `id-${key}` }));
    await world.turn();
    const [sent] = await read();
    const { last_error, ...known } = sent ?? {};
    expect(Object.entries(known).filter(([, value]) => value === null)).toEqual([]);
    expect(known).toMatchObject({
      ...{ status: 'sent', template_name: 'newsletter-entity', template_version: 'v1', attempt_count: 1 },
      ...{ last_attempt_at: new Date(world.clock.now()).toISOString(), to_email: addressOf('user-1') },
    });
    expect(last_error).toBeNull();
  });

  it('002-P1-04 After the backfill `status` and `attempt_count` are NOT NULL; `attempt_count` defaults to 0', async () => {
    const [record] = await world.composed();
    expect(record).toMatchObject({ status: 'pending', attempt_count: 0 });
    for (const column of ['status', 'claims', 'attempts'])
      await expect(change(`UPDATE deliveries SET ${column} = NULL`)).rejects.toThrow(/null/i);
  });

  it('002-P1-05 A CHECK constraint allows exactly the nine statuses `pending`, `sending`, `sent`, `delivered`, `failed_transient`, `failed_permanent`, `suppressed`, `skipped_unsubscribed`, `skipped_no_email`', async () => {
    const nine = [
      ...['pending', 'sending', 'sent', 'delivered', 'failed_transient', 'failed_permanent'],
      ...['suppressed', 'skipped_unsubscribed', 'skipped_no_email'],
    ];
    await world.composed();
    const seen = new Set<string>();
    for (const status of statusNames) {
      await setStatus(world, status);
      const word = (await world.record()).status;
      expect([status, word]).toEqual([status, newsletterWords({ status })]);
      expect(word.length).toBeLessThanOrEqual(20);
      seen.add(word);
    }
    expect([...seen].sort()).toEqual([...nine].sort());
    await expect(change("UPDATE deliveries SET status = 'lost'")).rejects.toThrow(/deliveries_status/);
  });

  it('002-P1-06 `delivery_key` has a unique index (`idx_deliveries_delivery_key_unique`)', async () => {
    const [record] = await world.composed();
    const columns = 'source, occasion, recipient, lane, status, due_at, created_at';
    const twin = change(
      `INSERT INTO deliveries (id, ${columns}) SELECT '${systemIds.uuid()}', ${columns} FROM deliveries`,
    );
    await expect(twin).rejects.toThrow(/unique/i);
    expect(await world.records()).toEqual([record]);
  });

  it("002-P1-07 Partial index on `status` where `status IN ('pending','failed_transient')`", async () => {
    const claimable = (await indexesOf('deliveries')).filter((text) => wordsIn(text).includes('pending'));
    expect(claimable).not.toEqual([]);
    for (const text of claimable) expect(wordsIn(text)).toEqual(['pending', 'failed_transient']);
  });

  it("002-P1-08 Partial index on `last_attempt_at` where `status='sending'`", async () => {
    // By when a worker must be done, and not by when it began: the lease of each source has its own length.
    const stuck = (await indexesOf('deliveries')).filter((text) => wordsIn(text).includes('sending'));
    expect(stuck.some((text) => /deliveries(?: USING btree)?\s+due_at,/.test(text))).toBe(true);
    for (const text of stuck) expect(wordsIn(text)).not.toContain('sent');
  });

  it('002-P1-09 `unsubscribe_token_id` references `UnsubscribeTokens(token)` ON DELETE SET NULL', async () => {
    const [record] = await world.composed();
    expect(record?.unsubscribe_token_id).toEqual(expect.any(String));
    await change(`DELETE FROM unsubscribe_tokens WHERE token_id = '${record?.unsubscribe_token_id}'`);
    expect(await world.record()).toEqual({ ...record, unsubscribe_token_id: null });
  });

  it('002-P1-10 The migration can be run again without harm (`IF NOT EXISTS`)', async () => {
    const before = await world.composed();
    const parts = { clock: systemClock, ids: systemIds };
    const again = await Promise.all([migrate(world.db, parts), migrate(world.db, parts)]);
    expect(again).toEqual([[], []]);
    expect((await schemaState(world.db)).pending).toEqual([]);
    expect(await world.records()).toEqual(before);
  });

  it('002-P1-11 `to_email` is a snapshot of the address used', async () => {
    await world.composed();
    world.provider.answer(() => ({
      ...{ kind: 'refused_for_now', error: { code: 'some_code', message: 'come again' } },
    }));
    await world.turn();
    world.answers.set('user-1', { kind: 'address', address: addressOf('moved-away') });
    world.provider.answer(() => ({ kind: 'accepted', messageId: 'm-1' }));
    await world.clock.advance(10_000);
    await world.turn();
    expect(world.provider.ledger.map(({ mail }) => mail.to)).toEqual([
      addressOf('user-1'),
      addressOf('user-1'),
    ]);
    expect(await world.record()).toMatchObject({ status: 'sent', to_email: addressOf('user-1') });
  });

  /** One mail that was sent, and one event about it. */
  async function told(type = 'email.delivered') {
    await world.composed();
    await world.turn();
    const record = await world.record();
    await world.tell('msg_1', { type, messageId: record.resend_email_id, tags: tagsOf(record) });
    return record;
  }
  const events = () =>
    select<Record<string, string | number | null>>(
      `SELECT id, svix_id, event_type, resend_email_id, delivery_id, payload, processed_at, created_at
       FROM ResendWebhookEvents ORDER BY id`,
    );

  it('002-P1-12 `ResendWebhookEvents` has `id` (auto-increment primary key), `svix_id`, `event_type`, `resend_email_id`, `delivery_id` UUID, `payload` JSON, `processed_at`, `created_at` (NOT NULL, default now)', async () => {
    const { id: delivery_id, resend_email_id } = await told();
    await world.tell('msg_2', { type: 'email.opened', messageId: resend_email_id });
    const at = new Date(world.clock.now()).toISOString();
    const [first, second] = await events();
    expect(first).toMatchObject({
      ...{ svix_id: 'msg_1', event_type: 'email.delivered', resend_email_id, delivery_id },
      ...{ processed_at: at, created_at: at },
    });
    expect(JSON.parse(String(first?.payload))).toMatchObject({ data: { email_id: resend_email_id } });
    expect(Number(second?.id)).toBeGreaterThan(Number(first?.id));
  });

  it('002-P1-13 `svix_id` is UNIQUE NOT NULL', async () => {
    const { resend_email_id } = await told();
    await world.tell('msg_1', { type: 'email.complained', messageId: resend_email_id });
    expect(await events()).toMatchObject([{ svix_id: 'msg_1', event_type: 'email.delivered' }]);
    const columns = 'provider, type, received_at, processed_at';
    const insert = (id: string) =>
      change(
        `INSERT INTO webhook_events (provider_event_id, ${columns}) SELECT ${id}, ${columns} FROM webhook_events`,
      );
    await expect(insert('provider_event_id')).rejects.toThrow(/unique/i);
    await expect(insert('NULL')).rejects.toThrow(/null/i);
  });

  it('002-P1-14 `event_type`, `resend_email_id` and `payload` are NOT NULL; `delivery_id` and `processed_at` are nullable', async () => {
    await told();
    // Of a mail that we do not know yet, and of no mail at all.
    await world.tell('msg_2', { type: 'email.sent', messageId: 'unheard-of' });
    await world.tell('msg_3', { type: 'domain.updated' });
    expect(await events()).toMatchObject([
      { svix_id: 'msg_1', delivery_id: expect.any(String), processed_at: expect.any(String) },
      { svix_id: 'msg_2', resend_email_id: 'unheard-of', delivery_id: null, processed_at: null },
    ]);
    await expect(change('UPDATE webhook_events SET type = NULL')).rejects.toThrow(/null/i);
    // Retention forgets what was said; that it was said stays, as an object with nothing in it.
    await world.clock.advance(120 * 86_400_000);
    await world.webhooks.linkWaiting();
    await world.webhooks.forget();
    expect((await events()).map(({ payload }) => payload)).toEqual(['{}', '{}']);
  });

  it('002-P1-15 Indexes on `ResendWebhookEvents(resend_email_id)` and `(delivery_id)`', async () => {
    const indexes = await indexesOf('webhook_events');
    for (const column of ['provider_message_id', 'delivery_seq'])
      expect(
        indexes.filter((text) => new RegExp(`webhook_events(?: USING btree)?\\s+${column}`).test(text)),
      ).toHaveLength(1);
  });
});
