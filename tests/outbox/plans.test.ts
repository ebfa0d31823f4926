import { readFileSync, writeFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import { requireAddress } from '../../src/domain/address.ts';
import type { Composed } from '../../src/outbox/begin.ts';
import { createOutbox, type Outbox, readNamespace } from '../../src/outbox/outbox.ts';
import { createQueries, type DeliveryFilter } from '../../src/outbox/queries.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { consentOf } from '../support/consent.ts';
import { mailTo } from '../support/mails.ts';
import { planOf, type Statement } from '../support/plan-of.ts';
import { createWorld, intentNumber, onBothDatabases, type World } from '../support/world.ts';

/**
 * The plans of the hot statements, as the databases make them on a table with far more finished than waiting rows. They
 * are checked in under docs/plans, so that a review shows a change, and a plan that loses its index, or that sorts more, fails here.
 * `npm run plans` writes them anew.
 */
const finished = 20_000;
const waiting = 2_000;

type During = <T>(name: string, work: () => Promise<T>) => Promise<T>;

onBothDatabases('the plans of the hot statements', (dialect) => {
  let world: World;
  let db: Database;
  let outbox: Outbox;
  let seen: Statement[] = [];
  beforeAll(async () => {
    world = await createWorld(dialect);
    db = await openDatabase(world.url, {
      clock: systemClock,
      log: silentLog,
      onStatement: (each) => seen.push(each),
    });
    const listeners = { consent: async () => {}, source: () => undefined };
    outbox = createOutbox({
      db,
      clock: systemClock,
      log: silentLog,
      namespace: await readNamespace(db),
      listeners,
    });
    await fill(outbox, db);
  });
  afterAll(async () => {
    await db.close();
    await world.close();
  });

  it('are those that are checked in', async () => {
    const plans: Record<string, string[]> = {};
    for (const [name, statement] of await hotStatements())
      plans[name] = timeless(await planOf(db, statement));
    const file = new URL(`../../docs/plans/${dialect}.md`, import.meta.url);
    if (process.env.UPDATE === '1') writeFileSync(file, page(dialect, plans));
    const known = plansIn(readFileSync(file, 'utf8'));
    expect(Object.keys(plans)).toEqual(Object.keys(known));
    for (const [name, plan] of Object.entries(plans)) {
      const message = `${name}: the plan no longer reads by the index in docs/plans/${dialect}.md; it is now\n${plan.join('\n')}\n`;
      expect(accesses(plan), message).toEqual(accesses(known[name] ?? []));
      const sorted = `${name}: the plan sorts more than that in docs/plans/${dialect}.md; it is now\n${plan.join('\n')}\n`;
      expect(sorts(plan), sorted).toBeLessThanOrEqual(sorts(known[name] ?? []));
    }
  });

  it('never read the whole of a table', async () => {
    for (const [name, statement] of await hotStatements()) {
      const whole = (await planOf(db, statement)).filter((line) =>
        // But for the counts: the sweep keeps that table to a few lines.
        /(Seq Scan on|SCAN (?=deliveries|delivery_|unsubscribe|suppressions))(?! ?delivery_counts)/.test(
          line,
        ),
      );
      expect(whole, name).toEqual([]);
    }
  });

  it('would be noticed: in another order than that of its index the claim sorts all that waits', async () => {
    const [, claim] = (await hotStatements()).find(([name]) => name === 'claim') ?? [];
    if (!claim) throw new Error('no claim');
    const other = { ...claim, sql: claim.sql.replace('ORDER BY due_at, seq', 'ORDER BY seq, due_at') };
    expect(other.sql).not.toBe(claim.sql);
    expect(sorts(await planOf(db, other))).toBeGreaterThan(sorts(await planOf(db, claim)));
  });

  it('would be noticed: without its index the claim reads otherwise', async () => {
    const claim = (await hotStatements()).find(([name]) => name === 'claim');
    if (!claim) throw new Error('no claim');
    const before = accesses(await planOf(db, claim[1]));
    await sql`DROP INDEX deliveries_claimable`.execute(db.write);
    expect(accesses(await planOf(db, claim[1]))).not.toEqual(before);
  });

  /** The statements themselves, taken from the outbox at work; the first of each kind. */
  async function hotStatements(): Promise<[string, Statement][]> {
    const recorded: [string, Statement][] = [];
    const during: During = async (name, work) => {
      seen = [];
      const result = await work();
      const reading = seen.filter(({ sql: text }) => /^\s*(UPDATE|SELECT|WITH) (?!1$)/i.test(text));
      reading.forEach((statement, index) => {
        recorded.push([index === 0 ? name : `${name}, ${index + 1}`, statement]);
      });
      return result;
    };
    const order = { source: 'plain', worker: 'w', limit: 100, leaseMs: 60_000, from: 'normal' } as const;
    await during('due', () => outbox.due(['plain', 'other']));
    const claimed = await during('claim', () => outbox.claim(order));
    await during('claim of suspects', () => outbox.claim({ ...order, from: 'suspects', limit: 1 }));
    const batch = claimed.map((each): Composed => ({ claimed: each, mail: mailTo(each.seq) }));
    const beginning = { worker: 'w', account: 'a', keyWindowMs: 1, lastCheck: async () => new Map() };
    await during('begin', () => outbox.begin(batch, beginning));
    await during('record', () =>
      outbox.record(
        claimed.map(({ seq, round }) => ({
          seq,
          event: 'accepted',
          round,
          at: 1,
          messageId: `m${seq}`,
          actor: 'w',
        })),
      ),
    );
    await during('enqueue of repeats', () =>
      outbox.enqueue(Array.from({ length: 50 }, (_, number) => intentNumber(number))),
    );
    await during('take up', () => outbox.takeUp({ worker: 'w', limit: 10, leaseMs: 1000 }));
    const queries = createQueries(db);
    await during('overdue', () =>
      queries.overdue(['claimed', 'sending', 'reconciling'], true, systemClock.now(), 200),
    );
    await during('doubts that are due', () => queries.overdue(['reconciling'], false, systemClock.now(), 50));
    await during('too late', () => outbox.expire(200));
    await during('forget', () => outbox.forget({ before: 2, above: 0, limit: 200 }));
    await db.write
      .updateTable('deliveries')
      .set({ status: 'skipped_unsubscribed' })
      .where('seq', '<', 20)
      .execute();
    const soon = systemClock.now() + 1_000;
    await during('forget what was stopped', () => outbox.forget({ before: soon, above: 0, limit: 10 }));
    await during('fold', () => outbox.foldCounts());
    await during('counts', () => queries.counts());
    await during('how far behind', () => queries.oldestDueAt('plain'));
    const pages: Record<string, Omit<DeliveryFilter, 'limit'>> = {
      'a page of deliveries': { below: 5000 },
      'dead letters': { status: ['failed_permanent'] },
      'a status of one source': { status: ['sent'], source: 'plain', below: 5000 },
      'all of one source': { source: 'plain', below: 5000 },
      'dead letters by error': { status: ['failed_permanent'], errorCode: 'refused' },
      'an occasion': { occasion: 'occasion-7' },
      'an occasion of one status': { occasion: 'occasion-7', status: ['sent'] },
      'occasions that begin alike': { occasionPrefix: 'occasion-70' },
      'an address': { address: 'person-7@example.org' },
      'addresses that begin alike': { addressPrefix: 'Person-70' },
      'addresses that nearly all begin so': { addressPrefix: 'p', below: 5000 },
      'a recipient': { recipient: 'person-7@example.org' },
      'recipients that begin alike': { recipientPrefix: 'person-70', source: 'plain' },
    };
    for (const [name, filter] of Object.entries(pages)) {
      await during(name, () => queries.page({ ...filter, limit: 50 }));
    }
    await during('story', () => queries.story(7));
    await during('by provider id', () => queries.find('message-77'));
    await during('by key', () => queries.find('plain:occasion-7:person-7@example.org'));
    await duringConsent(during);
    return recorded;
  }

  async function duringConsent(during: During): Promise<void> {
    const consent = consentOf({ db, clock: systemClock });
    const number = finished + waiting - 7;
    const recipient = `person-${number}@example.org`;
    const owner = { seq: 1, source: 'plain', recipient };
    const to = requireAddress(recipient);
    const links = await during('the way out', () => consent.unsubscribe.linksFor([owner]));
    await during('objections', () =>
      db.transaction((tx) =>
        consent.against(
          [1, 2, 3].map((seq) => ({ ...owner, to, seq })),
          tx,
        ),
      ),
    );
    const token = links.get(1)?.split('/').at(-1) ?? '';
    await during('unsubscribe', () => consent.unsubscribe.stop(token, 'one-click'));
    await during('undo', () => consent.unsubscribe.undo(token));
    const entry = { address: to, reason: 'operator' } as const;
    await during('suppress', () => consent.suppressions.add([entry], 'an operator'));
    await consent.suppressions.lift(to, '*', { by: 'a test', because: 'the next look is as the first' });
  }
});

async function fill(outbox: Outbox, db: Database): Promise<void> {
  await outbox.enqueue(Array.from({ length: finished + waiting }, (_, number) => intentNumber(number)));
  await sql`
    UPDATE deliveries SET status = 'sent', sent_at = 1, due_at = NULL, evidence = 5, round = 1, provider_message_id = 'message-' || seq
    WHERE seq <= ${sql.lit(finished)}
  `.execute(db.write);
  await sql`
    INSERT INTO delivery_events (delivery_seq, at, event, status, round, actor)
    SELECT seq, 1, 'accepted', 'sent', 1, 'w' FROM deliveries WHERE status = 'sent'
  `.execute(db.write);
  await sql`
    INSERT INTO unsubscribe_tokens (token_id, source, recipient, created_at)
    SELECT 'token-0000000000' || (100000 + seq), source, recipient, 1 FROM deliveries
  `.execute(db.write);
  await sql`
    INSERT INTO suppressions (address_key, scope, reason, created_by, created_at)
    SELECT 'gone-' || seq || '@example.org', '*', 'operator', 'a test', 1 FROM deliveries WHERE seq <= 5000
  `.execute(db.write);
  // SQLite has no statistics where nobody asks for them, and nobody does.
  if (db.dialect === 'postgres') await sql.raw('ANALYZE').execute(db.write);
}

/** The time of the run would make every run a change. */
const timeless = (plan: readonly string[]) => plan.map((line) => line.replaceAll(/\b\d{13}\b/g, 'now'));

/** What is read, and by which index. The rest of a plan differs between versions of a database without harm. */
function accesses(plan: readonly string[]): string[] {
  const found = plan.flatMap((line) => {
    const match =
      /(?:Index(?: Only)? Scan(?: Backward)? using|Bitmap Index Scan on) (\w+)/.exec(line) ??
      /(?:SEARCH|SCAN) \w+(?: EXISTS)? USING (?:COVERING )?(?:INDEX (\w+)|INTEGER PRIMARY KEY)/.exec(line) ??
      /(Seq Scan on \w+|SCAN \w+)/.exec(line);
    return match ? [match[1] ?? 'primary key'] : [];
  });
  return [...new Set(found)].sort();
}

/** How many sorts there are, of whatever kind: of which another version of a database may do one in several steps, or without. */
const sorts = (plan: readonly string[]) =>
  plan.filter((line) => /^\W*(?:(?:Incremental )?Sort\b(?! (?:Key|Method))|USE TEMP B-TREE)/.test(line))
    .length;

function page(dialect: DialectName, plans: Record<string, readonly string[]>): string {
  const sections = Object.entries(plans).map(
    ([name, plan]) => `## ${name}\n\n\`\`\`\n${plan.join('\n')}\n\`\`\`\n`,
  );
  const intro = `Made by \`npm run plans\` on a table with ${finished} finished and ${waiting} waiting rows; checked by \`tests/outbox/plans.test.ts\`.`;
  return `# Plans of the hot statements: ${dialect}\n\n${intro}\n\n${sections.join('\n')}`;
}

function plansIn(text: string): Record<string, string[]> {
  const sections = [...text.matchAll(/^## (.+)\n\n```\n([\s\S]*?)\n```/gm)];
  return Object.fromEntries(sections.map((match) => [match[1] ?? '', (match[2] ?? '').split('\n')]));
}
