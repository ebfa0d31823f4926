import type { Database } from '../db/database.ts';
import { readLease } from '../db/lease.ts';
import { leaderLease } from '../runners/runner.ts';
import type { QueueWatch } from '../runners/watch.ts';
import type { Clock } from '../std/clock.ts';
import type { Metric } from './metrics.ts';

/** How the queues stand, where there are any. A Redis that is away is told, and its numbers are left out: nobody knows them. */
export interface QueueMetricParts {
  db: Database;
  clock: Clock;
  queues?: QueueWatch | undefined;
}

export function createQueueMetrics({ db, clock, queues }: QueueMetricParts): () => Promise<Metric[]> {
  if (!queues) return async () => [];
  return async () => {
    const seen = await queues.look();
    const gauge = (name: string, help: string, value: number | undefined): Metric => ({
      ...{ name, type: 'gauge', help },
      samples: value === undefined ? [] : [{ value }],
    });
    return [
      gauge('redis_up', '1 while the Redis of the queues answers this process.', seen ? 1 : 0),
      gauge(
        'redis_evicts',
        '1 while its maxmemory-policy is not noeviction: then nothing is named.',
        seen ? Number(seen.policy !== 'noeviction') : undefined,
      ),
      {
        ...{ name: 'queue_jobs', type: 'gauge', help: 'Jobs in the queues, by queue and state.' },
        samples: (seen?.queues ?? []).flatMap(({ queue, ...counts }) =>
          Object.entries(counts).map(([state, value]) => ({ labels: { queue, state }, value })),
        ),
      },
      gauge(
        'queue_failed_jobs',
        'Jobs that failed and that somebody should look at: tidings queue failed.',
        seen?.failedJobs,
      ),
      ...(await leaderMetrics({ db, clock })),
    ];
  };
}

/** By the database, so that every process tells the same of all: those that lead may not be among those that are asked. */
async function leaderMetrics({ db, clock }: Pick<QueueMetricParts, 'db' | 'clock'>): Promise<Metric[]> {
  const lease = await readLease(db, leaderLease);
  const overMs = lease ? clock.now() - lease.until : Number.POSITIVE_INFINITY;
  return [
    {
      ...{ name: 'queue_leader', type: 'gauge', samples: [{ value: overMs < 0 ? 1 : 0 }] },
      help: '1 while some process leads, by its lease in the database.',
    },
    {
      ...{ name: 'queue_leaderless_seconds', type: 'gauge' },
      help: 'For how long nobody has led; 0 while somebody does, +Inf where nobody ever has.',
      samples: [{ value: Math.max(0, overMs) / 1000 }],
    },
  ];
}
