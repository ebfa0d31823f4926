import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readThreshold } from './threshold.ts';

const exact = (given: unknown) => {
  const read = readThreshold(given);
  return 'threshold' in read ? read.threshold : read.problem;
};

const digits = (min: number, max: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max }).map((list) => list.join(''));
const decimal = fc
  .tuple(fc.constantFrom('', '-', '+'), digits(1, 18), digits(0, 10))
  .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`);

/** In units of its last digit, as whole numbers, which are exact. */
const unitsOf = (text: string) => {
  const [whole = '', fraction = ''] = text.replace('+', '').split('.');
  return BigInt(`${whole}${fraction.padEnd(10, '0')}`);
};

test('whatever was written, its value is kept to the last digit, and has one spelling', () => {
  fc.assert(
    fc.property(decimal, (text) => {
      const read = exact(text);
      expect(unitsOf(read)).toBe(unitsOf(text));
      expect(exact(read)).toBe(read);
      expect(read).toMatch(/^(?:0|-?(?:[1-9]\d*|0)(?:\.\d*[1-9])?)$/);
    }),
  );
});

test('a number and the text that it stands for are the same, as long as the number can keep it', () => {
  fc.assert(
    fc.property(
      fc.tuple(fc.integer({ min: -(10 ** 15) + 1, max: 10 ** 15 - 1 }), fc.integer({ min: 0, max: 10 })),
      ([units, places]) => {
        const sign = units < 0 ? '-' : '';
        const text = String(Math.abs(units)).padStart(places + 1, '0');
        const written = `${sign}${text.slice(0, text.length - places)}.${text.slice(text.length - places)}0`;
        expect(exact(Number(written))).toBe(exact(written));
      },
    ),
  );
});

test.each([
  Number.NaN,
  Number.POSITIVE_INFINITY,
  1e30,
  1.2345678901234567,
  undefined,
  null,
  {},
  [],
  '',
  '.',
  '1.',
  '--1',
  '0x10',
  '١',
  '1_000',
])('is none: %j', (given) => {
  expect(readThreshold(given)).toHaveProperty('problem');
});
