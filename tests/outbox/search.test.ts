import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DeliveryRow } from '../../src/db/schema.ts';
import { type Status, statusNames } from '../../src/domain/status.ts';
import type { DeliveryFilter } from '../../src/outbox/queries.ts';
import { readPage } from '../../src/outbox/search.ts';
import { createSeededRandom, integerBelow, pick, type Random } from '../../src/std/random.ts';
import { requireEqual } from '../support/require-equal.ts';
import { rowIn } from '../support/rows.ts';
import { createWorld, intentNumber, onBothDatabases, type World } from '../support/world.ts';

const rowsMade = 300;
const occasions = ['weekly-1', 'weekly-10', 'weekly-2', 'Weekly-1', 'ümlaut', 'change-7'];
const people = [
  'Ana@example.org',
  'ana@example.org',
  'anabel@example.org',
  'bo@example.org',
  'b%_@example.org',
];

/** Every filter against a look at every row, with a bound so low that each way of searching has its turn. */
onBothDatabases('searching the outbox', (dialect) => {
  let world: World;
  let all: DeliveryRow[];
  beforeAll(async () => {
    world = await createWorld(dialect);
    const random = createSeededRandom(7);
    for (let number = 0; number < rowsMade; number++) {
      const at = { source: pick(random, ['plain', 'plain', 'seats']), occasion: pick(random, occasions) };
      const toEmail = pick(random, people);
      const recipient = `${toEmail}${integerBelow(random, 200)}`;
      await world.clock.advance(10);
      await world.outbox.enqueue([intentNumber(number, { ...at, recipient, toEmail })]);
    }
    const later = statusNames.filter(
      (status) => !['pending', 'claimed', 'sending', 'sent', 'delivered'].includes(status),
    );
    for (const status of [...later, 'sent', 'delivered'] as Status[]) {
      const doubt = status === 'reconciling' || status === 'needs_review' ? 1 : null;
      await sql`
        UPDATE deliveries SET status = ${status}, first_possible_accept_at = ${doubt}, sent_at = 1,
          last_error = ${JSON.stringify({ code: pick(random, ['refused', 'too_big']), message: '"code":"other"' })}
        WHERE seq % ${sql.lit(5 + integerBelow(random, 20))} = 1
      `.execute(world.db.write);
    }
    await sql`UPDATE deliveries SET to_email = NULL WHERE seq % 9 = 4`.execute(world.db.write);
    all = await world.db.read.selectFrom('deliveries').selectAll().orderBy('seq', 'desc').execute();
  });
  afterAll(() => world.close());

  it('finds what a look at every row finds, on every page, by whatever filter', async () => {
    const random = createSeededRandom(20_260_705);
    let short = 0;
    /** Pages with more rows than they may have, or that go on where they began. */
    const wrong: unknown[] = [];
    for (let turn = 0; turn < 250; turn++) {
      const filter = filterFrom(random);
      const { below = Number.MAX_SAFE_INTEGER, ...rest } = filter;
      const expected = all.filter((row) => row.seq < below && matches(row, rest)).map(({ seq }) => seq);
      const found: number[] = [];
      const lookedAtMax = pick(random, [3, 20, 1000]);
      for (let next: number | null = below; next !== null; ) {
        const page = await readPage(world.db, { ...filter, below: next }, lookedAtMax);
        if (page.rows.length > filter.limit || (page.next !== null && page.next >= next)) wrong.push(page);
        if (page.next !== null && page.rows.length < filter.limit) short += 1;
        found.push(...page.rows.map(({ seq }) => seq));
        next = wrong.length > 0 ? null : page.next;
      }
      requireEqual(found, expected, JSON.stringify(filter));
    }
    expect(wrong).toEqual([]);
    expect(short, 'pages that ended before they were full').toBeGreaterThan(20);
  });

  it('looks at no more rows than it may, and says where to go on', async () => {
    const rare = all.at(-1)?.seq ?? 0;
    await sql`UPDATE deliveries SET last_error = '{"code":"unheard_of"}' WHERE seq = ${rare}`.execute(
      world.db.write,
    );
    const page = await readPage(world.db, { errorCode: 'unheard_of', limit: 5 }, 10);
    expect(page).toEqual({ rows: [], next: all[40]?.seq });
    // Of two lists each has half of what may be looked at, and the page ends where the first of them does.
    const sixth = (source: string) =>
      all.filter((row) => row.source === source && row.status === 'pending')[5]?.seq ?? 0;
    const lists = await readPage(world.db, { status: ['pending'], errorCode: 'unheard_of', limit: 5 }, 10);
    expect(lists).toEqual({ rows: [], next: Math.max(sixth('plain'), sixth('seats')) });
    const found = await world.queries.search({ errorCode: 'unheard_of', limit: 5 });
    expect(found.map(({ seq }) => seq)).toEqual([rare]);
  });

  it('goes on until it has as many as were asked for', async () => {
    const found = await world.queries.search({ limit: 200 });
    expect(found.map(({ seq }) => seq)).toEqual(all.slice(0, 200).map(({ seq }) => seq));
    expect(await world.queries.search({ limit: 5, status: [] })).toEqual([]);
    expect(await world.queries.page({ limit: 5, source: 'nobody' })).toEqual({ rows: [], next: null });
  });

  it('finds one delivery by its key, also with colons in it, and none where two are meant', async () => {
    const recipient = 'list:42';
    const [made] = await world.outbox.enqueue([intentNumber(1, { occasion: 'a:b', recipient })]);
    expect(await world.queries.find('plain:a:b:list:42')).toMatchObject({ seq: made?.seq, recipient });
    expect(await world.queries.find('plain:a:b:list:43')).toBeUndefined();
    expect(await world.queries.find(`plain${':'.repeat(500)}`)).toBeUndefined();
    const [other] = await world.outbox.enqueue([intentNumber(1, { occasion: 'a', recipient: 'b:list:42' })]);
    await expect(world.queries.find('plain:a:b:list:42')).rejects.toMatchObject({
      code: 'ambiguous_reference',
      message: expect.stringContaining(`${made?.seq}, ${other?.seq}`),
    });
  });

  it('knows how long the oldest has been due, in whichever lane, suspects too', async () => {
    const lone = await createWorld(dialect);
    try {
      expect(await lone.queries.oldestDueAt('plain')).toBeNull();
      await lone.outbox.enqueue([
        intentNumber(1, { dueAt: 50, lane: 'bulk' }),
        intentNumber(2, { dueAt: 70, lane: 'urgent' }),
      ]);
      expect(await lone.queries.oldestDueAt('plain')).toBe(50);
      const suspect = await rowIn(lone, 'failed_transient', 3, { lapses: 2, dueAt: 20 });
      await rowIn(lone, 'claimed', 4, { dueAt: 10 });
      expect(suspect).toBeGreaterThan(0);
      expect(await lone.queries.oldestDueAt('plain')).toBe(20);
      expect(await lone.queries.oldestDueAt('other')).toBeNull();
    } finally {
      await lone.close();
    }
  });
});

