import { afterAll, beforeAll, expect, it } from 'vitest';
import { evidenceEventNames } from '../../src/domain/evidence.ts';
import type { Report } from '../../src/outbox/record.ts';
import { createSeededRandom, integerBelow, pick, type Random } from '../../src/std/random.ts';
import { requireEqual } from '../support/require-equal.ts';
import { rowsIn } from '../support/rows.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';

const histories = 500;

/**
 * What the provider may say about one delivery, in an order and with repeats that differ from telling to telling. Each
 * history is told to two rows in two ways; both must end the same, whatever batches the events came in.
 */
onBothDatabases('histories of evidence', (dialect) => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(dialect);
  });
  afterAll(() => world.close());

  it(`${histories} of them end the same in any order and with any repeats`, async () => {
    const random = createSeededRandom(20_260_101);
    const drawn = [];
    for (let number = 0; number < histories; number++) {
      const status = pick(random, [
        'sending',
        'reconciling',
        'needs_review',
        'pending',
        'failed_transient',
      ] as const);
      drawn.push({ number, status, told: evidenceOf(random, number) });
    }
    const more = { round: 1, evidence: 4 };
    const seqs = await rowsIn(
      world,
      drawn.flatMap(({ number, status }) =>
        [2 * number, 2 * number + 1].map((number) => ({ number, status, more })),
      ),
    );
    const pairs = drawn.map(({ number, told }) => {
      const [one, other] = [seqs[2 * number] as number, seqs[2 * number + 1] as number];
      return { one, other, tellings: [telling(random, one, told), telling(random, other, told)] };
    });
    // All first tellings and all second ones are cut into batches of their own, mixing many deliveries.
    for (const which of [0, 1]) {
      const queue = interleaved(
        random,
        pairs.map(({ tellings }) => tellings[which] ?? []),
      );
      while (queue.length > 0) await world.outbox.record(queue.splice(0, 1 + integerBelow(random, 200)));
    }
    const rows = new Map((await world.queries.search({ limit: 5000 })).map((row) => [row.seq, row]));
    for (const { one, other } of pairs) requireEqual(decided(rows.get(other)), decided(rows.get(one)));
    const ends = new Set([...rows.values()].map((row) => row.status));
    expect([...ends].sort()).toEqual([
      'delivered',
      'failed_permanent',
      'failed_transient',
      'sent',
      'suppressed',
    ]);
  });

  it('each delivery’s first acceptance and its suppression were told to its source once', async () => {
    const tellings = world.told
      .filter(({ by }) => by === 'source')
      .map(({ fact }) => `${fact.kind} ${fact.delivery.seq}`);
    expect(new Set(tellings).size).toBe(tellings.length);
    const rows = await world.queries.search({ limit: 5000 });
    const accepted = rows.filter((row) => row.sent_at !== null).map((row) => `first_accepted ${row.seq}`);
    const suppressed = rows
      .filter((row) => row.status === 'suppressed')
      .map((row) => `suppressed ${row.seq}`);
    expect(tellings.sort()).toEqual([...accepted, ...suppressed].sort());
  });
});

type Evidence = Omit<Extract<Report, { round: number }>, 'seq' | 'actor'>;

function evidenceOf(random: Random, number: number): Evidence[] {
  const wanted = 1 + integerBelow(random, 6);
  return Array.from({ length: wanted }, (_, index) => {
    const round = 1 + integerBelow(random, 2);
    const event = pick(random, evidenceEventNames);
    return {
      event,
      round,
      at: 1000 * number + index,
      messageId: `${number}-${round}`,
      roundsMax: 2,
      dueAt: 5,
    };
  });
}

function telling(random: Random, seq: number, told: readonly Evidence[]): Report[] {
  const repeated = told.flatMap((report) =>
    Array.from({ length: 1 + integerBelow(random, 2) }, () => report),
  );
  return shuffled(random, repeated).map((report) => ({ ...report, seq, actor: 'webhook' }));
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}

/** One queue out of many, keeping the order within each. */
function interleaved<T>(random: Random, queues: readonly T[][]): T[] {
  const cursors = queues.map((queue) => [...queue]);
  const slots = shuffled(
    random,
    cursors.flatMap((queue) => queue.map(() => queue)),
  );
  return slots.map((queue) => queue.shift() as T);
}

function decided(row: Awaited<ReturnType<World['queries']['find']>>) {
  return (
    row && {
      status: row.status,
      evidence: row.evidence,
      round: row.round,
      sentAt: row.sent_at,
      deliveredAt: row.delivered_at,
      messageId: row.provider_message_id,
      attempts: row.attempts,
    }
  );
}
