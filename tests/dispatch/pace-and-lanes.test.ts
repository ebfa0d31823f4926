import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Outbox } from '../../src/outbox/outbox.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import type { Source } from '../../src/sources/source.ts';
import { createDispatchWorld, type DispatchWorld, signal, someError } from '../support/dispatch-world.ts';
import type { FakeProvider } from '../support/fake-provider.ts';
import { rowIn } from '../support/rows.ts';
import { advanceUntil, intentNumber, onBothDatabases } from '../support/world.ts';

onBothDatabases('who goes when', (dialect) => {
  let world: DispatchWorld;
  beforeEach(async () => {
    world = await createDispatchWorld(dialect);
  });
  afterEach(() => world.close());

  it('002-P11-06 A 429 pauses the provider for all, and burns no attempt', async () => {
    await world.enqueue(...Array.from({ length: 20 }, (_, number) => number));
    world.provider.answer(() => ({
      kind: 'deferred',
      error: someError,
      retryAfterMs: 7_000,
      trouble: 'throttled',
    }));
    await world.dispatch().runOnce(signal());
    expect(world.provider.ledger.length).toBeLessThanOrEqual(4);
    expect(await world.dispatch().runOnce(signal())).toMatchObject({ handled: 0, waitMs: 0 });
    await world.clock.advance(6_999);
    expect(
      (await world.queries.search({ limit: 50 })).every(
        (row) => row.attempts === 0 && row.status === 'pending',
      ),
    ).toBe(true);
    await world.clock.advance(1);
    world.provider.answer(({ key }) => ({ kind: 'accepted', messageId: key }));
    await world.dispatch().runOnce(signal());
    expect(await world.statusesOf()).toEqual({ sent: 20 });
  });

  it('a provider that is down for ten minutes dead-letters nothing, and its backlog drains, urgent first', async () => {
    await world.outbox.enqueue([intentNumber(1, { lane: 'bulk' }), intentNumber(2, { lane: 'urgent' })]);
    let isUp = false;
    world.provider.answer(({ key }) =>
      isUp
        ? { kind: 'accepted', messageId: key }
        : { kind: 'deferred', error: someError, trouble: 'unreachable' },
    );
    const probed: FakeProvider = {
      ...world.provider,
      probe: async () => (isUp ? { isUp } : { isUp: false, reason: 'down' }),
    };
    for (let second = 0; second < 600; second += 5) {
      await world.dispatch({ provider: probed }).runOnce(signal());
      await world.clock.advance(5_000);
    }
    const asked = world.provider.ledger.length;
    expect(asked).toBeLessThan(5);
    isUp = true;
    for (let turn = 0; turn < 30; turn++) {
      await world.dispatch({ provider: probed }).runOnce(signal());
      await world.clock.advance(5_000);
    }
    expect(await world.statusesOf()).toEqual({ sent: 2 });
    expect(world.provider.ledger.slice(asked).map(({ mail }) => mail.subject)).toEqual([
      'Subject 2',
      'Subject 1',
    ]);
    expect((await world.queries.search({ limit: 9 })).every((row) => row.attempts === 1)).toBe(true);
  });

  it('an operator pauses everything, or one source, and it holds from the next turn on', async () => {
    await world.enqueue(1);
    const pause = (scope: string) =>
      world.db.transaction((tx) =>
        tx.insertInto('pauses').values({ scope, reason: 'r', paused_by: 'ana', paused_at: 1 }).execute(),
      );
    await pause('plain');
    expect(await world.dispatch().runOnce(signal())).toMatchObject({ handled: 0 });
    await world.db.transaction((tx) => tx.deleteFrom('pauses').execute());
    await pause('*');
    expect(await world.dispatch().runOnce(signal())).toMatchObject({ handled: 0 });
    await world.db.transaction((tx) => tx.deleteFrom('pauses').execute());
    expect(await world.dispatch().runOnce(signal())).toMatchObject({ handled: 1 });
  });

  it('urgent goes before normal before bulk, and bulk is not starved', async () => {
    await world.outbox.enqueue(
      (['bulk', 'normal', 'urgent'] as const).map((lane, number) => intentNumber(number, { lane })),
    );
    const one = world.dispatch();
    for (let turn = 0; turn < 3; turn++) await one.runOnce(signal());
    expect(world.provider.ledger.map(({ mail }) => mail.subject)).toEqual([
      'Subject 2',
      'Subject 1',
      'Subject 0',
    ]);
    await world.outbox.enqueue([intentNumber(10, { lane: 'bulk' })]);
    for (let turn = 0; turn < 12; turn++) {
      await world.outbox.enqueue([intentNumber(100 + turn, { lane: 'urgent' })]);
      await one.runOnce(signal());
    }
    expect(world.provider.ledger.map(({ mail }) => mail.subject)).toContain('Subject 10');
  });

  it('seed 83607: a batch that came to nothing was a turn, and bulk is owed its share of it', async () => {
    const urgent = (first: number) =>
      Array.from({ length: 20 }, (_, number) => intentNumber(first + number, { lane: 'urgent' }));
    await world.outbox.enqueue([intentNumber(0, { lane: 'bulk' }), ...urgent(100)]);
    let isBroken = true;
    const outbox: Outbox = {
      ...world.outbox,
      begin: (batch, order) =>
        isBroken ? Promise.reject(new Error('the disk is full')) : world.outbox.begin(batch, order),
    };
    const one = world.dispatch({ outbox });
    await expect(one.runOnce(signal())).rejects.toThrow('the disk is full');
    isBroken = false;
    await world.outbox.enqueue(urgent(200));
    await one.runOnce(signal());
    expect(world.provider.ledger.map(({ mail }) => mail.subject)).toContain('Subject 0');
  });

  it('what was in hand at two deaths goes after the others, one in hand at a time', async () => {
    const suspects = [];
    for (let number = 0; number < 3; number++) {
      suspects.push(await rowIn(world, 'pending', number, { lapses: 2 }));
    }
    await world.enqueue(10, 11);
    const one = world.dispatch();
    expect(await one.runOnce(signal())).toMatchObject({ handled: 2 });
    expect(world.provider.ledger.map(({ mail }) => mail.subject).sort()).toEqual([
      'Subject 10',
      'Subject 11',
    ]);
    let inHandMost = 0;
    world.provider.answer(async ({ key }) => {
      const { sending = 0, claimed = 0 } = await world.statusesOf();
      inHandMost = Math.max(inHandMost, sending + claimed);
      return { kind: 'accepted', messageId: key };
    });
    for (const _ of suspects) expect(await one.runOnce(signal())).toMatchObject({ handled: 1 });
    expect(inHandMost).toBe(1);
    expect(await world.statusesOf()).toEqual({ sent: 5 });
  });

  it('a mail that misses its slot, because composing it took a while, leaves at once and not behind slots that nobody uses', async () => {
    const limited = { ...world.provider, guarantees: { ...world.provider.guarantees, ratePerSecond: 50 } };
    const slow: Source = {
      ...plainSource,
      async draft(deliveries) {
        await world.clock.advance(100);
        return plainSource.draft(deliveries);
      },
    };
    const leftAt: number[] = [];
    world.provider.answer(({ key }) => {
      leftAt.push(world.clock.now());
      return { kind: 'accepted', messageId: key };
    });
    const startedAt = world.clock.now();
    await world.enqueue(1);
    await advanceUntil(world.clock, world.dispatch({ provider: limited, source: slow }).runOnce(signal()));
    expect(leftAt.map((at) => at - startedAt)).toEqual([100]);
    // The next one has the slot behind it, as ever.
    await world.enqueue(2);
    await advanceUntil(world.clock, world.dispatch({ provider: limited }).runOnce(signal()));
    expect((leftAt[1] ?? 0) - (leftAt[0] ?? 0)).toBeGreaterThanOrEqual(20);
  });
});
