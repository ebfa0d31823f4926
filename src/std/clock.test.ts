import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createManualClock, systemClock } from './clock.ts';

describe('systemClock', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Whether the promise is settled now, without waiting for it. */
  function watch(promise: Promise<void>): { isDone: boolean } {
    const seen = { isDone: false };
    void promise.then(() => {
      seen.isDone = true;
    });
    return seen;
  }

  test('sleeps for as long as it was asked to', async () => {
    const sleep = watch(systemClock.sleep(1000));
    await vi.advanceTimersByTimeAsync(999);
    expect(sleep.isDone).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(sleep.isDone).toBe(true);
  });

  test('sleeps longer than the 24.8 days that a timer of Node can hold', async () => {
    const days = 86_400_000;
    const sleep = watch(systemClock.sleep(60 * days));
    await vi.advanceTimersByTimeAsync(60 * days - 1);
    expect(sleep.isDone).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(sleep.isDone).toBe(true);
  });

  test('a stop ends the sleep without an error and leaves neither timer nor listener', async () => {
    const stopping = new AbortController();
    const removed = vi.spyOn(stopping.signal, 'removeEventListener');
    const sleep = watch(systemClock.sleep(1000, stopping.signal));
    stopping.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(sleep.isDone).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    expect(removed).toHaveBeenCalledTimes(1);
    await systemClock.sleep(1000, stopping.signal);
  });

  test('sleeping through leaves no listener on a signal that lives on', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const sleep = watch(systemClock.sleep(10, signal));
    await vi.advanceTimersByTimeAsync(10);
    expect(sleep.isDone).toBe(true);
    expect(removed.mock.calls.length).toBe(added.mock.calls.length);
  });
});

describe("systemClock's turn", () => {
  test('ends after all that was ready, and what came of that', async () => {
    const done: string[] = [];
    void Promise.resolve().then(() => done.push('promised'));
    setImmediate(() => {
      done.push('ready');
      setImmediate(() => done.push('came of it'));
    });
    await systemClock.nextTurn();
    expect(done).toEqual(['promised', 'ready', 'came of it']);
  });
});

describe('createManualClock', () => {
  test('a turn needs no time to pass', async () => {
    const clock = createManualClock(0);
    await clock.nextTurn();
    expect(clock.now()).toBe(0);
  });

  test('stands still until it is moved, and both readings move together', async () => {
    const clock = createManualClock(5000);
    expect([clock.now(), clock.monotonic()]).toEqual([5000, 0]);
    await clock.advance(250);
    expect([clock.now(), clock.monotonic()]).toEqual([5250, 250]);
  });

  test('wakes sleepers in the order of their deadlines, each at its own time', async () => {
    const clock = createManualClock(0);
    const woken: [string, number][] = [];
    const sleeper = async (name: string, ms: number) => {
      await clock.sleep(ms);
      woken.push([name, clock.now()]);
    };
    void sleeper('late', 300);
    void sleeper('early', 100);
    void sleeper('as early', 100);
    void sleeper('too late', 301);
    await clock.advance(300);
    expect(woken).toEqual([
      ['early', 100],
      ['as early', 100],
      ['late', 300],
    ]);
  });

  test('who goes to sleep again on waking wakes again within the same advance', async () => {
    const clock = createManualClock(0);
    const ticks: number[] = [];
    void (async () => {
      for (;;) {
        await clock.sleep(100);
        ticks.push(clock.now());
      }
    })();
    await clock.advance(350);
    expect(ticks).toEqual([100, 200, 300]);
    expect(clock.now()).toBe(350);
  });

  test('does not jump over code that was started just before and has not gone to sleep yet', async () => {
    const clock = createManualClock(0);
    let wokenAt = 0;
    void (async () => {
      for (let step = 0; step < 50; step++) await Promise.resolve();
      await clock.sleep(100);
      wokenAt = clock.now();
    })();
    await clock.advance(1000);
    expect(wokenAt).toBe(100);
  });

  test('a stop ends the sleep without moving the time, and the sleeper is not woken twice', async () => {
    const clock = createManualClock(0);
    const stopping = new AbortController();
    const sleep = clock.sleep(1000, stopping.signal);
    stopping.abort();
    await sleep;
    await clock.sleep(1000, stopping.signal);
    expect(clock.now()).toBe(0);
    await clock.advance(2000);
    expect(clock.now()).toBe(2000);
  });

  test('sleeping through leaves no listener on a signal that lives on', async () => {
    const clock = createManualClock(0);
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const sleep = clock.sleep(10, signal);
    await clock.advance(10);
    await sleep;
    expect(removed.mock.calls.length).toBe(added.mock.calls.length);
  });

  test('never goes backwards, whatever it is asked', async () => {
    const clock = createManualClock(0);
    await clock.advance(100);
    const wokenAt: number[] = [];
    for (const ms of [-50, Number.NaN, 0]) void clock.sleep(ms).then(() => wokenAt.push(clock.monotonic()));
    await clock.advance(0);
    expect(wokenAt).toEqual([100, 100, 100]);
    await expect(clock.advance(-1)).rejects.toThrow(/backwards/);
    expect(clock.monotonic()).toBe(100);
  });

  test('tells whole milliseconds, as the machine does, also when somebody slept for a fraction', async () => {
    const clock = createManualClock(1000);
    await clock.advance(0.75);
    expect(clock.now()).toBe(1000);
    await clock.advance(0.75);
    expect([clock.now(), clock.monotonic()]).toEqual([1001, 1.5]);
  });
});
