/** One text for one value, whatever the order in which its names were written: what a hash is made of. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, sorted(one)]),
  );
}

/** How many objects and lists stand in each other; a value that is neither has none. Bounded: who asks needs no more than the limit. */
export function depthOf(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null || limit <= 0) return 0;
  return 1 + Math.max(0, ...Object.values(value).map((one) => depthOf(one, limit - 1)));
}
