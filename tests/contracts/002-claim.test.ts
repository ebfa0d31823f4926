import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { statusNames } from '../../src/domain/status.ts';
import { onBothDatabases } from '../support/world.ts';
import { type CivicContract, createCivicContract, setStatus } from './civic-contract-world.ts';

const leaseMs = 15 * 60_000;

/** Spec 002, phases 4 and 11: how a delivery comes into one worker's hands, and what is written with each step. */
onBothDatabases('002 the claim', (dialect) => {
  let world: CivicContract;
  beforeEach(async () => {
    world = await createCivicContract(dialect);
  });
  afterEach(() => world.close());

  const claim = (worker = 'worker-1') =>
    world.outbox.claim({ source: 'newsletters', worker, limit: 10, leaseMs, from: 'bulk' });
  const nowText = () => new Date(world.clock.now()).toISOString();

  it('002-P4-08 The claim succeeds only from `pending` or `failed_transient`, in one compare-and-set statement that returns the row, or nothing', async () => {
    await world.composed();
    const taken: string[] = [];
    for (const status of statusNames) {
      await setStatus(world, status);
      const rows = await claim();
      if (rows.length > 0) taken.push(status);
      expect(rows.map(({ id }) => id)).toEqual(rows.length > 0 ? [(await world.record()).id] : []);
    }
    expect(taken.sort()).toEqual(['failed_transient', 'pending']);
  });

  it("002-P4-09 The claim sets `status='sending'`, `attempt_count=attempt_count+1`, `last_attempt_at=now()`", async () => {
    await world.composed();
    const seen = [];
    for (let turn = 1; turn <= 2; turn++) {
      await claim();
      const { status, attempt_count, last_attempt_at } = await world.record();
      seen.push({ status, attempt_count, isNow: last_attempt_at === nowText() });
      await world.clock.advance(leaseMs);
      await world.sweep();
    }
    expect(seen).toEqual([
      { status: 'sending', attempt_count: 1, isNow: true },
      { status: 'sending', attempt_count: 2, isNow: true },
    ]);
  });

  it('002-C-08 `pending→sending` is an atomic claim (compare-and-set)', async () => {
    await world.composed(20);
    const rounds = await Promise.all(Array.from({ length: 8 }, (_, number) => claim(`worker-${number}`)));
    const seqs = rounds.flat().map(({ seq }) => seq);
    expect([seqs.length, new Set(seqs).size]).toEqual([20, 20]);
    const held = await world.db.read.selectFrom('deliveries').select(['seq', 'locked_by']).execute();
    const holders = new Map(held.map(({ seq, locked_by }) => [seq, locked_by]));
    for (const [number, rows] of rounds.entries())
      for (const { seq } of rows) expect(holders.get(seq)).toBe(`worker-${number}`);
  });

  it('002-C-09 `attempt_count` is incremented in SQL, not in application code', async () => {
    await world.composed();
    let claims = 0;
    const worker = async (name: string) => {
      for (let turn = 0; turn < 15; turn++) {
        const rows = await claim(name);
        claims += rows.length;
        const dueAt = world.clock.now();
        await world.outbox.record(
          rows.map(({ seq, lease }) => ({ seq, lease, event: 'deferred', dueAt, actor: name })),
        );
      }
    };
    await Promise.all(['a', 'b', 'c', 'd'].map(worker));
    expect(claims).toBeGreaterThan(1);
    expect(await world.record()).toMatchObject({ attempt_count: claims });
  });

  /** Every status that a row was given, with what was written beside it. */
  async function writesOf(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
    const columns = 'status, provider_message_id, to_email, last_error, sent_at';
    const fresh = columns.split(', ').map((name) => `NEW.${name}`);
    const insert = `INSERT INTO writes VALUES (${fresh.join(', ')})`;
    const statements =
      dialect === 'sqlite'
        ? [`CREATE TRIGGER keep_writes AFTER UPDATE OF status ON deliveries BEGIN ${insert}; END`]
        : [
            `CREATE FUNCTION keep_writes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${insert}; RETURN NEW; END $$`,
            'CREATE TRIGGER keep_writes AFTER UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION keep_writes()',
          ];
    const kinds = 'status TEXT, provider_message_id TEXT, to_email TEXT, last_error TEXT, sent_at BIGINT';
    for (const statement of [`CREATE TABLE writes (${kinds})`, ...statements])
      await sql`${sql.raw(statement)}`.execute(world.db.write);
    await work();
    return (await sql<Record<string, unknown>>`SELECT * FROM writes`.execute(world.db.read)).rows;
  }

  it('002-P4-10 Status updates carry metadata (message id, address, error, sent time) in the same write', async () => {
    await world.composed(2);
    const [bad] = await world.records();
    world.provider.answer(({ key }) =>
      key === bad?.id
        ? { kind: 'refused_for_good', error: { code: 'some_code', message: 'no such mailbox' } }
        : { kind: 'accepted', messageId: `id-${key}` },
    );
    const writes = await writesOf(() => world.turn());
    expect(writes.map(({ status }) => status)).toEqual(
      expect.arrayContaining(['claimed', 'sending', 'sent', 'failed_permanent']),
    );
    for (const write of writes) {
      if (write.status === 'sending') expect(write.to_email).toMatch(/@example\.org$/);
      if (write.status === 'sent')
        expect(write).toMatchObject({
          ...{ provider_message_id: expect.stringMatching(/^id-/), to_email: expect.any(String) },
          sent_at: world.clock.now(),
        });
      if (write.status === 'failed_permanent') expect(String(write.last_error)).toContain('no such mailbox');
    }
  });

  it('002-P11-01 Whoever asks for the same key at once gets one row', async () => {
    const [notificationId] = await world.followAll(1);
    const recipient = `user-1:${notificationId}`;
    const intent = { source: 'newsletters', occasion: '2026-10', recipient, lane: 'bulk' } as const;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => world.outbox.enqueue([intent, intent])),
    );
    expect(answers.flat().filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(answers.flat().map(({ seq }) => seq)).size).toBe(1);
    expect(await world.records()).toHaveLength(1);
  });

  it('002-P11-02 Of two workers that claim one delivery one has it', async () => {
    await world.composed();
    const both = await Promise.all([claim('worker-1'), claim('worker-2')]);
    expect(both.map((rows) => rows.length).sort()).toEqual([0, 1]);
    await world.clock.advance(leaseMs);
    await world.sweep();
    // And so for whole turns of two workers: one mail.
    await Promise.all([world.turn({ name: 'worker-1' }), world.turn({ name: 'worker-2' })]);
    expect(world.provider.ledger).toHaveLength(1);
    expect(await world.record()).toMatchObject({ status: 'sent' });
  });
});
