import type { DatabaseClock } from '../../src/db/database-clock.ts';
import type { SetBack } from '../../src/db/time-mark.ts';
import { createEmbedded } from '../../src/runners/embedded.ts';
import type { Runner } from '../../src/runners/runner.ts';
import type { Chore } from '../../src/sources/source.ts';
import { createManualClock, type ManualClock } from '../../src/std/clock.ts';
import { createLog } from '../../src/std/log.ts';

/** The runner without queues, on a clock that the test moves, with parts that do what the test says. */
export interface EmbeddedWorld {
  clock: ManualClock;
  /** What was logged. */
  lines: string[];
  runner(parts?: RunnerParts): Runner;
}

/** What is left out finds nothing to do. */
interface RunnerParts {
  dispatch?: (signal: AbortSignal, onFull?: () => void) => Promise<number>;
  helpers?: ((signal: AbortSignal, onFull?: () => void) => Promise<number>)[];
  isSteady?: () => boolean;
  waitMs?: number;
  sweep?: () => void;
  reconcile?: () => number;
  heal?: () => number;
  webhooks?: () => number;
  forget?: () => number;
  measure?: () => SetBack | null;
  setBack?: (setBack: SetBack) => void;
  chores?: Chore[];
}

const noWalk = { walk: async () => ({ settled: [], next: null, waitMs: null }) };

export function createEmbeddedWorld(): EmbeddedWorld {
  const clock = createManualClock();
  const lines: string[] = [];
  const log = createLog({ level: 'debug', sink: { write: (line) => lines.push(line) } });
  const runner = (parts: RunnerParts = {}) => {
    const databaseClock: DatabaseClock = {
      ...clock,
      get isSteady() {
        return parts.isSteady?.() ?? true;
      },
      measure: async () => parts.measure?.() ?? null,
    };
    return createEmbedded({
      chores: parts.chores ?? [],
      outbox: {
        setBack: async (setBack) => {
          parts.setBack?.(setBack);
          return true;
        },
      },
      dispatches: [parts.dispatch, ...(parts.helpers ?? [])].map((once) => ({
        runOnce: async (signal, onFull) => ({
          handled: (await once?.(signal, onFull)) ?? 0,
          waitMs: parts.waitMs ?? 0,
        }),
      })),
      sweep: {
        runOnce: async () => {
          parts.sweep?.();
          return {
            recovered: 0,
            doubted: 0,
            expired: 0,
            requests: 0,
            owed: 0,
            forgotten: 0,
            unproven: 'none',
          };
        },
      },
      reconcile: { ...noWalk, runOnce: async () => parts.reconcile?.() ?? 0 },
      heal: { runOnce: async () => parts.heal?.() ?? 0 },
      webhooks: {
        linkWaiting: async () => parts.webhooks?.() ?? 0,
        forget: async () => parts.forget?.() ?? 0,
      },
      clock: databaseClock,
      log,
    });
  };
  return { clock, lines, runner };
}
