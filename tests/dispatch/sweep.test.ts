import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSweep, type Sweep } from '../../src/dispatch/sweep.ts';
import { tellStory } from '../../src/domain/sentences.ts';
import type { Status } from '../../src/domain/status.ts';
import { statuses } from '../../src/domain/status.ts';
import { silentLog } from '../../src/std/log.ts';
import { rowIn } from '../support/rows.ts';
import { createWorld, intentNumber, onBothDatabases, type World } from '../support/world.ts';

const dayMs = 86_400_000;

onBothDatabases('the sweep', (dialect) => {
  let world: World;
  let sweep: Sweep;
  beforeEach(async () => {
    world = await createWorld(dialect);
    const { outbox, queries, clock } = world;
    const keeping = { retentionMs: 90 * dayMs, doubtAfterMs: 3_600_000 };
    sweep = createSweep({ outbox, queries, keepers: [], clock, log: silentLog, ...keeping });
  });
  afterEach(() => world.close());

  const statusOf = async (seq: number | undefined) => (await world.queries.find(String(seq)))?.status;
  const mailsOf = async (seq: number) => (await world.queries.story(seq)).mails.length;

  it('ends what waits past its last moment, and leaves alone what still has time', async () => {
    const now = world.clock.now();
    const [late, early, endless] = await world.outbox.enqueue([
      intentNumber(1, { expiresAt: now + 1_000, dueAt: now + dayMs }),
      intentNumber(2, { expiresAt: now + 2_000, dueAt: now + dayMs }),
      intentNumber(3, { dueAt: now + dayMs }),
    ]);
    await world.clock.advance(1_000);
    expect(await sweep.runOnce()).toMatchObject({ expired: 1 });
    expect(await statusOf(late?.seq)).toBe('expired');
    expect(await statusOf(early?.seq)).toBe('pending');
    expect(await statusOf(endless?.seq)).toBe('pending');
    expect(await sweep.runOnce()).toMatchObject({ expired: 0 });
  });

  it('never calls expired what a worker holds or what may have been accepted', async () => {
    const seq = await rowIn(world, 'sending', 1, { dueAt: world.clock.now() + dayMs });
    await world.db.write.updateTable('deliveries').set({ expires_at: 1 }).execute();
    expect(await sweep.runOnce()).toMatchObject({ expired: 0 });
    expect(await statusOf(seq)).toBe('sending');
  });

  it('folds the lines of counts, every ten seconds and not at every turn', async () => {
    const lines = async () => {
      const all = await world.db.read.selectFrom('delivery_counts').select('count_seq').execute();
      return all.length;
    };
    for (let number = 0; number < 3; number++) await world.outbox.enqueue([intentNumber(number)]);
    expect(await lines()).toBe(3);
    await sweep.runOnce();
    expect(await lines()).toBe(1);
    await world.outbox.enqueue([intentNumber(4)]);
    await sweep.runOnce();
    expect(await lines()).toBe(2);
    await world.clock.advance(10_000);
    await sweep.runOnce();
    expect(await lines()).toBe(1);
    expect(await world.queries.counts()).toEqual([{ source: 'plain', status: 'pending', count: 4 }]);
  });

  it('forgets mails and addresses after their time, and never what has not ended', async () => {
    const seqs = new Map<Status, number>();
    for (const [index, status] of (Object.keys(statuses) as Status[]).entries()) {
      // Due far away, so that nothing else moves them.
      const dueAt = statuses[status].isDue ? { dueAt: world.clock.now() + 1000 * dayMs } : {};
      seqs.set(status, await rowIn(world, status, index, dueAt));
    }
    await world.clock.advance(90 * dayMs);
    expect(await sweep.runOnce()).toMatchObject({ forgotten: 0 });
    // Just after their time, but not yet at the next look.
    await world.clock.advance(1);
    expect(await sweep.runOnce()).toMatchObject({ forgotten: 0 });
    await world.clock.advance(10 * 60_000);
    const ended = (Object.keys(statuses) as Status[]).filter((status) => statuses[status].isFinal);
    expect(await sweep.runOnce()).toMatchObject({ forgotten: ended.length });
    for (const [status, seq] of seqs) {
      const row = await world.queries.find(String(seq));
      const isForgotten = statuses[status].isFinal;
      expect(row?.status).toBe(status);
      expect(row?.to_email === null, status).toBe(isForgotten);
      expect(await mailsOf(seq), status).toBe(isForgotten ? 0 : 1);
    }
  });

  it('keeps the identity of what it forgot: the same thing is not told again, and the story says why', async () => {
    const seq = await rowIn(world, 'sent', 1);
    await world.clock.advance(91 * dayMs);
    await sweep.runOnce();
    const [again] = await world.outbox.enqueue([intentNumber(1)]);
    expect(again).toMatchObject({ seq, isNew: false, status: 'sent' });
    expect(await mailsOf(seq)).toBe(0);
    const { events } = await world.queries.story(seq);
    const told = tellStory({ source: 'plain', lane: 'normal', createdAt: 0 }, events);
    expect(told.at(-1)?.sentence).toBe(
      'Its content and its address were deleted, as long after its end as retention says.',
    );
  });

  it('goes on batch by batch, past those that must stay', async () => {
    await world.outbox.enqueue(Array.from({ length: 450 }, (_, number) => intentNumber(number)));
    await world.db.write
      .updateTable('deliveries')
      .set({ status: 'skipped_ineligible', due_at: null })
      .where('seq', '>', 210)
      .execute();
    await world.db.write
      .updateTable('deliveries')
      .set({ due_at: world.clock.now() + 1000 * dayMs })
      .where('seq', '<=', 210)
      .execute();
    await world.clock.advance(91 * dayMs);
    const counts = [];
    for (let turn = 0; turn < 4; turn++) counts.push((await sweep.runOnce()).forgotten);
    expect(counts).toEqual([0, 190, 50, 0]);
  });

  it('counts from the last that was heard, not from the intent: what was sent late may still bounce', async () => {
    const seq = await rowIn(world, 'sent', 1, { sentAt: world.clock.now() + 100 * dayMs });
    await world.clock.advance(180 * dayMs);
    expect(await sweep.runOnce()).toMatchObject({ forgotten: 0 });
    await world.clock.advance(11 * dayMs);
    expect(await sweep.runOnce()).toMatchObject({ forgotten: 1 });
    expect(await mailsOf(seq)).toBe(0);
  });

  it('blanks the address of what never had a mail, and what it forgot cannot be put back', async () => {
    const { variables: _, ...bare } = intentNumber(1);
    const now = world.clock.now();
    const [made] = await world.outbox.enqueue([{ ...bare, expiresAt: now + 1, dueAt: now + dayMs }]);
    const seq = made?.seq ?? 0;
    await world.clock.advance(91 * dayMs);
    await sweep.runOnce();
    await world.clock.advance(dayMs);
    await sweep.runOnce();
    expect(await world.queries.find(String(seq))).toMatchObject({ status: 'expired', to_email: null });
    const order = { verb: 'requeued', reason: 'she asked', operator: 'ann' } as const;
    expect(await world.outbox.perform([seq], order)).toEqual([
      { seq, changed: false, status: 'expired', lease: 0, why: 'forgotten' },
    ]);
  });

  it('two at once forget once', async () => {
    for (let number = 0; number < 3; number++) await rowIn(world, 'sent', number);
    await world.clock.advance(91 * dayMs);
    const order = { before: world.clock.now() - 90 * dayMs, above: 0, limit: 200 };
    await Promise.all([world.outbox.forget(order), world.outbox.forget(order), world.outbox.forget(order)]);
    const { rows } = await sql`SELECT 1 FROM delivery_events WHERE event = 'forgotten'`.execute(
      world.db.read,
    );
    expect(rows).toHaveLength(3);
  });

  const onPostgres = dialect === 'postgres' ? it : () => {};
  onPostgres('leaves alone what another forgot while it was choosing', async () => {
    await rowIn(world, 'sent', 1);
    await world.clock.advance(91 * dayMs);
    const { write } = world.db;
    // Whoever reads the mails stands at the gate, with what it saw of the deliveries before.
    await sql`ALTER TABLE delivery_mails RENAME TO mails`.execute(write);
    await sql`CREATE FUNCTION gate() RETURNS boolean LANGUAGE sql VOLATILE AS
      'SELECT pg_advisory_xact_lock_shared(1) IS NOT NULL'`.execute(write);
    await sql`CREATE VIEW delivery_mails AS SELECT * FROM mails WHERE gate()`.execute(write);
    const order = { before: world.clock.now() - 90 * dayMs, above: 0, limit: 200 };
    const late = await world.db.transaction(async (tx) => {
      await sql`SELECT pg_advisory_xact_lock(1)`.execute(tx);
      const choosing = world.outbox.forget(order);
      const atTheGate = sql`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      const waiting = async () => (await atTheGate.execute(world.db.read)).rows.length;
      await expect.poll(waiting).toBe(1);
      await sql`DELETE FROM mails`.execute(tx);
      await sql`UPDATE deliveries SET to_email = NULL`.execute(tx);
      return { choosing };
    });
    expect(await late.choosing).toEqual({ count: 0, next: null });
  });

  it('does what it can where one of its duties fails, and says so', async () => {
    const now = world.clock.now();
    await world.outbox.enqueue([intentNumber(1, { expiresAt: now + 1, dueAt: now + dayMs })]);
    await world.clock.advance(10);
    const queries = { ...world.queries, overdue: () => Promise.reject(new Error('no such index')) };
    const { outbox, clock } = world;
    const keeping = { retentionMs: dayMs, doubtAfterMs: dayMs };
    const limping = createSweep({ outbox, queries, keepers: [], clock, log: silentLog, ...keeping });
    await expect(limping.runOnce()).rejects.toThrow('no such index');
    expect((await world.queries.counts()).map(({ status }) => status)).toEqual(['expired']);
  });
});
