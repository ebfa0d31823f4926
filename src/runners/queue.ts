import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Log } from '../std/log.ts';

/**
 * The queues on Redis (002-P5-01, with dashes: 8.14). They carry numbers of rows and names of work, never a mail or an address, and no
 * fact that the database lacks: all of them may be lost at any instant.
 */
export const queueNames = ['collect', 'compose', 'send', 'maintenance', 'dlq'] as const;

export type QueueName = (typeof queueNames)[number];

export const fullName = (name: QueueName) => `notification-${name}`;

export type Queues = Readonly<Record<QueueName, Queue>>;

export function openQueues(redis: Redis, prefix: string, log: Log): Queues & { close(): Promise<void> } {
  const open = (name: QueueName) => {
    const queue = new Queue(fullName(name), {
      ...{ connection: redis, prefix },
      // What has been done is in the database; what failed is told by the queue of failed jobs, and stays here for a moment (`failedMs`).
      defaultJobOptions: { removeOnComplete: true, removeOnFail: false, stackTraceLimit: 1 },
      streams: { events: { maxLen: 100 } },
      // Somebody who only looks changes nothing.
      skipMetasUpdate: name === 'dlq',
    });
    queue.on('error', (error) => log.debug('queue.error', { queue: name, error: error.name }));
    return queue;
  };
  const queues: Queues = {
    ...{ collect: open('collect'), compose: open('compose'), send: open('send') },
    ...{ maintenance: open('maintenance'), dlq: open('dlq') },
  };
  return {
    ...queues,
    async close() {
      await Promise.allSettled(Object.values(queues).map((queue) => queue.close()));
    },
  };
}

/** A Redis that is away keeps whoever asks waiting; longer than this is an answer, too. */
const answerWithinMs = 5_000;

export async function answered<T>(asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('Redis does not answer')), answerWithinMs);
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}
