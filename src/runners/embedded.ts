import type { Dispatch } from '../dispatch/dispatch.ts';
import type { Chore } from '../sources/source.ts';
import { createLoop, type Loop } from '../std/loop.ts';
import { clockDuty, type Duty, type DutyParts, maintenanceOf, whileSteady } from './duty.ts';
import { type Runner, stopWithin } from './runner.ts';

/** Everything in this process, as loops. The default: no other service is needed. */
export interface EmbeddedParts extends DutyParts {
  dispatch: Pick<Dispatch, 'runOnce'>;
  /** What sources do by themselves. */
  chores: readonly Chore[];
}

/** How soon a row from another process is seen; what this process enqueues is seen at once. */
const pollMs = 250;
const patienceMs = 1_000;

export function createEmbedded(parts: EmbeddedParts): Runner {
  const { dispatch, chores, clock, log } = parts;
  const loop = ({ name, pauseMs, once }: Duty): Loop => createLoop({ name, pauseMs, once, clock, log });

  const sending = loop(
    whileSteady(
      {
        ...{ name: 'dispatch', pauseMs: pollMs },
        async once(signal) {
          const { handled, waitMs } = await dispatch.runOnce(signal);
          if (handled > 0) return 'again';
          // A provider that wants to be left alone is: but an operator's word is heard within a second.
          return Math.min(patienceMs, Math.max(pollMs, waitMs));
        },
      },
      clock,
    ),
  );
  const housekeeping = [...maintenanceOf(parts), clockDuty(parts)].map(loop);
  const ofSources = chores.map((chore) => {
    const made = loop(whileSteady(chore, clock));
    chore.wokenBy?.(made.wake);
    return made;
  });
  const loops = [sending, ...housekeeping, ...ofSources];

  return {
    start() {
      for (const each of loops) each.start();
    },
    wake: () => sending.wake(),
    get isHealthy() {
      return loops.every((each) => each.isHealthy) && clock.isSteady;
    },
    async stop() {
      await stopWithin(Promise.all(loops.map((each) => each.stop())), parts);
    },
  };
}
