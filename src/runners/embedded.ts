import { createOutage } from '../db/outage.ts';
import type { Dispatch } from '../dispatch/dispatch.ts';
import type { Guarantees } from '../providers/provider.ts';
import type { Chore } from '../sources/source.ts';
import { createLoop, type Loop } from '../std/loop.ts';
import { clockDuty, type Duty, type DutyParts, maintenanceOf, whileSteady } from './duty.ts';
import { endWithin, type Runner, stopWithin } from './runner.ts';

/** Everything in this process, as loops. The default: no other service is needed. */
export interface EmbeddedParts extends DutyParts {
  /** The first sends; the others help while there is more than it can have in hand, and ask nobody anything while there is not. */
  dispatches: readonly Pick<Dispatch, 'runOnce'>[];
  /** What sources do by themselves. */
  chores: readonly Chore[];
}

/** How soon a row from another process is seen; what this process enqueues is seen at once. */
const pollMs = 250;
const patienceMs = 1_000;
/** A helper is woken by whoever has found something to do. */
const helperPauseMs = 60_000;

export function createEmbedded(parts: EmbeddedParts): Runner {
  const { dispatches, chores, clock, log } = parts;
  const shared = createOutage({ clock, log });
  const loop = ({ name, pauseMs, once }: Duty): Loop =>
    createLoop({ name, pauseMs, once, clock, log, shared });

  const wakeHelpers = () => {
    for (const helper of sending.slice(1)) helper.wake();
  };
  const sending: Loop[] = dispatches.map((dispatch, hand) =>
    loop(
      whileSteady(
        {
          ...{ name: 'dispatch', pauseMs: pollMs },
          async once(signal) {
            const { handled, waitMs } = await dispatch.runOnce(signal, hand === 0 ? wakeHelpers : undefined);
            if (handled === 0 && hand > 0) return helperPauseMs;
            if (handled > 0) {
              // One is enough to find out whether there is more than the first can do.
              if (hand === 0) sending[1]?.wake();
              return 'again';
            }
            // A provider that wants to be left alone is: but an operator's word is heard within a second.
            return Math.min(patienceMs, Math.max(pollMs, waitMs));
          },
        },
        clock,
      ),
    ),
  );
  const housekeeping = [...maintenanceOf(parts), clockDuty(parts)].map(loop);
  const ofSources = chores.map((chore) => {
    const made = loop(whileSteady(chore, clock));
    chore.wokenBy?.(made.wake);
    return made;
  });
  const loops = [...sending, ...housekeeping, ...ofSources];
  const stopAll = () => Promise.all(loops.map((each) => each.stop()));

  return {
    start() {
      for (const each of loops) each.start();
    },
    wake: () => sending[0]?.wake(),
    get isHealthy() {
      return loops.every((each) => each.isHealthy) && clock.isSteady;
    },
    stop: () => stopWithin(stopAll(), parts),
    ended: () => endWithin(stopAll(), parts),
  };
}

/**
 * While one waits for a commit another sends. Each has its share of the connections, so that no mail waits for one inside of the provider, where it
 * would look like a provider that cannot be reached; so only where shares are many, and as many hands as a slow provider needs to fill them all: one
 * has no more than a batch on its way. And not without keys: what a crash leaves in doubt is then for a person to settle, and so much more would be.
 */
export function handsOf({
  idempotencyWindowMs,
  concurrency,
}: Pick<Guarantees, 'idempotencyWindowMs' | 'concurrency'>): number[] {
  if (idempotencyWindowMs === null || concurrency < 16) return [0];
  return Array.from({ length: Math.min(8, Math.max(2, Math.floor(concurrency / 32))) }, (_, hand) => hand);
}
