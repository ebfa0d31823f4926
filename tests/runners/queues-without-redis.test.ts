import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { readLease } from '../../src/db/lease.ts';
import { leaderLease } from '../../src/runners/runner.ts';
import { systemClock } from '../../src/std/clock.ts';
import { hasRedis, startRedis } from '../support/redis-server.ts';
import { hasPostgres } from '../support/world.ts';
import { madeForEach, worldForEach } from '../support/world-for-each.ts';
import { createQueuesWorld } from './queues-world.ts';
import { accepted, foundTown, intents, statusesOf, until, untilAllSent } from './runner-world.ts';

/** What only queues have: a Redis that forgets, goes away, fails over or must not be relied on. */
describe.skipIf(!hasRedis || !hasPostgres)('queues on Redis', () => {
  const world = worldForEach(() => createQueuesWorld());
  const engine = madeForEach(() => world.engine());

  it('Redis is flushed twice in the middle of it: all are sent, each once, and soon', async () => {
    await engine.outbox.enqueue(intents(300));
    const paced = await world.engine({ RESEND_MAX_RPS: '60' });
    paced.runner.start();
    for (const count of [40, 140]) {
      await until(() => accepted(world).length >= count, `${count} are sent`);
      await world.ask('FLUSHALL');
    }
    await untilAllSent(paced, 300);
    world.eachOnce(300);
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
    world.eachOnce(150);
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
    world.eachOnce(3);
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
      await world.ask('REPLICAOF', '127.0.0.1', '1');
      await until(() => worker.runner.queues?.redis === 'away', 'it says that it is not well');
      target = other.url;
      await worker.outbox.enqueue(intents(4));
      await untilAllSent(worker, 4);
      world.eachOnce(4);
      await until(() => worker.runner.isHealthy, 'it is well again');
      await worker.runner.stop();
    } finally {
      name.close();
      await other.stop();
    }
  });

  it('002-C-01 a Redis that evicts is refused, with the command that mends it; one that is mended is taken', async () => {
    await world.ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    await expect(engine.runner.prepare?.()).rejects.toMatchObject({
      code: 'redis_evicts',
      message: expect.stringContaining('redis-cli CONFIG SET maxmemory-policy noeviction'),
    });
    await world.ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
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
