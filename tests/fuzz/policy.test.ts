import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  afterBounce,
  leaseMs,
  type Policy,
  plainPolicy,
  quotaRetryAt,
  quotaRoundsMax,
  retryDelayMs,
} from '../../src/domain/policy.ts';
import { patience, runs } from './runs.ts';

/** Of any policy that somebody could write, not only of those that there are. */
const dayMs = 86_400_000;
const ms = fc.integer({ min: 1, max: dayMs });
const list = fc.record({
  kind: fc.constant('list' as const),
  delaysMs: fc.array(fc.nat(dayMs), { maxLength: 6 }),
});
const exponential = fc.record({
  kind: fc.constant('exponential' as const),
  baseMs: ms,
  factor: fc.double({ min: 1, max: 10, noNaN: true }),
  capMs: ms,
  jitter: fc.constantFrom('none' as const, 'full' as const, 'equal' as const),
});
const policies: fc.Arbitrary<Policy> = fc.record({
  attemptsMax: fc.integer({ min: 1, max: 20 }),
  scheduleMs: fc.oneof(list, exponential),
  leaseMs: ms,
  roundsMax: fc.integer({ min: 1, max: 10 }),
  bounceDelayMs: ms,
});
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const attempts = fc.oneof(
  fc.integer({ min: 1, max: 30 }),
  fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
);
const without = (policy: Policy, jitter: 'none' | 'full' | 'equal'): Policy =>
  policy.scheduleMs.kind === 'list' ? policy : { ...policy, scheduleMs: { ...policy.scheduleMs, jitter } };

it('a wait is whole milliseconds, never below nothing and never above its cap', patience, () => {
  fc.assert(
    fc.property(policies, attempts, random, (policy, count, dice) => {
      const delay = retryDelayMs(policy, count, { random: dice });
      const { scheduleMs } = policy;
      const capMs = scheduleMs.kind === 'list' ? policy.leaseMs : scheduleMs.capMs;
      expect(Number.isSafeInteger(delay)).toBe(true);
      expect(delay).toBeGreaterThanOrEqual(0);
      expect(delay).toBeLessThanOrEqual(capMs);
    }),
    runs(2000),
  );
});

it('by doubling no wait is shorter than the one before, and all of them end at the cap', patience, () => {
  fc.assert(
    fc.property(policies, attempts, (policy, count) => {
      fc.pre(policy.scheduleMs.kind === 'exponential' && count < Number.MAX_SAFE_INTEGER);
      const steady = without(policy, 'none');
      const at = (attempt: number) => retryDelayMs(steady, attempt, { random: 0 });
      expect(at(count + 1)).toBeGreaterThanOrEqual(at(count));
      if (policy.scheduleMs.kind !== 'exponential' || policy.scheduleMs.factor < 1.01) return;
      expect(at(100_000)).toBe(policy.scheduleMs.capMs);
    }),
    runs(2000),
  );
});

it(
  'the dice choose within their half or the whole, never beyond, and more never means sooner',
  patience,
  () => {
    fc.assert(
      fc.property(policies, attempts, random, random, (policy, count, one, other) => {
        fc.pre(policy.scheduleMs.kind === 'exponential');
        const whole = retryDelayMs(without(policy, 'none'), count, { random: 0 });
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        for (const [jitter, least] of [
          ['full', 0],
          ['equal', Math.ceil(whole / 2)],
        ] as const) {
          const policyWith = without(policy, jitter);
          const [sooner, later] = [low, high].map((dice) =>
            retryDelayMs(policyWith, count, { random: dice }),
          );
          expect(sooner).toBeGreaterThanOrEqual(least);
          expect(later).toBeGreaterThanOrEqual(sooner ?? Infinity);
          // Of one millisecond there is no part to choose.
          if (whole > 1) expect(later).toBeLessThan(whole);
          expect(retryDelayMs(policyWith, count, { random: 0 })).toBe(least);
        }
      }),
      runs(2000),
    );
  },
);

it('what the provider asks for is never cut below a day, nor does it shorten our own wait', patience, () => {
  fc.assert(
    fc.property(
      policies,
      attempts,
      random,
      fc.double({ min: 0, max: 1e12, noNaN: true }),
      (policy, count, dice, asked) => {
        const own = retryDelayMs(policy, count, { random: dice });
        const delay = retryDelayMs(policy, count, { random: dice, retryAfterMs: asked });
        expect(delay).toBe(Math.max(own, Math.min(Math.ceil(asked), dayMs)));
      },
    ),
    runs(2000),
  );
});

it(
  'a lease outlasts the longest call by half a minute, is never shorter than the policy says, and grows with the call',
  patience,
  () => {
    fc.assert(
      fc.property(policies, fc.nat(dayMs), fc.nat(dayMs), (policy, one, other) => {
        const [short, long] = [Math.min(one, other), Math.max(one, other)];
        const held = leaseMs(policy, { longestCallMs: long });
        expect(held).toBeGreaterThanOrEqual(long + 30_000);
        expect(held).toBeGreaterThanOrEqual(policy.leaseMs);
        expect(held).toBeGreaterThanOrEqual(leaseMs(policy, { longestCallMs: short }));
        expect([policy.leaseMs, long + 30_000]).toContain(held);
      }),
      runs(1000),
    );
  },
);

it('a bounce waits longer in each round, and the rounds have an end', patience, () => {
  fc.assert(
    fc.property(policies, fc.integer({ min: 1, max: 998 }), fc.nat(4e12), (policy, round, now) => {
      const [this_, next] = [afterBounce(policy, round, now), afterBounce(policy, round + 1, now)];
      expect(this_.dueAt).toBeGreaterThan(now);
      expect(next.dueAt).toBeGreaterThan(this_.dueAt);
      expect(Number.isSafeInteger(next.dueAt)).toBe(true);
      expect(this_.roundsMax).toBe(policy.roundsMax);
      expect(quotaRoundsMax(policy)).toBeGreaterThan(policy.roundsMax);
    }),
    runs(1000),
  );
});

it(
  'a full quota is waited for until the first hour after the next midnight of UTC, each mail at a second of its own',
  patience,
  () => {
    fc.assert(
      fc.property(fc.nat(4e12), fc.nat({ max: Number.MAX_SAFE_INTEGER }), (overAt, seq) => {
        const at = quotaRetryAt(overAt, seq);
        const day = (time: number) => new Date(time).toISOString().slice(0, 'YYYY-MM-DD'.length);
        expect(day(at)).toBe(day(overAt + dayMs));
        expect(new Date(at).getUTCHours()).toBe(0);
        expect(at - overAt).toBeGreaterThan(0);
        const others = Array.from({ length: 20 }, (_, more) => quotaRetryAt(overAt, (seq % 1e9) + more));
        expect(new Set(others).size).toBe(20);
      }),
      runs(1000),
    );
  },
);

it('all waits of a delivery of our own policy together end within a day of trying', () => {
  const longest = Array.from({ length: plainPolicy.attemptsMax }, (_, count) =>
    retryDelayMs(plainPolicy, count + 1, { random: 0.999_999 }),
  ).reduce((sum, one) => sum + one, 0);
  expect(longest).toBeLessThan(dayMs);
});
