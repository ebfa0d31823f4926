import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';

/** `toEqual` for loops of thousands, where an `expect` that finds nothing takes longer than what it looks at. */
export function requireEqual<T>(actual: T, expected: T, what = ''): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, what).toEqual(expected);
}
