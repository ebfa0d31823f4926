import { expect, test } from 'vitest';
import { keptRounds } from '../../bench/support/kept-rounds.ts';

test('a round counts while its control loop is within 15 % of the median', () => {
  expect(keptRounds([100, 114, 86, 100, 100])).toEqual({ kept: [0, 1, 2, 3, 4], dropped: [], off: 0 });
});

test('a round whose control loop was slower, or faster, does not count', () => {
  expect(keptRounds([100, 80, 100, 120, 100, 100])).toEqual({ kept: [0, 2, 4, 5], dropped: [1, 3], off: 2 });
});

test('no more than a third are dropped, the worst first', () => {
  expect(keptRounds([100, 50, 100, 20, 100, 70, 100])).toEqual({
    kept: [0, 2, 4, 5, 6],
    dropped: [3, 1],
    off: 3,
  });
});
