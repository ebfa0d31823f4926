import type { DatabaseClock } from '../db/database-clock.ts';
import type { Dispatch } from '../dispatch/dispatch.ts';
import type { Heal } from '../dispatch/heal.ts';
import type { Reconcile } from '../dispatch/reconcile.ts';
import type { Sweep } from '../dispatch/sweep.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Chore } from '../sources/source.ts';
import type { Log } from '../std/log.ts';
import { createLoop, type Loop } from '../std/loop.ts';
import type { Webhooks } from '../webhooks/webhook.ts';
import type { Runner } from './runner.ts';

/** Everything in this process, as loops. The default: no other service is needed. */
export interface EmbeddedParts {
  outbox: Pick<Outbox, 'setBack'>;
  dispatch: Dispatch;
  sweep: Sweep;
  reconcile: Reconcile;
  heal: Heal;
  webhooks: Pick<Webhooks, 'linkWaiting' | 'forget'>;
  /** What sources do by themselves. */
  chores: readonly Chore[];
  clock: DatabaseClock;
  log: Log;
}

/** How soon a row from another process is seen; what this process enqueues is seen at once. */
const pollMs = 250;
const patienceMs = 1_000;
const sweepMs = 2_000;
const healMs = 30_000;
/** An event waits ten seconds before it is tried again. */
const linkMs = 5_000;
/** While a clock has jumped, nothing is sent: it should not take long until somebody looks. */
const measureMs = 10_000;
/** What is in flight at a stop may finish within this; the rest is settled after the restart, by its lease. */
const stopWithinMs = 15_000;

export function createEmbedded(parts: EmbeddedParts): Runner {
  const { outbox, dispatch, sweep, reconcile, heal, webhooks, chores, clock, log } = parts;
  const loop = (
    name: string,
    pauseMs: number,
    once: (signal: AbortSignal) => Promise<'again' | 'pause' | number>,
  ): Loop => createLoop({ name, pauseMs, once, clock, log });

  const sending = loop('dispatch', pollMs, async (signal) => {
    // A clock that jumped would hand out leases of the wrong length.
    if (!clock.isSteady) return 'pause';
    const { handled, waitMs } = await dispatch.runOnce(signal);
    if (handled > 0) return 'again';
    // A provider that wants to be left alone is: but an operator's word is heard within a second.
    return Math.min(patienceMs, Math.max(pollMs, waitMs));
  });
  const housekeeping = [
    loop('sweep', sweepMs, async () => {
      if (clock.isSteady) await sweep.runOnce();
      return 'pause';
    }),
    loop('reconcile', sweepMs, async (signal) =>
      clock.isSteady && (await reconcile.runOnce(signal)) > 0 ? 'again' : 'pause',
    ),
    loop('heal', healMs, async (signal) =>
      clock.isSteady && (await heal.runOnce(signal)) > 0 ? 'again' : 'pause',
    ),
    loop('webhooks', linkMs, async () => {
      if (!clock.isSteady) return 'pause';
      // First, so that an event which cannot be linked keeps nothing from being forgotten.
      const forgotten = await webhooks.forget();
      return (await webhooks.linkWaiting()) + forgotten > 0 ? 'again' : 'pause';
    }),
    loop('clock', measureMs, async () => {
      const setBack = await clock.measure();
      if (setBack === null) return 'pause';
      log.error('clock.set_back', { byMs: setBack.from - setBack.to });
      await outbox.setBack(setBack);
      return 'again';
    }),
    ...chores.map((chore) => {
      const { name, pauseMs } = chore;
      const made = loop(name, pauseMs, async (signal) => (clock.isSteady ? chore.once(signal) : 'pause'));
      chore.wokenBy?.(made.wake);
      return made;
    }),
  ];
  const loops = [sending, ...housekeeping];

  return {
    start() {
      for (const each of loops) each.start();
    },
    wake: () => sending.wake(),
    get isHealthy() {
      return loops.every((each) => each.isHealthy) && clock.isSteady;
    },
    async stop() {
      const bound = new AbortController();
      const stopped = Promise.all(loops.map((each) => each.stop())).then(() => true);
      const isClean = await Promise.race([
        stopped,
        clock.sleep(stopWithinMs, bound.signal).then(() => false),
      ]);
      bound.abort();
      if (!isClean) log.warn('runner.stopped_in_flight', { afterMs: stopWithinMs });
    },
  };
}
