import fc from 'fast-check';
import { expect, test } from 'vitest';
import { idempotencyKey, readIdempotencyKey } from './message.ts';

const id = '2ed6657d-e927-568b-95e1-2665a8aea6a2';

test('a key tells its delivery and round', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.integer({ min: 1, max: 999_999_999 }), (deliveryId, round) => {
      expect(readIdempotencyKey(idempotencyKey(deliveryId, round))).toEqual({ deliveryId, round });
    }),
  );
});

test.each([
  ...[`${id}-r1`, `${id}-r0`, `${id}-r02`, `${id}-r`, `${id}-r2 `, `${id}-r-2`, `${id}-r1e3`],
  ...[id.toUpperCase(), `x${id}`, id.slice(1), 'a', ''],
])('%j is the key of no delivery', (key) => {
  expect(readIdempotencyKey(key)).toBeNull();
});
