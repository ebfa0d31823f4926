import type { Poller, PollerParts } from '../../src/sources/course-seats/feed/poller.ts';
import { type PollerWorld, signal } from '../seats/poller-world.ts';

/** A poller on a clock that moves only when all its workers rest: a slow database takes no time of this clock. */
export interface PatientPoller {
  poller: Poller;
  /** All that is due, which is so many lists; answers when each was asked for. */
  round(workers: number, lists: number): Promise<number[]>;
  /** For a feed that takes its time. */
  rest(ms: number, stop?: AbortSignal): Promise<void>;
}

export function createPatientPoller(
  world: PollerWorld,
  configured: PollerParts['configured'],
): PatientPoller {
  const { clock, feed } = world;
  let resting = 0;
  const rest: PatientPoller['rest'] = async (ms, stop) => {
    resting += 1;
    await clock.sleep(ms, stop);
    resting -= 1;
  };
  const poller = world.poller({ configured, clock: { ...clock, sleep: rest } });
  return {
    ...{ poller, rest },
    async round(workers, lists) {
      const startedAt = clock.now();
      feed.asked.length = 0;
      let isDone = false;
      const done = poller.runOnce(signal()).finally(() => {
        isDone = true;
      });
      done.catch(() => {});
      while (!isDone) {
        // When the last is asked for, those that rest have nothing left to do, and some have ended.
        const mayMove = resting === workers || (resting > 0 && feed.asked.length === lists);
        if (mayMove) await clock.advance(clock.nextWakeMs() ?? 0);
        else await new Promise((resolve) => setTimeout(resolve, 1));
      }
      await done;
      return feed.asked.map(({ at }) => at - startedAt);
    },
  };
}
