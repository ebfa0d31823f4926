import { expect, it } from 'vitest';
import { suppressionOf } from '../support/consent.ts';
import { createDispatchWorld, leaseMs, signal, someError } from '../support/dispatch-world.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider.ts';
import { onBothDatabases } from '../support/world.ts';
import { worldForEach } from '../support/world-for-each.ts';

onBothDatabases('deliveries in doubt', (dialect) => {
  const world = worldForEach(() => createDispatchWorld(dialect));

  const lookingUp = (from: FakeProvider): FakeProvider => ({
    ...from,
    guarantees: { ...from.guarantees, idempotencyWindowMs: null },
  });

  it('003-10.3-1, 003-10.3-2 Accepted but not recorded: the same bytes under the same key bring the same answer', async () => {
    const [seq] = await world.enqueue(1);
    await world.sendAndDie();
    expect(await world.find(seq)).toMatchObject({
      status: 'sending',
      first_possible_accept_at: expect.any(Number),
    });
    expect(await world.sweep().runOnce()).toMatchObject({ recovered: 0 });
    await world.clock.advance(leaseMs);
    // 002-P9-02 to -05, 002-P11-10
    expect(await world.sweep().runOnce()).toMatchObject({ recovered: 1 });
    expect(await world.find(seq)).toMatchObject({ status: 'reconciling', attempts: 1 });
    expect(JSON.parse((await world.find(seq))?.last_error ?? '').message).toBe(
      'Recovered from stuck sending state',
    );
    expect(await world.reconcile().runOnce(signal())).toBe(1);
    expect(await world.find(seq)).toMatchObject({ status: 'sent', attempts: 1 });
    expect(world.provider.ledger).toHaveLength(2);
    expect(world.provider.ledger[1]).toMatchObject({
      key: world.provider.ledger[0]?.key,
      mail: world.provider.ledger[0]?.mail,
    });
  });

  it('003-8.2-2, 003-8.2-3 Where there is no key any more, the look-up finds it, and nothing is sent again', async () => {
    const [seq] = await world.enqueue(1);
    await world.sendAndDie();
    await world.clock.advance(24 * 3_600_000);
    await world.sweep().runOnce();
    await world.reconcile().runOnce(signal());
    expect(await world.find(seq)).toMatchObject({ status: 'sent', attempts: 1, sent_at: 1 });
    expect(world.provider.ledger).toHaveLength(1);
  });

  it('absence is believed only after the lost worker’s lease; then it is sent once, same round, same key', async () => {
    const [seq] = await world.enqueue(1);
    const keyless = lookingUp(world.provider);
    keyless.answer(() => {
      world.provider.ledger.pop();
      return { kind: 'unknown', error: someError };
    });
    await world.dispatch({ provider: keyless }).runOnce(signal());
    await world.clock.advance(5_000);
    await world.reconcile(keyless).runOnce(signal());
    expect(await world.find(seq), 'too early to believe in absence').toMatchObject({
      status: 'reconciling',
      attempts: 1,
    });
    await world.clock.advance(leaseMs);
    await world.reconcile(keyless).runOnce(signal());
    expect(await world.find(seq)).toMatchObject({
      status: 'failed_transient',
      round: 1,
      first_possible_accept_at: null,
    });
    keyless.answer(({ key }) => ({ kind: 'accepted', messageId: key }));
    await world.dispatch({ provider: keyless }).runOnce(signal());
    expect(await world.find(seq)).toMatchObject({
      status: 'sent',
      round: 1,
      provider_message_id: (await world.find(seq))?.id,
    });
  });

  it('a refusal of the second submission says nothing about the first', async () => {
    const [seq] = await world.enqueue(1);
    await world.sendAndDie();
    await world.clock.advance(leaseMs);
    await world.sweep().runOnce();
    world.provider.answer(() => ({ kind: 'refused_for_good', error: someError }));
    const blind: FakeProvider = { ...world.provider, lookUp: async () => ({ kind: 'unknown' }) };
    await world.reconcile(blind).runOnce(signal());
    expect(await world.find(seq)).toMatchObject({ status: 'reconciling', attempts: 2 });
  });

  it('a suppression while in doubt bars the second submission; the look-up still settles it', async () => {
    const [seq] = await world.enqueue(1);
    await world.sendAndDie();
    await world.clock.advance(leaseMs);
    await world.sweep().runOnce();
    await world.db.transaction((tx) =>
      tx.insertInto('suppressions').values(suppressionOf('person-1@example.org')).execute(),
    );
    await world.reconcile().runOnce(signal());
    expect(await world.find(seq)).toMatchObject({ status: 'sent' });
    expect(world.provider.ledger).toHaveLength(1);
  });

  it('a doubt that another account holds is never submitted to this one; past its deadline an operator decides', async () => {
    await world.enqueue(1);
    await world.sendAndDie();
    await world.clock.advance(leaseMs);
    await world.sweep().runOnce();
    const other = { ...createFakeProvider(), account: 'fake:2' };
    await world.reconcile(other).runOnce(signal());
    expect(await world.statusesOf()).toEqual({ reconciling: 1 });
    await world.clock.advance(24 * 3_600_000);
    await world.reconcile(other).runOnce(signal());
    expect(await world.statusesOf()).toEqual({ needs_review: 1 });
    expect(other.ledger).toEqual([]);
  });

  it('without keys and look-up a doubt is put before an operator as soon as nothing can be accepted any more', async () => {
    await world.enqueue(1);
    const { lookUp: _, ...blind } = lookingUp(world.provider);
    blind.answer(() => ({ kind: 'unknown', error: someError }));
    await world.dispatch({ provider: blind }).runOnce(signal());
    await world.clock.advance(5_000);
    await world.reconcile(blind as FakeProvider).runOnce(signal());
    expect(await world.statusesOf(), 'the lost call may still be accepted').toEqual({ reconciling: 1 });
    await world.clock.advance(leaseMs);
    await world.reconcile(blind as FakeProvider).runOnce(signal());
    expect(await world.statusesOf()).toEqual({ needs_review: 1 });
  });

  it('a key that the provider knows with another body is never used again; what becomes of it is looked up', async () => {
    const [seq] = await world.enqueue(1);
    world.provider.answer(() => ({ kind: 'key_conflict', error: someError }));
    await world.dispatch().runOnce(signal());
    expect(await world.find(seq)).toMatchObject({ status: 'reconciling', resubmit_until: null });
    const blind: FakeProvider = { ...world.provider, lookUp: async () => ({ kind: 'unknown' }) };
    await world.clock.advance(5_000);
    expect(await world.reconcile(blind).runOnce(signal())).toBe(1);
    expect(await world.find(seq)).toMatchObject({ status: 'reconciling', attempts: 1 });
    await world.clock.advance(10_000);
    expect(await world.reconcile().runOnce(signal())).toBe(1);
    expect(await world.find(seq)).toMatchObject({ status: 'sent' });
    expect(world.provider.ledger).toHaveLength(1);
  });

  it('seed 67423: what leaves under a key that another mail is on its way under is no attempt, and never leaves again', async () => {
    const [seq] = await world.enqueue(1);
    world.provider.answer(() => ({ kind: 'unknown', error: someError }));
    await world.dispatch().runOnce(signal());
    expect(await world.find(seq)).toMatchObject({ status: 'reconciling', attempts: 1 });
    // A sender that stood still over a fail-over has the key in its hands, with other bytes.
    world.provider.answer(() => ({ kind: 'key_conflict', error: someError, isAttempt: false }));
    await world.clock.advance(5_000);
    const blind: FakeProvider = { ...world.provider, lookUp: async () => ({ kind: 'unknown' }) };
    expect(await world.reconcile(blind).runOnce(signal())).toBe(1);
    expect(await world.find(seq)).toMatchObject({ status: 'reconciling', attempts: 1, resubmit_until: null });
  });

  it.each([
    ['up to an hour before the provider forgets the key the same bytes may go again', -60_000, 2],
    ['in the last hour of the key nothing goes again, and the look-up decides', 0, 1],
  ] as const)('%s', async (_, afterMs, calls) => {
    const [seq] = await world.enqueue(1);
    await world.sendAndDie();
    const marginMs = 3_600_000;
    await world.clock.advance(24 * 3_600_000 - marginMs + afterMs);
    await world.sweep().runOnce();
    expect(await world.reconcile().runOnce(signal())).toBe(1);
    expect(world.provider.ledger).toHaveLength(calls);
    expect(await world.find(seq)).toMatchObject({ status: 'sent', attempts: 1 });
  });

  it('a look-up that cannot say is not taken for absence, however late it is', async () => {
    const [seq] = await world.enqueue(1);
    const keyless = lookingUp(world.provider);
    keyless.answer(() => ({ kind: 'unknown', error: someError }));
    await world.dispatch({ provider: keyless }).runOnce(signal());
    await world.clock.advance(10 * leaseMs);
    await world.reconcile({ ...keyless, lookUp: async () => ({ kind: 'unknown' }) }).runOnce(signal());
    expect(await world.find(seq)).toMatchObject({
      status: 'needs_review',
      first_possible_accept_at: expect.any(Number),
    });
  });

  it('absence is not believed before the provider has had time to list what it took', async () => {
    const [seq] = await world.enqueue(1);
    const keyless = lookingUp(world.provider);
    const slow: FakeProvider = {
      ...keyless,
      guarantees: { ...keyless.guarantees, indexingDelayMs: 600_000 },
      lookUp: async () => ({ kind: 'absent' }),
    };
    slow.answer(() => ({ kind: 'unknown', error: someError }));
    await world.dispatch({ provider: slow }).runOnce(signal());
    await world.clock.advance(leaseMs + 599_999);
    expect(await world.reconcile(slow).runOnce(signal())).toBe(1);
    expect(await world.find(seq)).toMatchObject({ status: 'reconciling' });
    await world.clock.advance(600_000 + leaseMs);
    expect(await world.reconcile(slow).runOnce(signal())).toBe(1);
    expect(await world.find(seq)).toMatchObject({ status: 'failed_transient' });
  });

  it('what was submitted again a moment ago may be under way: then absence is not believed, however late it is', async () => {
    const [seq] = await world.enqueue(1);
    await world.sendAndDie();
    await world.clock.advance(10 * leaseMs);
    await world.sweep().runOnce();
    world.provider.answer(() => ({ kind: 'unknown', error: someError }));
    const empty: FakeProvider = { ...world.provider, lookUp: async () => ({ kind: 'absent' }) };
    await world.reconcile(empty).runOnce(signal());
    expect(world.provider.ledger).toHaveLength(2);
    expect(await world.find(seq)).toMatchObject({ status: 'reconciling', attempts: 2 });
  });

  it('an answer that was long on its way is as old as its question', async () => {
    const [seq] = await world.enqueue(1);
    const keyless = lookingUp(world.provider);
    keyless.answer(() => ({ kind: 'unknown', error: someError }));
    await world.dispatch({ provider: keyless }).runOnce(signal());
    await world.clock.advance(leaseMs - 1_000);
    const slow: FakeProvider = {
      ...keyless,
      async lookUp() {
        await world.clock.advance(2_000);
        return { kind: 'absent' };
      },
    };
    await world.reconcile(slow).runOnce(signal());
    expect((await world.find(seq))?.status, 'asked before the lease was over').not.toBe('failed_transient');
  });

  it('what is said to be sent is looked up ten times before a person is asked', async () => {
    const [seq = 0] = await world.enqueue(1);
    const said = { status: 'sent', sent_at: world.clock.now(), due_at: null, account: 'fake:1' } as const;
    await world.db.write.updateTable('deliveries').set(said).where('seq', '=', seq).execute();
    await world.clock.advance(24 * 3_600_000);
    await world.sweep().runOnce();
    let looks = 0;
    const silent: FakeProvider = {
      ...world.provider,
      async lookUp() {
        looks += 1;
        return { kind: 'unknown' };
      },
    };
    for (let minute = 0; minute < 180; minute++) {
      await world.reconcile(silent).runOnce(signal());
      await world.clock.advance(60_000);
    }
    expect([looks, (await world.find(seq))?.status]).toEqual([10, 'needs_review']);
  });
});
