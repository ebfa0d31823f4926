import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createRecorder } from '../../src/dispatch/recorder.ts';
import { createOutbox, readNamespace } from '../../src/outbox/outbox.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { askBySql, rowIn } from '../support/rows.ts';
import { advanceUntil, createWorld, intentNumber, onBothDatabases, type World } from '../support/world.ts';

/** Databases, sources and operators that fail at the worst moment. */
onBothDatabases('faults', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());

  const find = (seq: number) => world.queries.find(String(seq));
  const failedStatement = (tx: Parameters<Parameters<World['db']['transaction']>[0]>[0]) =>
    sql`SELECT * FROM no_such_table`.execute(tx).catch(() => {});

  it('a transaction that swallowed a failed statement commits whole or says that it did not', async () => {
    const work = world.db.transaction(async (tx) => {
      await world.outbox.enqueue([intentNumber(1)], tx);
      await failedStatement(tx);
    });
    const isCommitted = await work.then(
      () => true,
      () => false,
    );
    expect((await world.queries.counts()).length > 0).toBe(isCommitted);
  });

  it('a source that keeps a failed statement to itself is owed its bookkeeping, and the status stands', async () => {
    const outbox = createOutbox({
      db: world.db,
      clock: world.clock,
      log: silentLog,
      namespace: await readNamespace(world.db),
      listeners: {
        consent: async () => {},
        source: () => (_facts, tx) => failedStatement(tx).then(() => {}),
      },
    });
    const seq = await rowIn(world, 'sending', 1);
    await outbox.record([{ seq, event: 'accepted', round: 1, at: 1, messageId: 'm', actor: 'w' }]);
    expect(await find(seq)).toMatchObject({ status: 'sent' });
    const owed = await world.db.read.selectFrom('owed_facts').selectAll().execute();
    expect(owed).toHaveLength(dialect === 'postgres' ? 1 : 0);
  });

  const onServer = dialect === 'postgres' ? it : () => {};
  onServer('a connection that is lost while in use fails its transaction, not the process', async () => {
    const work = world.db.transaction(async (tx) => {
      await world.outbox.enqueue([intentNumber(1)], tx);
      const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(tx);
      await sql`SELECT pg_terminate_backend(${rows[0]?.pid})`.execute(world.db.read);
      await systemClock.sleep(50);
      await world.outbox.enqueue([intentNumber(2)], tx);
    });
    await expect(work).rejects.toThrow();
    expect(await world.queries.counts()).toEqual([]);
    expect(await world.outbox.enqueue([intentNumber(1)])).toMatchObject([{ isNew: true }]);
  });

  it('thousands of the same new intents from several callers, in any order, block nobody', async () => {
    const intents = Array.from({ length: 1000 }, (_, number) => intentNumber(number));
    const rotated = (by: number) => [...intents.slice(by), ...intents.slice(0, by)];
    const answers = await Promise.all([0, 250, 500, 750].map((by) => world.outbox.enqueue(rotated(by))));
    expect(answers.flat().filter(({ isNew }) => isNew)).toHaveLength(1000);
    // Each answer stands where its question stood.
    const [first] = await world.queries.search({ occasion: 'occasion-250', limit: 1 });
    expect(answers[1]?.[0]?.seq).toBe(first?.seq);
  });

  it('rows from before a change of the namespace are still known by their identity', async () => {
    const [first] = await world.outbox.enqueue([intentNumber(1)]);
    const outbox = createOutbox({
      db: world.db,
      clock: world.clock,
      log: silentLog,
      namespace: '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
      listeners: { consent: async () => {}, source: () => undefined },
    });
    expect(await outbox.enqueue([intentNumber(1), intentNumber(2)])).toMatchObject([
      { seq: first?.seq, id: first?.id, isNew: false },
      { isNew: true },
    ]);
  });

  it('a request without a reason is performed like any other and stops no sweep', async () => {
    const delivery_seq = await rowIn(world, 'failed_permanent', 1);
    await askBySql(world, [delivery_seq], '   ');
    expect(await world.outbox.performRequests()).toBe(1);
    expect(await find(delivery_seq)).toMatchObject({ status: 'pending' });
  });

  it('a complaint about what the gate had suppressed is told all the same', async () => {
    const seq = await rowIn(world, 'suppressed', 1, { evidence: 5 });
    await world.outbox.record([{ seq, event: 'complained', round: 1, at: 1, actor: 'webhook' }]);
    expect(world.told.map(({ fact }) => fact.kind)).toContain('suppressed');
  });

  it('one report that cannot be written does not take its neighbours along', async () => {
    const good = await rowIn(world, 'sending', 1);
    const bad = await rowIn(world, 'sending', 2);
    const recorder = createRecorder({ outbox: world.outbox, clock: world.clock, log: silentLog });
    const accepted = { event: 'accepted', at: 1, actor: 'w' } as const;
    recorder.add({ ...accepted, seq: bad, round: 99_999_999, messageId: 'bad' });
    recorder.add({ ...accepted, seq: good, round: 1, messageId: 'good' });
    await advanceUntil(world.clock, recorder.drain());
    expect(await find(good)).toMatchObject({ status: 'sent' });
    expect(await find(bad)).toMatchObject({ status: 'sending' });
  });
});
