import { describe, expect, test } from 'vitest';
import { createManualClock } from './clock.ts';
import type { Log, LogFields } from './log.ts';
import { createLoop, type LoopOptions } from './loop.ts';

/** Lets everything that can go on without time passing go on. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

function loopOf(once: LoopOptions['once'], { pauseMs = 1000, ...more }: Partial<LoopOptions> = {}) {
  const clock = createManualClock(0);
  const logged: [string, LogFields | undefined][] = [];
  const note = (event: string, fields?: LogFields) => logged.push([event, fields]);
  const log: Log = { debug: note, info: note, warn: note, error: note };
  const runsAt: number[] = [];
  const loop = createLoop({
    ...{ name: 'sweep', clock, log, pauseMs, ...more },
    once: (signal) => {
      runsAt.push(clock.now());
      return once(signal);
    },
  });
  return { clock, loop, logged, runsAt };
}

/** A run that lasts until the test ends it. */
function slowRun() {
  let end = () => {};
  const once = () =>
    new Promise<'pause'>((resolve) => {
      end = () => resolve('pause');
    });
  return { once, end: () => end() };
}

describe('a loop', () => {
  test('runs at once, then after each pause, and not before it is started', async () => {
    const { clock, loop, runsAt } = loopOf(async () => 'pause');
    await clock.advance(5000);
    expect(runsAt).toEqual([]);
    loop.start();
    loop.start();
    await clock.advance(2500);
    expect(runsAt).toEqual([5000, 6000, 7000]);
    await loop.stop();
  });

  test('goes on without a pause while there is more', async () => {
    let waiting = 3;
    const { clock, loop, runsAt } = loopOf(async () => (--waiting > 0 ? 'again' : 'pause'));
    loop.start();
    await settle();
    await clock.advance(1000);
    expect(runsAt).toEqual([0, 0, 0, 1000]);
    await loop.stop();
  });

  test('wake cuts the pause short, once', async () => {
    const { clock, loop, runsAt } = loopOf(async () => 'pause');
    loop.start();
    await clock.advance(300);
    loop.wake();
    loop.wake();
    await settle();
    await clock.advance(999);
    expect(runsAt).toEqual([0, 300]);
    await clock.advance(1);
    expect(runsAt).toEqual([0, 300, 1300]);
    await loop.stop();
  });

  test('a wake during a run is not lost: what it announced may have come too late for that run', async () => {
    const run = slowRun();
    const { loop, runsAt } = loopOf(run.once);
    loop.start();
    await settle();
    loop.wake();
    run.end();
    await settle();
    expect(runsAt).toEqual([0, 0]);
    const stopped = loop.stop();
    run.end();
    await stopped;
  });
});

describe('stopping a loop', () => {
  test('tells the run, waits for it, and starts no other', async () => {
    const run = slowRun();
    let told = false;
    const { clock, loop, runsAt } = loopOf((signal) => {
      signal.addEventListener('abort', () => {
        told = true;
      });
      return run.once();
    });
    loop.start();
    await settle();
    let isStopped = false;
    const stopped = loop.stop().then(() => {
      isStopped = true;
    });
    await settle();
    expect([told, isStopped]).toEqual([true, false]);
    run.end();
    await stopped;
    loop.wake();
    loop.start();
    await clock.advance(10_000);
    expect(runsAt).toEqual([0]);
  });

  test('ends a pause at once', async () => {
    const { clock, loop, runsAt } = loopOf(async () => 'pause');
    loop.start();
    await clock.advance(1);
    await loop.stop();
    expect([clock.now(), runsAt]).toEqual([1, [0]]);
  });

  test('a loop that was never started stops, and then does not start', async () => {
    const { loop, runsAt } = loopOf(async () => 'pause');
    await loop.stop();
    loop.start();
    await settle();
    expect(runsAt).toEqual([]);
  });
});

describe('a loop whose runs fail', () => {
  test('logs each, waits longer each time up to a bound, and is unhealthy until a run succeeds', async () => {
    let isBroken = true;
    const error = new Error('no database');
    const { clock, loop, logged, runsAt } = loopOf(async () => {
      if (isBroken) throw error;
      return 'pause';
    });
    expect(loop.isHealthy).toBe(true);
    loop.start();
    await clock.advance(34_000);
    expect(runsAt).toEqual([0, 2000, 6000, 14_000, 24_000, 34_000]);
    expect(loop.isHealthy).toBe(false);
    expect(logged[0]).toEqual(['loop.failed', { loop: 'sweep', failures: 1, retryInMs: 2000, error }]);
    expect(logged).toHaveLength(6);

    isBroken = false;
    await clock.advance(11_000);
    expect(runsAt.slice(6)).toEqual([44_000, 45_000]);
    expect(loop.isHealthy).toBe(true);
    await loop.stop();
  });

  test('does not tell what somebody tells for all, and says when it is over', async () => {
    const told: unknown[] = [];
    let error: Error | undefined = new Error('away');
    const shared = {
      isIt: (met: unknown) => (met as Error).message === 'away' && told.push(met) > 0,
      isOver: () => void told.push('over'),
    };
    let isTime = true;
    const once = async () => {
      if (!isTime) return 'skipped' as const;
      if (error) throw error;
      return 'pause' as const;
    };
    const { clock, loop, logged } = loopOf(once, { shared });
    loop.start();
    await clock.advance(7_000);
    expect(logged).toEqual([]);
    expect(told).toHaveLength(3);
    expect(loop.isHealthy).toBe(false);
    error = new Error('something else');
    await clock.advance(8_000);
    expect(logged.map(([event]) => event)).toEqual(['loop.failed']);
    expect(told).toHaveLength(3);
    error = new Error('away');
    await clock.advance(10_000);
    error = undefined;
    isTime = false;
    await clock.advance(30_000);
    // Who does nothing has not found out.
    expect(told.slice(4)).toEqual([]);
    expect(loop.isHealthy).toBe(false);
    isTime = true;
    await clock.advance(30_000);
    expect(told.slice(4)).toEqual(['over']);
    await loop.stop();
  });

  test('a run that throws before its first await is caught like any other', async () => {
    const { loop, logged } = loopOf(() => {
      throw new Error('at once');
    });
    loop.start();
    await settle();
    expect(logged.map(([event]) => event)).toEqual(['loop.failed']);
    await loop.stop();
  });

  test('is not healthy while a run takes far too long', async () => {
    const slow = slowRun();
    const { clock, loop } = loopOf(slow.once);
    loop.start();
    await clock.advance(299_000);
    expect(loop.isHealthy).toBe(true);
    await clock.advance(2_000);
    expect(loop.isHealthy).toBe(false);
    slow.end();
    await settle();
    expect(loop.isHealthy).toBe(true);
    await loop.stop();
  });
});
