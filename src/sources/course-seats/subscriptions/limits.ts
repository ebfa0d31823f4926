import type { Clock } from '../../../std/clock.ts';

/** How much one person, one section and one caller may ask for. */
export interface Limits {
  /** Live watches of one address. Nobody takes thirty courses; whoever types in a stranger's address stops here. */
  contactWatchesMax: number;
  /** Watchers of one section: against a flood, not a promise. Those who come at the same instant may pass it together. */
  sectionWatchesMax: number;
  /** New watches of one caller in an hour, in one process: the HTTP layer has its own besides. */
  callerOrdersPerHour: number;
  /** Verification mails to one address: one in this time, and so many in a day, whoever asks for them. */
  verificationPauseMs: number;
  verificationsPerDay: number;
}

export const defaultLimits: Limits = {
  contactWatchesMax: 30,
  sectionWatchesMax: 100_000,
  callerOrdersPerHour: 20,
  verificationPauseMs: 600_000,
  verificationsPerDay: 6,
};

export interface CallerLimit {
  /** Takes one; answers how long to wait where none is left. */
  take(caller: string): number;
}

const hourMs = 3_600_000;
/** So many are remembered: more than ask in an hour, and few enough to be kept. */
const callersMax = 10_000;

/**
 * As many at once as in an hour, then one whenever its share of the hour has passed. Of each caller only the time is kept at which
 * all it took will be given back, so that whoever is forgotten because there are too many gains at most one hour's share.
 */
export function createCallerLimit(clock: Pick<Clock, 'monotonic'>, perHour: number): CallerLimit {
  const intervalMs = hourMs / perHour;
  const givenBackAt = new Map<string, number>();

  function forgetSome(now: number): void {
    for (const [caller, at] of givenBackAt) if (at <= now) givenBackAt.delete(caller);
    // In the order in which they last asked.
    for (const caller of givenBackAt.keys()) {
      if (givenBackAt.size < callersMax) return;
      givenBackAt.delete(caller);
    }
  }

  return {
    take(caller) {
      const now = clock.monotonic();
      const at = Math.max(givenBackAt.get(caller) ?? now, now);
      const waitMs = Math.ceil(at + intervalMs - now - hourMs);
      if (waitMs > 0) return waitMs;
      if (givenBackAt.size >= callersMax) forgetSome(now);
      givenBackAt.delete(caller);
      givenBackAt.set(caller, at + intervalMs);
      return 0;
    },
  };
}
