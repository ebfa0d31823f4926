import { createLease, type LeaseParts } from './db/lease.ts';
import type { Dispatch } from './dispatch/dispatch.ts';
import { createWidth, type Width } from './dispatch/width.ts';
import type { BullmqParts } from './runners/bullmq.ts';
import { createEmbedded, handsOf } from './runners/embedded.ts';
import { leaderLease, type Runner } from './runners/runner.ts';
import type { Config } from './settings.ts';

type Told = 'dispatches' | 'leases' | 'redis' | 'concurrency' | 'guarantees';
type Parts = Omit<BullmqParts, Told> &
  Pick<LeaseParts, 'db' | 'holder'> & {
    /** One of several that send at once in this process, the first, second and so on, with so much of it in flight. */
    dispatch: (width: Width, hand: number) => Dispatch;
    guarantees: BullmqParts['guarantees'] & Parameters<typeof handsOf>[0];
    /** False in a command, which starts nothing: it needs no Redis, and leaves what it asks for to whoever runs. */
    isToRun: boolean;
  };

/** Who says when things run, as it is configured: this process by itself, or queues that all share (002-P10-01). */
export async function openRunner(config: Config, { dispatch, isToRun, ...parts }: Parts): Promise<Runner> {
  const { jobsEnabled, jobsConcurrency: concurrency, redisUrl, redisPassword, bullmqPrefix } = config;
  const { concurrency: connections } = parts.guarantees;
  if (!jobsEnabled || !isToRun) {
    const hands = handsOf(parts.guarantees);
    const width = createWidth(Math.floor(connections / hands.length));
    const dispatches = hands.map((hand) => dispatch(width, hand));
    return createEmbedded({ ...parts, dispatches });
  }
  // Loaded where it is used: most have no Redis.
  const { createBullmq } = await import('./runners/bullmq.ts');
  // Two that share one connection would only wait for each other.
  const atOnce = Math.min(concurrency, connections);
  const width = createWidth(Math.floor(connections / atOnce));
  return createBullmq({
    ...{ ...parts, concurrency },
    dispatches: Array.from({ length: atOnce }, (_, hand) => dispatch(width, hand)),
    leases: {
      naming: createLease({ ...parts, name: leaderLease }),
      chores: createLease({ ...parts, name: 'chores' }),
    },
    redis: { url: redisUrl, password: redisPassword, prefix: bullmqPrefix },
  });
}
