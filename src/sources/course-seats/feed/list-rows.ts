import { type Selectable, sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { namesOf, rowsOf } from '../../../db/dialect.ts';
import type { SeatsSchema } from '../../../db/seats-schema.ts';
import type { ListKey } from '../term.ts';
import { nameOf } from './active-lists.ts';
import type { Missed, Weighed } from './open-list.ts';

/** The statements on `open_lists`, `open_list_indexes` and `open_section_snapshots`; what to write is decided elsewhere. */
export type ListRow = Selectable<SeatsSchema['open_lists']>;

const listColumns = { term_id: 'text', campus_code: 'text' } as const;

/** The rows of these lists, made where there are none: they are asked for from this moment on. */
export async function rowsOfLists(db: Database, lists: readonly ListKey[], now: number): Promise<ListRow[]> {
  const known = await readRows(db, lists);
  const names = new Set(known.map((row) => nameOf(keyOf(row))));
  const missing = lists.filter((list) => !names.has(nameOf(list)));
  if (missing.length === 0) return known;
  const columns = namesOf(listColumns);
  await sql`
    INSERT INTO open_lists (${columns}, asked_at)
    SELECT ${columns}, ${sql.lit(now)} FROM ${rowsOf(db.dialect, listColumns, missing.map(cellsOf))} WHERE true ON CONFLICT DO NOTHING
  `.execute(db.write);
  return readRows(db, lists);
}

/** In the order in which they are due. */
export async function readRows(db: Database, lists: readonly ListKey[]): Promise<ListRow[]> {
  if (lists.length === 0) return [];
  const { rows } = await sql<ListRow>`
    SELECT open_lists.* FROM ${rowsOf(db.dialect, listColumns, lists.map(cellsOf))} JOIN open_lists
    ON open_lists.term_id = input.term_id AND open_lists.campus_code = input.campus_code
    ORDER BY open_lists.next_poll_at, open_lists.term_id, open_lists.campus_code
  `.execute(db.read);
  return rows;
}

export async function readOpenIndexes(db: Database, list: ListKey): Promise<Map<string, Missed>> {
  const rows = await db.read
    .selectFrom('open_list_indexes')
    .select(['index_number', 'misses', 'missed_at'])
    .where('term_id', '=', list.termId)
    .where('campus_code', '=', list.campusCode)
    .where('is_open', '=', 1)
    .execute();
  return new Map(rows.map((row) => [row.index_number, { misses: row.misses, missedAt: row.missed_at }]));
}

/**
 * A version is never given twice: after a fail-over that has lost some, counting alone would give the same number to other beliefs,
 * and whoever remembers the lost ones would go on with them.
 */
export const versionAfter = ({ version }: ListRow, at: number) => Math.max(version + 1, at);

/** The fence: answers whether nobody else has written since this row was read. It takes the row's lock, so it comes first. */
export async function writeRow(
  tx: Pick<Tx, 'updateTable'>,
  { term_id, campus_code, version }: ListRow,
  change: Partial<Omit<ListRow, 'term_id' | 'campus_code'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('open_lists')
    .set(change)
    .where('term_id', '=', term_id)
    .where('campus_code', '=', campus_code)
    .where('version', '=', version)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

const indexColumns = {
  term_id: 'text',
  campus_code: 'text',
  index_number: 'text',
  is_open: 'number',
  misses: 'number',
  missed_at: 'number',
  opened_at: 'number',
  closed_at: 'number',
} as const;

/** Only those that changed, in one statement. */
export async function writeIndexes(
  tx: Tx,
  db: Database,
  list: ListKey,
  weighed: Weighed,
  at: number,
): Promise<void> {
  if (weighed.changes.size === 0) return;
  const opened = new Set(weighed.opened);
  const rows = [...weighed.changes].map(([index, { isOpen, misses, missedAt }]) => ({
    ...{ ...cellsOf(list), index_number: index, is_open: isOpen ? 1 : 0, misses, missed_at: missedAt },
    ...{ opened_at: opened.has(index) ? at : null, closed_at: isOpen ? null : at },
  }));
  const columns = namesOf(indexColumns);
  await sql`
    INSERT INTO open_list_indexes (${columns})
    SELECT ${columns} FROM ${rowsOf(db.dialect, indexColumns, rows)} WHERE true
    ON CONFLICT (term_id, campus_code, index_number) DO UPDATE SET
      is_open = excluded.is_open, misses = excluded.misses, missed_at = excluded.missed_at,
      opened_at = COALESCE(excluded.opened_at, open_list_indexes.opened_at),
      closed_at = COALESCE(excluded.closed_at, open_list_indexes.closed_at)
  `.execute(tx);
}

export async function writeSnapshot(
  tx: Tx,
  list: ListKey,
  seen: { weighed: Weighed; closed: number; hash: string; count: number; traceId: string; at: number },
): Promise<number> {
  const { weighed, closed, hash, count, traceId, at } = seen;
  const { snapshot_id } = await tx
    .insertInto('open_section_snapshots')
    .values({
      ...{
        ...cellsOf(list),
        seen_open_at: new Date(at).toISOString(),
        source_hash: hash,
        index_count: count,
      },
      ...{ verdict: weighed.verdict, opened: weighed.opened.length, closed },
      trace_id: traceId,
    })
    .returning('snapshot_id')
    .executeTakeFirstOrThrow();
  return snapshot_id;
}

export const keyOf = ({ term_id, campus_code }: Pick<ListRow, 'term_id' | 'campus_code'>): ListKey => ({
  ...{ termId: term_id, campusCode: campus_code },
});

const cellsOf = ({ termId, campusCode }: ListKey) => ({ term_id: termId, campus_code: campusCode });