function filterFrom(random: Random): DeliveryFilter {
  const makers: ((filter: DeliveryFilter) => void)[] = [
    (filter) =>
      Object.assign(filter, { status: [...new Set([pick(random, statusNames), pick(random, statusNames)])] }),
    (filter) => Object.assign(filter, { source: pick(random, ['plain', 'seats', 'nobody']) }),
    (filter) => Object.assign(filter, { occasion: pick(random, [...occasions, 'weekly-']) }),
    (filter) => Object.assign(filter, { occasionPrefix: pick(random, ['w', 'weekly-1', 'ü', 'W', 'x', '']) }),
    (filter) => Object.assign(filter, { recipient: `${pick(random, people)}${integerBelow(random, 200)}` }),
    (filter) =>
      Object.assign(filter, { recipientPrefix: pick(random, ['a', 'Ana@', 'b%', 'b', 'bo@example.org1']) }),
    (filter) => Object.assign(filter, { address: pick(random, [...people, 'ANA@EXAMPLE.ORG', 'ana']) }),
    (filter) =>
      Object.assign(filter, {
        addressPrefix: pick(random, ['a', 'ANA@', 'b%', 'b_', 'bo@example.org', 'x']),
      }),
    (filter) => Object.assign(filter, { errorCode: pick(random, ['refused', 'too_big', 'other']) }),
    (filter) => Object.assign(filter, { createdAfter: createdAt(random) }),
    (filter) => Object.assign(filter, { createdBefore: createdAt(random) }),
    (filter) => Object.assign(filter, { below: integerBelow(random, rowsMade) }),
  ];
  const filter: DeliveryFilter = { limit: 1 + integerBelow(random, 40) };
  for (let parts = integerBelow(random, 4); parts > 0; parts--) pick(random, makers)(filter);
  return filter;
}

const startedAt = Date.UTC(2026, 0, 1);
const createdAt = (random: Random) => startedAt + 10 * integerBelow(random, rowsMade);

function matches(row: DeliveryRow, filter: Omit<DeliveryFilter, 'below' | 'limit'>): boolean {
  const address = row.to_email?.toLowerCase();
  const { status, source, occasion, occasionPrefix, recipient, recipientPrefix } = filter;
  const { address: wanted, addressPrefix, errorCode, createdAfter, createdBefore } = filter;
  return (
    (!status || status.includes(row.status)) &&
    (source === undefined || row.source === source) &&
    (occasion === undefined || row.occasion === occasion) &&
    (occasionPrefix === undefined || row.occasion.startsWith(occasionPrefix)) &&
    (recipient === undefined || row.recipient === recipient) &&
    (recipientPrefix === undefined || row.recipient.startsWith(recipientPrefix)) &&
    (wanted === undefined || address === wanted.toLowerCase()) &&
    (addressPrefix === undefined || address?.startsWith(addressPrefix.toLowerCase()) === true) &&
    (errorCode === undefined || (row.last_error !== null && JSON.parse(row.last_error).code === errorCode)) &&
    (createdAfter === undefined || row.created_at >= createdAfter) &&
    (createdBefore === undefined || row.created_at < createdBefore)
  );
}
