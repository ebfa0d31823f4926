import type { Clock } from '../../../std/clock.ts';
import type { Log } from '../../../std/log.ts';
import { campusesOf, type ListKey } from '../term.ts';
import { nameOf } from './active-lists.ts';
import type { Held } from './held-list.ts';
import { keyOf, type ListRow } from './list-rows.ts';

/** How a list is doing: for pages, the command line and metrics. */
export interface ListStatus extends ListKey {
  campuses: readonly string[];
  /** Sections that are believed open. */
  openCount: number;
  /** Since when it is asked for; null before, and where nobody has kept it. */
  askedAt: number | null;
  /** The last answer that was a list; the last that was believed. */
  heardAt: number | null;
  goodAt: number | null;
  /** Nothing was believed for longer than promised. */
  isStale: boolean;
  isHeld: boolean;
  heldSince: number | null;
  /** In a row. */
  failures: number;
  lastError: string | null;
  nextPollAt: number;
  baselineAt: number | null;
}

const staleAfterMs = 60_000; // 004-01

export function statusOf(list: ListKey, row: ListRow | undefined, now: number): ListStatus {
  const goodAt = row?.good_at ?? null;
  return {
    ...{
      ...list,
      campuses: campusesOf(list),
      openCount: row?.open_count ?? 0,
      askedAt: row?.asked_at ?? null,
      heardAt: row?.heard_at ?? null,
    },
    ...{ goodAt, isStale: goodAt === null || now - goodAt > staleAfterMs },
    ...{
      isHeld: (row?.held ?? null) !== null,
      heldSince: row?.held ? (JSON.parse(row.held) as Held).since : null,
    },
    ...{ failures: row?.failures ?? 0, lastError: row?.last_error ?? null },
    ...{ nextPollAt: row?.next_poll_at ?? 0, baselineAt: row?.baseline_at ?? null },
  };
}

/** Says once that a list has become stale, and once that it is over. */
export function createStaleWatch({
  clock,
  log,
}: {
  clock: Clock;
  log: Log;
}): (rows: readonly ListRow[]) => void {
  // Whoever begins to poll gives every list its minute: what was before was somebody else's to tell.
  let seen = new Map<string, { since: number; staleSince: number | null }>();
  return (rows) => {
    const now = clock.now();
    const next: typeof seen = new Map();
    for (const row of rows) {
      const list = keyOf(row);
      const { since, staleSince } = seen.get(nameOf(list)) ?? { since: now, staleSince: null };
      const isStale = now - Math.max(row.good_at ?? 0, since) > staleAfterMs;
      const fields = { ...list, goodAt: row.good_at, isHeld: row.held !== null, lastError: row.last_error };
      if (isStale && staleSince === null) log.warn('seats.feed_stale', fields);
      if (!isStale && staleSince !== null)
        log.info('seats.feed_fresh', { ...list, staleForMs: now - staleSince });
      next.set(nameOf(list), { since, staleSince: isStale ? (staleSince ?? now) : null });
    }
    seen = next;
  };
}
