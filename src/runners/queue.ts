import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { systemClock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';

/**
 * The queues on Redis (002-P5-01, with dashes: 8.14). They carry numbers of rows and names of work, never a mail or an address, and no
 * fact that the database lacks: all of them may be lost at any instant.
 */
export const queueNames = ['collect', 'compose', 'send', 'maintenance', 'dlq'] as const;

export type QueueName = (typeof queueNames)[number];

export const fullName = (name: QueueName) => `notification-${name}`;

export interface OpenQueues {
  /** Connects the first time; waits a while for a Redis that is away, and then says so. */
  of(name: QueueName): Promise<Queue>;
  close(): Promise<void>;
}

/** BullMQ takes a first connection that fails for the last word: so nothing of it is made before there is one. */
export function openQueues(redis: Redis, prefix: string, log: Log, { isToLook = false } = {}): OpenQueues {
  const made = new Map<QueueName, Queue>();
  const make = (name: QueueName) => {
    const queue = new Queue(fullName(name), {
      ...{ connection: redis, prefix },
      // What has been done is in the database; what failed is told by the queue of failed jobs, and stays here for a moment.
      defaultJobOptions: { removeOnComplete: true, removeOnFail: false, stackTraceLimit: 1 },
      streams: { events: { maxLen: 100 } },
      // Somebody who only looks changes nothing.
      skipMetasUpdate: isToLook,
      // We look ourselves (`redis.ts`), once and not for every queue; BullMQ would print what it finds, past the log.
      skipVersionCheck: true,
    });
    queue.on('error', (error) => log.debug('queue.error', { queue: name, error: error.name }));
    made.set(name, queue);
    return queue;
  };
  return {
    async of(name) {
      if (redis.status !== 'ready') await answered(connected(redis));
      return made.get(name) ?? make(name);
    },
    async close() {
      await Promise.allSettled([...made.values()].map((queue) => queue.close()));
    },
  };
}

/** Resolves when there is a connection, however long that takes. */
export async function connected(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return;
  const ready = new Promise<void>((resolve) => redis.once('ready', () => resolve()));
  // One that fails is followed by others, until one does not.
  if (redis.status === 'wait') redis.connect().catch(() => {});
  await ready;
}

/** A Redis that is away keeps whoever asks waiting; longer than this is an answer, too. */
const answerWithinMs = 5_000;

export async function answered<T>(asked: Promise<T>, withinMs = answerWithinMs): Promise<T> {
  const bound = new AbortController();
  const late = systemClock.sleep(withinMs, bound.signal).then(() => {
    throw new Error('Redis does not answer');
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    bound.abort();
  }
}
