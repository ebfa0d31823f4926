import { afterAll, beforeAll, expect, it } from 'vitest';
import { type WorkEvent, workEvents } from '../../src/domain/lifecycle.ts';
import { type Status, statusNames } from '../../src/domain/status.ts';
import type { Composed } from '../../src/outbox/begin.ts';
import type { Claimed } from '../../src/outbox/claim.ts';
import { mailTo } from '../support/mails.ts';
import { rowIn, rowsIn } from '../support/rows.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';

/**
 * The life-cycle table written down a second time, by hand, so that a slip in the constants is seen. One line a status:
 * the events that move it and where to. Everything that is not here must leave the row as it is.
 */
const expected: Record<Status, Partial<Record<WorkEvent, Status>>> = {
  pending: {
    claimed: 'claimed',
    unsubscribed: 'skipped_unsubscribed',
    address_suppressed: 'suppressed',
    no_address: 'skipped_no_email',
    ineligible: 'skipped_ineligible',
    expired: 'expired',
    deferred: 'pending',
  },
  failed_transient: {
    claimed: 'claimed',
    unsubscribed: 'skipped_unsubscribed',
    address_suppressed: 'suppressed',
    no_address: 'skipped_no_email',
    ineligible: 'skipped_ineligible',
    expired: 'expired',
    deferred: 'failed_transient',
    requeued: 'pending',
  },
  claimed: {
    begun: 'sending',
    deferred: 'pending',
    unsubscribed: 'skipped_unsubscribed',
    address_suppressed: 'suppressed',
    no_address: 'skipped_no_email',
    ineligible: 'skipped_ineligible',
    expired: 'expired',
    unsendable: 'failed_permanent',
    lapsed: 'pending',
    gave_up: 'failed_permanent',
  },
  sending: {
    deferred: 'pending',
    refused_for_now: 'failed_transient',
    gave_up: 'failed_permanent',
    refused_for_good: 'failed_permanent',
    outcome_unknown: 'reconciling',
    key_conflict: 'reconciling',
    lease_expired: 'reconciling',
  },
  reconciling: {
    taken_up: 'reconciling',
    resubmitted: 'reconciling',
    still_unknown: 'reconciling',
    not_at_provider: 'failed_transient',
    undecidable: 'needs_review',
    lease_expired: 'reconciling',
  },
  needs_review: { resolved_not_sent: 'failed_transient', resolved_closed: 'failed_permanent' },
  sent: { doubted: 'reconciling' },
  delivered: {},
  failed_permanent: { requeued: 'pending' },
  suppressed: { requeued: 'pending' },
  skipped_unsubscribed: { requeued: 'pending', resumed: 'pending' },
  skipped_no_email: { requeued: 'pending' },
  skipped_ineligible: { requeued: 'pending' },
  expired: { requeued: 'pending' },
};

/** Arrows that only the holder of the lease may take. */
const fenced: Partial<Record<Status, WorkEvent[]>> = {
  claimed: ['begun', 'deferred', 'no_address', 'ineligible', 'expired', 'unsendable'],
  sending: ['deferred', 'refused_for_now', 'gave_up', 'refused_for_good', 'outcome_unknown', 'key_conflict'],
  reconciling: ['resubmitted', 'still_unknown', 'not_at_provider', 'undecidable'],
};

/** Which arrows end an attempt. */
const counted: [Status, WorkEvent][] = [
  ['claimed', 'unsubscribed'],
  ['claimed', 'address_suppressed'],
  ['claimed', 'no_address'],
  ['claimed', 'ineligible'],
  ['claimed', 'expired'],
  ['claimed', 'unsendable'],
  ['sending', 'refused_for_now'],
  ['sending', 'gave_up'],
  ['sending', 'refused_for_good'],
  ['sending', 'outcome_unknown'],
  ['sending', 'key_conflict'],
  ['sending', 'lease_expired'],
  ['reconciling', 'still_unknown'],
];

const presentLease = 7;

