import { sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import { type DialectName, rowsOf } from '../../../db/dialect.ts';
import type { SectionStatus } from '../../../db/seats-schema.ts';
import type { Fact } from '../../../outbox/facts.ts';
import { listOf } from '../term.ts';
import { lockWatches } from './seat-gate.ts';
import { createBook, type News, writeBooks } from './watch-book.ts';

/**
 * What a subscription's books say of its mails, written in the transaction that makes it true: that it was told (000-49, 004-48,
 * 004-49), how often, that it has had enough, that its address must not be mailed. Told twice, it is written once.
 */
export async function keepSeatBooks(
  tx: Tx,
  dialect: DialectName,
  facts: readonly Fact[],
  now: number,
): Promise<void> {
  const events = await readEvents(tx, dialect, facts);
  await lockSections(tx, dialect, [...events.values()]);
  const books = await openBooks(tx, dialect, facts);
  // After the locks: whoever records a closing has the same rows locked, so that it is there by now, or comes after us.
  const told = await readTold(tx, dialect, facts);
  for (const { kind, at, delivery } of facts) {
    const book = books.get(delivery.recipient);
    const event = events.get(delivery.seq);
    if (!book) continue;
    if (kind === 'suppressed') book.suppress(at);
    else if (event) book.tell({ ...event, at, ...(told.get(delivery.seq) ?? unheardOf) });
  }
  await writeBooks(tx, dialect, books.values(), now);
}

/** Of mails that tell of no opening: only whether their address may be mailed. */
export async function keepSuppressions(
  tx: Tx,
  dialect: DialectName,
  facts: readonly Fact[],
  now: number,
): Promise<void> {
  const suppressed = facts.filter(({ kind }) => kind === 'suppressed');
  if (suppressed.length === 0) return;
  const books = await openBooks(tx, dialect, suppressed);
  for (const { at, delivery } of suppressed) books.get(delivery.recipient)?.suppress(at);
  await writeBooks(tx, dialect, books.values(), now);
}

async function openBooks(tx: Tx, dialect: DialectName, facts: readonly Fact[]) {
  const watches = await lockWatches(
    tx,
    dialect,
    facts.map(({ delivery }) => delivery.recipient),
  );
  return new Map([...watches].map(([recipient, row]) => [recipient, createBook(row)]));
}

interface EventOf {
  openEventId: number;
  termId: string;
  campusCode: string;
  indexNumber: string;
}

async function readEvents(
  tx: Tx,
  dialect: DialectName,
  facts: readonly Fact[],
): Promise<ReadonlyMap<number, EventOf>> {
  const { rows } = await sql<{
    seq: number;
    open_event_id: number;
    term_id: string;
    campus_code: string;
    index_number: string;
  }>`
    SELECT input.seq, events.open_event_id, events.term_id, events.campus_code, events.index_number
    FROM ${factRows(dialect, facts)} JOIN open_events AS events ON events.open_event_id = input.open_event_id
  `.execute(tx);
  return new Map(
    rows.map((row) => [
      row.seq,
      {
        openEventId: row.open_event_id,
        termId: row.term_id,
        campusCode: row.campus_code,
        indexNumber: row.index_number,
      },
    ]),
  );
}

/**
 * Against a closing that is being recorded at this moment: that it resets who was told, and that we say who was, must not cross.
 * It holds the list's row, then the sections'; so do we, shared, in the same order. SQLite's writer is alone.
 */
async function lockSections(tx: Tx, dialect: DialectName, events: readonly EventOf[]): Promise<void> {
  if (dialect !== 'postgres') return;
  const lists = events.map(({ termId, campusCode }) => listOf(termId, campusCode));
  await sql`
    SELECT 1 FROM open_lists WHERE (term_id, campus_code) IN (
      SELECT term_id, campus_code FROM ${rowsOf(
        dialect,
        { term_id: 'text', campus_code: 'text' },
        lists.map(({ termId, campusCode }) => ({ term_id: termId, campus_code: campusCode })),
      )}
    ) ORDER BY term_id, campus_code FOR SHARE
  `.execute(tx);
  await sql`
    SELECT 1 FROM sections WHERE (term_id, index_number) IN (
      SELECT term_id, index_number FROM ${rowsOf(
        dialect,
        { term_id: 'text', index_number: 'text' },
        events.map(({ termId, indexNumber }) => ({ term_id: termId, index_number: indexNumber })),
      )}
    ) ORDER BY section_id FOR SHARE
  `.execute(tx);
}

type Told = Pick<News, 'isWritten' | 'closedAfter' | 'sectionStatus'>;

const unheardOf: Told = { isWritten: false, closedAfter: null, sectionStatus: 'Unknown' };

async function readTold(
  tx: Tx,
  dialect: DialectName,
  facts: readonly Fact[],
): Promise<ReadonlyMap<number, Told>> {
  const { rows } = await sql<{
    seq: number;
    written: number | null;
    closed_after: number | null;
    section_status: SectionStatus;
  }>`
    SELECT input.seq,
      (SELECT max(lines.subscription_event_id) FROM subscription_events AS lines
        WHERE lines.subscription_id = input.subscription_id AND lines.event_type = 'notify_sent'
          AND lines.open_event_id = input.open_event_id) AS written,
      (SELECT max(other.open_event_id) FROM open_events AS other
        WHERE other.term_id = events.term_id AND other.index_number = events.index_number
          AND other.status_after = 'Closed' AND other.open_event_id > events.open_event_id) AS closed_after,
      coalesce(sections.last_known_section_status, events.status_after) AS section_status
    FROM ${factRows(dialect, facts)} JOIN open_events AS events ON events.open_event_id = input.open_event_id
    LEFT JOIN sections ON sections.term_id = events.term_id AND sections.index_number = events.index_number
  `.execute(tx);
  return new Map(
    rows.map(({ seq, written, closed_after, section_status }) => [
      seq,
      { isWritten: written !== null, closedAfter: closed_after, sectionStatus: section_status },
    ]),
  );
}

function factRows(dialect: DialectName, facts: readonly Fact[]) {
  const distinct = new Map(facts.map(({ delivery }) => [delivery.seq, delivery]));
  return rowsOf(
    dialect,
    { seq: 'number', open_event_id: 'number', subscription_id: 'number' },
    [...distinct.values()].map(({ seq, occasion, recipient }) => ({
      ...{ seq, open_event_id: Number(occasion), subscription_id: Number(recipient) },
    })),
  );
}
