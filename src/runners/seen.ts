import type { Job } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Named } from '../dispatch/dispatch.ts';
import type { OpenQueues, QueueName } from './queue.ts';
import { type RedisInfo, readInfo } from './redis.ts';

/** What is to be seen of the queues: how they stand, never what is in a mail. */
export interface QueuesSeen extends RedisInfo {
  queues: readonly QueueSeen[];
  /** Jobs that failed and wait for somebody to look at them. */
  failedJobs: number;
}

export type QueueSeen = { queue: QueueName } & Record<QueueState, number>;

const queueStates = ['waiting', 'prioritized', 'active', 'delayed', 'failed'] as const;
type QueueState = (typeof queueStates)[number];

const workQueues = ['collect', 'compose', 'send', 'maintenance'] as const satisfies readonly QueueName[];

export async function seeQueues(redis: Redis, queues: OpenQueues): Promise<QueuesSeen> {
  // One after the other they would be six ways there and back.
  const [info, dead, seen] = await Promise.all([
    redis.info(),
    countsIn(queues, 'dlq'),
    Promise.all(workQueues.map(async (queue) => ({ queue, ...(await countsIn(queues, queue)) }))),
  ]);
  return {
    ...readInfo(info),
    queues: seen,
    failedJobs: dead.waiting,
  };
}

async function countsIn(queues: OpenQueues, name: QueueName): Promise<Record<QueueState, number>> {
  const counts = await (await queues.of(name)).getJobCounts(...queueStates);
  return {
    ...{ waiting: counts.waiting ?? 0, prioritized: counts.prioritized ?? 0, active: counts.active ?? 0 },
    ...{ delayed: counts.delayed ?? 0, failed: counts.failed ?? 0 },
  };
}

/** More than the relay ever puts ahead, or workers have in hand; a count that stops there is none to rely on anyway. */
const namedJobsMax = 1_000;

/** What has been named to whoever is free, and is not done yet. */
export async function countNamed(queues: OpenQueues): Promise<{ jobs: number; deliveries: number }> {
  const send = await queues.of('send');
  const states = ['waiting', 'prioritized', 'delayed', 'active'] as const;
  const jobs = (await send.getJobs([...states], 0, namedJobsMax - 1)) as (Job<Named> | undefined)[];
  // One may be done between its number and its content.
  const seqs = jobs.flatMap((job) => job?.data?.seqs ?? []);
  return { jobs: jobs.length, deliveries: new Set(seqs).size };
}
