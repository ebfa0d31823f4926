import type { Redis } from 'ioredis';
import type { Log } from '../std/log.ts';
import { Refusal } from '../std/refusal.ts';
import type { Duty } from './duty.ts';
import { answered, connected, type OpenQueues } from './queue.ts';
import { isReplica, requireNoEviction } from './redis.ts';
import { type QueuesSeen, seeQueues } from './seen.ts';

/** What a process knows of its Redis and of the queues on it, for whoever asks how it is. It never throws and never hangs. */
export interface QueueWatch {
  /** As it was last seen; nobody is asked. */
  readonly redis: RedisState;
  /** Asked now; null where Redis does not answer in time. */
  look(): Promise<QueuesSeen | null>;
}

export type RedisState = 'ok' | 'away' | 'evicts';

/** Who is asked how it is has a second or two to answer, and other things to tell. */
const lookWithinMs = 1_000;
const pulseMs = 2_000;

export function createWatch(
  redis: Redis,
  queues: OpenQueues,
  log: Log,
): QueueWatch & {
  /** A Redis that hangs closes no connection, and a policy can be set at any time: only who asks finds out. */
  readonly pulse: Duty;
} {
  let isSilent = false;
  let isEvicting = false;
  let isReadOnly = false;
  let looking: Promise<QueuesSeen> | undefined;
  redis.on('ready', () => {
    isSilent = false;
    void feel();
  });

  async function feel(): Promise<void> {
    try {
      requireNoEviction(await answered(redis.info('memory')));
      isEvicting = false;
      const wasReadOnly = isReadOnly;
      isReadOnly = isReplica(await answered(redis.info('replication')));
      if (isReadOnly && !wasReadOnly) log.error('redis.away', { error: 'READONLY' });
      if (!isReadOnly && wasReadOnly) log.info('redis.back');
    } catch (error) {
      if (error instanceof Refusal) {
        if (!isEvicting) log.error('redis.not_usable', { problem: error.message });
        isEvicting = true;
      } else if (redis.status === 'ready' && !isSilent) {
        isSilent = true;
        // Told as any other loss of it. What was asked is asked again on the new connection.
        redis.emit('error', Object.assign(new Error('Redis does not answer'), { code: 'ETIMEDOUT' }));
        redis.disconnect(true);
      }
    }
  }

  async function see(): Promise<QueuesSeen> {
    await connected(redis);
    return seeQueues(redis, queues);
  }

  return {
    get redis() {
      if (redis.status !== 'ready' || isSilent || isReadOnly) return 'away';
      return isEvicting ? 'evicts' : 'ok';
    },
    async look() {
      // One question at a time however many ask: a Redis that hangs must not collect them.
      looking ??= see().finally(() => {
        looking = undefined;
      });
      return answered(looking, lookWithinMs).catch(() => null);
    },
    pulse: {
      ...{ name: 'queue-pulse', pauseMs: pulseMs },
      async once() {
        if (redis.status === 'ready') await feel();
        // The name may lead to who has taken over by now.
        if (redis.status === 'ready' && isReadOnly) redis.disconnect(true);
        return 'pause';
      },
    },
  };
}
