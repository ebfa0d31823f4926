import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { deliveriesOf } from '../../src/inbox/deliveries-of.ts';
import { clearInbox, findCaptured, readInbox } from '../../src/inbox/inbox.ts';
import { createCapture } from '../../src/providers/capture.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { mailTo } from '../support/mails.ts';
import { planOf, type Statement } from '../support/plan-of.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';

onBothDatabases('finding mails in the inbox', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());

  const take = async (...subjects: string[]) => {
    const capture = createCapture({ db: world.db, clock: world.clock, ids: systemIds });
    for (const [index, subject] of subjects.entries()) {
      const mail = mailTo(index, { subject });
      await capture.send({ key: `${index} ${subject}`, mail, startBefore: Infinity, leaseEndsAt: Infinity });
    }
  };
  const subjects = async (filter: { to?: string; subject?: string; limit?: number; below?: number }) => {
    const { mails, next } = await readInbox(world.db, { limit: 10, ...filter });
    return { found: mails.map(({ mail }) => mail.subject), next };
  };

  it('by how the address or the subject begins, in any case, newest first', async () => {
    await take('Grüße 🙂', 'A seat opened', 'a SEAT closed', 'Other');
    expect(await subjects({ subject: 'a seat' })).toEqual({
      ...{ found: ['a SEAT closed', 'A seat opened'], next: null },
    });
    expect(await subjects({ subject: 'GRÜSSE' })).toEqual({ found: [], next: null });
    expect(await subjects({ subject: 'GRÜ' })).toEqual({ found: ['Grüße 🙂'], next: null });
    expect(await subjects({ to: 'Person-1@' })).toEqual({ found: ['A seat opened'], next: null });
    expect(await subjects({ to: 'person-', subject: 'o' })).toEqual({ found: ['Other'], next: null });
    expect(await subjects({ subject: '%' })).toEqual({ found: [], next: null });
    expect(await subjects({ subject: 'seat' })).toEqual({ found: [], next: null });
  });

  it('a mail whose delivery is gone, or was never there, is nobody’s', async () => {
    await take('of yesterday');
    const { mails } = await readInbox(world.db, { limit: 10 });
    expect(mails[0]?.mail.tags.delivery_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await deliveriesOf(world.db, mails)).toEqual(new Map());
    expect(await deliveriesOf(world.db, [])).toEqual(new Map());
  });

  it('page by page', async () => {
    await take('a 1', 'a 2', 'b', 'a 3');
    const first = await subjects({ subject: 'a', limit: 2 });
    expect(first.found).toEqual(['a 3', 'a 2']);
    expect(await subjects({ subject: 'a', limit: 2, below: first.next ?? 0 })).toEqual({
      ...{ found: ['a 1'], next: null },
    });
    const all = await subjects({ limit: 3 });
    expect(all.found).toEqual(['a 3', 'b', 'a 2']);
    expect(await subjects({ limit: 3, below: all.next ?? 0 })).toEqual({ found: ['a 1'], next: null });
  });

  it('by the beginning of an id', async () => {
    await take('one', 'two');
    const [two] = (await readInbox(world.db, { limit: 1 })).mails;
    const id = two?.messageId ?? '';
    for (const length of [8, 9, 20, 36])
      expect((await findCaptured(world.db, id.slice(0, length), 2)).map(({ mail }) => mail.subject)).toEqual([
        'two',
      ]);
    expect(await findCaptured(world.db, `${id.slice(0, 7)}-`, 2)).toEqual([]);
    expect(await findCaptured(world.db, 'ffffffff', 2)).toEqual([]);
  });

  it('clearing an empty inbox is nothing, and clearing twice is clearing', async () => {
    const order = { by: 'ana', now: world.clock.now() };
    await clearInbox(world.db, order);
    await take('one');
    expect((await subjects({})).found).toEqual(['one']);
    await clearInbox(world.db, order);
    await clearInbox(world.db, order);
    expect([await subjects({}), await subjects({ subject: 'one' })]).toEqual([
      { found: [], next: null },
      { found: [], next: null },
    ]);
    const { mails } = await readInbox(world.db, { limit: 10, withCleared: true });
    expect(mails.map(({ mail }) => mail.subject)).toEqual(['one']);
  });

  async function fill(db: Database, count: number): Promise<void> {
    const mail = JSON.stringify(mailTo(1));
    await sql`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${sql.lit(count)})
      INSERT INTO captured_mails (message_id, idempotency_key, body_hash, mail, received_at, to_key, subject_key)
      SELECT 'id-' || i, 'key-' || i, 'h', ${mail}, i, 'person-' || (i % 100) || '@example.org', CASE WHEN i = 7 THEN 'needle' ELSE 'hay ' || i END
      FROM n
    `.execute(db.write);
    if (dialect === 'postgres') await sql.raw('ANALYZE captured_mails').execute(db.write);
  }

  it('among many: what is rare is found at once, what is common is read a part at a time', async () => {
    await fill(world.db, 12_000);
    expect((await readInbox(world.db, { limit: 10, subject: 'needle' })).mails).toHaveLength(1);
    const common = await readInbox(world.db, { limit: 10, subject: 'hay' });
    expect(common.mails).toHaveLength(10);
    // Rare among what is common: the pages on the way may be empty, and the last has it.
    let page = await readInbox(world.db, { limit: 10, to: 'person-', subject: 'hay 3' });
    let pages = 1;
    const seen = page.mails.map(({ number }) => number);
    while (page.next !== null && pages < 2_000) {
      page = await readInbox(world.db, { limit: 10, to: 'person-', subject: 'hay 3', below: page.next });
      seen.push(...page.mails.map(({ number }) => number));
      pages += 1;
    }
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) AS count FROM captured_mails WHERE subject_key LIKE 'hay 3%'
    `.execute(world.db.read);
    expect(seen).toHaveLength(Number(rows[0]?.count));
    expect(seen).toEqual(seen.toSorted((one, other) => other - one));
  });

  it('reads no mail but those that it shows', async () => {
    const seen: Statement[] = [];
    const db = await openDatabase(world.url, {
      ...{ clock: world.clock, log: silentLog, onStatement: (one) => seen.push(one) },
    });
    try {
      await fill(db, 20_000);
      seen.length = 0;
      await readInbox(db, { limit: 10 });
      await readInbox(db, { limit: 10, to: 'person-1@' });
      await readInbox(db, { limit: 10, to: 'person-', subject: 'hay', below: 9_000 });
      await findCaptured(db, '00000000', 2);
      const asked = seen.filter(({ sql: text }) => /captured_mails/.test(text));
      expect(asked.length).toBeGreaterThanOrEqual(8);
      for (const statement of asked) {
        const plan = await planOf(db, statement);
        const whole = plan.filter((line) => /Seq Scan on captured|SCAN captured_mails$/.test(line));
        expect(whole, `${statement.sql}\n${plan.join('\n')}`).toEqual([]);
      }
    } finally {
      await db.close();
    }
  });
});
