import { sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { rowsOf } from '../../../db/dialect.ts';
import { campusesOf, type ListKey } from '../term.ts';

/**
 * Where others still think otherwise than the list that has the say: sections whose catalog spoke before the first list, or that
 * have come from a campus with another list, and people who were told by somebody else. What is open by the list becomes open and
 * tells nobody (8.12). What was thought open and is not is answered, to be recorded as a closing: without one, nobody whom it was
 * told to would hear of the next opening. All of it under the lock of the list's row.
 */
/** What is open by the list. */
type Open = Pick<ReadonlyMap<string, unknown>, 'has'>;

/** The first list. Of what nobody was told nothing is recorded, whatever the catalog said of it. */
export async function settleBaseline(
  tx: Tx,
  db: Database,
  list: ListKey,
  open: Open,
  foreign: ReadonlySet<string>,
): Promise<string[]> {
  await settleSections(tx, db, list, open, true);
  // Afterwards: who begins to watch at this moment holds the section until their watch can be read here.
  const told = await readTold(tx, list);
  return told.filter((index) => !open.has(index) && !foreign.has(index)).sort();
}

/**
 * Answers those that were open and are not. Compared here and not by a join: of tables that were filled a moment ago PostgreSQL
 * knows nothing, takes them for almost empty, and looks at every index for every section, which takes minutes. Sections that are
 * gone are settled by a first list only: afterwards any list may name them.
 */
export async function settleSections(
  tx: Tx,
  db: Database,
  list: ListKey,
  open: Open,
  withGone = false,
): Promise<string[]> {
  const known = await tx
    .selectFrom('sections')
    .select(['section_id', 'index_number', 'last_known_section_status as status'])
    .where('term_id', '=', list.termId)
    .where('campus_code', 'in', [...campusesOf(list)])
    .$if(!withGone, (query) => query.where('gone_at', 'is', null))
    .orderBy('section_id')
    .execute();
  const differing = known.flatMap(({ section_id, index_number, status }) => {
    const now = open.has(index_number) ? 'Open' : 'Closed';
    return status === now ? [] : [{ section_id, now, index_number, status }];
  });
  if (differing.length === 0) return [];
  const rows = differing.map(({ section_id, now }) => ({ section_id, now }));
  await sql`
    UPDATE sections SET last_known_section_status = input.now
    FROM ${rowsOf(db.dialect, { section_id: 'number', now: 'text' }, rows)} WHERE sections.section_id = input.section_id
  `.execute(tx);
  return differing.filter(({ status }) => status === 'Open').map(({ index_number }) => index_number);
}

/** Those of which somebody was told that they are open, whether or not a catalog knows them. */
async function readTold(tx: Tx, list: ListKey): Promise<string[]> {
  const campuses = sql.join(campusesOf(list).map((campus) => sql`${campus}`));
  const { rows } = await sql<{ index_number: string }>`
    SELECT index_number FROM subscriptions
    WHERE term_id = ${list.termId} AND campus_code IN (${campuses}) AND last_known_section_status = 'Open'
    UNION
    SELECT index_number FROM open_events AS last
    WHERE term_id = ${list.termId} AND campus_code IN (${campuses}) AND status_after = 'Open' AND NOT EXISTS (
      SELECT 1 FROM open_events AS later WHERE later.term_id = last.term_id
      AND later.index_number = last.index_number AND later.open_event_id > last.open_event_id
    )
  `.execute(tx);
  return rows.map(({ index_number }) => index_number);
}

/**
 * Indexes that are in this list and whose sections are at a campus with another one, which does not have them open: whoever was
 * told by this list that they are waits for an opening in that one. Locked: that list may be opening one at this moment.
 */
export async function settleForeign(
  tx: Tx,
  db: Database,
  list: ListKey,
  indexes: readonly string[],
): Promise<string[]> {
  if (indexes.length === 0) return [];
  const rows = indexes.map((index_number) => ({ index_number }));
  const isTold = (status: ReturnType<typeof sql>) => sql`EXISTS (
    SELECT 1 FROM subscriptions WHERE subscriptions.term_id = sections.term_id
    AND subscriptions.index_number = sections.index_number AND ${status}
    AND subscriptions.last_known_section_status = 'Open'
  )`;
  // In the words of the two indexes; CROSS JOIN: SQLite keeps to its order, and would otherwise read every section of the term.
  const { rows: found } = await sql<{ index_number: string }>`
    SELECT sections.index_number FROM ${rowsOf(db.dialect, { index_number: 'text' }, rows)} CROSS JOIN sections
    WHERE sections.term_id = ${list.termId} AND sections.index_number = input.index_number
      AND sections.last_known_section_status <> 'Open' AND (
        ${isTold(sql`subscriptions.status IN ('active', 'pending')`)}
        OR ${isTold(sql`subscriptions.status IN ('paused', 'suppressed', 'unsubscribed')`)}
      )
    ORDER BY sections.section_id ${db.dialect === 'postgres' ? sql`FOR UPDATE OF sections` : sql``}
  `.execute(tx);
  return found.map(({ index_number }) => index_number).sort();
}
