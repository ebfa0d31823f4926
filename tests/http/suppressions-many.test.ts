import { beforeEach, describe, expect, test } from 'vitest';
import { createSuppressions } from '../../src/consent/suppressions.ts';
import { openDatabase } from '../../src/db/database.ts';
import type { Address } from '../../src/domain/address.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { rowIn } from '../support/rows.ts';
import { hasPostgres, onBothDatabases } from '../support/world.ts';
import { worldForAll } from '../support/world-for-each.ts';
import { createApiWorld, keys } from './api-world.ts';
import { createSuppressionsWorld, entriesOf, path } from './suppressions-world.ts';

/** Thousands of addresses at once: in by an import, and out by the export. */
onBothDatabases('suppressions by the API', (dialect) => {
  const world = worldForAll(() => createSuppressionsWorld(dialect));
  let number = 0;
  beforeEach(() => world.clear());

  test('5,000 at once; again, and nothing is new', async () => {
    const seq = await rowIn(world, 'pending', ++number);
    const to = { to_email: 'Listed-4999@example.org' };
    await world.db.write.updateTable('deliveries').set(to).where('seq', '=', seq).execute();
    const entries = entriesOf(5_000);
    const ask = () => world.api.ask('POST', `${path}/import`, { body: { entries } });
    const counts = { read: 5_000, added: 5_000, alreadyListed: 0, stopped: 1, problems: [] };
    expect((await ask()).json).toEqual(counts);
    expect(await world.statusOf(seq)).toBe('suppressed');
    expect((await ask()).json).toEqual({ ...counts, added: 0, alreadyListed: 5_000, stopped: 0 });
    entries.push({ address: 'one@example.org' });
    expect((await ask()).status).toBe(400);
  });

  test('entries that cannot be read are named, and do not stop the others', async () => {
    const good = { address: 'ana@example.org', scope: 'plain', reason: 'complained', note: 'x' };
    const entries = [
      { address: 'nobody' },
      good,
      { ...good, address: 'a b@example.org' },
      { ...good, scope: 'none' },
    ];
    const { status, json } = await world.api.ask('POST', `${path}/import`, { body: { entries, by: 'bob' } });
    expect([status, json]).toEqual([
      200,
      {
        ...{ read: 4, added: 1, alreadyListed: 0, stopped: 0 },
        problems: [0, 2, 3].map((index) => ({ index, problem: expect.any(String) })),
      },
    ]);
    expect((await world.list()).suppressions).toMatchObject([good]);
  });

  test('the export has every line, however many pages they are', async () => {
    await world.api.ask('POST', `${path}/import`, { body: { entries: entriesOf(1_200) } });
    await world.add(['=cmd@example.org'], { because: '=HYPERLINK("x"), she said' });
    await world.api.ask('DELETE', `${path}/listed-7@example.org?because=back`);
    const { status, headers, text } = await world.api.ask('GET', `${path}/export`, { key: keys.read[0] });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const lines = text.trimEnd().split('\r\n');
    expect(lines[0]).toBe('address,scope,reason,note,by,at');
    expect(lines[1]).toMatch(/^'=cmd@example\.org,\*,operator,"'=HYPERLINK\(""x""\), she said",/);
    expect(new Set(lines.slice(2).map((line) => line.split(',')[0]))).toEqual(
      new Set(
        entriesOf(1_200).flatMap(({ address }) => (address === 'listed-7@example.org' ? [] : [address])),
      ),
    );
    expect(lines).toHaveLength(1_201);
    const all = (await world.api.ask('GET', `${path}/export?withLifted=true`)).text;
    expect(all).toMatch(/^address,scope,reason,note,by,at,liftedAt,liftedBy,liftedBecause\r\n/);
    expect(all).toMatch(/^listed-7@example\.org,.*,back\r$/m);
    const head = await fetch(`${world.api.url}${path}/export`, {
      method: 'HEAD',
      headers: { 'x-api-key': keys.read[0] },
    });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

describe.skipIf(!hasPostgres)('two imports at once (postgres)', () => {
  test('the same addresses in opposite order end without a deadlock, each address once', async () => {
    const world = await createApiWorld('postgres');
    const other = await openDatabase(world.url, { clock: systemClock, log: silentLog });
    try {
      for (let round = 1; round <= 10; round++) {
        const entries = Array.from({ length: 500 }, (_, each) => ({
          ...{ address: `round-${round}-${each}@example.org` as Address, reason: 'imported' as const },
        }));
        const results = await Promise.all(
          [entries, entries.toReversed()].map((list, index) => {
            const db = index === 0 ? world.db : other;
            const suppressions = createSuppressions({ db, clock: world.clock, log: silentLog });
            // Not by `db.transaction`, which would try again after a deadlock and hide it.
            return db.write.transaction().execute((tx) => suppressions.add(list, 'x', tx));
          }),
        );
        expect(results.reduce((sum, { added }) => sum + added, 0)).toBe(500);
      }
    } finally {
      await other.close();
      await world.close();
    }
  });
});
