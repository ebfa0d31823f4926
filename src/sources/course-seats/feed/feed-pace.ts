/**
 * How often and how hard the feed is asked: spec 004's cadence, its two profiles, and what moves between them. Pure; whoever asks
 * keeps the value and gives the time, by a clock that is never set back.
 */
export interface Pace {
  isDowngraded: boolean;
  /** In a row, since the last trouble. */
  successes: number;
  /** Nobody asks for anything before. */
  pausedUntil: number;
}

export interface Profile {
  workers: number;
  /** Of each worker, from an answer to its next question: ten of them are then the 30 requests a second of 004-02. */
  gapMs: number;
}

export const freshPace: Pace = { isDowngraded: false, successes: 0, pausedUntil: Number.NEGATIVE_INFINITY };

const defaultProfile: Profile = { workers: 10, gapMs: 250 }; // 004-24
const downgradedProfile: Profile = { workers: 5, gapMs: 500 }; // 004-28
const successesToRecover = 5; // 004-29

const intervalMs = 15_000; // 004-22: 15 s target …
const jitter = 0.3; // … ± 30 %

/** The shortest time between two polls of a list, and so between two misses that count (8.8). */
export const intervalMinMs = intervalMs * (1 - jitter);

const failurePauseMs = 15_000; // 004-27
// A wish for a longer silence is asked about again after an hour: one request an hour burdens nobody, and a maintenance page
// that says "tomorrow" must not silence the feed until then.
const retryAfterMaxMs = 3_600_000;

/** 004-65. Of the list that came empty, not of all: one that is empty for good (an unknown term) must not slow the others. */
export const emptyPauseMs = 30_000;

export function profileOf(pace: Pace): Profile {
  return pace.isDowngraded ? downgradedProfile : defaultProfile;
}

/** From an answer to the next poll of the same list; `random` is in [0, 1). */
export function untilNextPollMs(random: number): number {
  return Math.round(intervalMs * (1 - jitter + 2 * jitter * random));
}

export function afterSuccess(pace: Pace): Pace {
  const successes = pace.successes + 1;
  return { ...pace, successes, isDowngraded: pace.isDowngraded && successes < successesToRecover };
}

/** Whatever was not a list: they are all on one server, so that all of them wait. */
export function afterFailure(pace: Pace, now: number, retryAfterMs = 0): Pace {
  const pauseMs = Math.max(failurePauseMs, Math.min(retryAfterMs, retryAfterMaxMs));
  return { isDowngraded: true, successes: 0, pausedUntil: Math.max(pace.pausedUntil, now + pauseMs) };
}

export function afterEmpty(pace: Pace): Pace {
  return { ...pace, isDowngraded: true, successes: 0 };
}
