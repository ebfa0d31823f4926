import { describe, expect, it } from 'vitest';
import {
  afterEmpty,
  afterFailure,
  afterSuccess,
  freshPace,
  intervalMinMs,
  type Pace,
  profileOf,
  untilNextPollMs,
} from './feed-pace.ts';

const now = 1_000_000;

function succeed(pace: Pace, times: number): Pace {
  let next = pace;
  for (let time = 0; time < times; time++) next = afterSuccess(next);
  return next;
}

describe('the cadence', () => {
  it('004-22 is 15 s ± 30 %', () => {
    expect([0, 0.5, 0.999999].map(untilNextPollMs)).toEqual([10_500, 15_000, 19_500]);
    expect(intervalMinMs).toBe(10_500);
  });
});

describe('the profile', () => {
  it('004-24 begins with 10 workers and gaps of 250 ms', () => {
    expect(profileOf(freshPace)).toEqual({ workers: 10, gapMs: 250 });
    expect(freshPace.pausedUntil).toBeLessThan(0);
  });

  it('004-27 004-28 pauses 15 s at the first failure, and goes on with 5 workers and gaps of 500 ms', () => {
    const pace = afterFailure(freshPace, now);
    expect(pace.pausedUntil).toBe(now + 15_000);
    expect(profileOf(pace)).toEqual({ workers: 5, gapMs: 500 });
  });

  it('004-29 is back after 5 successes in a row, and not before', () => {
    const down = afterFailure(freshPace, now);
    expect(profileOf(succeed(down, 4)).workers).toBe(5);
    expect(profileOf(succeed(down, 5)).workers).toBe(10);
    const interrupted = succeed(afterFailure(succeed(down, 4), now), 4);
    expect(profileOf(interrupted).workers).toBe(5);
  });

  it('004-65 is the lower one after an empty list, without a pause for the others', () => {
    const pace = afterEmpty(succeed(freshPace, 9));
    expect(profileOf(pace).workers).toBe(5);
    expect(pace.pausedUntil).toBe(freshPace.pausedUntil);
    expect(profileOf(succeed(pace, 5)).workers).toBe(10);
  });

  it('waits as long as the server asks, if that is longer, and an hour at most', () => {
    const pausedMs = (retryAfterMs?: number) => afterFailure(freshPace, now, retryAfterMs).pausedUntil - now;
    expect([undefined, 0, 14_999, 90_000, 86_400_000].map(pausedMs)).toEqual([
      ...[15_000, 15_000, 15_000, 90_000, 3_600_000],
    ]);
  });

  it('does not shorten a pause by a later failure', () => {
    const long = afterFailure(freshPace, now, 90_000);
    expect(afterFailure(long, now + 1000).pausedUntil).toBe(now + 90_000);
  });
});
