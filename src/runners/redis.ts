import { Redis } from 'ioredis';
import type { Log } from '../std/log.ts';
import { Refusal } from '../std/refusal.ts';

/**
 * The way to Redis. It may be gone at any moment, and come back empty: whoever uses it goes on by what the database says. What it
 * must not do is to throw away keys as it likes, because a queue that lost one key of three does not know that it did.
 */
export interface RedisOrder {
  url: string;
  /** Beside the URL, for who keeps secrets apart (002-P10-01). */
  password: string;
}

const reconnectLongestMs = 1_000;
const connectWithinMs = 5_000;

/** No `keyPrefix`, ever: BullMQ has a prefix of its own, and its scripts do not know of another (002-C-04). */
export function connectRedis({ url, password }: RedisOrder, log: Log): Redis {
  const redis = new Redis(url, {
    ...(password !== '' && { password }),
    lazyConnect: true,
    connectTimeout: connectWithinMs,
    // BullMQ's workers wait for their next job as long as it takes.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(reconnectLongestMs, 50 * 2 ** Math.min(times, 10)),
  });
  let isAway = false;
  redis.on('error', (error: Error) => {
    // Every try to reconnect tells the same: one line an outage.
    if (!isAway) log.error('redis.away', { error: codeOf(error) });
    isAway = true;
  });
  redis.on('ready', () => {
    if (isAway) log.info('redis.back');
    isAway = false;
  });
  return redis;
}

/** Without the address, which may hold a password. */
function codeOf(error: Error & { code?: string }): string {
  return error.code ?? /^[A-Z]{4,}/.exec(error.message)?.[0] ?? error.name;
}

/**
 * Asked once before anything is started: a Redis that evicts, or that does not let us in, is a mistake that somebody has to mend. One that
 * is not there yet is not: it may be starting, too.
 */
export async function requireGoodRedis(order: RedisOrder): Promise<'good' | 'away'> {
  const redis = new Redis(order.url, {
    ...(order.password !== '' && { password: order.password }),
    ...{ lazyConnect: true, connectTimeout: connectWithinMs, maxRetriesPerRequest: 1 },
    retryStrategy: () => null,
  });
  // Why it was closed is told here only.
  const told: string[] = [];
  redis.on('error', ({ message }: Error) => told.push(message));
  try {
    await redis.connect();
    requireNoEviction(await redis.info('memory'));
    return 'good';
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (error instanceof Error) told.push(error.message);
    if (/NOAUTH|WRONGPASS|NOPERM|without any password configured/.test(told.join('\n'))) {
      throw new Refusal(
        'redis_refuses',
        'Redis does not let us in. Put the user and password into REDIS_URL (redis://user:password@host:6379), or the password into REDIS_PASSWORD.',
      );
    }
    return 'away';
  } finally {
    redis.disconnect();
  }
}

/** 002-C-01. By INFO, because hosted ones forbid CONFIG. */
export function requireNoEviction(info: string): void {
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1];
  if (policy === 'noeviction') return;
  throw new Refusal(
    'redis_evicts',
    `Redis is set to maxmemory-policy ${policy ?? 'unknown'}: short of memory it would throw away parts of queues. Run \`redis-cli CONFIG SET maxmemory-policy noeviction\` and put \`maxmemory-policy noeviction\` into redis.conf, or start it with \`--maxmemory-policy noeviction\`; of a hosted one, change its parameter of that name.`,
    { policy: policy ?? null },
  );
}
