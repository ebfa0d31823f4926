import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Engine } from '../../src/engine.ts';
import { systemClock } from '../../src/std/clock.ts';
import {
  accepted,
  createRunnerWorld,
  foundTown,
  intents,
  onEveryRunner,
  type RunnerWorld,
  statusesOf,
  until,
  untilAllSent,
} from './runner-world.ts';

/** What holds whoever says when. */
onEveryRunner('a runner', (kind) => {
  let world: RunnerWorld;
  let engine: Engine;
  beforeEach(async () => {
    world = await createRunnerWorld(kind);
    engine = await world.engine();
  });
  afterEach(() => world.close());

  const subjects = (count: number) => Array.from({ length: count }, (_, number) => `Subject ${number}`);
  const rows = () => engine.db.read.selectFrom('deliveries').selectAll().orderBy('seq').execute();

  it('sends what waits at its start and what comes later, each once', async () => {
    await engine.outbox.enqueue(intents(40).slice(0, 30));
    engine.runner.start();
    await untilAllSent(engine, 30);
    await engine.outbox.enqueue(intents(40));
    await untilAllSent(engine, 40);
    expect(accepted(world).sort()).toEqual(subjects(40).sort());
    expect((await rows()).every(({ attempts, claims }) => attempts === 1 && claims === 1)).toBe(true);
    expect(engine.runner.isHealthy).toBe(true);
  });

  it('several at once send each once', async () => {
    await engine.outbox.enqueue(intents(400));
    const others = [await world.engine(), await world.engine()];
    for (const each of [engine, ...others]) each.runner.start();
    await untilAllSent(engine, 400);
    expect(accepted(world).sort()).toEqual(subjects(400).sort());
    expect(world.provider.ledger.submissions()).toHaveLength(400);
  });

  it('what is urgent does not wait behind what is not', async () => {
    const slow = await world.engine({ RESEND_MAX_RPS: '20' });
    await slow.outbox.enqueue(intents(200, { lane: 'bulk' }));
    slow.runner.start();
    await until(() => accepted(world).length >= 5, 'the first of them are sent');
    const before = accepted(world).length;
    const [urgent] = await slow.outbox.enqueue(
      intents(1, { lane: 'urgent', occasion: 'now', variables: { subject: 'Now', text: 'Now' } }),
    );
    await until(() => accepted(world).includes('Now'), 'it is sent');
    expect((await slow.queries.find(String(urgent?.seq)))?.status).toMatch(/sent|sending/);
    // What had its slot, for a second ahead, and what was named before; by order of arrival it would be 200.
    expect(accepted(world).length - before).toBeLessThan(80);
  });

  it('who is throttled waits, and no attempt is counted', async () => {
    const throttled = { status: 429, name: 'rate_limit_exceeded', headers: { 'retry-after': '1' } };
    world.provider.rules.push({ lie: { kind: 'answer', isAccepted: false, ...throttled }, times: 3 });
    await engine.outbox.enqueue(intents(20));
    engine.runner.start();
    await untilAllSent(engine, 20);
    expect((await rows()).map(({ attempts }) => attempts)).toEqual(Array.from({ length: 20 }, () => 1));
    expect(accepted(world)).toHaveLength(20);
  });

  it('002-P5-10 a transient error is tried again, and counted', async () => {
    // Without a name that says more, a 409 of a stranger is no refusal for good; a 500 would leave a doubt.
    const refused = { status: 408, name: 'timeout', message: 'try again' };
    world.provider.rules.push({ lie: { kind: 'answer', isAccepted: false, ...refused }, times: 1 });
    await engine.outbox.enqueue(intents(1));
    engine.runner.start();
    await until(async () => (await rows()).every(({ status }) => status === 'sent'), 'it is sent');
    expect(accepted(world)).toEqual(['Subject 0']);
  });

  it('a source that is paused sends nothing until it goes on', async () => {
    await engine.pauses.pause('plain', { operator: 'ana', reason: 'look first' });
    await engine.outbox.enqueue(intents(5));
    engine.runner.start();
    await systemClock.sleep(1_000);
    expect(await statusesOf(engine)).toEqual({ pending: 5 });
    await engine.pauses.resume('plain');
    await untilAllSent(engine, 5);
  });

  it('a provider that is down is left alone, and the backlog drains when it is back', async () => {
    const down = { status: 401, name: 'restricted_api_key', message: 'no' };
    world.provider.rules.push({ lie: { kind: 'answer', isAccepted: false, ...down } });
    await engine.outbox.enqueue(intents(30));
    engine.runner.start();
    await until(
      () => world.log.lines.some(({ event }) => event === 'provider.circuit_opened'),
      'it is noticed',
    );
    await systemClock.sleep(500);
    expect((await rows()).every(({ attempts }) => attempts === 0)).toBe(true);
    expect(world.provider.ledger.accepted).toEqual([]);
    world.provider.rules.length = 0;
    await untilAllSent(engine, 30);
    expect(accepted(world)).toHaveLength(30);
  });

  it('002-P10-05 a stop lets finish what is in flight and leaves the rest to others', async () => {
    world.provider.rules.push({ lie: { kind: 'slow', ms: 300, at: 'before_answering' } });
    // More than there are connections: those can all be on their way at once.
    const count = 400;
    await engine.outbox.enqueue(intents(count));
    engine.runner.start();
    await until(() => world.provider.ledger.submissions().length >= 4, 'some are on their way');
    await engine.runner.stop();
    const left = await statusesOf(engine);
    expect(left.sending ?? 0).toBe(0);
    expect(left.claimed ?? 0).toBe(0);
    expect(left.pending).toBeGreaterThan(0);
    expect(world.provider.ledger.accepted).toHaveLength(left.sent ?? 0);
    world.provider.rules.length = 0;
    const next = await world.engine();
    next.runner.start();
    await untilAllSent(next, count);
    expect(accepted(world).sort()).toEqual(subjects(count).sort());
  });

  it('what is answered when a stop has waited long enough is written down before the database is closed', async () => {
    const stopping = await world.engine();
    const { provider, runner } = stopping;
    const send = provider.send;
    let givenUp = () => {};
    const isGivenUp = new Promise<void>((resolve) => {
      givenUp = resolve;
    });
    let answers = 0;
    provider.send = async (...order) => {
      const outcome = await send(...order);
      const place = answers++;
      await isGivenUp;
      // Each while the ones before it are being written.
      await systemClock.sleep(place * 12);
      return outcome;
    };
    const stop = runner.stop;
    runner.stop = async () => {
      void stop();
    };
    const close = provider.close;
    provider.close = async () => {
      givenUp();
      await close?.();
    };
    await stopping.outbox.enqueue(intents(8));
    runner.start();
    await until(() => answers === 8, 'all are on their way');
    await stopping.close();
    stopping.close = async () => {};
    expect(await statusesOf(engine)).toEqual({ sent: 8 });
    expect(world.log.lines.filter(({ event }) => event === 'record.failed')).toEqual([]);
  });

  it('what a worker left behind is found and sent, and an operator is heard', async () => {
    const made = await engine.outbox.enqueue(intents(2));
    const now = engine.clock.now();
    const gone = {
      status: 'claimed',
      locked_by: 'gone',
      locked_at: now - 9,
      due_at: now - 1,
      lease: 1,
    } as const;
    const [held, ended] = made.map(({ seq }) => seq);
    const set = (seq: number | undefined, columns: object) =>
      engine.db.write
        .updateTable('deliveries')
        .set(columns)
        .where('seq', '=', seq ?? 0)
        .execute();
    await set(held, gone);
    await set(ended, { status: 'failed_permanent', due_at: null, attempts: 3 });
    engine.runner.start();
    await until(async () => (await statusesOf(engine)).sent === 1, 'the one is sent');
    await engine.db.write
      .insertInto('operator_requests')
      .values({
        delivery_seq: ended ?? 0,
        verb: 'requeued',
        reason: 'r',
        requested_at: now,
        requested_by: 'ana',
      })
      .execute();
    await untilAllSent(engine, 2);
  });

  it('002-P5-01 a run is collected, composed and sent, by as many as there are, each once', async () => {
    const other = await world.engine();
    await foundTown(engine, 450);
    engine.runner.start();
    other.runner.start();
    const order = { notificationType: 'newsletter_entity_yearly' };
    const answers = await Promise.all([
      engine.newsletters.runs.trigger(order, { by: 'ana' }),
      other.newsletters.runs.trigger(order, { by: 'bob' }),
    ]);
    expect(answers.map(({ collectJobEnqueued }) => collectJobEnqueued).sort()).toEqual([false, true]);
    await untilAllSent(engine, 450);
    const to = world.provider.ledger.accepted.map(({ body }) => String(body.to));
    expect(new Set(to).size).toBe(450);
    expect(to).toHaveLength(450);
    await until(
      async () => (await engine.newsletters.runs.list({ limit: 1 }))[0]?.status === 'finished',
      'the run is over',
    );
  });
});
