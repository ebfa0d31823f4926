import type { Redis } from 'ioredis';
import type { Log } from '../std/log.ts';
import { Refusal } from '../std/refusal.ts';
import type { Duty } from './duty.ts';
import { answered, connected, type OpenQueues } from './queue.ts';
import { isFull, isReplica, requireNoEviction } from './redis.ts';
import { type QueuesSeen, seeQueues } from './seen.ts';

/** What a process knows of its Redis and of the queues on it, for whoever asks how it is. It never throws and never hangs. */
export interface QueueWatch {
  /** As it was last seen; nobody is asked. */
  readonly redis: RedisState;
  /** Asked now; null where Redis does not answer in time. */
  look(): Promise<QueuesSeen | null>;
}

/** `full`: it answers and takes nothing, for want of memory. */
export type RedisState = 'ok' | 'away' | 'evicts' | 'full';

interface Trouble {
  state: Exclude<RedisState, 'ok'>;
  problem: string;
}

/** Who is asked how it is has a second or two to answer, and other things to tell. */
const lookWithinMs = 1_000;
const pulseMs = 2_000;

export function createWatch(
  redis: Redis,
  queues: OpenQueues,
  log: Log,
): QueueWatch & {
  /** Asked now, for who has no pulse: whether something may be put. */
  isFit(): Promise<boolean>;
  /** A Redis that hangs closes no connection, and it can be set or fill up at any time: only who asks finds out. */
  readonly pulse: Duty;
} {
  let isSilent = false;
  let trouble: Trouble | null = null;
  let looking: Promise<QueuesSeen> | undefined;
  redis.on('ready', () => {
    isSilent = false;
    void feel();
  });

  async function feel(): Promise<void> {
    try {
      const found = await findTrouble();
      if (found && found.state !== trouble?.state) log.error('redis.not_usable', { problem: found.problem });
      if (trouble && !found) log.info('redis.usable');
      trouble = found;
    } catch {
      if (redis.status !== 'ready' || isSilent) return;
      isSilent = true;
      // Told as any other loss of it. What was asked is asked again on the new connection.
      redis.emit('error', Object.assign(new Error('Redis does not answer'), { code: 'ETIMEDOUT' }));
      redis.disconnect(true);
    }
  }

  async function findTrouble(): Promise<Trouble | null> {
    const memory = await answered(redis.info('memory'));
    try {
      requireNoEviction(memory);
    } catch (error) {
      if (error instanceof Refusal) return { state: 'evicts', problem: error.message };
      throw error;
    }
    if (isReplica(await answered(redis.info('replication'))))
      return { state: 'away', problem: 'It is a replica, which takes nothing (READONLY).' };
    if (isFull(memory))
      return {
        state: 'full',
        problem: 'Its memory is full (maxmemory), and it takes nothing more. Give it more.',
      };
    return null;
  }

  async function see(): Promise<QueuesSeen> {
    await connected(redis);
    return seeQueues(redis, queues);
  }

  function state(): RedisState {
    if (redis.status !== 'ready' || isSilent) return 'away';
    return trouble?.state ?? 'ok';
  }

  return {
    get redis() {
      return state();
    },
    async isFit() {
      await answered(connected(redis));
      await feel();
      return state() === 'ok';
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
        if (redis.status === 'ready' && trouble?.state === 'away') redis.disconnect(true);
        return 'pause';
      },
    },
  };
}
