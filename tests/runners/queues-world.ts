import { expect } from 'vitest';
import { type OpenQueues, openQueues } from '../../src/runners/queue.ts';
import { connectRedis } from '../../src/runners/redis.ts';
import { silentLog } from '../../src/std/log.ts';
import { accepted, createRunnerWorld, type RunnerWorld } from './runner-world.ts';

/** A runner on queues, and a look into its Redis beside it. */
export interface QueuesWorld extends RunnerWorld {
  queues: OpenQueues;
  client: ReturnType<typeof connectRedis>;
  /** A command to the Redis itself. */
  ask(...words: string[]): Promise<string>;
  /** So many mails were accepted, and none of them twice. */
  eachOnce(count: number): void;
}

export const prefix = 'transparenta:jobs';

export async function createQueuesWorld(): Promise<QueuesWorld> {
  const world = await createRunnerWorld('BullMQ, Redis, PostgreSQL');
  const client = connectRedis({ url: world.redis?.url ?? '', password: '' }, silentLog);
  const queues = openQueues(client, prefix, silentLog);
  return {
    ...{ ...world, queues, client },
    ask: (...words) => world.redis?.ask(...words) ?? Promise.resolve(''),
    eachOnce(count) {
      expect(new Set(accepted(world)).size).toBe(count);
      expect(accepted(world)).toHaveLength(count);
    },
    async close() {
      await queues.close();
      client.disconnect();
      await world.close();
    },
  };
}
