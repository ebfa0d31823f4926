import type { DatabaseClock } from '../db/database-clock.ts';
import type { Heal } from '../dispatch/heal.ts';
import type { Reconcile } from '../dispatch/reconcile.ts';
import type { Sweep } from '../dispatch/sweep.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Log } from '../std/log.ts';
import type { Webhooks } from '../webhooks/webhook.ts';

/** What has to be done again and again beside sending, whoever says when. */
export interface Duty {
  readonly name: string;
  readonly pauseMs: number;
  /** Answers whether more waits, or for how long nothing does; `skipped` where it asked nobody. */
  once(signal: AbortSignal): Promise<'again' | 'pause' | 'skipped' | number>;
}

export interface DutyParts {
  outbox: Pick<Outbox, 'setBack'>;
  sweep: Sweep;
  reconcile: Reconcile;
  heal: Heal;
  webhooks: Pick<Webhooks, 'linkWaiting' | 'forget'>;
  clock: DatabaseClock;
  log: Log;
}

const sweepMs = 2_000;
const healMs = 30_000;
/** An event waits ten seconds before it is tried again. */
const linkMs = 5_000;
/** While a clock has jumped, nothing is sent: it should not take long until somebody looks. */
const measureMs = 10_000;

/** Looks after what was left behind: one process at a time is enough, and several do no harm. */
export function maintenanceOf({ sweep, reconcile, heal, webhooks, clock }: DutyParts): Duty[] {
  const duties: Duty[] = [
    {
      ...{ name: 'sweep', pauseMs: sweepMs },
      async once() {
        await sweep.runOnce();
        return 'pause';
      },
    },
    {
      ...{ name: 'reconcile', pauseMs: sweepMs },
      once: async (signal) => ((await reconcile.runOnce(signal)) > 0 ? 'again' : 'pause'),
    },
    {
      ...{ name: 'heal', pauseMs: healMs },
      once: async (signal) => ((await heal.runOnce(signal)) > 0 ? 'again' : 'pause'),
    },
    {
      ...{ name: 'webhooks', pauseMs: linkMs },
      async once() {
        // First, so that an event which cannot be linked keeps nothing from being forgotten.
        const forgotten = await webhooks.forget();
        return (await webhooks.linkWaiting()) + forgotten > 0 ? 'again' : 'pause';
      },
    },
  ];
  return duties.map((duty) => whileSteady(duty, clock));
}

/** Every process has a clock of its own to look at. */
export function clockDuty({ outbox, clock, log }: DutyParts): Duty {
  return {
    ...{ name: 'clock', pauseMs: measureMs },
    async once() {
      const setBack = await clock.measure();
      if (setBack === null) return 'pause';
      log.error('clock.set_back', { byMs: setBack.from - setBack.to });
      await outbox.setBack(setBack);
      return 'again';
    },
  };
}

/** A clock that jumped would hand out leases of the wrong length, and end what has time. */
export function whileSteady({ name, pauseMs, once }: Duty, clock: DatabaseClock): Duty {
  return { name, pauseMs, once: async (signal) => (clock.isSteady ? once(signal) : 'skipped') };
}
