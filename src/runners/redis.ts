import { Redis } from 'ioredis';
import type { Log } from '../std/log.ts';
import { Refusal } from '../std/refusal.ts';
import { answered } from './queue.ts';

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
/** To connect, and to answer a visitor. */
const withinMs = 5_000;

/** No `keyPrefix`, ever: BullMQ has a prefix of its own, and its scripts do not know of another (002-C-04). */
export function connectRedis({ url, password }: RedisOrder, log: Log): Redis {
  const redis = new Redis(url, {
    ...(password !== '' && { password }),
    lazyConnect: true,
    connectTimeout: withinMs,
    // BullMQ's workers wait for their next job as long as it takes.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(reconnectLongestMs, 50 * 2 ** Math.min(times, 10)),
    // After a failover the name leads to another, and only a new connection does: this one would be refused for ever.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
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

/** For who asks and goes: it is tried once, and every answer is waited for no longer than some seconds. Refuses with what to do. */
export async function visitRedis<T>(order: RedisOrder, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(order.url, {
    ...(order.password !== '' && { password: order.password }),
    ...{ lazyConnect: true, connectTimeout: withinMs, commandTimeout: withinMs },
    ...{ maxRetriesPerRequest: 1, retryStrategy: () => null },
  });
  // Of a connection that could not be made only this says why.
  let why: Error | undefined;
  redis.on('error', (error: Error) => {
    why ??= error;
  });
  try {
    await answered(redis.connect());
    return await work(redis);
  } catch (error) {
    throw refusalOf(error, why);
  } finally {
    redis.disconnect();
  }
}

function refusalOf(error: unknown, why: Error | undefined): unknown {
  if (error instanceof Refusal || !(error instanceof Error)) return error;
  const said = [error, ...(why ? [why] : [])].map(({ message }) => message).join(' ');
  if (/NOAUTH|WRONGPASS|NOPERM|without any password configured/.test(said)) {
    return new Refusal(
      'redis_refuses',
      'Redis does not let us in. Put the user and password into REDIS_URL (redis://user:password@host:6379), or the password into REDIS_PASSWORD.',
    );
  }
  const isAway = why !== undefined || /does not answer|timed out|is closed|max retries/i.test(error.message);
  if (!isAway) return error;
  const reason = why ? codeOf(why) : 'no answer';
  return new Refusal(
    'redis_away',
    `Redis does not answer (${reason}). Is it running, and is REDIS_URL right? Nothing is lost meanwhile: what is due waits in the database.`,
    { reason },
  );
}

/**
 * Asked once before anything is started: a Redis that evicts, or that does not let us in, is a mistake that somebody has to mend. One that
 * is not there yet is not: it may be starting, too.
 */
export async function requireGoodRedis(order: RedisOrder): Promise<'good' | 'away'> {
  try {
    await visitRedis(order, async (redis) => requireNoEviction(await redis.info('memory')));
    return 'good';
  } catch (error) {
    if (error instanceof Refusal && error.code === 'redis_away') return 'away';
    throw error;
  }
}

/** What it says of itself. By INFO, because hosted ones forbid CONFIG. */
export interface RedisInfo {
  /** `Redis 7.2.4`; Valkey says whose protocol it speaks, too. */
  name: string;
  /** Of Redis, or of the Redis that it stands in for. */
  version: string;
  policy: string;
}

export function readInfo(info: string): RedisInfo {
  const field = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1];
  const version = field('redis_version') ?? 'unknown';
  const valkey = field('valkey_version');
  return {
    name: valkey === undefined ? `Redis ${version}` : `Valkey ${valkey}`,
    version,
    policy: field('maxmemory_policy') ?? 'unknown',
  };
}

/** By INFO, of its replication: a replica answers, and takes nothing. */
export const isReplica = (info: string) => /^role:slave/m.test(info);

/** By INFO, of its memory: one that never evicts refuses whatever it has no room for. */
export function isFull(info: string): boolean {
  const octets = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return octets('maxmemory') > 0 && octets('used_memory') >= octets('maxmemory');
}

/** 002-C-01 */
export function requireNoEviction(info: string): void {
  const { policy } = readInfo(info);
  if (policy === 'noeviction') return;
  throw new Refusal(
    'redis_evicts',
    `Redis is set to maxmemory-policy ${policy}: short of memory it would throw away parts of queues. ${evictionCure}`,
    { policy },
  );
}

export const evictionCure =
  'Run `redis-cli CONFIG SET maxmemory-policy noeviction` and put `maxmemory-policy noeviction` into redis.conf, or start it with `--maxmemory-policy noeviction`; of a hosted one, change its parameter of that name.';
