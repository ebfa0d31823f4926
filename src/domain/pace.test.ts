import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterProbe,
  claimProbe,
  freshPace,
  giveBackPermits,
  isNews,
  type Observation,
  observe,
  type PaceState,
  refusalOfSlots,
  takePermits,
} from './pace.ts';

const quiet: Observation = { accepted: 0, doubtful: 0, pauseMs: null, down: null, ratePerSecond: null };
const now = 1_000_000;

describe('permits', () => {
  it('a provider without a limit gets all that is wanted, at once', () => {
    expect(takePermits(freshPace, 200, null, now).permits).toEqual({
      count: 200,
      firstAt: now,
      spacingMs: 0,
      waitMs: 0,
    });
  });

  it('002-D4-01 Whoever asks and however often, no second holds more than the limit', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 2, 5, 10, 100),
        fc.array(
          fc.record({ wanted: fc.integer({ min: 1, max: 300 }), laterMs: fc.integer({ min: 0, max: 700 }) }),
          { minLength: 1, maxLength: 60 },
        ),
        (rate, asks) => {
          let state: PaceState = freshPace;
          let at = now;
          const slots: number[] = [];
          for (const { wanted, laterMs } of asks) {
            at += laterMs;
            const { state: next, permits } = takePermits(state, wanted, rate, at);
            state = next;
            for (let index = 0; index < permits.count; index++)
              slots.push(permits.firstAt + index * permits.spacingMs);
            if (permits.count === 0) expect(permits.waitMs).toBeGreaterThan(0);
          }
          slots.forEach((slot, index) => {
            expect(slots.slice(index).filter((other) => other < slot + 1000).length).toBeLessThanOrEqual(
              rate,
            );
          });
        },
      ),
    );
  });

  it('asked all the time, more than nine tenths of the limit are used', () => {
    let state: PaceState = freshPace;
    let given = 0;
    for (let at = now; at < now + 60_000; at += 100) {
      const taken = takePermits(state, 200, 10, at);
      state = taken.state;
      given += taken.permits.count;
    }
    expect(given).toBeGreaterThan(0.9 * 10 * 60);
  });

  it('gives nothing away more than a second ahead, but always something to who waits', () => {
    const { permits } = takePermits(freshPace, 200, 10, now);
    expect(permits.count).toBeLessThanOrEqual(10);
    expect(takePermits(freshPace, 200, 0.1, now).permits.count).toBe(1);
  });

  it('who wants a batch waits until a part of that second is free, and then gets as much', () => {
    const { state } = takePermits(freshPace, 80, 100, now);
    const { permits } = takePermits(state, 200, 100, now, { roomMs: 250 });
    expect(permits).toMatchObject({ count: 0 });
    expect(permits.waitMs).toBeGreaterThan(0);
    expect(takePermits(state, 200, 100, now + permits.waitMs - 1, { roomMs: 250 }).permits.count).toBe(0);
    expect(takePermits(state, 200, 100, now + permits.waitMs, { roomMs: 250 }).permits.count).toBe(23);
    // Others take what there is.
    expect(takePermits(state, 200, 100, now).permits.count).toBe(14);
  });

  it('who has to prepare gets no slot before that, and nobody gets those that went by', () => {
    const { state, permits } = takePermits(freshPace, 5, 100, now, { leadMs: 100 });
    expect(permits).toMatchObject({ count: 5, firstAt: now + 100 });
    // Behind those of others it is as it is.
    expect(takePermits(state, 5, 100, now, { leadMs: 100 }).permits.firstAt).toBe(state.nextSlotAt);
    expect(takePermits(freshPace, 200, 100, now, { leadMs: 500 }).permits.count).toBe(47);
  });

  it('that slots are gone is told from the state alone, and nothing else is', () => {
    const nearly = takePermits(freshPace, 200, 10, now).state;
    expect(refusalOfSlots(nearly, 1, 10, now)).toBeNull();
    expect(refusalOfSlots(nearly, 1, 10, now, { roomMs: 250 })).toMatchObject({ count: 0 });
    const { state } = takePermits(nearly, 1, 10, now);
    expect(refusalOfSlots(state, 1, 10, now)).toMatchObject({ count: 0 });
    expect(refusalOfSlots(state, 1, 10, now + 200)).toBeNull();
    expect(refusalOfSlots(freshPace, 1, null, now)).toBeNull();
    for (const other of [{ openSince: now }, { pausedUntil: now + 1 }, { openings: 1 }])
      expect(refusalOfSlots({ ...state, ...other }, 1, 10, now)).toBeNull();
  });

  it('the account’s own word lowers the rate, and never raises it', () => {
    const slower = { ...freshPace, seenRatePerSecond: 1 };
    expect(takePermits(slower, 9, 10, now).permits.spacingMs).toBeGreaterThan(1000);
    expect(
      takePermits({ ...freshPace, seenRatePerSecond: 100 }, 9, 10, now).permits.spacingMs,
    ).toBeGreaterThan(100);
  });

  it('what was not used can be given back, unless somebody has reserved behind it', () => {
    const first = takePermits(freshPace, 5, 10, now);
    const back = giveBackPermits(first.state, first.permits, 2);
    expect(back.nextSlotAt).toBeCloseTo(now + 2 * first.permits.spacingMs);
    const second = takePermits(first.state, 5, 10, now);
    expect(giveBackPermits(second.state, first.permits, 0)).toBe(second.state);
  });
});

