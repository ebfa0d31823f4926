import { expect, it } from 'vitest';
import { arrayOf } from './postgres-array.ts';

/** What PostgreSQL makes of them: tests/db/rows-of.test.ts. */
it('an empty array has no dimensions', () => {
  expect(arrayOf('text', []).toString('hex')).toBe('000000000000000000000019');
});

it('whole numbers beyond 32 bits, and below zero, are as they are', () => {
  const array = arrayOf('number', [-1, Number.MAX_SAFE_INTEGER, null, 2 ** 32]);
  const at = (offset: number) => array.readBigInt64BE(offset);
  expect([at(24), at(36), array.readInt32BE(44), at(52)]).toEqual([
    -1n,
    BigInt(Number.MAX_SAFE_INTEGER),
    -1,
    2n ** 32n,
  ]);
});

it.each([1.5, Number.NaN, Infinity, 2 ** 53, 'x', ''])('%s is not taken for a whole number', (value) => {
  expect(() => arrayOf('number', [value])).toThrow(RangeError);
});

it.each(['', '0', 'zzzzzzzz-0000-4000-8000-000000000000', '00000000-0000-4000-8000-0000000000000'])(
  '%j is no UUID',
  (value) => {
    expect(() => arrayOf('uuid', [value])).toThrow(RangeError);
  },
);
