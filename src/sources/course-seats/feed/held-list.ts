/**
 * The integrity gate (8.8): a list that has lost a great part of its indexes at once is more likely half a list than a campus that
 * filled up in a quarter of a minute. It is held back until it recovers, or until lists that agree with each other have said the
 * same for long enough. Pure.
 */
export interface Held {
  /** When the first of them came. */
  since: number;
  /** Lists that agree, each with those before it; one that does not, or that comes too late, is the first of a new run. */
  run: HeldRun;
}

interface HeldRun {
  startedAt: number;
  lastAt: number;
  samples: number;
  /** In none of the run's lists, sorted. */
  missing: readonly string[];
}

const lossMin = 25; // 8.8: of small lists a share is only a few.
const holdingShare = 0.1;
const recoveryShare = 0.05;
const confirmation = { samplesMin: 3, spanMinMs: 300_000, gapMaxMs: 120_000 }; // 8.8

/** Once one is held, the next must be better than what would have let it pass at first: around one limit it would flutter. */
export function isHeldBack(held: Held | null, missing: number, openBefore: number): boolean {
  return missing >= lossLimit(openBefore, held ? recoveryShare : holdingShare);
}

/** More at once than seats come or go. */
export function isTooMany(count: number, openBefore: number): boolean {
  return count >= lossLimit(openBefore, holdingShare);
}

function lossLimit(openBefore: number, share: number): number {
  return Math.max(openBefore * share, lossMin);
}

/**
 * With one more list that is to be held back. Lists agree when what this one lacks and what all of the run lack differ by
 * fewer than the list might lack and be believed: half a list, cut differently each time, never confirms itself, and a campus
 * where seats still come and go does.
 */
export function holdBack(
  held: Held | null,
  missing: readonly string[],
  openBefore: number,
  at: number,
): { confirmed: ReadonlySet<string>; held: Held | null } {
  const run = continued(held?.run, missing, openBefore, at) ?? {
    ...{ startedAt: at, lastAt: at, samples: 1, missing },
  };
  const isConfirmed = run.samples >= confirmation.samplesMin && at - run.startedAt >= confirmation.spanMinMs;
  if (isConfirmed) return { confirmed: new Set(run.missing), held: null };
  return { confirmed: new Set(), held: { since: held?.since ?? at, run } };
}

function continued(
  run: HeldRun | undefined,
  missing: readonly string[],
  openBefore: number,
  at: number,
): HeldRun | undefined {
  const isInTime = run && at >= run.lastAt && at - run.lastAt <= confirmation.gapMaxMs;
  if (!isInTime) return undefined;
  const now = new Set(missing);
  const inAll = run.missing.filter((index) => now.has(index));
  const differences = missing.length + run.missing.length - 2 * inAll.length;
  if (differences >= lossLimit(openBefore, recoveryShare)) return undefined;
  return { ...run, lastAt: at, samples: run.samples + 1, missing: inAll };
}
