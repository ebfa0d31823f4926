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
 * while what it has named; what then still waits is named once more. So it needs no word from the queue about what became of a job,
 * and whatever was lost there (a flush, a crash, an answer) is found by the same look. Naming a row twice costs a claim that finds nothing.
 */
export interface Relay {
  once(): Promise<'pause'>;
}

export interface RelayParts {
  outbox: Pick<Outbox, 'due' | 'dueRows'>;
  pace: Pick<Pace, 'mayAsk' | 'probeIfDue'>;
  sources: readonly { name: string }[];
  queue: () => Promise<Queue>;
  /** Rows that a job names, about a second of work. */
  batch: number;
  clock: Clock;
  log: Log;
}

/** Jobs that wait: enough that no worker is idle between two looks, and few enough that what is urgent gets past them soon. */
const jobsAheadMax = 32;
/** After this a job counts as lost: several times as long as the jobs ahead of it take. */
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

  async function jobsOf(group: DueWork, rowsMax: number, rowsAhead: number): Promise<Named[]> {
    const key = `${group.source} ${group.from}`;
    const before = named.get(key);
    const rows = await outbox.dueRows(group, rowsAhead + rowsMax);
    const oldest = clock.monotonic() - namedForMs;
    const isNamed = ({ seq, lease }: DueRow) => {
      const naming = before?.get(seq);
      return naming !== undefined && naming.lease === lease && naming.at > oldest;
    };
    // What is in none of the next rows has been claimed: who comes back from there is named anew.
    const kept = new Map(rows.filter(isNamed).map(({ seq }) => [seq, before?.get(seq) as Naming]));
    const fresh = rows.filter((row) => !isNamed(row)).slice(0, rowsMax);
    const lost = fresh.filter(({ seq, lease }) => before?.get(seq)?.lease === lease).length;
    if (lost > 0) log.warn('queue.named_again', { ...group, deliveries: lost });
    // Before the answer of the queue: one that gets lost must not have them named at every look.
    for (const { seq, lease } of fresh) kept.set(seq, { lease, at: clock.monotonic() });
    named.set(key, kept);
    const size = group.from === 'suspects' ? 1 : batch;
    return chunks(
      fresh.map(({ seq }) => seq),
      size,
    ).map((seqs) => ({ ...group, seqs }));
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
        if (left <= 0) break;
        // Suspects one at a time; what a lane is owed goes before the others.
        const rowsMax = Math.min(limit, left * batch);
        const jobs = await jobsOf(group, rowsMax, (jobsAheadMax + active) * batch);
        const isOwed = limit < jobsAheadMax * batch && group.from !== 'suspects';
        const priority = isOwed ? priorities.urgent : priorities[group.from];
        await answered(
          (await queue()).addBulk(
            jobs.map((data) => ({ name: 'send', data, opts: { priority, removeOnFail: true } })),
          ),
        );
        turns.took(
          group.from,
          jobs.reduce((sum, { seqs }) => sum + seqs.length, 0),
        );
        left -= jobs.length;
      }
      return 'pause';
    },
  };
}

interface Naming {
  lease: number;
  at: number;
}

function chunks(seqs: readonly number[], size: number): number[][] {
  return Array.from({ length: Math.ceil(seqs.length / size) }, (_, at) =>
    seqs.slice(at * size, (at + 1) * size),
  );
}
