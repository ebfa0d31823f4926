import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPace } from '../../src/dispatch/pace.ts';
import { createPauses } from '../../src/dispatch/pauses.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';
import { createReliable } from '../../src/providers/reliable.ts';
import { silentLog } from '../../src/std/log.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import { createDispatchWorld, type DispatchWorld, signal, someError } from '../support/dispatch-world.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider.ts';
import { advanceUntil, intentNumber, onBothDatabases } from '../support/world.ts';

onBothDatabases('no more is claimed than about a second of work', (dialect) => {
  let world: DispatchWorld;
  let slow: FakeProvider;
  beforeEach(async () => {
    world = await createDispatchWorld(dialect);
    slow = createFakeProvider({ idempotencyWindowMs: null, concurrency: 4 });
    slow.answer(async ({ key }) => {
      await world.clock.sleep(500);
      return { kind: 'accepted', messageId: key };
    });
  });
  afterEach(() => world.close());

  /** Starts a turn, does `then` when the first mails have left, and waits for the turn. */
  const during = (then: () => Promise<unknown>) => {
    const dispatch = world.dispatch({ provider: slow });
    return advanceUntil(
      world.clock,
      (async () => {
        // The first turn finds out how slow it is.
        await dispatch.runOnce(signal());
        const before = slow.ledger.length;
        const turn = dispatch.runOnce(signal());
        while (slow.ledger.length < before + 4) await new Promise((resolve) => setTimeout(resolve, 1));
        await then();
        await turn;
        return dispatch;
      })(),
    );
  };

  it('a pause is heard within seconds by a provider that has no rate of its own', async () => {
    await world.enqueue(...Array.from({ length: 60 }, (_, number) => number));
    let atPause = 0;
    const dispatch = await during(async () => {
      await createPauses(world.db, world.clock).pause('*', { reason: 'r', operator: 'o' });
      atPause = slow.ledger.length;
    });
    await dispatch.runOnce(signal());
    expect(slow.ledger.length - atPause).toBeLessThanOrEqual(8);
  });

  it('an urgent mail does not wait behind bulk that has been claimed', async () => {
    await world.outbox.enqueue(
      Array.from({ length: 100 }, (_, number) => intentNumber(number, { lane: 'bulk' })),
    );
    let cameAt = 0;
    const dispatch = await during(async () => {
      await world.outbox.enqueue([intentNumber(999, { lane: 'urgent' })]);
      cameAt = world.clock.now();
    });
    await advanceUntil(world.clock, dispatch.runOnce(signal()));
    const [urgent] = await world.queries.search({ recipient: 'person-999@example.org', limit: 1 });
    expect((urgent?.sent_at ?? Infinity) - cameAt).toBeLessThan(3_000);
  });

  it('what the first of them hear stops the rest, where there are no keys', async () => {
    slow.answer(() => ({ kind: 'deferred', trouble: 'unreachable', error: someError }));
    await world.enqueue(...Array.from({ length: 40 }, (_, number) => number));
    await world.dispatch({ provider: slow }).runOnce(signal());
    expect(slow.ledger.length).toBeLessThanOrEqual(4);
  });

  it('a source that is paused is not submitted again either', async () => {
    await world.enqueue(1);
    world.provider.answer(() => ({ kind: 'unknown', error: someError }));
    await world.dispatch().runOnce(signal());
    await createPauses(world.db, world.clock).pause('plain', { reason: 'r', operator: 'o' });
    await world.clock.advance(6_000);
    await world.reconcile().runOnce(signal());
    expect(world.provider.ledger).toHaveLength(1);
  });

  it('a trial that nobody makes is given back', async () => {
    await world.enqueue(1);
    world.provider.answer(() => ({ kind: 'unknown', error: someError }));
    await world.dispatch().runOnce(signal());
    world.provider.answer(({ key }) => ({ kind: 'accepted', messageId: key }));
    await world.db.write
      .updateTable('provider_pace')
      .set({ openings: 1, doubts: 0, probe_at: null })
      .execute();
    await world.enqueue(2);
    await createPauses(world.db, world.clock).pause('plain', { reason: 'r', operator: 'o' });
    await world.clock.advance(6_000);
    await world.dispatch().runOnce(signal());
    expect(await world.reconcile().runOnce(signal())).toBe(1);
  });

  it('the mail that tries first after an outage leaves, however slow this machine is', async () => {
    const limited = createFakeProvider({ ratePerSecond: 2 });
    await world.enqueue(1);
    // Somebody was here before: the account is known, and on trial.
    await createPace({ ...world, provider: limited, log: silentLog }).take(1);
    await world.db.write.updateTable('provider_pace').set({ openings: 1, next_slot_at: 0 }).execute();
    const outbox: Outbox = {
      ...world.outbox,
      async begin(batch, order) {
        const begun = await world.outbox.begin(batch, order);
        // Ten times as long as a mail may be late for its slot.
        await world.clock.advance(250);
        return begun;
      },
    };
    await world.dispatch({ provider: limited, outbox }).runOnce(signal());
    expect(limited.ledger).toHaveLength(1);
    expect(await world.statusesOf()).toEqual({ sent: 1 });
  });

  it('a throttling that an inner try met is told to the pace', async () => {
    await world.enqueue(1);
    const inner = createFakeProvider();
    const throttled = {
      kind: 'deferred',
      trouble: 'throttled',
      retryAfterMs: 60_000,
      error: someError,
    } as const;
    inner.answer(() => (inner.ledger.length === 1 ? { kind: 'unknown', error: someError } : throttled));
    const provider = createReliable(inner, { clock: world.clock, random: createSeededRandom(1) });
    await advanceUntil(world.clock, world.dispatch({ provider }).runOnce(signal()));
    const pace = await world.db.read.selectFrom('provider_pace').selectAll().executeTakeFirst();
    expect(pace?.paused_until).toBeGreaterThan(world.clock.now() + 50_000);
  });
});
