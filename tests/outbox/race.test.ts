import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/std/clock.ts';
import { type Crew, createCrew } from '../support/crew.ts';
import { createWorld, intentNumber, onBothDatabases, type World } from '../support/world.ts';

const workers = 16;
const rows = 10_000;

let crew: Crew;
beforeAll(() => {
  crew = createCrew(new URL('./race-worker.mjs', import.meta.url), workers);
});
afterAll(async () => {
  expect(await crew.dismiss()).toEqual(Array.from({ length: workers }, () => 0));
});

/** Processes, not promises: nothing in common but the database. */
onBothDatabases(`a claim race of ${workers} processes over ${rows} rows`, (dialect) => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(dialect);
    await world.outbox.enqueue(Array.from({ length: rows }, (_, number) => intentNumber(number)));
  });
  afterAll(() => world.close());

  it('002-P11-02, 002-C-08 No row goes to two workers and none is left over', {
    timeout: 180_000,
  }, async () => {
    const orders = Array.from({ length: workers }, (_, number) => ({
      ...{ url: world.url, worker: `worker-${number}` },
    }));
    const shares = (await crew.race(orders)) as { seq: number; lease: number }[][];

    const seqs = shares.flat().map(({ seq }) => seq);
    expect(seqs).toHaveLength(rows);
    expect(new Set(seqs).size).toBe(rows);
    expect(shares.flat().every(({ lease }) => lease === 1)).toBe(true);
    // A race that one process won alone would prove nothing.
    expect(shares.filter((share) => share.length > 0).length).toBeGreaterThan(1);
    const held = await world.db.read
      .selectFrom('deliveries')
      .select(['seq', 'locked_by', 'claims'])
      .where('status', '=', 'claimed')
      .execute();
    expect(held).toHaveLength(rows);
    const owners = new Map(
      shares.flatMap((share, number) => share.map(({ seq }) => [seq, `worker-${number}`])),
    );
    expect(
      held.filter(({ seq, locked_by, claims }) => owners.get(seq) !== locked_by || claims !== 1),
    ).toEqual([]);
  });

  it('a worker whose lease ran out changes nothing and leaves its evidence', async () => {
    const [row] = await world.db.read
      .selectFrom('deliveries')
      .selectAll()
      .where('status', '=', 'claimed')
      .limit(1)
      .execute();
    if (!row) throw new Error('nothing claimed');
    // The world's clock is behind the workers' real one by months: bring it past the end of their leases.
    await world.clock.advance(systemClock.now() + 700_000 - world.clock.now());
    await world.outbox.record([{ seq: row.seq, event: 'lapsed', actor: 'sweep' }]);
    const [again] = await world.outbox.claim({
      source: 'plain',
      worker: 'second',
      limit: 1,
      leaseMs: 1000,
      from: 'normal',
    });
    expect(again).toMatchObject({ seq: row.seq, lease: 2 });
    const late = { seq: row.seq, actor: 'worker-0' };
    expect(await world.outbox.record([{ ...late, event: 'deferred', lease: 1, dueAt: 0 }])).toMatchObject([
      { changed: false, why: 'lease lost' },
    ]);
    const evidence = {
      event: 'accepted',
      round: 1,
      at: world.clock.now(),
      messageId: 'late but true',
    } as const;
    expect(await world.outbox.record([{ ...late, ...evidence }])).toMatchObject([
      { changed: true, status: 'sent' },
    ]);
    expect(await world.queries.find('late but true')).toMatchObject({ seq: row.seq, status: 'sent' });
  });
});
