import type { Redis } from 'ioredis';
import type { Log } from '../std/log.ts';
import { type OpenQueues, openQueues } from './queue.ts';
import { type RedisOrder, visitRedis } from './redis.ts';

export interface Visited {
  redis: Redis;
  queues: OpenQueues;
}

/** The queues for one command of an operator: tried once, bounded, and closed at its end. Who only looks changes nothing. */
export async function visitQueues<T>(
  order: RedisOrder & { prefix: string },
  log: Log,
  work: (visited: Visited) => Promise<T>,
): Promise<T> {
  return visitRedis(order, async (redis) => {
    const queues = openQueues(redis, order.prefix, log, { isToLook: true });
    try {
      return await work({ redis, queues });
    } finally {
      await queues.close();
    }
  });
}
