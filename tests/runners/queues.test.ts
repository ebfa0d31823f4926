import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLease } from '../../src/db/lease.ts';
import type { Engine } from '../../src/engine.ts';
import { listDead, reviveDead } from '../../src/runners/dead-jobs.ts';
import { fullName, type OpenQueues, openQueues, queueNames } from '../../src/runners/queue.ts';
import { connectRedis } from '../../src/runners/redis.ts';
import { leaderLease } from '../../src/runners/runner.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { hasRedis, startRedis } from '../support/redis-server.ts';
import { hasPostgres } from '../support/world.ts';
import {
  accepted,
  createRunnerWorld,
  foundTown,
  intents,
  type RunnerWorld,
  statusesOf,
  until,
  untilAllSent,
} from './runner-world.ts';

const prefix = 'transparenta:jobs';

/** What only queues have: a Redis that forgets, and jobs that somebody can look at. */
describe.skipIf(!hasRedis || !hasPostgres)('queues on Redis', () => {
  let world: RunnerWorld;
  let engine: Engine;
  let queues: OpenQueues;
  let redis: ReturnType<typeof connectRedis>;
  beforeEach(async () => {
    world = await createRunnerWorld('BullMQ, Redis, PostgreSQL');
    engine = await world.engine();
    redis = connectRedis({ url: world.redis?.url ?? '', password: '' }, silentLog);
    queues = openQueues(redis, prefix, silentLog);
  });
  afterEach(async () => {
    await queues.close();
    redis.disconnect();
    await world.close();
  });

  const ask = (...words: string[]) => world.redis?.ask(...words) ?? Promise.resolve('');
  const eachOnce = (count: number) => {
    expect(new Set(accepted(world)).size).toBe(count);
    expect(accepted(world)).toHaveLength(count);
  };

  it('002-P5-01 002-P2-11 002-C-04 there are the queues, under BullMQ’s own prefix, and no key anywhere else', async () => {
    await engine.outbox.enqueue(intents(3));
    engine.runner.start();
    await untilAllSent(engine, 3);
    const keys = (await redis.keys('*')).sort();
    expect(keys.filter((key) => !key.startsWith(`${prefix}:notification-`))).toEqual([]);
    for (const name of ['collect', 'compose', 'send', 'maintenance'])
      expect(keys).toContain(`${prefix}:notification-${name}:meta`);
    expect(redis.options.keyPrefix ?? '').toBe('');
  });

  it('jobs name rows, and hold no address, no mail and no token', async () => {
    await engine.pauses.pause('*', { operator: 'ana', reason: 'r' });
    const rows = await engine.outbox.enqueue(intents(7));
    const seqs = rows.map(({ seq }) => seq).sort((a, b) => a - b);
    const send = await queues.of('send');
    await send.add('send', { source: 'plain', from: 'normal', seqs });
    await engine.pauses.resume('*');
    // Nobody works: what the relay puts, and what was put, can be read.
    await send.pause();
    engine.runner.start();
    await until(async () => (await send.getJobs()).length >= 2, 'the relay has named them');
    const jobs = await send.getJobs();
    expect(jobs.map(({ data }) => data).every((data) => String(data.seqs) === String(seqs))).toBe(true);
    expect(JSON.stringify(jobs)).not.toMatch(/@|Subject|Text/);
    await send.resume();
    await untilAllSent(engine, 7);
    // Named twice, claimed once; who came second found nothing to do.
    eachOnce(7);
    await until(
      () =>
        world.log.lines.some(({ event, level }) => event === 'delivery.already_claimed' && level === 'info'),
      '002-P5-05 it is told at info',
    );
  });

  it('Redis is flushed twice in the middle of it: all are sent, each once, and soon', async () => {
    await engine.outbox.enqueue(intents(300));
    const paced = await world.engine({ RESEND_MAX_RPS: '60' });
    paced.runner.start();
    for (const count of [40, 140]) {
      await until(() => accepted(world).length >= count, `${count} are sent`);
      await ask('FLUSHALL');
    }
    await untilAllSent(paced, 300);
    eachOnce(300);
  });

  it('Redis dies and comes back empty: nothing is lost, and it is told', async () => {
    const paced = await world.engine({ RESEND_MAX_RPS: '60' });
    await engine.outbox.enqueue(intents(150));
    paced.runner.start();
    await until(() => accepted(world).length >= 20, 'some are sent');
    await world.redis?.kill();
    await until(() => !paced.runner.isHealthy, 'it says that it is not well');
    await until(() => world.log.lines.some(({ event }) => event === 'redis.away'), 'it is told');
    await systemClock.sleep(500);
    await world.redis?.start();
    await untilAllSent(paced, 150);
    eachOnce(150);
    await until(() => paced.runner.isHealthy, 'it is well again');
  });

  it('a process that starts before its Redis waits for it', async () => {
    await world.redis?.kill();
    await engine.runner.prepare?.();
    expect(world.log.lines.some(({ event }) => event === 'redis.awaited')).toBe(true);
    await engine.outbox.enqueue(intents(4));
    engine.runner.start();
    await systemClock.sleep(500);
    expect([engine.runner.isHealthy, await statusesOf(engine)]).toEqual([false, { pending: 4 }]);
    await world.redis?.start();
    await untilAllSent(engine, 4);
    await until(() => engine.runner.isHealthy, 'it is well');
  });

  it('who does not reach its Redis does not lead, so that who does need not wait for it', async () => {
    // Nobody listens there.
    const cutOff = await world.engine({ REDIS_URL: 'redis://127.0.0.1:9' });
    cutOff.runner.start();
    await until(() => world.log.lines.some(({ event }) => event === 'redis.away'), 'it is told');
    await systemClock.sleep(1_500);
    expect(await readLease(engine.db, leaderLease)).toBeUndefined();
    expect(world.log.lines.filter(({ event }) => event === 'loop.failed')).toEqual([]);
    // What needs no Redis is done all the same.
    expect(await readLease(engine.db, 'chores')).toBeDefined();
    await engine.outbox.enqueue(intents(3));
    engine.runner.start();
    await untilAllSent(engine, 3);
    eachOnce(3);
  });

  it('Redis fails over: who is made a replica is left for who took over, though it still answers', async () => {
    const other = await startRedis();
    let target = world.redis?.url ?? '';
    const name = await startProxy(() => Number(new URL(target).port));
    try {
      const worker = await world.engine({ REDIS_URL: `redis://127.0.0.1:${name.port}` });
      await worker.outbox.enqueue(intents(2));
      worker.runner.start();
      await untilAllSent(worker, 2);
      await ask('REPLICAOF', '127.0.0.1', '1');
      await until(() => worker.runner.queues?.redis === 'away', 'it says that it is not well');
      target = other.url;
      await worker.outbox.enqueue(intents(4));
      await untilAllSent(worker, 4);
      eachOnce(4);
      await until(() => worker.runner.isHealthy, 'it is well again');
      await worker.runner.stop();
    } finally {
      name.close();
      await other.stop();
    }
  });

  it('who leads and stops gives way at once, and then waits for what is in hand', async () => {
    const { provider } = engine;
    const real = provider.send;
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    provider.send = async (...order) => {
      await answered;
      return real(...order);
    };
    await engine.outbox.enqueue(intents(1));
    engine.runner.start();
    await until(async () => (await statusesOf(engine)).sending === 1, 'it is under way');
    expect(await readLease(engine.db, leaderLease)).toBeDefined();
    const stopped = engine.runner.stop();
    await until(async () => (await readLease(engine.db, leaderLease)) === undefined, 'nobody leads');
    expect(await statusesOf(engine)).toEqual({ sending: 1 });
    answer();
    await stopped;
    expect(await statusesOf(engine)).toEqual({ sent: 1 });
  });

  it('002-C-01 a Redis that evicts is refused, with the command that mends it; one that is mended is taken', async () => {
    await ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    await expect(engine.runner.prepare?.()).rejects.toMatchObject({
      code: 'redis_evicts',
      message: expect.stringContaining('redis-cli CONFIG SET maxmemory-policy noeviction'),
    });
    await ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await expect(engine.runner.prepare?.()).resolves.toBeUndefined();
  });

  it('002-P10-01 a password is passed on, and a wrong one is refused with what to do', async () => {
    const guarded = await startRedis({ password: 'a secret' });
    try {
      const wrong = await world.engine({ REDIS_URL: guarded.url, REDIS_PASSWORD: 'another' });
      await expect(wrong.runner.prepare?.()).rejects.toMatchObject({ code: 'redis_refuses' });
      const right = await world.engine({ REDIS_URL: guarded.url, REDIS_PASSWORD: 'a secret' });
      await right.runner.prepare?.();
      await right.outbox.enqueue(intents(2));
      right.runner.start();
      await untilAllSent(right, 2);
      await right.runner.stop();
      expect(JSON.stringify(world.log.lines)).not.toContain('a secret');
    } finally {
      await guarded.stop();
    }
  });

  it('002-P5-02 a job that fails can be looked at, goes on failing once, and finds its way back', async () => {
    let isBroken = true;
    const { sweep } = engine;
    const real = sweep.runOnce;
    sweep.runOnce = () =>
      isBroken ? Promise.reject(new Error('no such table for ana@example.org')) : real();
    engine.runner.start();
    await until(async () => ((await listDead(queues, 10))[0]?.times ?? 0) >= 2, 'it has failed twice');
    const dead = await listDead(queues, 10);
    expect(dead).toMatchObject([{ queue: 'maintenance', job: 'sweep', data: {}, id: 'maintenance-sweep' }]);
    expect(dead[0]?.error).toContain('no such table');
    expect(JSON.stringify(dead)).not.toContain('ana@example.org');
    isBroken = false;
    expect(await reviveDead(queues, undefined)).toMatchObject([{ id: 'maintenance-sweep' }]);
    await expect(reviveDead(queues, 'maintenance-sweep')).rejects.toMatchObject({ code: 'job_not_found' });
    expect(await listDead(queues, 10)).toEqual([]);
  });

  it('002-D7-01 who only answers puts the run into the queue, and works at nothing', async () => {
    await foundTown(engine, 3);
    const order = { notificationType: 'newsletter_entity_yearly' };
    const collect = await queues.of('collect');
    const { periodKey } = await engine.newsletters.runs.trigger(order, { by: 'ana' });
    await until(async () => (await collect.getJobs()).length === 1, 'it is put');
    // 002-P5-03, with dashes.
    expect((await collect.getJobs()).map(({ id }) => id)).toEqual([
      `collect-newsletter_entity_yearly-${periodKey}`,
    ]);
    const forced = await engine.newsletters.runs.trigger({ ...order, force: true }, { by: 'ana' });
    // 002-P5-04
    await until(
      async () =>
        (await collect.getJobs()).some(
          ({ id }) => id === `collect-newsletter_entity_yearly-${periodKey}-${forced.runId}`,
        ),
      'so is the forced one',
    );
    await systemClock.sleep(300);
    expect(await engine.db.read.selectFrom('deliveries').select('seq').execute()).toEqual([]);
    // 002-D7-02
    const worker = await world.engine();
    worker.runner.start();
    await untilAllSent(worker, 3);
    expect(world.provider.ledger.accepted).toHaveLength(3);
  });

  it('an api process answers though Redis is away, and the run is found when it is back', async () => {
    await foundTown(engine, 2);
    await world.redis?.kill();
    const { collectJobEnqueued } = await engine.newsletters.runs.trigger(
      { notificationType: 'newsletter_entity_yearly' },
      { by: 'ana' },
    );
    expect(collectJobEnqueued).toBe(true);
    await world.redis?.start();
    const worker = await world.engine();
    worker.runner.start();
    await untilAllSent(worker, 2);
  });

  it('there are five queues, and their names have no colon', () => {
    expect(queueNames.map(fullName)).toEqual([
      'notification-collect',
      'notification-compose',
      'notification-send',
      'notification-maintenance',
      'notification-dlq',
    ]);
  });
});

/** A name that may lead somewhere else for the next who connects. */
async function startProxy(port: () => number): Promise<{ port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = createConnection({ port: port(), host: '127.0.0.1' });
    for (const [one, two] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(two);
      one.on('error', () => {}).on('close', () => two.destroy());
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      for (const each of sockets) each.destroy();
    },
  };
}
