import { type Permits, slotGraceMs } from '../domain/pace.ts';
import type { Clock } from '../std/clock.ts';
import type { Pace } from './pace.ts';

/**
 * The moments at which the mails of one batch may leave. Between reserving them and sending lie a claim, a transaction and
 * a busy machine: a slot that has gone by is lost, never made up for, because all processes together would exceed the
 * limit. The mails move up to the slots behind it, and as many new ones are asked for as were lost.
 */
export interface Slots {
  /** Resolves when a mail may leave: true. False, if there is no slot for it any more. */
  next(signal: AbortSignal): Promise<boolean>;
}

type Reserved = Pick<Permits, 'count' | 'firstAt' | 'spacingMs'>;

export function createSlots(reserved: Reserved, pace: Pick<Pace, 'take'>, clock: Clock): Slots {
  const isUnlimited = reserved.spacingMs === 0;
  const slots = timesOf(reserved);
  let lost = 0;
  let asking: Promise<void> | undefined;

  async function askForMore(): Promise<void> {
    const wanted = lost;
    lost = 0;
    try {
      const [first, ...others] = timesOf(await pace.take(wanted));
      // It is as fresh as can be had, so it counts, however long the answer took: somebody must get somewhere.
      if (first !== undefined) slots.push(Math.max(first, clock.now()), ...others);
    } catch {
      // What has no slot goes back to wait. Thrown from here, it would leave begun mails in doubt that never left.
    }
  }

  return {
    async next(signal) {
      if (isUnlimited) return !signal.aborted;
      for (;;) {
        while (slots.length === 0 && (asking || lost > 0)) {
          asking ??= askForMore().finally(() => {
            asking = undefined;
          });
          await asking;
        }
        const at = slots.shift();
        if (at === undefined || signal.aborted) return false;
        if (at > clock.now()) await clock.sleep(at - clock.now(), signal);
        if (signal.aborted) return false;
        if (clock.now() <= at + slotGraceMs) return true;
        lost += 1;
      }
    },
  };
}

function timesOf({ count, firstAt, spacingMs }: Reserved): number[] {
  return Array.from({ length: count }, (_, index) => firstAt + index * spacingMs);
}
