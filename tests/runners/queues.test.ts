import { describe, expect, it } from 'vitest';
import { readLease } from '../../src/db/lease.ts';
import { listDead, reviveDead } from '../../src/runners/dead-jobs.ts';
import { fullName, queueNames } from '../../src/runners/queue.ts';
import { leaderLease } from '../../src/runners/runner.ts';
import { systemClock } from '../../src/std/clock.ts';
import { hasRedis } from '../support/redis-server.ts';
import { hasPostgres } from '../support/world.ts';
import { madeForEach, worldForEach } from '../support/world-for-each.ts';
import { createQueuesWorld, prefix } from './queues-world.ts';
import { foundTown, intents, statusesOf, until, untilAllSent } from './runner-world.ts';

/** What only queues have: jobs that somebody can look at, and one who leads. */
describe.skipIf(!hasRedis || !hasPostgres)('queues on Redis', () => {
  const world = worldForEach(() => createQueuesWorld());
  const engine = madeForEach(() => world.engine());

  it('002-P5-01 002-P2-11 002-C-04 there are the queues, under BullMQ’s own prefix, and no key anywhere else', async () => {
    await engine.outbox.enqueue(intents(3));
    engine.runner.start();
    await untilAllSent(engine, 3);
    const keys = (await world.client.keys('*')).sort();
    expect(keys.filter((key) => !key.startsWith(`${prefix}:notification-`))).toEqual([]);
    for (const name of ['collect', 'compose', 'send', 'maintenance'])
      expect(keys).toContain(`${prefix}:notification-${name}:meta`);
    expect(world.client.options.keyPrefix ?? '').toBe('');
  });

  it('jobs name rows, and hold no address, no mail and no token', async () => {
    await engine.pauses.pause('*', { operator: 'ana', reason: 'r' });
    const rows = await engine.outbox.enqueue(intents(7));
    const seqs = rows.map(({ seq }) => seq).sort((a, b) => a - b);
    const send = await world.queues.of('send');
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
    world.eachOnce(7);
    await until(
      () =>
        world.log.lines.some(({ event, level }) => event === 'delivery.already_claimed' && level === 'info'),
      '002-P5-05 it is told at info',
    );
  });

  it('who leads and stops gives way at once, and then waits for what is in hand', async () => {
    const { provider } = engine;
    const real = provider.send;
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let isAsked = false;
    provider.send = async (...order) => {
      isAsked = true;
      await answered;
      return real(...order);
    };
    await engine.outbox.enqueue(intents(1));
    engine.runner.start();
    // Not when it is `sending`: what is begun and has not left by then goes back to wait, which is right.
    await until(async () => isAsked, 'it is under way');
    expect(await readLease(engine.db, leaderLease)).toBeDefined();
    const stopped = engine.runner.stop();
    await until(async () => (await readLease(engine.db, leaderLease)) === undefined, 'nobody leads');
    expect(await statusesOf(engine)).toEqual({ sending: 1 });
    answer();
    await stopped;
    expect(await statusesOf(engine)).toEqual({ sent: 1 });
  });

  it('002-P5-02 a job that fails can be looked at, goes on failing once, and finds its way back', async () => {
    let isBroken = true;
    const { sweep } = engine;
    const real = sweep.runOnce;
    sweep.runOnce = () =>
      isBroken ? Promise.reject(new Error('no such table for ana@example.org')) : real();
    engine.runner.start();
    await until(async () => ((await listDead(world.queues, 10))[0]?.times ?? 0) >= 2, 'it has failed twice');
    const dead = await listDead(world.queues, 10);
    expect(dead).toMatchObject([{ queue: 'maintenance', job: 'sweep', data: {}, id: 'maintenance-sweep' }]);
    expect(dead[0]?.error).toContain('no such table');
    expect(JSON.stringify(dead)).not.toContain('ana@example.org');
    isBroken = false;
    expect(await reviveDead(world.queues, undefined)).toMatchObject([{ id: 'maintenance-sweep' }]);
    await expect(reviveDead(world.queues, 'maintenance-sweep')).rejects.toMatchObject({
      code: 'job_not_found',
    });
    expect(await listDead(world.queues, 10)).toEqual([]);
  });

  it('002-D7-01 who only answers puts the run into the queue, and works at nothing', async () => {
    await foundTown(engine, 3);
    const order = { notificationType: 'newsletter_entity_yearly' };
    const collect = await world.queues.of('collect');
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
