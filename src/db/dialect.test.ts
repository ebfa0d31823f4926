import { describe, expect, it } from 'vitest';
import { portions } from './dialect.ts';

describe('portions', () => {
  const sizes = (...millions: number[]) =>
    portions(
      millions.map((million) => million * 1_000_000),
      (size) => size,
    ).map((portion) => portion.map((size) => size / 1_000_000));

  it('keep the order and fill up to eight millions', () => {
    expect(sizes(4, 4, 1, 7, 1)).toEqual([[4, 4], [1, 7], [1]]);
  });

  it('leave nothing out: what is too large goes alone', () => {
    expect(sizes(1, 20, 1)).toEqual([[1], [20], [1]]);
    expect(sizes()).toEqual([]);
  });
});
