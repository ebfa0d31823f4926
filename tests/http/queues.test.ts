import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createLease } from '../../src/db/lease.ts';
import { type RunningProcess, startProcess } from '../../src/main.ts';
import { openQueues } from '../../src/runners/queue.ts';
import { connectRedis } from '../../src/runners/redis.ts';
import { leaderLease } from '../../src/runners/runner.ts';
import { createWatch } from '../../src/runners/watch.ts';
import { silentLog } from '../../src/std/log.ts';
import { until } from '../runners/runner-world.ts';
import { failTwoJobs } from '../support/failed-jobs.ts';
import { createRecordingLog, type RecordingLog } from '../support/recording-log.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';
import { emptyDatabase } from '../support/world.ts';
import { createApiWorld } from './api-world.ts';

let redis: RedisServer;
beforeAll(async () => {
  if (hasRedis) redis = await startRedis();
});
afterAll(() => redis?.stop());

describe.skipIf(!hasRedis)('/ready of a process that works with queues', () => {
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  let running: RunningProcess | undefined;
  let log: RecordingLog;
  beforeEach(async () => {
    database = await emptyDatabase('sqlite');
    log = createRecordingLog();
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    await database.drop();
    await redis.start();
  });

  async function start(role: string): Promise<() => Promise<unknown>> {
    const jobs = { JOBS_ENABLED: 'true', REDIS_URL: redis.url };
    const settings = { DATABASE_URL: database.url, PORT: '0', PROCESS_ROLE: role, ...jobs };
    running = await startProcess(readConfig(settings, 'no such file'), { log });
    const { url } = running;
    return async () => {
      const answer = await fetch(`${url}/ready`);
      const { checks } = (await answer.json()) as { checks: { runner: string; redis: string } };
      return `${answer.status} runner ${checks.runner}, redis ${checks.redis}`;
    };
  }
  const times = (event: string) => log.lines.filter((line) => line.event === event).length;

  test('says that Redis is there, evicts, is full, hangs or is away; and mends by itself', async () => {
    const ready = await start('both');
    const untilReady = (said: string) => until(async () => (await ready()) === said, said);
    const well = '200 runner ok, redis ok';
    await untilReady(well);
    // Set while everybody is connected, wrong and right again.
    await redis.ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    await untilReady('503 runner failing, redis evicts');
    expect(times('redis.not_usable')).toBe(1);
    await redis.ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await untilReady(well);
    expect(times('redis.usable')).toBe(1);
    await redis.ask('CONFIG', 'SET', 'maxmemory', '1');
    await untilReady('503 runner failing, redis full');
    await redis.ask('CONFIG', 'SET', 'maxmemory', '0');
    await untilReady(well);
    expect([times('redis.not_usable'), times('redis.usable')]).toEqual([2, 2]);
    await redis.ask('CLIENT', 'PAUSE', '9000', 'ALL');
    await untilReady('503 runner failing, redis away');
    await untilReady(well);
    expect([times('redis.away'), times('redis.back')]).toEqual([1, 1]);
    await redis.kill();
    await untilReady('503 runner failing, redis away');
    const stopped = running?.stop();
    running = undefined;
    // What is in hand ends without Redis, and so does the process.
    await stopped;
    expect(times('runner.stopped_in_flight')).toBe(0);
  });

  test('an api process is ready without it', async () => {
    await redis.kill();
    const ready = await start('api');
    expect(await ready()).toBe('200 runner not in this process, redis not in this process');
  });
});

describe.skipIf(!hasRedis)('/metrics where there are queues', () => {
  test('what stands in them, whether Redis is there and who leads; and a Redis that hangs holds up nothing', async () => {
    const world = await createApiWorld();
    const connection = connectRedis({ url: redis.url, password: '' }, silentLog);
    const queues = openQueues(connection, 'transparenta:jobs', silentLog);
    try {
      await redis.ask('FLUSHALL');
      const api = await world.serve({
        api: { queues: createWatch(connection, queues, silentLog) },
      });
      const lines = async () => {
        await world.clock.advance(5_001); // Kept for so long.
        const { text } = await api.ask('GET', '/metrics');
        return text.split('\n').filter((line) => /^tidings_(redis|queue)/.test(line));
      };
      expect(await lines()).toEqual(
        expect.arrayContaining(['tidings_queue_leader 0', 'tidings_queue_leaderless_seconds +Inf']),
      );
      await failTwoJobs(queues);
      const send = await queues.of('send');
      await send.add('send', { source: 'plain', from: 'normal', seqs: [1] }, { priority: 1 });
      const { db, clock } = world;
      await createLease({ db, clock, holder: 'host-a:41', name: leaderLease }).hold();
      const zeros = (queue: string, besides: Record<string, number> = {}) =>
        ['waiting', 'prioritized', 'active', 'delayed', 'failed'].map(
          (state) => `tidings_queue_jobs{queue="${queue}",state="${state}"} ${besides[state] ?? 0}`,
        );
      expect(await lines()).toEqual([
        ...['tidings_redis_up 1', 'tidings_redis_evicts 0'],
        ...[...zeros('collect'), ...zeros('compose'), ...zeros('send', { prioritized: 1 })],
        ...[...zeros('maintenance'), 'tidings_queue_failed_jobs 2'],
        ...['tidings_queue_leader 1', 'tidings_queue_leaderless_seconds 0'],
      ]);
      await clock.advance(12_000);
      await redis.ask('CLIENT', 'PAUSE', '20000', 'ALL');
      const hanging = redis.ask('PING').then(() => 'Redis');
      const asked = lines();
      expect(await Promise.race([asked.then(() => 'metrics'), hanging])).toBe('metrics');
      const away = ['tidings_redis_up 0', 'tidings_queue_leader 0'];
      expect(await asked).toEqual([
        ...away,
        expect.stringMatching(/^tidings_queue_leaderless_seconds 1\d\.?\d*$/),
      ]);
      await redis.kill();
      expect((await lines()).slice(0, 2)).toEqual(away);
    } finally {
      connection.disconnect();
      await world.close();
    }
  });

  test('of a deployment without queues nothing is told', async () => {
    const world = await createApiWorld();
    const api = await world.serve();
    expect((await api.ask('GET', '/metrics')).text).not.toMatch(/tidings_(redis|queue)/);
    await world.close();
  });
});
