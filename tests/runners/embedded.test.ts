import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DatabaseClock } from '../../src/db/database-clock.ts';
import type { SetBack } from '../../src/db/time-mark.ts';
import { createEmbedded } from '../../src/runners/embedded.ts';
import type { Chore } from '../../src/sources/source.ts';
import { createManualClock, type ManualClock } from '../../src/std/clock.ts';
import { createLog, type Log } from '../../src/std/log.ts';

let clock: ManualClock;
let lines: string[];
let log: Log;
beforeEach(() => {
  clock = createManualClock();
  lines = [];
  log = createLog({ level: 'debug', sink: { write: (line) => lines.push(line) } });
});
afterEach(() => {
  lines = [];
});

const noWalk = { walk: async () => ({ settled: [], next: null, waitMs: null }) };

function runner(
  parts: {
    dispatch?: (signal: AbortSignal) => Promise<number>;
    helpers?: ((signal: AbortSignal) => Promise<number>)[];
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
  } = {},
) {
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
      runOnce: async (signal) => ({ handled: (await once?.(signal)) ?? 0, waitMs: parts.waitMs ?? 0 }),
    })),
    sweep: {
      runOnce: async () => {
        parts.sweep?.();
        return { recovered: 0, doubted: 0, expired: 0, requests: 0, owed: 0, forgotten: 0, unproven: 'none' };
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
}

it('looks every 250 ms, at once when woken, and again at once while there is work', async () => {
  const work = [2, 1, 0, 0, 0];
  const looksAt: number[] = [];
  const embedded = runner({
    dispatch: async () => {
      looksAt.push(clock.monotonic());
      return work.shift() ?? 0;
    },
  });
  embedded.start();
  await clock.advance(250);
  expect(looksAt).toEqual([0, 0, 0, 250]);
  await clock.advance(100);
  embedded.wake();
  await clock.advance(0);
  expect(looksAt.at(-1)).toBe(350);
  await embedded.stop();
});

it('a helper is woken while there is work, and asks for none while there is none', async () => {
  const [work, helped] = [
    [0, 0, 1, 1, 0],
    [0, 1, 0],
  ];
  const helpsAt: number[] = [];
  const embedded = runner({
    dispatch: async () => work.shift() ?? 0,
    helpers: [
      async () => {
        helpsAt.push(clock.monotonic());
        return helped.shift() ?? 0;
      },
    ],
  });
  embedded.start();
  await clock.advance(400);
  expect(helpsAt).toEqual([0]);
  await clock.advance(30_000);
  // Once more than there was anything: the other had found something meanwhile.
  expect(new Set(helpsAt)).toEqual(new Set([0, 500]));
  expect(helped).toEqual([]);
  await embedded.stop();
});

it('a chore runs at its own pace, and at once when it is woken, also by what it missed while it ran', async () => {
  const runsAt: number[] = [];
  let wake = () => {};
  const chore: Chore = {
    ...{ name: 'chore', pauseMs: 400 },
    async once() {
      runsAt.push(clock.monotonic());
      if (runsAt.length === 3) wake();
      return 'pause';
    },
    wokenBy(given) {
      wake = given;
    },
  };
  const embedded = runner({ chores: [chore] });
  embedded.start();
  await clock.advance(450);
  expect(runsAt).toEqual([0, 400]);
  wake();
  await clock.advance(0);
  expect(runsAt).toEqual([0, 400, 450, 450]);
  await clock.advance(400);
  expect(runsAt.slice(4)).toEqual([850]);
  await embedded.stop();
});

it('002-P10-05 A stop asks for nothing more and waits for what is in flight', async () => {
  let finish = () => {};
  let seen: AbortSignal | undefined;
  const embedded = runner({
    dispatch: (signal) => {
      seen = signal;
      return new Promise((resolve) => {
        finish = () => resolve(1);
      });
    },
  });
  embedded.start();
  await clock.advance(10);
  let isStopped = false;
  const stopping = embedded.stop().then(() => {
    isStopped = true;
  });
  await clock.advance(1000);
  expect(seen?.aborted).toBe(true);
  expect(isStopped).toBe(false);
  finish();
  await stopping;
  expect(lines.join()).not.toContain('stopped_in_flight');
});

it('a stop does not wait for ever, and says so', async () => {
  const embedded = runner({ dispatch: () => new Promise(() => {}) });
  embedded.start();
  await clock.advance(10);
  const stopping = embedded.stop();
  await clock.advance(15_000);
  await stopping;
  expect(lines.join()).toContain('runner.stopped_in_flight');
});

it('is unhealthy while a loop fails, and healthy again afterwards', async () => {
  let failures = 1;
  const embedded = runner({
    dispatch: async () => {
      if (failures-- > 0) throw new Error('database gone');
      return 0;
    },
  });
  embedded.start();
  await clock.advance(0);
  expect(embedded.isHealthy).toBe(false);
  expect(lines.join()).toContain('database gone');
  await clock.advance(1000);
  expect(embedded.isHealthy).toBe(true);
  await embedded.stop();
});

it('claims nothing while the clock is not to be trusted', async () => {
  let isSteady = false;
  let looks = 0;
  const embedded = runner({
    isSteady: () => isSteady,
    dispatch: async () => {
      looks += 1;
      return 0;
    },
  });
  embedded.start();
  await clock.advance(1000);
  expect([looks, embedded.isHealthy]).toEqual([0, false]);
  isSteady = true;
  await clock.advance(250);
  expect([looks, embedded.isHealthy]).toEqual([1, true]);
  await embedded.stop();
});

it('sweeps and reconciles every two seconds, asks for lost words every half minute, the latter two at once again while there is work, and measures every ten seconds', async () => {
  const at = {
    sweep: [] as number[],
    reconcile: [] as number[],
    measure: [] as number[],
    heal: [] as number[],
  };
  const note = (name: keyof typeof at) => () => at[name].push(clock.monotonic());
  const doubted = [1, 0, 0, 0];
  const silent = [200, 0];
  const embedded = runner({
    sweep: note('sweep'),
    measure: () => {
      note('measure')();
      return null;
    },
    reconcile: () => {
      note('reconcile')();
      return doubted.shift() ?? 0;
    },
    heal: () => {
      note('heal')();
      return silent.shift() ?? 0;
    },
  });
  embedded.start();
  await clock.advance(4_000);
  expect(at).toEqual({
    ...{ sweep: [0, 2_000, 4_000], reconcile: [0, 0, 2_000, 4_000], measure: [0] },
    heal: [0, 0],
  });
  await clock.advance(56_000);
  expect([at.measure, at.heal]).toEqual([
    [0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000],
    [0, 0, 30_000, 60_000],
  ]);
  await embedded.stop();
});

it('moves no row by a clock that is not to be trusted, and goes on measuring it', async () => {
  let moved = 0;
  let measured = 0;
  const embedded = runner({
    isSteady: () => false,
    sweep: () => {
      moved += 1;
    },
    reconcile: () => ++moved,
    measure: () => {
      measured += 1;
      return null;
    },
  });
  embedded.start();
  await clock.advance(60_000);
  expect([moved, measured]).toEqual([0, 7]);
  await embedded.stop();
});

it('forgets webhooks at once while there are more, and also while one cannot be linked', async () => {
  const old = [500, 7, 0, 0];
  const looksAt: number[] = [];
  const embedded = runner({
    webhooks: () => {
      if (old.length < 2) throw new Error('one cannot be linked');
      return 0;
    },
    forget: () => {
      looksAt.push(clock.monotonic());
      return old.shift() ?? 0;
    },
  });
  const start = clock.monotonic();
  embedded.start();
  await clock.advance(60_000);
  const waits = looksAt.map((at) => at - start);
  expect(waits.slice(0, 5)).toEqual([0, 0, 0, 10_000, 20_000]);
  await embedded.stop();
});

it('links webhooks that wait and forgets old ones every five seconds, at once while there are more', async () => {
  const waiting = [2, 0, 0, 0];
  const looksAt: number[] = [];
  let isSteady = true;
  const embedded = runner({
    webhooks: () => {
      looksAt.push(clock.monotonic());
      return waiting.shift() ?? 0;
    },
    isSteady: () => isSteady,
  });
  embedded.start();
  await clock.advance(5_000);
  expect(looksAt).toEqual([0, 0, 5_000]);
  isSteady = false;
  await clock.advance(5_000);
  expect(looksAt).toEqual([0, 0, 5_000]);
  await embedded.stop();
});

it('a clock that was set back takes with it what waits, and is measured again at once', async () => {
  const measured: (SetBack | null)[] = [{ from: 5_000_000, to: 1_000 }, null];
  const seen: SetBack[] = [];
  const embedded = runner({
    measure: () => measured.shift() ?? null,
    setBack: (setBack) => void seen.push(setBack),
  });
  embedded.start();
  await clock.advance(0);
  expect(seen).toEqual([{ from: 5_000_000, to: 1_000 }]);
  expect(measured).toEqual([]);
  await embedded.stop();
});
