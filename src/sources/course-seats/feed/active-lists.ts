import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { Clock } from '../../../std/clock.ts';
import { campusCodes, type ListKey, listOf, parseTermId } from '../term.ts';

/** Which lists are polled: those that somebody watches, and those that are configured. Each once, whoever shares it (8.9). */
export interface ActiveLists {
  find(): Promise<ListKey[]>;
}

/** Asked anew for every round. */
export interface Configured {
  termIds: readonly string[];
  campusCodes: readonly string[];
}

/** All watches are read this often, to let go of lists that nobody watches any more; in between only the new ones are. */
const readAllEveryMs = 60_000;
/** Numbers are given out before they are committed: one that was a little late is still found. */
const lateNumbers = 1000;

export function createActiveLists(parts: {
  db: Database;
  clock: Clock;
  configured: Configured;
}): ActiveLists {
  const { db, clock, configured } = parts;
  let watched: ListKey[] = [];
  let readUpTo = 0;
  let readAllAt = Number.NEGATIVE_INFINITY;

  async function watchedAfter(subscriptionId: number) {
    const { rows } = await sql<{ term_id: string; campus_code: string; last: number }>`
      SELECT term_id, campus_code, MAX(subscription_id) AS last FROM subscriptions
      WHERE status IN ('pending', 'active', 'paused') AND subscription_id > ${subscriptionId}
      GROUP BY term_id, campus_code
    `.execute(db.read);
    const lists = rows
      // What is not of this feed would be asked for in vain, for ever.
      .filter((row) => parseTermId(row.term_id) && campusCodes.some((code) => code === row.campus_code))
      .map((row) => listOf(row.term_id, row.campus_code));
    return { lists, last: Math.max(subscriptionId, ...rows.map(({ last }) => last)) };
  }

  return {
    async find() {
      const isAll = clock.monotonic() - readAllAt >= readAllEveryMs;
      const { lists, last } = await watchedAfter(isAll ? 0 : Math.max(0, readUpTo - lateNumbers));
      if (isAll) readAllAt = clock.monotonic();
      readUpTo = Math.max(isAll ? 0 : readUpTo, last);
      watched = distinct(isAll ? lists : [...watched, ...lists]);
      const fixed = configured.termIds.flatMap((termId) =>
        configured.campusCodes.map((campusCode) => listOf(termId, campusCode)),
      );
      return distinct([...fixed, ...watched]);
    },
  };
}

export const nameOf = ({ termId, campusCode }: ListKey) => `${termId} ${campusCode}`;

function distinct(lists: readonly ListKey[]): ListKey[] {
  return [...new Map(lists.map((list) => [nameOf(list), list])).values()];
}
