import type { Queue } from 'bullmq';
import type { Named } from '../dispatch/dispatch.ts';
import { createLaneOrder } from '../dispatch/lanes.ts';
import type { Pace } from '../dispatch/pace.ts';
import type { DueRow, DueWork } from '../outbox/due.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';
import { answered } from './queue.ts';

/**
 * From the outbox to the queue: names what is due to whoever is free. It looks at the database again and again and remembers for a
 * while what it has named; what then still waits, and whose job is gone, is named once more. So it needs no word from the queue about what
 * became of a job, and whatever was lost there (a flush, a crash, an answer) is found by the same look. Naming a row twice costs a claim
 * that finds nothing.
 */
export interface Relay {
  once(): Promise<'pause'>;
}

export interface RelayParts {
  outbox: Pick<Outbox, 'due' | 'dueRows'>;
  pace: Pick<Pace, 'mayAsk' | 'probeIfDue'>;
  sources: readonly { name: string }[];
  queue: () => Promise<Queue>;
  /** Rows that a job names. */
  batch: number;
  clock: Clock;
  log: Log;
}

/** Jobs that wait: enough that no worker is idle between two looks, and few enough that what is urgent gets past them soon. */
const jobsAheadMax = 32;
/** With room for fewer it is not worth looking past all that is named already. What is urgent does not wait for that. */
const roomLeast = 8;
/** After this a row is looked after: its job may still wait, behind many others, or it is lost. */
const namedForMs = 30_000;
/** The lower, the sooner. BullMQ puts jobs without one before all others. */
const priorities = { urgent: 1, normal: 2, bulk: 3, suspects: 4 } as const;

export function createRelay(parts: RelayParts): Relay {
  const { outbox, pace, sources, queue, batch, clock, log } = parts;
  const names = sources.map(({ name }) => name);
  const turns = createLaneOrder();
  /** By group: what was named and waits still. */
  const named = new Map<string, Map<number, Naming>>();

  /** How many jobs may be put, and how many are under way. */
  async function look(): Promise<{ room: number; active: number }> {
    const counts = await answered(
      (await queue()).getJobCounts('waiting', 'prioritized', 'delayed', 'active'),
    );
    const { waiting = 0, prioritized = 0, delayed = 0, active = 0 } = counts;
    const ahead = waiting + prioritized + delayed;
    // All is done, or all is lost: either way what still waits is not in there.
    if (ahead + active === 0) named.clear();
    return { room: jobsAheadMax - ahead, active };
  }

  /** Puts as many jobs of a group as there are rows that nobody has named, and answers how many rows these are, and jobs. */
  async function put(group: DueWork, priority: number, order: { rowsMax: number; rowsAhead: number }) {
    const key = `${group.source} ${group.from}`;
    const before = named.get(key);
    const rows = await outbox.dueRows(group, order.rowsAhead + order.rowsMax);
    const namingOf = ({ seq, lease }: DueRow) => {
      const naming = before?.get(seq);
      return naming?.lease === lease ? naming : undefined;
    };
    await lookAfter(rows.flatMap((row) => namingOf(row) ?? []));
    // What is in none of the next rows has been claimed: who comes back from there is named anew.
    const kept = new Map<number, Naming>();
    const fresh: DueRow[] = [];
    for (const row of rows) {
      const naming = namingOf(row);
      if (naming && !naming.job.isLost) kept.set(row.seq, naming);
      else if (fresh.length < order.rowsMax) fresh.push(row);
    }
    const lost = fresh.filter((row) => namingOf(row) !== undefined).length;
    if (lost > 0) log.warn('queue.named_again', { ...group, deliveries: lost });
    const jobs = chunks(fresh, group.from === 'suspects' ? 1 : batch).map((rows) => {
      const job: PutJob = { id: null, putAt: clock.monotonic(), isLost: false };
      // Before the answer of the queue: one that gets lost must not have them named at every look.
      for (const { seq, lease } of rows) kept.set(seq, { lease, job });
      return { job, data: { ...group, seqs: rows.map(({ seq }) => seq) } satisfies Named };
    });
    named.set(key, kept);
    const opts = { priority, removeOnFail: true };
    const added = await answered(
      (await queue()).addBulk(jobs.map(({ data }) => ({ name: 'send', data, opts }))),
    );
    for (const [index, { job }] of jobs.entries()) job.id = added[index]?.id ?? null;
    return { rows: fresh.length, jobs: jobs.length };
  }

  /** Of what was named long ago: whether its job is still there. */
  async function lookAfter(namings: readonly Naming[]): Promise<void> {
    const oldest = clock.monotonic() - namedForMs;
    const old = new Set(namings.map(({ job }) => job).filter(({ putAt }) => putAt <= oldest));
    for (const job of old) {
      const isThere = job.id !== null && (await answered((await queue()).getJob(job.id))) !== undefined;
      if (isThere) job.putAt = clock.monotonic();
      else job.isLost = true;
    }
  }

  return {
    async once() {
      const asked = await pace.mayAsk();
      if (!asked) {
        await pace.probeIfDue();
        return 'pause';
      }
      const due = (await outbox.due(names)).filter(({ source }) => !asked.pausedSources.has(source));
      if (due.length === 0) return 'pause';
      const { room, active } = await look();
      let left = room;
      for (const { limit, ...group } of turns.order(due, jobsAheadMax * batch)) {
        // Suspects one at a time; what a lane is owed goes before the others.
        const isOwed = limit < jobsAheadMax * batch && group.from !== 'suspects';
        const priority = isOwed ? priorities.urgent : priorities[group.from];
        // It stands before all that waits, so that it need not wait for room, either.
        const isFirst = priority === priorities.urgent;
        const jobsMax = isFirst ? left + jobsAheadMax : left;
        if (jobsMax <= 0 || (!isFirst && room < roomLeast)) continue;
        const rowsMax = Math.min(limit, jobsMax * batch);
        const took = await put(group, priority, { rowsMax, rowsAhead: (2 * jobsAheadMax + active) * batch });
        turns.took(group.from, took.rows);
        left -= took.jobs;
      }
      return 'pause';
    },
  };
}

interface Naming {
  lease: number;
  job: PutJob;
}

interface PutJob {
  /** Null until the queue has answered. */
  id: string | null;
  /** Or found to be still there. */
  putAt: number;
  isLost: boolean;
}

function chunks<T>(rows: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, at) =>
    rows.slice(at * size, (at + 1) * size),
  );
}
