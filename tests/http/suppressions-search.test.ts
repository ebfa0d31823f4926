import { afterAll, beforeAll, expect, test } from 'vitest';
import { listSuppressions, suppressionsBeginning } from '../../src/consent/suppression-list.ts';
import { openDatabase } from '../../src/db/database.ts';
import { requireAddress } from '../../src/domain/address.ts';
import { type SuppressionReason, suppressionReasonNames } from '../../src/domain/suppression.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { createSeededRandom, integerBelow, pick } from '../../src/std/random.ts';
import { planOf, type Statement } from '../support/plan-of.ts';
import { onBothDatabases } from '../support/world.ts';
import { type Api, type ApiWorld, createApiWorld } from './api-world.ts';

const path = '/api/v1/suppressions';
const names = ['ana', 'anabel', 'an%_', 'bo', 'Ünal', 'zoe'];
const linesMade = 400;

interface Line {
  suppression_seq: number;
  address_key: string;
  scope: string;
  reason: SuppressionReason;
  lifted_at: number | null;
}

/** Every filter against a look at every line. */
onBothDatabases('searching the suppressions', (dialect) => {
  let world: ApiWorld;
  let api: Api;
  let all: Line[];
  beforeAll(async () => {
    world = await createApiWorld(dialect);
    api = await world.serve();
    const random = createSeededRandom(11);
    for (let number = 0; number < linesMade; number++) {
      await world.db.write
        .insertInto('suppressions')
        .values({
          address_key: `${pick(random, names).toLowerCase()}${integerBelow(random, 60)}@example.org`,
          scope: pick(random, ['*', '*', 'plain', 'seats']),
          reason: pick(random, [...suppressionReasonNames]),
          ...{ created_by: 'x', created_at: number },
          lifted_at: integerBelow(random, 3) === 0 ? 1 : null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
    all = await world.db.read.selectFrom('suppressions').selectAll().execute();
  });
  afterAll(() => world.close());

  const matches = (line: Line, { scope, reason, withLifted }: Record<string, string>) =>
    (scope === undefined || line.scope === scope) &&
    (reason === undefined || line.reason === reason) &&
    (withLifted === 'true' || line.lifted_at === null);

  /** All pages of it, by following `next`. */
  async function everyPage(asked: Record<string, string>): Promise<number[]> {
    const found: number[] = [];
    let next: Record<string, string> = {};
    for (let pages = 0; pages < 200; pages++) {
      const { json } = await api.ask(
        'GET',
        `${path}?${new URLSearchParams({ ...asked, ...next, limit: '7' })}`,
      );
      expect(json.suppressions.length).toBeLessThanOrEqual(7);
      found.push(...json.suppressions.map(({ seq }: { seq: number }) => seq));
      if (json.next === null) return found;
      next = Object.fromEntries(Object.entries(json.next).map(([name, value]) => [name, String(value)]));
    }
    throw new Error('there is no end of it');
  }

  const filters: Record<string, string>[] = [
    {},
    { scope: 'plain' },
    { reason: 'complained' },
    { scope: '*', reason: 'operator' },
    { withLifted: 'true' },
    { scope: 'seats', reason: 'imported', withLifted: 'true' },
    { scope: 'none' },
  ];

  test.each(filters)('newest first, on every page: %j', async (filter) => {
    const expected = all.filter((line) => matches(line, filter)).map((line) => line.suppression_seq);
    expect(await everyPage(filter)).toEqual(expected.sort((one, other) => other - one));
  });

  test.each(['an', 'ANA', 'ana1', 'an%', 'ünal', 'z', 'nobody', 'ana5@example.org'])(
    'those that begin with %s, in the order of addresses, on every page and by whatever filter',
    async (beginning) => {
      for (const filter of filters) {
        const expected = all
          .filter((line) => line.address_key.startsWith(beginning.toLowerCase()) && matches(line, filter))
          .sort(
            (one, other) =>
              Buffer.compare(Buffer.from(one.address_key), Buffer.from(other.address_key)) ||
              one.suppression_seq - other.suppression_seq,
          )
          .map((line) => line.suppression_seq);
        expect(await everyPage({ ...filter, addressPrefix: beginning })).toEqual(expected);
      }
    },
  );

  test('an address as a whole, and no other that begins with it', async () => {
    const [one] = all.filter(({ address_key }) => address_key.startsWith('ana1'));
    const address = one?.address_key ?? '';
    const expected = all.filter((line) => line.address_key === address).map((line) => line.suppression_seq);
    expect(await everyPage({ address: address.toUpperCase(), withLifted: 'true' })).toEqual(
      expected.sort((first, second) => second - first),
    );
  });

  test('where filters pass most over, a page ends early and says where to go on', async () => {
    const order = { beginning: 'a', scope: 'none', limit: 50 };
    const short = await suppressionsBeginning(world.db, order, 10);
    expect([short.rows, short.next]).toEqual([[], { address: expect.any(String), seq: expect.any(Number) }]);
    let pages = 1;
    for (let next = short.next; next !== null; pages++)
      next = (await suppressionsBeginning(world.db, { ...order, after: next }, 10)).next;
    const stretch = all.filter(({ address_key }) => address_key.startsWith('a')).length;
    expect(pages).toBe(Math.floor(stretch / 10) + 1);
  });

  test('what is no text for a search is refused', async () => {
    for (const query of ['addressPrefix=', 'addressPrefix=%00', 'addressPrefix=a&above=-1', 'prefix=a'])
      expect((await api.ask('GET', `${path}?${query}`)).status).toBe(400);
  });

  test('every way goes by an index, and none sorts or reads the table from end to end', async () => {
    const seen: Statement[] = [];
    const db = await openDatabase(world.url, {
      ...{ clock: systemClock, log: silentLog },
      onStatement: (statement) => seen.push(statement),
    });
    const address = requireAddress('ana@example.org');
    const asked: [string, () => Promise<unknown>][] = [
      ['suppressions_by_scope', () => listSuppressions(db, { scope: 'plain', limit: 5 })],
      ['suppressions_by_reason', () => listSuppressions(db, { reason: 'operator', limit: 5 })],
      [
        'suppressions_by_scope_and_reason',
        () => listSuppressions(db, { scope: '*', reason: 'operator', limit: 5 }),
      ],
      ['suppressions_address', () => listSuppressions(db, { address, withLifted: true, limit: 5 })],
      ['suppressions_address', () => suppressionsBeginning(db, { beginning: 'ana', limit: 5 })],
    ];
    try {
      for (const [index, ask] of asked) {
        seen.length = 0;
        await ask();
        const statements = seen.filter((statement) => statement.sql.includes('suppressions'));
        expect(statements.length).toBeGreaterThan(0);
        for (const statement of statements) {
          // A table of a few hundred lines is read from end to end by whoever is free to choose.
          const settings = db.dialect === 'postgres' ? ['SET LOCAL enable_seqscan = off'] : [];
          const plan = (await planOf(db, statement, settings)).join('\n');
          expect(plan).toMatch(new RegExp(`\\b${index}\\b`));
          expect(plan).not.toMatch(/Seq Scan|SCAN suppressions/);
        }
      }
    } finally {
      await db.close();
    }
  });
});
