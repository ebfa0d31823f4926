import { type Clock, systemClock } from '../../src/std/clock.ts';

/**
 * Time that stands still until somebody sleeps or jumps: a busy machine makes nothing late, and how long something took is
 * the same in every run. Sockets work at their own pace beside it.
 */
export interface JumpingClock extends Clock {
  jump(ms: number): void;
  /** The same time for those who wait for sockets: their sleeps take as long as they say. */
  readonly patient: Clock;
  /** And for those who try again after a moment: only what bounds a call takes as long as it says. */
  readonly hurried: Clock;
}

/** Below the bound of any call, above the wait before any second try. */
const momentMs = 3_000;

export function createJumpingClock(startAt = systemClock.now()): JumpingClock {
  let ahead = 0;
  const now = () => startAt + ahead;
  const monotonic = () => ahead;
  const jump = (ms: number) => {
    ahead += Math.ceil(Math.max(0, ms));
  };
  const sleep = async (ms: number) => {
    const wakeAt = monotonic() + ms;
    await new Promise(setImmediate);
    // Somebody else who slept at the same time may have brought us there.
    jump(wakeAt - monotonic());
  };
  const patient = { ...systemClock, now, monotonic };
  return {
    ...{ now, monotonic, jump, sleep, patient },
    nextTurn: systemClock.nextTurn,
    hurried: {
      ...patient,
      sleep: (ms, signal) => (ms < momentMs ? sleep(ms) : patient.sleep(ms, signal)),
    },
  };
}
