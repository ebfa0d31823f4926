import { type Clock, systemClock } from '../../src/std/clock.ts';

/** Real time, which can be jumped ahead: sockets work at their own pace, leases end when the test says so. */
export interface JumpingClock extends Clock {
  jump(ms: number): void;
  /** The same time for those who wait for sockets: their sleeps take as long as they say. */
  readonly patient: Clock;
}

export function createJumpingClock(): JumpingClock {
  let ahead = 0;
  const now = () => systemClock.now() + ahead;
  const monotonic = () => systemClock.monotonic() + ahead;
  const jump = (ms: number) => {
    ahead += Math.ceil(Math.max(0, ms));
  };
  return {
    ...{ now, monotonic, jump },
    async sleep(ms) {
      const wakeAt = monotonic() + ms;
      await new Promise(setImmediate);
      // Somebody else who slept at the same time may have brought us there.
      jump(wakeAt - monotonic());
    },
    nextTurn: systemClock.nextTurn,
    patient: { ...systemClock, now, monotonic },
  };
}
