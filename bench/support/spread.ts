/** Of some measurements: the middle, the one that 99 of 100 do not exceed, the worst and the average. */
export interface Spread {
  p50: number;
  p99: number;
  worst: number;
  average: number;
}

export function spreadOf(numbers: readonly number[]): Spread {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  const average = sorted.reduce((sum, number) => sum + number, 0) / sorted.length;
  return { p50: at(0.5), p99: at(0.99), worst: at(1), average };
}
