import { describe, expect, it } from 'vitest';
import { createSlots } from '../../src/dispatch/slots.ts';
import { freshPace, type PaceState, takePermits } from '../../src/domain/pace.ts';
import { createManualClock } from '../../src/std/clock.ts';

const ratePerSecond = 10 / 0.94; // A slot every 100 ms.
const signal = new AbortController().signal;

/** A pace for one process, and the slots of a batch of five that was reserved just now. */
function createBatch() {
  const clock = createManualClock();
  let state: PaceState = freshPace;
  const asked: number[] = [];
  const take = (wanted: number) => {
    const taken = takePermits(state, wanted, ratePerSecond, clock.now());
    state = taken.state;
    return { ...taken.permits, pausedSources: new Set<string>() };
  };
  const reserved = take(5);
  const pace = {
    take: async (wanted: number) => {
      asked.push(wanted);
      return take(wanted);
    },
  };
  const startedAt = clock.now();
  const slots = createSlots(reserved, pace, clock);
  const leftAt: (number | false)[] = [];
  const leave = async () => {
    leftAt.push((await slots.next(signal)) && Math.round(clock.now() - startedAt));
  };
  return { clock, pace, asked, leave, leftAt };
}

describe('slots', () => {
  it('each mail leaves at its own', async () => {
    const { clock, leave, leftAt, asked } = createBatch();
    const all = Promise.all([1, 2, 3, 4, 5].map(leave));
    await clock.advance(1_000);
    await all;
    expect(leftAt).toEqual([0, 1, 2, 3, 4].map((index) => index * 100));
    expect(asked).toEqual([]);
  });

  it('one that has gone by is not made up for: the mails move up, and the last ones get new slots', async () => {
    const { clock, leave, leftAt, asked } = createBatch();
    // Two slots and a half: the third is missed, too.
    await clock.advance(250);
    const all = Promise.all([1, 2, 3, 4, 5].map(leave));
    await clock.advance(2_000);
    await all;
    expect(leftAt).toEqual([3, 4, 5, 6, 7].map((index) => index * 100));
    expect(asked).toEqual([3]);
  });

  it('a little late is in time', async () => {
    const { clock, leave, leftAt } = createBatch();
    await clock.advance(20);
    await leave();
    expect(leftAt).toEqual([20]);
  });

  it('there is always a way forward, however slowly the database answers', async () => {
    const { clock, pace, leave, leftAt } = createBatch();
    const { take } = pace;
    pace.take = async (wanted) => {
      const taken = await take(wanted);
      await clock.sleep(3_000);
      return taken;
    };
    await clock.advance(500);
    const left = leave();
    await clock.advance(3_000);
    await left;
    expect(leftAt).toEqual([3_500]);
  });

  it.each([
    [
      'the provider is paused',
      async () => ({ count: 0, firstAt: 0, spacingMs: 0, waitMs: 9, pausedSources: new Set<string>() }),
    ],
    ['the database is away', async () => Promise.reject(new Error('connection lost'))],
  ])('there is none, and nothing is thrown, when %s', async (_, take) => {
    const { clock, pace, leave, leftAt } = createBatch();
    pace.take = take;
    await clock.advance(500);
    await leave();
    expect(leftAt).toEqual([false]);
  });
});