describe('the circuit', () => {
  it('a pause that the provider asks for holds for all, and ends by itself', () => {
    const paused = observe(freshPace, { ...quiet, pauseMs: 5_000 }, now);
    expect(takePermits(paused, 1, null, now + 4_999).permits).toMatchObject({ count: 0, waitMs: 1 });
    expect(takePermits(paused, 1, null, now + 5_000).permits.count).toBe(1);
    expect(observe(paused, { ...quiet, pauseMs: 10 }, now).pausedUntil).toBe(now + 5_000);
  });

  it.each([
    ['unreachable', 1_000],
    ['unauthorised', 1_000],
    ['over_quota', 300_000],
  ])('opens at once when the provider is %s', (down, waitMs) => {
    const opened = observe(freshPace, { ...quiet, down }, now);
    expect(opened).toMatchObject({ openSince: now, openReason: down, probeAt: now + waitMs });
    expect(takePermits(opened, 1, null, now + 3_600_000).permits.count).toBe(0);
  });

  it('opens after five doubts in a row, and one success in between forgets them', () => {
    const four = observe(freshPace, { ...quiet, doubtful: 4 }, now);
    expect(four.openSince).toBeNull();
    expect(observe(four, { ...quiet, doubtful: 1 }, now)).toMatchObject({ openReason: 'failing' });
    const forgotten = observe(four, { ...quiet, accepted: 1 }, now);
    expect(observe(forgotten, { ...quiet, doubtful: 4 }, now).openSince).toBeNull();
  });

  const closedAgain = afterProbe(observe(freshPace, { ...quiet, down: 'unreachable' }, now), true, now);

  it('after an outage one mail tries first, and the others follow when it is accepted', () => {
    const trial = takePermits(closedAgain, 200, null, now);
    expect(trial.permits.count).toBe(1);
    expect(takePermits(trial.state, 200, null, now + 9_999).permits).toMatchObject({ count: 0, waitMs: 1 });
    const accepted = observe(trial.state, { ...quiet, accepted: 1 }, now);
    expect(takePermits(accepted, 200, null, now).permits.count).toBe(200);
  });

  it('the next one tries when the first ended otherwise, or when nobody came back to tell', () => {
    const trial = takePermits(closedAgain, 200, null, now);
    expect(takePermits(observe(trial.state, quiet, now), 200, null, now).permits.count).toBe(1);
    expect(takePermits(trial.state, 200, null, now + 10_000).permits.count).toBe(1);
  });

  it('one doubt is enough while it is on trial', () => {
    expect(observe(closedAgain, { ...quiet, doubtful: 1 }, now)).toMatchObject({
      openReason: 'failing',
      openings: 2,
    });
  });

  it('what was under way when it opened does not shorten the next wait', () => {
    const opened = observe(closedAgain, { ...quiet, down: 'unreachable' }, now);
    expect(observe(opened, { ...quiet, accepted: 3 }, now)).toMatchObject({ openings: 2, openSince: now });
  });

  it('a quota is tried with one mail at a time, later each time, though probes say that all is well', () => {
    let state = observe(freshPace, { ...quiet, down: 'over_quota' }, now);
    const waits: number[] = [];
    let at = now;
    for (let tries = 0; tries < 4; tries++) {
      waits.push((state.probeAt ?? 0) - at);
      at = state.probeAt ?? 0;
      const trial = takePermits(afterProbe(state, true, at), 200, null, at);
      expect(trial.permits.count).toBe(1);
      state = observe(trial.state, { ...quiet, down: 'over_quota' }, at);
    }
    expect(waits).toEqual([5, 10, 15, 15].map((minutes) => minutes * 60_000));
  });

  it('nothing is news to a provider that is well and says the rate that it said before', () => {
    const known = { ...freshPace, seenRatePerSecond: 5 };
    expect(isNews(known, { ...quiet, accepted: 9, ratePerSecond: 5 })).toBe(false);
    expect(isNews(known, { ...quiet, accepted: 9 })).toBe(false);
    expect(isNews(known, { ...quiet, ratePerSecond: 6 })).toBe(true);
    expect(isNews(known, { ...quiet, doubtful: 1 })).toBe(true);
    expect(isNews(known, { ...quiet, pauseMs: 1 })).toBe(true);
    expect(isNews(known, { ...quiet, down: 'unreachable' })).toBe(true);
    expect(isNews({ ...known, doubts: 1 }, { ...quiet, accepted: 1 })).toBe(true);
    expect(isNews({ ...known, openings: 1 }, { ...quiet, accepted: 1 })).toBe(true);
  });

  it('one process asks at a time, each time later, until the provider is up', () => {
    let state = observe(freshPace, { ...quiet, down: 'unreachable' }, now);
    expect(claimProbe(state, 30_000, now + 999)).toBeNull();
    const waits: number[] = [];
    let at = now;
    for (let tries = 0; tries < 9; tries++) {
      waits.push((state.probeAt ?? 0) - at);
      at = state.probeAt ?? 0;
      const mine = claimProbe(state, 30_000, at);
      if (!mine) throw new Error('the probe was due');
      expect(claimProbe(mine, 30_000, at), 'a second process').toBeNull();
      state = afterProbe(mine, false, at);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1000));
    const closed = afterProbe(state, true, at);
    expect(takePermits(closed, 1, null, at).permits.count).toBe(1);
    expect(closed).toMatchObject({ openSince: null, openReason: null, probeAt: null, doubts: 0 });
  });

  it('slots that were reserved by a clock which has been set back since count for nothing', () => {
    const now = 1_000_000_000_000;
    const { state } = takePermits(freshPace, 5, 10, now);
    const { permits } = takePermits(state, 5, 10, now - 3_600_000);
    expect(permits).toMatchObject({ count: 5, firstAt: now - 3_600_000 });
  });
});
