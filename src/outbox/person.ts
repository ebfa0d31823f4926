import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { rowsOf } from '../db/dialect.ts';
import type { DeliveryRow } from '../db/schema.ts';
import { conditionOf, partsOf } from './filter.ts';
import type { DeliveryFilter } from './queries.ts';
import { type DeliveryPage, readPage } from './search.ts';

/**
 * All that goes to one person: by the address that was written to, and by the names that sources know them by, because a
 * delivery gets its address only when its mail is written. Two lists, merged down to where both were looked at.
 */
export async function readPageOfPerson(
  db: Database,
  { alsoTo = [], ...filter }: DeliveryFilter,
): Promise<DeliveryPage> {
  const page = await readPage(db, filter);
  if (filter.address === undefined || alsoTo.length === 0) return page;
  const others = await readByNames(db, alsoTo, filter);
  const distinct = new Map([...page.rows, ...others].map((row) => [row.seq, row]));
  const seen = [...distinct.values()]
    .filter(({ seq }) => page.next === null || seq >= page.next)
    .sort((a, b) => b.seq - a.seq);
  const rows = seen.slice(0, filter.limit);
  return { rows, next: seen.length > rows.length ? (rows.at(-1)?.seq ?? null) : page.next };
}

/** A person has few of them, so they are read whole. The source is hidden from SQLite, which would read all of its deliveries. */
async function readByNames(
  db: Database,
  alsoTo: NonNullable<DeliveryFilter['alsoTo']>,
  { address: _, ...filter }: DeliveryFilter,
): Promise<DeliveryRow[]> {
  const names = alsoTo.flatMap(({ source, recipients }) =>
    recipients.map((recipient) => ({ named_by: source, name: recipient })),
  );
  const input = rowsOf(db.dialect, { named_by: 'text', name: 'text' }, names);
  const { rows } = await sql<DeliveryRow>`
    SELECT deliveries.* FROM ${input} CROSS JOIN deliveries
    WHERE deliveries.recipient = input.name AND deliveries.source || '' = input.named_by
      AND seq < ${filter.below ?? Number.MAX_SAFE_INTEGER} ${conditionOf(partsOf(filter, db.dialect))}
    ORDER BY seq DESC LIMIT ${filter.limit + 1}
  `.execute(db.read);
  return rows;
}