onBothDatabases('every status × work event', (dialect) => {
  let world: World;
  let number = 0;
  beforeAll(async () => {
    world = await createWorld(dialect);
  });
  afterAll(() => world.close());

  async function rowsInAllStatuses(): Promise<Map<Status, number>> {
    // `doubted` needs a row that claims to be sent without evidence, as an import leaves it.
    const more = (status: Status) => (status === 'sent' ? { evidence: 0, round: 0 } : {});
    const seqs = await rowsIn(
      world,
      statusNames.map((status) => ({ status, number: ++number, more: more(status) })),
    );
    return new Map(statusNames.map((status, index) => [status, seqs[index] as number]));
  }

  const read = (seq: number) => world.queries.find(String(seq));
  const readAll = async () =>
    new Map(
      (await world.db.read.selectFrom('deliveries').selectAll().execute()).map((row) => [row.seq, row]),
    );

  /** Only who holds a row speaks with a lease. */
  async function report(event: WorkEvent, rows: readonly (readonly [Status, number])[]): Promise<void> {
    const lease = presentLease;
    if (event === 'claimed') {
      await world.outbox.claim({
        source: 'plain',
        worker: 'worker-1',
        limit: 1000,
        leaseMs: 1000,
        from: 'normal',
      });
    } else if (event === 'begun') {
      const batch = rows.map(
        ([, seq]): Composed => ({
          claimed: { seq, lease, round: 1, frozen: null } as Claimed,
          mail: mailTo(seq),
        }),
      );
      const order = {
        worker: 'worker-1',
        account: 'capture',
        keyWindowMs: 1000,
        lastCheck: async () => new Map(),
      };
      await world.outbox.begin(batch, order);
    } else {
      const more = {
        actor: 'worker-1',
        worker: 'worker-1',
        account: 'capture',
        dueAt: world.clock.now() + 60_000,
      };
      await world.outbox.record(
        rows.map(([status, seq]) => ({
          seq,
          event,
          ...(fenced[status]?.includes(event) && { lease }),
          ...more,
        })),
      );
    }
  }

  it.each(workEvents)('%s moves what the table lists and leaves all others alone', async (event) => {
    const rows = await rowsInAllStatuses();
    const before = await readAll();
    expect(before.size).toBe(rows.size);
    await report(event, [...rows]);
    const all = await readAll();
    for (const [status, seq] of rows) {
      const after = all.get(seq);
      const next = expected[status][event];
      if (next === undefined) {
        expect(after, `${status} × ${event} must change nothing`).toEqual(before.get(seq));
        continue;
      }
      expect(after?.status, `${status} × ${event}`).toBe(next);
      const ended = counted.some(([from, what]) => from === status && what === event) ? 1 : 0;
      expect(
        (after?.attempts ?? 0) - (before.get(seq)?.attempts ?? 0),
        `${status} × ${event}: attempts`,
      ).toBe(ended);
    }
    // Leave nothing claimable behind for the next event's rows.
    await world.db.transaction((tx) => tx.deleteFrom('deliveries').execute());
  });

  it.each(workEvents.filter((event) => event !== 'claimed' && event !== 'begun'))(
    '%s from a worker whose lease is over changes nothing, wherever the row is now',
    async (event) => {
      const rows = [...(await rowsInAllStatuses()).values()];
      const before = await readAll();
      expect(before.size).toBe(rows.length);
      const more = { event, actor: 'late', dueAt: 0, account: 'capture', worker: 'late' };
      const answers = await world.outbox.record(
        rows.map((seq) => ({ seq, lease: presentLease - 1, ...more })),
      );
      expect(answers.some(({ changed }) => changed)).toBe(false);
      expect(await readAll()).toEqual(before);
      await world.db.transaction((tx) => tx.deleteFrom('deliveries').execute());
    },
  );

  it('a worker that wakes up after its claim lapsed does not move the row that waits again', async () => {
    const seq = await rowIn(world, 'pending', ++number);
    const before = await read(seq);
    for (const event of ['deferred', 'no_address', 'expired'] as const) {
      // Nobody has claimed it since: the number is still the last one, but nobody holds it.
      const answer = await world.outbox.record([
        { seq, event, lease: presentLease, actor: 'late', dueAt: 9e15 },
      ]);
      expect(answer).toMatchObject([{ changed: false, why: 'lease lost' }]);
    }
    expect(await read(seq)).toEqual(before);
  });

  it.each([
    ['claimed', 'lapsed'],
    ['claimed', 'gave_up'],
    ['sending', 'lease_expired'],
    ['reconciling', 'lease_expired'],
    ['reconciling', 'taken_up'],
  ] as const)('the sweep leaves %s alone on %s while the lease runs', async (status, event) => {
    const seq = await rowIn(world, status, ++number, { dueAt: world.clock.now() + 1 });
    const before = await read(seq);
    await report(event, [[status, seq]]);
    expect(await read(seq)).toEqual(before);
  });

  it('an operator cannot requeue a dead letter of which a mail may exist', async () => {
    const seq = await rowIn(world, 'failed_permanent', ++number, {
      firstPossibleAcceptAt: world.clock.now(),
    });
    await report('requeued', [['failed_permanent', seq]]);
    expect(await read(seq)).toMatchObject({ status: 'failed_permanent' });
  });

  it('resubmission is barred when the lease would outlast the key window, or the account is another', async () => {
    const now = world.clock.now();
    const late = await rowIn(world, 'reconciling', ++number, {
      dueAt: now + 60_000,
      resubmitUntil: now + 60_000,
    });
    const inTime = await rowIn(world, 'reconciling', ++number, {
      dueAt: now + 60_000,
      resubmitUntil: now + 60_001,
    });
    const elsewhere = await rowIn(world, 'reconciling', ++number, { account: 'resend:other' });
    const answers = await world.outbox.record(
      [late, inTime, elsewhere].map((seq) => ({
        seq,
        event: 'resubmitted',
        lease: 7,
        actor: 'worker-1',
        account: 'capture',
      })),
    );
    expect(answers.map(({ changed, why }) => (changed ? 'moved' : why))).toEqual(['guard', 'moved', 'guard']);
  });

  it('a 409 concurrent is no attempt, but still a doubt', async () => {
    const seq = await rowIn(world, 'sending', ++number);
    await world.outbox.record([
      { seq, event: 'outcome_unknown', lease: 7, actor: 'worker-1', isAttempt: false },
    ]);
    expect(await read(seq)).toMatchObject({ status: 'reconciling', attempts: 0 });
  });

  it('imported rows with evidence are not doubted', async () => {
    const seq = await rowIn(world, 'sent', ++number);
    expect(await world.outbox.record([{ seq, event: 'doubted', actor: 'sweep' }])).toMatchObject([
      { changed: false },
    ]);
  });
});
