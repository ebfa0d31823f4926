import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { Engine } from '../../src/engine.ts';
import { startProcess } from '../../src/main.ts';
import { listDead } from '../../src/runners/dead-jobs.ts';
import { type OpenQueues, openQueues } from '../../src/runners/queue.ts';
import { connectRedis } from '../../src/runners/redis.ts';
import { silentLog } from '../../src/std/log.ts';
import { Refusal } from '../../src/std/refusal.ts';
import {
  createRunnerWorld,
  foundTown,
  intents,
  type RunnerWorld,
  until,
  untilAllSent,
} from '../runners/runner-world.ts';
import { hasRedis } from '../support/redis-server.ts';
import { emptyDatabase, hasPostgres } from '../support/world.ts';

const read = (settings: Record<string, string>) => readConfig(settings, 'no such file');

describe('002 phase 2: settings of the queues', () => {
  const problemOf = (settings: Record<string, string>) => {
    try {
      read(settings);
      return undefined;
    } catch (error) {
      return error instanceof Refusal ? error.message : undefined;
    }
  };

  it('002-P2-05 `JOBS_ENABLED`: optional boolean, default false', () => {
    expect(read({}).jobsEnabled).toBe(false);
    expect(read({ JOBS_ENABLED: 'true', REDIS_URL: 'redis://localhost' }).jobsEnabled).toBe(true);
    expect(problemOf({ JOBS_ENABLED: 'yes' })).toBe('JOBS_ENABLED must be true or false.');
  });

  it('002-P2-06 `JOBS_CONCURRENCY`: optional number, default 5', () => {
    expect(read({}).jobsConcurrency).toBe(5);
    expect(read({ JOBS_CONCURRENCY: '12' }).jobsConcurrency).toBe(12);
    for (const text of ['0', '1.5', 'many'])
      expect(problemOf({ JOBS_CONCURRENCY: text })).toContain('from 1 to 100');
  });

  it('002-P2-11 `BULLMQ_PREFIX`: optional, default `transparenta:jobs`', () => {
    expect(read({}).bullmqPrefix).toBe('transparenta:jobs');
    expect(read({ BULLMQ_PREFIX: 'ours' }).bullmqPrefix).toBe('ours');
  });

  it('002-P2-12 The ops runbook documents Redis `maxmemory-policy=noeviction` with the Helm/Kubernetes arguments', () => {
    const page = readFileSync(new URL('../../docs/deployment.md', import.meta.url), 'utf8');
    expect(page).toMatch(/maxmemory-policy[ =]noeviction/);
    expect(page).toMatch(/["-]+maxmemory-policy"?,?\s*(- )?"?noeviction/);
  });
});

describe.skipIf(!hasRedis || !hasPostgres)('002 phases 5 and 10: queues', () => {
  let world: RunnerWorld;
  let engine: Engine;
  let redis: ReturnType<typeof connectRedis>;
  let queues: OpenQueues;
  beforeEach(async () => {
    world = await createRunnerWorld('BullMQ, Redis, PostgreSQL');
    engine = await world.engine();
    redis = connectRedis({ url: world.redis?.url ?? '', password: '' }, silentLog);
    queues = openQueues(redis, 'transparenta:jobs', silentLog);
  });
  afterEach(async () => {
    await queues.close();
    redis.disconnect();
    await world.close();
  });

  it('002-P5-01 002-C-04 Queues `notification-collect`, `-compose`, `-send` and `-dlq` (8.14: dashes), under BullMQ’s own `prefix` and no `keyPrefix`', async () => {
    await foundTown(engine, 2);
    engine.sweep.runOnce = () => Promise.reject(new Error('broken'));
    engine.runner.start();
    await engine.newsletters.runs.trigger({ notificationType: 'newsletter_entity_yearly' }, { by: 'ana' });
    await untilAllSent(engine, 2);
    await until(async () => (await listDead(queues, 1)).length === 1, 'one has failed');
    const keys = await redis.keys('*');
    for (const name of ['collect', 'compose', 'send', 'dlq'])
      expect(keys.filter((key) => key.startsWith(`transparenta:jobs:notification-${name}:`))).not.toEqual([]);
    expect(keys.filter((key) => !key.startsWith('transparenta:jobs:notification-'))).toEqual([]);
  });

  it('002-P5-02 Failed jobs can be inspected in the dlq queue', async () => {
    engine.sweep.runOnce = () => Promise.reject(new Error('broken'));
    engine.runner.start();
    await until(async () => (await listDead(queues, 1)).length === 1, 'one has failed');
    expect(await listDead(queues, 1)).toMatchObject([
      { queue: 'maintenance', job: 'sweep', error: 'Error: broken' },
    ]);
  });

  it('002-P5-12 The send worker is limited to `RESEND_MAX_RPS` jobs per 1000 ms', async () => {
    const limited = await world.engine({ RESEND_MAX_RPS: '2' });
    const send = await queues.of('send');
    // Of nobody: each is done as soon as it may be begun.
    await send.addBulk(
      Array.from({ length: 7 }, (_, number) => ({
        name: 'send',
        data: { source: 'plain', from: 'normal', seqs: [900 + number] },
      })),
    );
    const startedAt = Date.now();
    limited.runner.start();
    await until(async () => (await send.getJobs()).length === 0, 'all are done');
    // Two at once, and two more in each second that follows: the seventh is of the fourth.
    expect(Date.now() - startedAt).toBeGreaterThan(2_900);
  });

  it('002-P5-13 The send worker’s concurrency is 5', async () => {
    world.provider.rules.push({ lie: { kind: 'slow', ms: 1_500, at: 'before_answering' } });
    const made = await engine.outbox.enqueue(intents(12));
    await engine.pauses.pause('plain', { operator: 'ana', reason: 'named by hand' });
    const send = await queues.of('send');
    await send.addBulk(
      made.map(({ seq }) => ({ name: 'send', data: { source: 'plain', from: 'normal', seqs: [seq] } })),
    );
    await engine.pauses.resume('plain');
    engine.runner.start();
    await until(() => world.provider.ledger.submissions().length >= 5, 'five are on their way');
    expect(world.provider.ledger.submissions()).toHaveLength(5);
    expect(await send.getActiveCount()).toBe(5);
    await untilAllSent(engine, 12);
  });

  it('002-P10-01 A queue client exists only when jobs are enabled and a Redis URL is set (an optional Redis password is passed on)', async () => {
    const clients = async () => (await redis.client('LIST')) as string;
    const own = (await clients()).split('\n').length;
    const without = await world.engine({ JOBS_ENABLED: 'false' });
    without.runner.start();
    await without.outbox.enqueue(intents(1));
    await untilAllSent(without, 1);
    expect((await clients()).split('\n')).toHaveLength(own);
    expect(() => read({ JOBS_ENABLED: 'true' })).toThrow('JOBS_ENABLED=true needs REDIS_URL');
    await redis.config('SET', 'requirepass', 'open sesame');
    const withPassword = await world.engine({ REDIS_PASSWORD: 'open sesame' });
    await withPassword.runner.prepare?.();
    withPassword.runner.start();
    await until(() => withPassword.runner.isHealthy, 'it is let in');
    await withPassword.runner.stop();
    await redis.config('SET', 'requirepass', '');
  });

  it('002-C-01 Redis is configured with `maxmemory-policy=noeviction`', async () => {
    await redis.config('SET', 'maxmemory-policy', 'volatile-lru');
    await expect(engine.runner.prepare?.()).rejects.toMatchObject({ code: 'redis_evicts' });
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    await expect(engine.runner.prepare?.()).resolves.toBeUndefined();
  });
});

describe.skipIf(!hasRedis || !hasPostgres)('002: roles', () => {
  const triggerKey = 't'.repeat(32);
  const order = { notificationType: 'newsletter_entity_yearly' };
  let world: RunnerWorld;
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  beforeEach(async () => {
    world = await createRunnerWorld('BullMQ, Redis, PostgreSQL');
    database = await emptyDatabase('postgres');
  });
  afterEach(async () => {
    await world.close();
    await database.drop();
  });

  async function within<T>(settings: Record<string, string>, look: (url: string) => Promise<T>): Promise<T> {
    const queued = {
      JOBS_ENABLED: 'true',
      REDIS_URL: world.redis?.url ?? '',
      SOC_BASE_URL: 'off',
      PORT: '0',
    };
    const config = read({ DATABASE_URL: database.url, ...queued, ...settings });
    const { url, stop } = await startProcess(config, { log: silentLog });
    try {
      return await look(url);
    } finally {
      await stop();
    }
  }
  const trigger = (key: string) => async (url: string) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key, authorization: `Bearer ${key}` };
    const answer = await fetch(`${url}/api/v1/notifications/trigger`, {
      ...{ method: 'POST', headers, body: JSON.stringify(order) },
    });
    return answer.status;
  };

  it('002-P10-02 The trigger route is registered only in role api/both, with a queue client and a trigger key', async () => {
    const key = { NOTIFICATION_TRIGGER_API_KEY: triggerKey };
    expect(await within({ PROCESS_ROLE: 'api', ...key }, trigger(triggerKey))).toBeLessThan(300);
    expect(await within({ PROCESS_ROLE: 'both', ...key }, trigger(triggerKey))).toBeLessThan(300);
    expect(await within({ PROCESS_ROLE: 'worker', ...key }, trigger(triggerKey))).toBe(404);
    // 8.26: where a key is set, nobody gets in without one.
    expect(await within({ PROCESS_ROLE: 'both', ...key }, trigger('x'.repeat(32)))).toBe(401);
    const operator = { OPERATOR_API_KEY: 'o'.repeat(32) };
    expect(await within({ PROCESS_ROLE: 'both', ...operator }, trigger(triggerKey))).toBe(401);
  });

  it('002-D7-01 002-D7-02 002-P10-04 A process of role api only enqueues and processes no jobs; workers start in role worker or both', async () => {
    const intent = { occasion: 'o', to: 'ana@example.org', variables: { subject: 'Hello', text: 'Hello' } };
    const statusAfter = (ms: number) => async (url: string) => {
      await fetch(`${url}/api/v1/intents`, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(intent) },
      });
      await new Promise((resolve) => setTimeout(resolve, ms));
      const { deliveries } = (await (await fetch(`${url}/api/v1/deliveries`)).json()) as {
        deliveries: { status: string }[];
      };
      return deliveries.map(({ status }) => status);
    };
    expect(await within({ PROCESS_ROLE: 'api' }, statusAfter(1_500))).toEqual(['pending']);
    const isSent = async (url: string) => {
      await until(async () => String(await statusAfter(0)(url)) === 'sent', 'it is sent');
      return true;
    };
    expect(await within({ PROCESS_ROLE: 'worker' }, () => within({ PROCESS_ROLE: 'api' }, isSent))).toBe(
      true,
    );
    // A worker has nothing to send with where a provider lacks its key: it does not start.
    expect(() => read({ MAIL_PROVIDER: 'resend' })).toThrow('needs RESEND_API_KEY');
  });
});
