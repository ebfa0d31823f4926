import { describe, expect, it } from 'vitest';
import { type FaultsOrder, type Planned, planFaults } from '../simulation/deployment/faults.ts';
import { recoveryMs } from '../simulation/deployment/recovery.ts';
import { missesOf, type SteadyFigures } from '../simulation/deployment/steady.ts';
import { createSeededRandom } from '../src/std/random.ts';

describe('the faults of a deployment', () => {
  const order: FaultsOrder = { flushes: 2, kills: 3, stoppedForMs: 1, restartPostgres: async () => {} };
  const planOf = (seed: number, changed: Partial<FaultsOrder> = {}) =>
    planFaults({ ...order, ...changed }, createSeededRandom(seed));
  const names = (planned: readonly Planned[]) => planned.map(({ fault }) => fault);

  it('are all there, one after the other, while there is something to recover with; whoever is stopped is stopped first', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const planned = planOf(seed);
      expect(names(planned).toSorted()).toEqual([
        'PostgreSQL restarted',
        'Redis flushed',
        'Redis flushed',
        'Redis killed',
        'worker killed',
        'worker killed',
        'worker killed',
        'worker stopped',
      ]);
      expect(planned[0]?.fault).toBe('worker stopped');
      const shares = planned.map(({ share }) => share);
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
      expect(shares.at(-1)).toBeLessThan(0.9);
    }
  });

  it('come in another order with another seed, and in the same with the same', () => {
    expect(planOf(3)).toEqual(planOf(3));
    expect(new Set([1, 2, 3, 4, 5].map((seed) => names(planOf(seed)).join())).size).toBeGreaterThan(1);
  });

  it('leave out who is not to be stopped, and a database that nobody can restart', () => {
    expect(names(planOf(1, { stoppedForMs: null, restartPostgres: undefined }))).toHaveLength(6);
  });
});

describe('how long a fault was felt', () => {
  /** Ten seconds at the limit of 100, then as many tenths as are given, then at the limit again. */
  const timeline = (...then: number[]) => ({
    ...{ startedAt: 1_000, limit: 100 },
    tenths: [...Array<number>(100).fill(10), ...then, ...Array<number>(200).fill(10)],
  });
  const none = (tenths: number) => Array<number>(tenths).fill(0);
  const faultAt = 1_000 + 10_000;
  const order = { nextAt: 1_000 + 30_000, until: 1_000 + 30_000 };

  it('is until mails go out at half of the limit, and for three seconds on end', () => {
    expect(recoveryMs(timeline(...none(50)), faultAt, order)).toBe(4_500);
    const twice = [...none(20), ...Array<number>(15).fill(10), ...none(20)];
    expect(recoveryMs(timeline(...twice), faultAt, order)).toBe(5_000);
  });

  it('is nothing where they always did, and unknown where they never did again', () => {
    expect(recoveryMs(timeline(), faultAt, order)).toBe(0);
    expect(recoveryMs(timeline(...none(250)), faultAt, order)).toBeNull();
  });

  it('is nothing where the next fault came first', () => {
    const late = [...Array<number>(100).fill(10), ...none(20)];
    expect(recoveryMs(timeline(...late), faultAt, order)).toBeGreaterThan(10_000);
    expect(recoveryMs(timeline(...late), faultAt, { ...order, nextAt: faultAt + 5_000 })).toBe(0);
  });
});

describe('what a deployment without faults has to keep to', () => {
  const right: SteadyFigures = {
    ...{ limit: 300, requests: 50_000, throttled: 49, perSecond: 270, attemptsBurnt: 0, claims: 50_000 },
  };

  it('is kept to', () => expect(missesOf(right)).toEqual([]));

  it.each<[string, Partial<SteadyFigures>]>([
    ['50 of 50000 requests met a 429: fewer than one in a thousand may', { throttled: 50 }],
    ['1 deliveries did not end with their first attempt', { attemptsBurnt: 1 }],
    ['89.7 % of the limit was used: 90 % is the least', { perSecond: 269 }],
  ])('is missed: %s', (sentence, figures) => {
    expect(missesOf({ ...right, ...figures })).toEqual([sentence]);
  });
});
