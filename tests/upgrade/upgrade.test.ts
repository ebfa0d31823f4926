import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { deliveryId, type Identity } from '../../src/domain/delivery.ts';
import { createEngine, type Engine } from '../../src/engine.ts';
import { systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { linkSettings } from '../support/consent.ts';
import { emptyDatabase, onBothDatabases } from '../support/world.ts';
import { headingOf, namespace } from './old-rows.ts';
import {
  fills,
  indexNumber,
  lastYear,
  newsletterDeliveries,
  newsletterToCome,
  plainDeliveries,
  reviewDeliveries,
  seatDeliveries,
  toSuppressed,
} from './old-sources.ts';

/**
 * A database that was made by the first migration and has lived through all of them: each of its versions was written to by the sources
 * that it knew. Nothing is lost on the way to the newest tables, and the engine of today tells nobody twice.
 */
onBothDatabases('a database of the first version', (dialect) => {
  let url: string;
  let drop: () => Promise<void>;
  let feed: Server;
  let engine: Engine;
  let lost: string[] = [];
  const keyOf = (identity: Identity) => deliveryId(namespace, identity);
  const all = [
    ...plainDeliveries,
    toSuppressed,
    ...seatDeliveries,
    ...newsletterDeliveries,
    ...reviewDeliveries,
  ];

  beforeAll(async () => {
    ({ url, drop } = await emptyDatabase(dialect));
    const db = await openDatabase(url, { clock: systemClock, log: silentLog });
    const migrations = readMigrations(dialect);
    for (const [at, { version, name }] of migrations.entries()) {
      const before = await readAll(db);
      await migrate(db, { clock: systemClock, ids: systemIds, migrations: migrations.slice(0, at + 1) });
      lost = [...lost, ...missingFrom(await readAll(db), before).map((what) => `${name}: ${what}`)];
      await fills[version]?.(db);
    }
    await db.close();
    feed = createServer(({ url: path = '' }, response) => {
      const isList = path.includes('openSections');
      response.writeHead(isList ? 200 : 503, { 'content-type': 'application/json' });
      response.end(isList ? JSON.stringify([indexNumber]) : '{}');
    });
    await new Promise<void>((resolve) => feed.listen(0, '127.0.0.1', resolve));
    const settings = {
      ...{ DATABASE_URL: url, MAIL_PROVIDER: 'capture', ...linkSettings },
      SOC_BASE_URL: `http://127.0.0.1:${(feed.address() as AddressInfo).port}`,
    };
    engine = await createEngine(readConfig(settings, 'no such file'), { log: silentLog, migrations: 'all' });
    engine.runner.start();
  });
  afterAll(async () => {
    await engine.close();
    feed.close();
    await drop();
  });

  async function untilQuiet(): Promise<void> {
    const waiting = async () =>
      (
        await engine.db.read
          .selectFrom('deliveries')
          .select(['source', 'occasion', 'recipient', 'status'])
          .where('status', 'in', ['pending', 'claimed', 'sending', 'failed_transient', 'reconciling'])
          .execute()
      ).map((row) => Object.values(row).join(' '));
    const ofRun = async () =>
      (
        await engine.db.read
          .selectFrom('notification_run_items')
          .selectAll()
          .where('state', 'in', ['planned', 'collected'])
          .execute()
      ).length;
    await expect.poll(async () => [...(await waiting()), await ofRun()], { timeout: 60_000 }).toEqual([0]);
  }

  /** How often the provider accepted a mail under the key of a delivery. */
  async function acceptedUnder(identity: Identity): Promise<number> {
    const rows = await engine.db.read.selectFrom('captured_mails').select('idempotency_key').execute();
    return rows.filter(({ idempotency_key }) => idempotency_key.startsWith(keyOf(identity))).length;
  }
  const statusOf = async (identity: Identity) => (await engine.queries.find(keyOf(identity)))?.status;

  test('the engine of today finds all that is to be done, and does it', untilQuiet);

  test('no migration loses a row, or changes a cell of one', () => {
    expect(lost).toEqual([]);
  });

  test('every delivery has the number and the key that it had', async () => {
    const rows = await engine.db.read.selectFrom('deliveries').select(['seq', 'id']).orderBy('seq').execute();
    expect(rows.slice(0, all.length)).toEqual(all.map((one, at) => ({ seq: at + 1, id: keyOf(one) })));
    // And one that came of what a run had on its list.
    expect(rows.slice(all.length).map(({ id }) => id)).toEqual([keyOf(newsletterToCome)]);
    // Written down, so that neither this test nor the program can change its mind.
    expect(keyOf({ source: 'plain', occasion: 'pending', recipient: 'pending@example.org' })).toBe(
      '53758409-0863-5e10-8faf-efdcd9e0cc99',
    );
  });

  test('what waited is told, once', async () => {
    const waited = all.filter(({ status, isCaptured }) => {
      return ['pending', 'claimed', 'sending', 'failed_transient'].includes(status) && !isCaptured;
    });
    for (const one of [...waited.filter((each) => each !== toSuppressed), newsletterToCome]) {
      expect([one.source, one.occasion, await statusOf(one), await acceptedUnder(one)]).toEqual([
        ...[one.source, one.occasion, expect.stringMatching(/^(?:sent|delivered)$/), 1],
      ]);
    }
    expect(await statusOf(toSuppressed)).toBe('suppressed');
    expect(await acceptedUnder(toSuppressed)).toBe(0);
  });

  test('what was told, or may have been, is not told again', async () => {
    for (const one of all.filter(({ isCaptured }) => isCaptured)) {
      const expected =
        { sending: 'sent', reconciling: 'sent', sent: 'sent' }[one.status as 'sent'] ?? one.status;
      expect([one.occasion, await statusOf(one), await acceptedUnder(one)]).toEqual([
        one.occasion,
        expected,
        1,
      ]);
    }
  });

  test('what had ended stays as it ended', async () => {
    for (const one of all.filter(({ status }) => /^(?:skipped|expired|failed_permanent)/.test(status)))
      expect([await statusOf(one), await acceptedUnder(one)]).toEqual([one.status, 0]);
  });

  test('the counts are right', async () => {
    const rows = await engine.db.read.selectFrom('deliveries').select(['source', 'status']).execute();
    const { rows: counted } = await sql<{ source: string; heading: string; count: number | string }>`
      SELECT source, heading, sum(delta) AS count FROM delivery_counts GROUP BY source, heading HAVING sum(delta) <> 0
    `.execute(engine.db.read);
    const real = new Map<string, number>();
    for (const { source, status } of rows) {
      const key = `${source} ${headingOf(status)}`;
      real.set(key, (real.get(key) ?? 0) + 1);
    }
    expect(
      new Map(counted.map(({ source, heading, count }) => [`${source} ${heading}`, Number(count)])),
    ).toEqual(real);
  });

  test('whoever asks for all of it again mails nobody', async () => {
    const before = await engine.db.read.selectFrom('captured_mails').select('message_id').execute();
    const again = await engine.outbox.enqueue(
      [...all, newsletterToCome].map(({ source, occasion, recipient }) => ({
        source,
        occasion,
        recipient,
        lane: 'normal',
      })),
    );
    expect(again.filter(({ isNew }) => isNew)).toEqual([]);
    const review = {
      idempotency_key: 'ci-4711',
      changelist_id: 'CL-17',
      review_version: 1,
      title: 'Again',
      findings: [],
    };
    const recipients = reviewDeliveries.map(({ recipient }) => ({ email: recipient, required: true }));
    const who = { by: 'ci', traceId: systemIds.uuid() };
    expect(await engine.reviews.submit({ ...review, recipients }, who)).toMatchObject({
      answer: 'duplicate_idempotency',
    });
    const order = { notificationType: 'newsletter_entity_yearly', periodKey: lastYear, force: true };
    expect(await engine.newsletters.runs.trigger(order, who)).toMatchObject({ eligibleCount: 0 });
    await untilQuiet();
    expect(await engine.db.read.selectFrom('captured_mails').select('message_id').execute()).toEqual(before);
  });
});

test('a row that is gone, and a cell that has changed, are noticed', () => {
  const before = new Map([
    [
      'users',
      [
        { id: 1, email: 'ana@example.org' },
        { id: 2, email: null },
      ],
    ],
  ]);
  const after = new Map([['users', [{ id: 1, email: null, locale: 'en' }]]]);
  expect(missingFrom(after, before)).toEqual([
    'users {"id":1,"email":"ana@example.org"}',
    'users {"id":2,"email":null}',
  ]);
  expect(missingFrom(before, before)).toEqual([]);
});

type Tables = ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>;

/** Every row of every table, but for what keeps the migrations themselves. */
async function readAll(db: Database): Promise<Tables> {
  const names =
    db.dialect === 'sqlite'
      ? sql<{
          name: string;
        }>`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
      : sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`;
  const { rows } = await names.execute(db.read);
  const tables = rows
    .map(({ name }) => name)
    .filter((name) => !['schema_migrations', 'leases'].includes(name));
  const read = tables.map(async (name) => {
    const { rows: all } = await sql<Record<string, unknown>>`SELECT * FROM ${sql.table(name)}`.execute(
      db.read,
    );
    return [name, all] as const;
  });
  return new Map(await Promise.all(read));
}

/** Rows of before that no row of after repeats in all of its cells. */
function missingFrom(after: Tables, before: Tables): string[] {
  return [...before].flatMap(([table, rows]) => {
    const now = after.get(table) ?? [];
    const isThere = (row: Readonly<Record<string, unknown>>) =>
      now.some((other) => Object.entries(row).every(([name, value]) => other[name] === value));
    return rows.filter((row) => !isThere(row)).map((row) => `${table} ${JSON.stringify(row)}`);
  });
}
