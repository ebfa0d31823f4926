import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPace } from '../../src/dispatch/pace.ts';
import { createReconcile } from '../../src/dispatch/reconcile.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';
import { createReliable } from '../../src/providers/reliable.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import type { Clock } from '../../src/std/clock.ts';
import { silentLog as log } from '../../src/std/log.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import { consentOf } from '../support/consent.ts';
import {
  createDispatchWorld,
  type DispatchWorld,
  leaseMs,
  signal,
  someError,
} from '../support/dispatch-world.ts';
import { createFakeProvider } from '../support/fake-provider.ts';
import { mailTo } from '../support/mails.ts';
import { advanceUntil, onBothDatabases } from '../support/world.ts';

const asleepMs = 25 * 3_600_000;

/** The wall clock goes on while a machine sleeps, the monotonic one stands: by the second alone nothing has happened. */
onBothDatabases('a machine that was asleep', (dialect) => {
  let world: DispatchWorld;
  let clock: Clock & { isAwake: boolean };
  beforeEach(async () => {
    world = await createDispatchWorld(dialect);
    clock = {
      ...world.clock,
      isAwake: false,
      now: () => world.clock.now() + (clock.isAwake ? asleepMs : 0),
    };
  });
  afterEach(() => world.close());

  /** Falls asleep when `work` has been done, and wakes up at once, a day later. */
  const thenSleep =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      const result = await work(...args);
      clock.isAwake = true;
      return result;
    };

  it('sends nothing that was begun before', async () => {
    await world.enqueue(1);
    const outbox: Outbox = { ...world.outbox, begin: thenSleep(world.outbox.begin) };
    await world.dispatch({ outbox, clock }).runOnce(signal());
    expect(world.provider.ledger).toEqual([]);
    expect(await world.statusesOf()).toEqual({ pending: 1 });
  });

  it('submits nothing again: the key may be forgotten', async () => {
    await world.enqueue(1);
    world.provider.answer(() => ({ kind: 'unknown', error: someError }));
    await world.dispatch().runOnce(signal());
    await world.clock.advance(6_000);
    const { queries, provider, db } = world;
    const reconcile = createReconcile({
      ...{ outbox: { ...world.outbox, resubmit: thenSleep(world.outbox.resubmit) }, queries, provider },
      ...{ sources: [plainSource], consent: consentOf({ db, clock }), clock, log, worker: 'w' },
      pace: createPace({ db, provider, clock, log }),
      leaseOf: () => leaseMs,
    });
    await reconcile.runOnce(signal());
    expect(provider.ledger).toHaveLength(1);
  });

  it('does not try once more within one call', async () => {
    const inner = createFakeProvider();
    inner.answer(thenSleep(async () => ({ kind: 'unknown', error: someError })));
    const reliable = createReliable(inner, { clock, random: createSeededRandom(1) });
    const parcel = { key: 'k', mail: mailTo(1), startBefore: Infinity, leaseEndsAt: clock.now() + leaseMs };
    const { attempts } = await advanceUntil(world.clock, reliable.send(parcel));
    expect(attempts).toHaveLength(1);
    expect(inner.ledger).toHaveLength(1);
  });
});
