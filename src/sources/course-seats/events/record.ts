import { sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import { type DialectName, namesOf, rowsOf } from '../../../db/dialect.ts';
import type { SectionStatus } from '../../../db/seats-schema.ts';
import { decideEdges, type PastEvent, windowMs } from './open-event.ts';
import type { RecordedEdges, Seen } from './open-events.ts';
import { payloadOf, type SeenSection, standIn, twinsOf } from './payload.ts';

/**
 * Writes events and all that follows from them at once: an opening's fan-out, what is known of the sections, and for a closing
 * that its watchers may be told of the next opening. As many statements for a thousand edges as for one. Rows are locked in one
 * order by everybody: the list, then sections, then subscriptions.
 */
export interface Recording extends RecordedEdges {
  /** By index; the last where there are several. */
  eventIds: ReadonlyMap<string, number>;
}

export async function recordEdges(tx: Tx, dialect: DialectName, seen: Seen): Promise<Recording> {
  const { list, edges, at, snapshot } = seen;
  if (edges.length === 0) return { opened: [], closed: [], repeated: [], eventIds: new Map() };
  // Of two that see the same at once, one comes after the other and finds what the first has written.
  if (dialect === 'postgres') {
    await sql`
      SELECT 1 FROM open_lists WHERE term_id = ${list.termId} AND campus_code = ${list.campusCode} FOR UPDATE
    `.execute(tx);
  }
  const indexes = [...new Set(edges.map(({ indexNumber }) => indexNumber))].sort();
  const sections = await readSections(tx, dialect, list.termId, indexes);
  const statusOf = await readTwins(tx, dialect, seen, [...sections.values()]);
  const past = await readPast(tx, dialect, list.termId, indexes, at);
  const campusOf = (index: string) => sections.get(index)?.campus_code ?? list.campusCode;
  const decided = decideEdges(edges, past, { termId: list.termId, at, campusOf });
  const hash = snapshot?.hash ?? null;
  const rows = decided.flatMap(({ edge: { indexNumber: index, statusBefore, statusAfter }, dedupeKey }) => {
    if (dedupeKey === null) return [];
    const section = sections.get(index);
    const payload = section
      ? payloadOf(section, hash, statusOf)
      : standIn(index, campusOf(index), snapshot?.hash ?? null);
    return [
      {
        ...{ section_id: section?.section_id ?? null, term_id: list.termId, campus_code: campusOf(index) },
        ...{ index_number: index, status_before: statusBefore, status_after: statusAfter },
        // 004-13, 004-62: a section that stays open makes no edge, so that a delta of 0 has nothing to be written for.
        ...{ seat_delta: statusAfter === 'Open' ? 1 : -1, event_at: new Date(at).toISOString() },
        ...{ detected_by: seen.detectedBy, snapshot_id: snapshot?.id ?? null, dedupe_key: dedupeKey },
        ...{ trace_id: seen.traceId, payload: JSON.stringify(payload) },
      },
    ];
  });
  const written = await insertEvents(tx, dialect, rows);
  await tellSections(
    tx,
    dialect,
    list.termId,
    new Map(edges.map((edge) => [edge.indexNumber, edge.statusAfter])),
  );
  const closings = edges.filter(({ statusAfter }) => statusAfter === 'Closed');
  await resetWatchers(
    tx,
    dialect,
    list.termId,
    [...new Set(closings.map(({ indexNumber }) => indexNumber))].sort(),
  );
  const isWritten = ({ dedupeKey }: { dedupeKey: string | null }) =>
    dedupeKey !== null && written.has(dedupeKey);
  const indexesOf = (which: (one: (typeof decided)[number]) => boolean) =>
    decided.filter(which).map(({ edge }) => edge.indexNumber);
  return {
    opened: indexesOf((one) => isWritten(one) && one.edge.statusAfter === 'Open'),
    closed: indexesOf((one) => isWritten(one) && one.edge.statusAfter === 'Closed'),
    repeated: indexesOf((one) => !isWritten(one)),
    eventIds: new Map(
      decided.flatMap(({ edge, dedupeKey }) => {
        const id = dedupeKey === null ? undefined : written.get(dedupeKey);
        return id === undefined ? [] : [[edge.indexNumber, id] as const];
      }),
    ),
  };
}

const indexRows = (dialect: DialectName, indexes: readonly string[]) =>
  rowsOf(
    dialect,
    { index_number: 'text' },
    indexes.map((index_number) => ({ index_number })),
  );

/** Locked: what is known of them changes at the end, and nobody who starts to watch one should read it in between. */
async function readSections(tx: Tx, dialect: DialectName, termId: string, indexes: readonly string[]) {
  // CROSS JOIN: SQLite keeps to its order, and would otherwise read every section of the term.
  const { rows } = await sql<SeenSection>`
    SELECT sections.section_id, sections.campus_code, sections.index_number, sections.section_number, sections.subtitle,
      sections.meeting_summary, sections.instructors, sections.special_permission, sections.restrictions,
      sections.cross_listed, sections.notes, coalesce(courses.expanded_title, courses.title) AS course_title,
      courses.course_string, courses.subject_code
    FROM ${indexRows(dialect, indexes)} CROSS JOIN sections
    JOIN courses ON courses.course_id = sections.course_id
    WHERE sections.term_id = ${termId} AND sections.index_number = input.index_number
    ORDER BY sections.section_id ${dialect === 'postgres' ? sql`FOR UPDATE OF sections` : sql``}
  `.execute(tx);
  return new Map(rows.map((row) => [row.index_number, row]));
}

/** What is believed of the sections that are cross-listed with these, after this batch. */
async function readTwins(
  tx: Tx,
  dialect: DialectName,
  { list, edges }: Seen,
  sections: readonly SeenSection[],
): Promise<(index: string) => SectionStatus> {
  const indexes = [...new Set(sections.flatMap(twinsOf).map(({ index }) => index))];
  const known = new Map<string, SectionStatus>();
  if (indexes.length > 0) {
    const { rows } = await sql<{ index_number: string; status: SectionStatus }>`
      SELECT sections.index_number, sections.last_known_section_status AS status FROM ${indexRows(dialect, indexes)}
      JOIN sections ON sections.term_id = ${list.termId} AND sections.index_number = input.index_number
    `.execute(tx);
    for (const { index_number, status } of rows) known.set(index_number, status);
  }
  for (const { indexNumber, statusAfter } of edges) known.set(indexNumber, statusAfter);
  return (index) => known.get(index) ?? 'Unknown';
}

async function readPast(
  tx: Tx,
  dialect: DialectName,
  termId: string,
  indexes: readonly string[],
  at: number,
) {
  const since = new Date(at - windowMs).toISOString();
  const { rows } = await sql<{ index_number: string; status_after: 'Open' | 'Closed'; event_at: string }>`
    SELECT open_events.index_number, open_events.status_after, open_events.event_at FROM ${indexRows(dialect, indexes)}
    JOIN open_events ON open_events.term_id = ${termId} AND open_events.index_number = input.index_number
    WHERE open_events.event_at > ${since} ORDER BY open_events.open_event_id
  `.execute(tx);
  return rows.map(
    ({ index_number: indexNumber, status_after: statusAfter, event_at }): PastEvent => ({
      ...{ indexNumber, statusAfter, at: Date.parse(event_at) },
    }),
  );
}

const eventColumns = {
  section_id: 'number',
  term_id: 'text',
  campus_code: 'text',
  index_number: 'text',
  status_before: 'text',
  status_after: 'text',
  seat_delta: 'number',
  event_at: 'text',
  detected_by: 'text',
  snapshot_id: 'number',
  dedupe_key: 'text',
  trace_id: 'text',
  payload: 'text',
} as const;

/** Answers the numbers of those that this call has written, by their keys. */
async function insertEvents(
  tx: Tx,
  dialect: DialectName,
  rows: readonly Record<keyof typeof eventColumns, string | number | null>[],
): Promise<ReadonlyMap<string, number>> {
  if (rows.length === 0) return new Map();
  const names = namesOf(eventColumns);
  // `WHERE true`: without it SQLite reads ON CONFLICT as part of the SELECT's join.
  const { rows: made } = await sql<{ open_event_id: number; dedupe_key: string; status_after: string }>`
    INSERT INTO open_events (${names}) SELECT ${names} FROM ${rowsOf(dialect, eventColumns, rows)} WHERE true
    ON CONFLICT (dedupe_key) DO NOTHING RETURNING open_event_id, dedupe_key, status_after
  `.execute(tx);
  // 004-12: a closing is told to nobody.
  const openings = made.filter(({ status_after }) => status_after === 'Open');
  if (openings.length > 0) {
    const input = rowsOf(
      dialect,
      { open_event_id: 'number' },
      openings.map(({ open_event_id }) => ({ open_event_id })),
    );
    await sql`INSERT INTO open_event_fanouts (open_event_id) SELECT open_event_id FROM ${input}`.execute(tx);
  }
  return new Map(made.map(({ open_event_id, dedupe_key }) => [dedupe_key, open_event_id]));
}

/** What is known of these sections from now on. */
async function tellSections(
  tx: Tx,
  dialect: DialectName,
  termId: string,
  statuses: ReadonlyMap<string, SectionStatus>,
): Promise<void> {
  // Each status by itself, found by the key: SQLite would join a list of both by reading every section of the term.
  for (const status of new Set(statuses.values())) {
    const indexes = [...statuses.keys()].filter((index) => statuses.get(index) === status);
    await sql`
      UPDATE sections SET last_known_section_status = ${status}
      WHERE term_id = ${termId} AND index_number IN (SELECT index_number FROM ${indexRows(dialect, indexes)})
    `.execute(tx);
  }
}

/**
 * 004-54, 004-55: whoever was told of the opening may be told of the next one, and whoever rests at the moment too. In the words
 * of the two indexes that hold them.
 */
async function resetWatchers(tx: Tx, dialect: DialectName, termId: string, indexes: readonly string[]) {
  if (indexes.length === 0) return;
  for (const status of [
    sql`status IN ('active', 'pending')`,
    sql`status IN ('paused', 'suppressed', 'unsubscribed')`,
  ]) {
    const mine = sql`
      SELECT subscriptions.subscription_id FROM ${indexRows(dialect, indexes)} CROSS JOIN subscriptions
      WHERE subscriptions.term_id = ${termId} AND subscriptions.index_number = input.index_number
        AND subscriptions.${status} AND coalesce(subscriptions.last_known_section_status, '') <> 'Closed'
      ORDER BY subscriptions.subscription_id`;
    // As an array: otherwise PostgreSQL may join with the whole table.
    const these =
      dialect === 'postgres' ? sql`= ANY(ARRAY(${mine} FOR UPDATE OF subscriptions))` : sql`IN (${mine})`;
    await sql`
      UPDATE subscriptions SET last_known_section_status = 'Closed' WHERE subscription_id ${these}
    `.execute(tx);
  }
}
