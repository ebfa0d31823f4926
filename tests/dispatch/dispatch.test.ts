import { afterEach, beforeEach, expect, it } from 'vitest';
import { createSuppressions } from '../../src/consent/suppressions.ts';
import { createDispatch, type Dispatch } from '../../src/dispatch/dispatch.ts';
import { createPace } from '../../src/dispatch/pace.ts';
import { createReconcile } from '../../src/dispatch/reconcile.ts';
import { createSweep } from '../../src/dispatch/sweep.ts';
import { parseSender, type Sender } from '../../src/domain/message.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import type { Status } from '../../src/domain/status.ts';
import { createOutbox, type Outbox, readNamespace } from '../../src/outbox/outbox.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import type { Source } from '../../src/sources/source.ts';
import { silentLog } from '../../src/std/log.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider.ts';
import { createWorld, intentNumber, onBothDatabases, type World } from '../support/world.ts';

const from = parseSender('Tidings <noreply@example.org>') as { sender: Sender };
const leaseMs = 120_000;

onBothDatabases('from row to provider', (dialect) => {
  let world: World;
  let provider: FakeProvider;
  beforeEach(async () => {
    world = await createWorld(dialect);
    provider = createFakeProvider();
  });
  afterEach(() => world.close());

  const signal = () => new AbortController().signal;

  function dispatch(more: { outbox?: Outbox; provider?: Provider; source?: Source } = {}): Dispatch {
    const { clock } = world;
    return createDispatch({
      outbox: more.outbox ?? world.outbox,
      sources: [more.source ?? plainSource],
      suppressions: createSuppressions({ clock }),
      provider: more.provider ?? provider,
      clock,
      pace: createPace({ db: world.db, provider: more.provider ?? provider, clock, log: silentLog }),
      random: createSeededRandom(1),
      log: silentLog,
      worker: 'worker-1',
      from: from.sender,
      environment: 'test',
    });
  }

  const sweep = () =>
    createSweep({
      outbox: world.outbox,
      queries: world.queries,
      clock: world.clock,
      log: silentLog,
      retentionMs: 90 * 86_400_000,
    });
  const reconcile = (from: Provider = provider) =>
    createReconcile({
      outbox: world.outbox,
      queries: world.queries,
      provider: from,
      sources: [plainSource],
      suppressions: createSuppressions({ clock: world.clock }),
      pace: createPace({ db: world.db, provider: from, clock: world.clock, log: silentLog }),
      clock: world.clock,
      log: silentLog,
      worker: 'reconciler',
      leaseOf: () => leaseMs,
    });

  const enqueue = async (...numbers: number[]) => {
    const seqs = [];
    for (const number of numbers)
      seqs.push((await world.outbox.enqueue([intentNumber(number)]))[0]?.seq ?? 0);
    return seqs;
  };
  const find = (seq: number | undefined) => world.queries.find(String(seq));
  const statusesOf = async (): Promise<Partial<Record<Status, number>>> =>
    Object.fromEntries((await world.queries.counts()).map(({ status, count }) => [status, count]));

  it('takes what is due to the provider and records what came of it', async () => {
    const [seq] = await enqueue(1, 2, 3);
    expect(await dispatch().runOnce(signal())).toMatchObject({ handled: 3 });
    expect(await statusesOf()).toEqual({ sent: 3 });
    const row = await find(seq);
    expect(row).toMatchObject({ attempts: 1, claims: 1, round: 1, provider_message_id: `id-${row?.id}` });
    const parcel = provider.ledger.find(({ key }) => key === row?.id);
    expect(parcel?.mail).toMatchObject({
      to: 'person-1@example.org',
      subject: 'Subject 1',
      text: 'Text 1',
      tags: { delivery_id: row?.id, round: '1', env: 'test' },
    });
    expect(await dispatch().runOnce(signal())).toMatchObject({ handled: 0 });
  });

  const error = { code: 'some_code', message: 'why' };
  it.each([
    [
      { kind: 'deferred', error, retryAfterMs: 9_000 },
      { status: 'pending', attempts: 0, dueInMs: 9_000 },
    ],
    [
      { kind: 'refused_for_good', error },
      { status: 'failed_permanent', attempts: 1, dueInMs: null },
    ],
    [
      { kind: 'refused_for_now', error, retryAfterMs: 777_000 },
      { status: 'failed_transient', attempts: 1, dueInMs: 777_000 },
    ],
    [
      { kind: 'unknown', error },
      { status: 'reconciling', attempts: 1, dueInMs: 5_000 },
    ],
    [
      { kind: 'unknown', error, isAttempt: false },
      { status: 'reconciling', attempts: 0, dueInMs: 5_000 },
    ],
    [
      { kind: 'key_conflict', error },
      { status: 'reconciling', attempts: 1, dueInMs: 5_000 },
    ],
  ] as [Outcome, { status: Status; attempts: number; dueInMs: number | null }][])(
    '%j ends as the table says',
    async (outcome, wanted) => {
      const [seq] = await enqueue(1);
      provider.answer(() => outcome);
      await dispatch().runOnce(signal());
      const row = await find(seq);
      expect(row).toMatchObject({ status: wanted.status, attempts: wanted.attempts, locked_by: null });
      expect(row?.due_at).toBe(wanted.dueInMs === null ? null : world.clock.now() + wanted.dueInMs);
      expect(JSON.parse(row?.last_error ?? '')).toEqual(error);
    },
  );

  it('002-D1-04, 000-66 Refused for now five times is a dead letter; the fifth success would have been sent', async () => {
    const [doomed, lucky] = await enqueue(1, 2);
    const luckyId = (await find(lucky))?.id;
    let calls = 0;
    provider.answer(({ key }) => {
      if (key === luckyId && ++calls === 5) return { kind: 'accepted', messageId: 'at last' };
      return { kind: 'refused_for_now', error };
    });
    for (let attempt = 1; attempt <= 5; attempt++) {
      await dispatch().runOnce(signal());
      expect((await find(doomed))?.attempts).toBe(attempt);
      await world.clock.advance(600_000);
    }
    expect(await find(doomed)).toMatchObject({ status: 'failed_permanent', attempts: 5, due_at: null });
    expect(await find(lucky)).toMatchObject({ status: 'sent', attempts: 5, provider_message_id: 'at last' });
    // 002-P11-03, one key and one body: whatever was handed over for a delivery was the same each time.
    const bodies = new Map<string, Set<string>>();
    for (const { key, mail } of provider.ledger)
      bodies.set(key, (bodies.get(key) ?? new Set()).add(JSON.stringify(mail)));
    expect([...bodies.values()].map(({ size }) => size)).toEqual([1, 1]);
    expect(provider.ledger).toHaveLength(10);
  });

  it('a provider that throws leaves a doubt, not a lost mail', async () => {
    await enqueue(1);
    provider.answer(() => {
      throw new Error('socket hang up');
    });
    await dispatch().runOnce(signal());
    expect(await statusesOf()).toEqual({ reconciling: 1 });
  });

  it('a delivery that cannot be composed ends with its code, and the rest of its batch goes on', async () => {
    const bad = { variables: { subject: 'No text' } };
    await world.outbox.enqueue([
      intentNumber(1),
      intentNumber(2, bad),
      intentNumber(4, { templateName: 'none' }),
    ]);
    const { toEmail: _, ...withoutAddress } = intentNumber(3);
    await world.outbox.enqueue([withoutAddress]);
    await world.outbox.enqueue([
      intentNumber(5, { variables: { subject: 'a\r\nBcc: all@example.org', text: 'x' } }),
    ]);
    await dispatch().runOnce(signal());
    const rows = await world.queries.search({ limit: 10 });
    const ends = Object.fromEntries(
      rows.map((row) => [row.occasion, [row.status, row.last_error && JSON.parse(row.last_error).code]]),
    );
    expect(ends).toEqual({
      'occasion-1': ['sent', null],
      'occasion-2': ['failed_permanent', 'missing_variable'],
      'occasion-3': ['skipped_no_email', null],
      'occasion-4': ['failed_permanent', 'missing_template'],
      'occasion-5': ['failed_permanent', 'subject_injection'],
    });
    expect(provider.ledger).toHaveLength(1);
  });

  it('a suppressed address gets nothing, and a complaint suppresses in its own transaction', async () => {
    const [first] = await enqueue(1);
    await dispatch().runOnce(signal());
    const outbox = createOutbox({
      db: world.db,
      clock: world.clock,
      log: silentLog,
      namespace: await readNamespace(world.db),
      listeners: { consent: createSuppressions({ clock: world.clock }).learn, source: () => undefined },
    });
    const complaint = { event: 'complained', round: 1, at: 1, actor: 'webhook' } as const;
    const undone = world.db.transaction(async (tx) => {
      await outbox.record([{ seq: first ?? 0, ...complaint }], tx);
      throw new Error('power cut');
    });
    await expect(undone).rejects.toThrow('power cut');
    expect(await world.db.read.selectFrom('suppressions').selectAll().execute()).toEqual([]);
    await outbox.record([{ seq: first ?? 0, ...complaint }]);
    expect(await find(first)).toMatchObject({ status: 'suppressed' });
    await world.outbox.enqueue([intentNumber(2, { toEmail: 'Person-1@example.org' }), intentNumber(3)]);
    await dispatch().runOnce(signal());
    // The complaint's own row, and the one that its address kept from going out, in whatever spelling.
    expect(await statusesOf()).toEqual({ sent: 1, suppressed: 2 });
    expect(provider.ledger).toHaveLength(2);
  });

  it('what is too late to be of use expires instead of going out', async () => {
    await world.outbox.enqueue([intentNumber(1, { expiresAt: world.clock.now() })]);
    await dispatch().runOnce(signal());
    expect(await statusesOf()).toEqual({ expired: 1 });
    expect(provider.ledger).toEqual([]);
  });

  it('the source’s last look is asked in the transaction that begins the send', async () => {
    const [first, second] = await enqueue(1, 2);
    const source: Source = {
      ...plainSource,
      recheck: async () => new Map([[second as number, { event: 'ineligible' }]]),
    };
    await dispatch({ source }).runOnce(signal());
    expect(await find(first)).toMatchObject({ status: 'sent' });
    expect(await find(second)).toMatchObject({ status: 'skipped_ineligible' });
  });

  it('what the source wrote in its last look is undone with the send that did not begin', async () => {
    const [seq] = await enqueue(1);
    const source: Source = {
      ...plainSource,
      async recheck(_, tx) {
        await tx
          .insertInto('suppressions')
          .values({ address_key: 'x', reason: 'r', delivery_seq: null, created_at: 1 })
          .execute();
        throw new Error('the source failed');
      },
    };
    await expect(dispatch({ source }).runOnce(signal())).rejects.toThrow('the source failed');
    expect(await world.db.read.selectFrom('suppressions').selectAll().execute()).toEqual([]);
    expect(await find(seq)).toMatchObject({ status: 'pending', attempts: 0, lapses: 0 });
    expect(provider.ledger).toEqual([]);
  });

  /** A worker that sends and dies before it can write anything down. */
  async function sendAndDie() {
    const before = provider.ledger.length;
    const dead: Outbox = { ...world.outbox, record: () => new Promise(() => {}) };
    void dispatch({ outbox: dead }).runOnce(signal());
    while (provider.ledger.length === before) await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const lookingUp = (from: FakeProvider): FakeProvider => ({
    ...from,
    guarantees: { ...from.guarantees, idempotencyWindowMs: null },
  });

  it('003-10.3-1, 003-10.3-2 Accepted but not recorded: the same bytes under the same key bring the same answer', async () => {
    const [seq] = await enqueue(1);
    await sendAndDie();
    expect(await find(seq)).toMatchObject({
      status: 'sending',
      first_possible_accept_at: expect.any(Number),
    });
    expect(await sweep().runOnce()).toMatchObject({ recovered: 0 });
    await world.clock.advance(leaseMs);
    // 002-P9-02 to -05, 002-P11-10
    expect(await sweep().runOnce()).toMatchObject({ recovered: 1 });
    expect(await find(seq)).toMatchObject({ status: 'reconciling', attempts: 1 });
    expect(JSON.parse((await find(seq))?.last_error ?? '').message).toBe(
      'Recovered from stuck sending state',
    );
    expect(await reconcile().runOnce(signal())).toBe(1);
    expect(await find(seq)).toMatchObject({ status: 'sent', attempts: 1 });
    expect(provider.ledger).toHaveLength(2);
    expect(provider.ledger[1]).toMatchObject({
      key: provider.ledger[0]?.key,
      mail: provider.ledger[0]?.mail,
    });
  });

  it('003-8.2-2, 003-8.2-3 Where there is no key any more, the look-up finds it, and nothing is sent again', async () => {
    const [seq] = await enqueue(1);
    await sendAndDie();
    await world.clock.advance(24 * 3_600_000);
    await sweep().runOnce();
    await reconcile().runOnce(signal());
    expect(await find(seq)).toMatchObject({ status: 'sent', attempts: 1, sent_at: 1 });
    expect(provider.ledger).toHaveLength(1);
  });

  it('absence is believed only after the lost worker’s lease; then it is sent once, same round, same key', async () => {
    const [seq] = await enqueue(1);
    const keyless = lookingUp(provider);
    keyless.answer(() => {
      provider.ledger.pop();
      return { kind: 'unknown', error };
    });
    await dispatch({ provider: keyless }).runOnce(signal());
    await world.clock.advance(5_000);
    await reconcile(keyless).runOnce(signal());
    expect(await find(seq), 'too early to believe in absence').toMatchObject({
      status: 'reconciling',
      attempts: 1,
    });
    await world.clock.advance(leaseMs);
    await reconcile(keyless).runOnce(signal());
    expect(await find(seq)).toMatchObject({
      status: 'failed_transient',
      round: 1,
      first_possible_accept_at: null,
    });
    keyless.answer(({ key }) => ({ kind: 'accepted', messageId: key }));
    await dispatch({ provider: keyless }).runOnce(signal());
    expect(await find(seq)).toMatchObject({
      status: 'sent',
      round: 1,
      provider_message_id: (await find(seq))?.id,
    });
  });

  it('a refusal of the second submission says nothing about the first', async () => {
    const [seq] = await enqueue(1);
    await sendAndDie();
    await world.clock.advance(leaseMs);
    await sweep().runOnce();
    provider.answer(() => ({ kind: 'refused_for_good', error }));
    const blind: FakeProvider = { ...provider, lookUp: async () => ({ kind: 'unknown' }) };
    await reconcile(blind).runOnce(signal());
    expect(await find(seq)).toMatchObject({ status: 'reconciling', attempts: 2 });
  });

  it('a suppression while in doubt bars the second submission; the look-up still settles it', async () => {
    const [seq] = await enqueue(1);
    await sendAndDie();
    await world.clock.advance(leaseMs);
    await sweep().runOnce();
    await world.db.transaction((tx) =>
      tx
        .insertInto('suppressions')
        .values({ address_key: 'person-1@example.org', reason: 'test', delivery_seq: null, created_at: 1 })
        .execute(),
    );
    await reconcile().runOnce(signal());
    expect(await find(seq)).toMatchObject({ status: 'sent' });
    expect(provider.ledger).toHaveLength(1);
  });

  it('a doubt that another account holds is never submitted to this one; past its deadline an operator decides', async () => {
    await enqueue(1);
    await sendAndDie();
    await world.clock.advance(leaseMs);
    await sweep().runOnce();
    const other = { ...createFakeProvider(), account: 'fake:2' };
    await reconcile(other).runOnce(signal());
    expect(await statusesOf()).toEqual({ reconciling: 1 });
    await world.clock.advance(24 * 3_600_000);
    await reconcile(other).runOnce(signal());
    expect(await statusesOf()).toEqual({ needs_review: 1 });
    expect(other.ledger).toEqual([]);
  });

  it('without keys and look-up a doubt is put before an operator as soon as nothing can be accepted any more', async () => {
    await enqueue(1);
    const { lookUp: _, ...blind } = lookingUp(provider);
    blind.answer(() => ({ kind: 'unknown', error }));
    await dispatch({ provider: blind }).runOnce(signal());
    await world.clock.advance(5_000);
    await reconcile(blind as FakeProvider).runOnce(signal());
    expect(await statusesOf(), 'the lost call may still be accepted').toEqual({ reconciling: 1 });
    await world.clock.advance(leaseMs);
    await reconcile(blind as FakeProvider).runOnce(signal());
    expect(await statusesOf()).toEqual({ needs_review: 1 });
  });

  it('002-P11-06 A 429 pauses the provider for all, and burns no attempt', async () => {
    await enqueue(...Array.from({ length: 20 }, (_, number) => number));
    provider.answer(() => ({ kind: 'deferred', error, retryAfterMs: 7_000, trouble: 'throttled' }));
    await dispatch().runOnce(signal());
    expect(provider.ledger.length).toBeLessThanOrEqual(4);
    expect(await dispatch().runOnce(signal())).toMatchObject({ handled: 0, waitMs: 0 });
    await world.clock.advance(6_999);
    expect(
      (await world.queries.search({ limit: 50 })).every(
        (row) => row.attempts === 0 && row.status === 'pending',
      ),
    ).toBe(true);
    await world.clock.advance(1);
    provider.answer(({ key }) => ({ kind: 'accepted', messageId: key }));
    await dispatch().runOnce(signal());
    expect(await statusesOf()).toEqual({ sent: 20 });
  });

  it('a provider that is down for ten minutes dead-letters nothing, and its backlog drains, urgent first', async () => {
    await world.outbox.enqueue([intentNumber(1, { lane: 'bulk' }), intentNumber(2, { lane: 'urgent' })]);
    let isUp = false;
    provider.answer(({ key }) =>
      isUp ? { kind: 'accepted', messageId: key } : { kind: 'deferred', error, trouble: 'unreachable' },
    );
    const probed: FakeProvider = {
      ...provider,
      probe: async () => (isUp ? { isUp } : { isUp: false, reason: 'down' }),
    };
    for (let second = 0; second < 600; second += 5) {
      await dispatch({ provider: probed }).runOnce(signal());
      await world.clock.advance(5_000);
    }
    const asked = provider.ledger.length;
    expect(asked).toBeLessThan(5);
    isUp = true;
    for (let turn = 0; turn < 30; turn++) {
      await dispatch({ provider: probed }).runOnce(signal());
      await world.clock.advance(5_000);
    }
    expect(await statusesOf()).toEqual({ sent: 2 });
    expect(provider.ledger.slice(asked).map(({ mail }) => mail.subject)).toEqual(['Subject 2', 'Subject 1']);
    expect((await world.queries.search({ limit: 9 })).every((row) => row.attempts === 1)).toBe(true);
  });

  it('an operator pauses everything, or one source, and it holds from the next turn on', async () => {
    await enqueue(1);
    const pause = (scope: string) =>
      world.db.transaction((tx) =>
        tx.insertInto('pauses').values({ scope, reason: 'r', paused_by: 'ana', paused_at: 1 }).execute(),
      );
    await pause('plain');
    expect(await dispatch().runOnce(signal())).toMatchObject({ handled: 0 });
    await world.db.transaction((tx) => tx.deleteFrom('pauses').execute());
    await pause('*');
    expect(await dispatch().runOnce(signal())).toMatchObject({ handled: 0 });
    await world.db.transaction((tx) => tx.deleteFrom('pauses').execute());
    expect(await dispatch().runOnce(signal())).toMatchObject({ handled: 1 });
  });

  it('at a stop, what is in flight finishes and the rest is given back', async () => {
    const seqs = await enqueue(...Array.from({ length: 10 }, (_, number) => number));
    const stop = new AbortController();
    provider.answer(async ({ key }) => {
      // Four are in flight before the first is answered.
      await new Promise(setImmediate);
      stop.abort();
      return { kind: 'accepted', messageId: key };
    });
    await dispatch().runOnce(stop.signal);
    expect(await statusesOf()).toEqual({ sent: 4, pending: 6 });
    expect(provider.ledger).toHaveLength(4);
    const waiting = (await Promise.all(seqs.map(find))).filter((row) => row?.status === 'pending');
    expect(
      waiting.every(
        (row) => row?.attempts === 0 && row.locked_by === null && row.first_possible_accept_at === null,
      ),
    ).toBe(true);
  });

  it('without keys only as many rows are begun as leave at once', async () => {
    await enqueue(...Array.from({ length: 10 }, (_, number) => number));
    const keyless = createFakeProvider({ idempotencyWindowMs: null, concurrency: 3 });
    let inDoubtMost = 0;
    keyless.answer(async ({ key }) => {
      const { sending = 0 } = await statusesOf();
      inDoubtMost = Math.max(inDoubtMost, sending);
      return { kind: 'accepted', messageId: key };
    });
    await dispatch({ provider: keyless }).runOnce(signal());
    expect(inDoubtMost).toBeLessThanOrEqual(3);
    expect(inDoubtMost).toBeGreaterThan(0);
    expect(await statusesOf()).toEqual({ sent: 10 });
  });

  it('no call is started that could outlast the lease', async () => {
    await enqueue(1, 2, 3, 4, 5);
    provider.answer(async ({ key }) => {
      await world.clock.advance(leaseMs / 4);
      return { kind: 'accepted', messageId: key };
    });
    const slow: Provider = {
      ...provider,
      guarantees: { ...provider.guarantees, concurrency: 1, longestCallMs: leaseMs / 2 },
    };
    await dispatch({ provider: slow }).runOnce(signal());
    // Calls at 0, 30 and 60 s end by 120 s for certain; one at 90 s might not.
    expect(provider.ledger).toHaveLength(3);
    expect(await statusesOf()).toEqual({ sent: 3, pending: 2 });
  });

  it('a worker that dies with a claim loses it, and what kills five workers is a dead letter', async () => {
    const [seq] = await enqueue(1);
    for (let death = 1; death <= 5; death++) {
      const from = death > 2 ? 'suspects' : 'normal';
      const claimed = await world.outbox.claim({ source: 'plain', worker: 'w', limit: 9, leaseMs, from });
      expect(claimed, `death ${death}`).toHaveLength(1);
      await world.clock.advance(leaseMs);
      await sweep().runOnce();
    }
    const row = await find(seq);
    expect(row).toMatchObject({ status: 'failed_permanent', attempts: 0, claims: 5 });
    expect(JSON.parse(row?.last_error ?? '').code).toBe('crashes_worker');
  });

  it('a source that cannot draft one delivery holds back that one alone, and loses none', async () => {
    const [, poison] = await enqueue(1, 2, 3);
    const source: Source = {
      ...plainSource,
      draft: async (batch) => {
        if (batch.some(({ seq }) => seq === poison)) throw new Error('no such course');
        return plainSource.draft(batch);
      },
    };
    await dispatch({ source }).runOnce(signal());
    expect(await statusesOf()).toEqual({ sent: 2, pending: 1 });
    expect(await find(poison)).toMatchObject({ attempts: 0, lapses: 0, due_at: world.clock.now() + 30_000 });
    expect(JSON.parse((await find(poison))?.last_error ?? '')).toMatchObject({ code: 'draft_failed' });
    await world.clock.advance(30_000);
    await dispatch().runOnce(signal());
    expect(await statusesOf()).toEqual({ sent: 3 });
  });

  it.each(['before', 'after'] as const)(
    'a write-ahead that fails %s its commit sends nothing and gives the batch back',
    async (when) => {
      await enqueue(1, 2, 3);
      const begin: Outbox['begin'] = async (batch, order) => {
        if (when === 'after') await world.outbox.begin(batch, order);
        throw new Error('connection lost');
      };
      await expect(dispatch({ outbox: { ...world.outbox, begin } }).runOnce(signal())).rejects.toThrow(
        'connection lost',
      );
      expect(await statusesOf()).toEqual({ pending: 3 });
      expect(provider.ledger).toEqual([]);
      await world.clock.advance(5_000);
      await dispatch().runOnce(signal());
      expect(await statusesOf()).toEqual({ sent: 3 });
      expect(
        (await world.queries.search({ limit: 9 })).every((row) => row.attempts === 1 && row.lapses === 0),
      ).toBe(true);
    },
  );

  it('urgent goes before normal before bulk, and bulk is not starved', async () => {
    await world.outbox.enqueue(
      (['bulk', 'normal', 'urgent'] as const).map((lane, number) => intentNumber(number, { lane })),
    );
    const one = dispatch();
    for (let turn = 0; turn < 3; turn++) await one.runOnce(signal());
    expect(provider.ledger.map(({ mail }) => mail.subject)).toEqual(['Subject 2', 'Subject 1', 'Subject 0']);
    await world.outbox.enqueue([intentNumber(10, { lane: 'bulk' })]);
    for (let turn = 0; turn < 12; turn++) {
      await world.outbox.enqueue([intentNumber(100 + turn, { lane: 'urgent' })]);
      await one.runOnce(signal());
    }
    expect(provider.ledger.map(({ mail }) => mail.subject)).toContain('Subject 10');
  });
});
