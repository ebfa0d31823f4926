import { sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import { type DialectName, namesOf, rowsOf } from '../../../db/dialect.ts';
import type { Held } from '../feed/held-list.ts';
import type { ListKey } from '../term.ts';

/**
 * What is believed of sections, where somebody else than the poller learns something about them. The list's version is raised with
 * every change, so that a poller which has computed from the older state writes nothing and looks again.
 */
export interface ListState {
  /** The first list has come; before it, nothing is believed. */
  hasBaseline: boolean;
  /** Believed, and lately: its word counts more than any other. */
  isFresh: boolean;
  /** A list is held back: what none of those lists had. Null where none is. */
  lost: ReadonlySet<string> | null;
}

/** Four polls: after them the feed is no longer the best that is known. */
const freshMs = 60_000;

/** The rows of these lists, locked in one order; of those that there are. By `keyOf`. */
export async function lockLists(
  tx: Tx,
  dialect: DialectName,
  lists: readonly ListKey[],
  now: number,
): Promise<ReadonlyMap<string, ListState>> {
  const input = rowsOf(
    dialect,
    { term_id: 'text', campus_code: 'text' },
    lists.map(({ termId, campusCode }) => ({ term_id: termId, campus_code: campusCode })),
  );
  const { rows } = await sql<{
    term_id: string;
    campus_code: string;
    baseline_at: number | null;
    good_at: number | null;
    held: string | null;
  }>`
    SELECT open_lists.term_id, open_lists.campus_code, baseline_at, good_at, held FROM ${input}
    JOIN open_lists ON open_lists.term_id = input.term_id AND open_lists.campus_code = input.campus_code
    ORDER BY open_lists.term_id, open_lists.campus_code ${dialect === 'postgres' ? sql`FOR UPDATE OF open_lists` : sql``}
  `.execute(tx);
  return new Map(
    rows.map(({ term_id, campus_code, baseline_at, good_at, held }) => [
      keyOf({ termId: term_id, campusCode: campus_code }),
      {
        hasBaseline: baseline_at !== null,
        isFresh: baseline_at !== null && good_at !== null && now - good_at <= freshMs && held === null,
        lost: held === null ? null : new Set((JSON.parse(held) as Held).run.missing),
      },
    ]),
  );
}

export const keyOf = ({ termId, campusCode }: ListKey) => `${termId}|${campusCode}`;

/** What the list says of each index; one that is not in the answer was never in the list. */
export async function readBeliefs(
  tx: Tx,
  dialect: DialectName,
  asked: readonly (ListKey & { indexNumber: string })[],
): Promise<ReadonlyMap<string, { isOpen: boolean; misses: number }>> {
  const columns = { term_id: 'text', campus_code: 'text', index_number: 'text' } as const;
  const rows = asked.map(({ termId, campusCode, indexNumber }) => ({
    ...{ term_id: termId, campus_code: campusCode, index_number: indexNumber },
  }));
  const found = await sql<{ term_id: string; index_number: string; is_open: number; misses: number }>`
    SELECT held.term_id, held.index_number, held.is_open, held.misses FROM ${rowsOf(dialect, columns, rows)}
    JOIN open_list_indexes AS held ON held.term_id = input.term_id AND held.campus_code = input.campus_code
      AND held.index_number = input.index_number
  `.execute(tx);
  return new Map(
    found.rows.map(({ term_id, index_number, is_open, misses }) => [
      `${term_id}|${index_number}`,
      { isOpen: is_open === 1, misses },
    ]),
  );
}

const beliefColumns = {
  term_id: 'text',
  campus_code: 'text',
  index_number: 'text',
  is_open: 'number',
  opened_at: 'number',
  closed_at: 'number',
} as const;

/** Only in a list that has its baseline, whose row is locked. */
export async function writeBeliefs(
  tx: Tx,
  dialect: DialectName,
  { termId, campusCode }: ListKey,
  beliefs: ReadonlyMap<string, 'Open' | 'Closed'>,
  now: number,
): Promise<void> {
  const rows = [...beliefs].map(([index_number, status]) => ({
    ...{ term_id: termId, campus_code: campusCode, index_number, is_open: status === 'Open' ? 1 : 0 },
    ...{ opened_at: status === 'Open' ? now : null, closed_at: status === 'Open' ? null : now },
  }));
  const names = namesOf(beliefColumns);
  await sql`
    INSERT INTO open_list_indexes (${names}) SELECT ${names} FROM ${rowsOf(dialect, beliefColumns, rows)} WHERE true
    ON CONFLICT (term_id, campus_code, index_number) DO UPDATE SET
      is_open = excluded.is_open, misses = 0, missed_at = NULL,
      opened_at = coalesce(excluded.opened_at, open_list_indexes.opened_at),
      closed_at = coalesce(excluded.closed_at, open_list_indexes.closed_at)
  `.execute(tx);
  // Never a number that was given before, also after a fail-over that has lost some: the poller remembers what it read by it.
  await sql`
    UPDATE open_lists SET version = CASE WHEN version < ${now} THEN ${now} ELSE version + 1 END, open_count = (
      SELECT count(*) FROM open_list_indexes AS held
      WHERE held.term_id = open_lists.term_id AND held.campus_code = open_lists.campus_code AND held.is_open = 1
    ) WHERE term_id = ${termId} AND campus_code = ${campusCode}
  `.execute(tx);
}
