import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { seqsOf } from '../db/dialect.ts';
import type { DeliveryRow } from '../db/schema.ts';
import { statusNames } from '../domain/status.ts';
import { conditionOf, type Part, partsOf, type Range } from './filter.ts';
import { inSeqOrder, type Path, walkOf } from './paths.ts';
import type { DeliveryFilter } from './queries.ts';

/**
 * Searches that read a bounded number of rows, whatever is asked of however large a table. The planner is given no choice:
 * it guesses from averages, and one list that is dense on average and has all its rows at the far end of the table is read
 * from end to end. So the way in is decided here, and what remains is checked row by row, out of the planner's sight.
 */
export interface DeliveryPage {
  rows: DeliveryRow[];
  /** The next page is `below` this; null at the end. A page may be short, or empty, before the end is reached. */
  next: number | null;
}

/**
 * So many rows are looked at for one page: rows that lie scattered over a table larger than the database's memory cost PostgreSQL
 * 4 µs each, even where the system still has the file.
 */
const lookedAtUsually = 5_000;
/** In the order of the numbers rows lie side by side, and a page of the file brings many. */
const sideBySide = 4;

export async function readPage(
  db: Database,
  filter: DeliveryFilter,
  lookedAtMax = lookedAtUsually,
): Promise<DeliveryPage> {
  if (filter.status?.length === 0) return { rows: [], next: null };
  const { limit, below = Number.MAX_SAFE_INTEGER } = filter;
  const parts = partsOf(filter, db.dialect);
  for (const part of parts) {
    if (!part.range || (await isWide(db, part.range, lookedAtMax))) continue;
    const others = parts.filter((other) => other !== part);
    const seqs = await newestWithin(db, part.range, { others, below, limit: limit + 1, lookedAtMax });
    return pageOf(await rowsAt(db, seqs), limit, null);
  }
  const { paths, floor } = await wayIn(db, filter, parts, lookedAtMax);
  if (paths.length === 0) return { rows: [], next: null };
  const rest = parts.filter(({ name }) => !paths[0]?.covers.includes(name));
  const walk = { what: sql`*`, below, floor: floor ?? 0, rest, limit: limit + 1 };
  const { rows } = await sql<DeliveryRow>`
    ${merged(paths.map((path) => walkOf(db.dialect, path, walk)))} ORDER BY seq DESC LIMIT ${limit + 1}
  `.execute(db.read);
  return pageOf(rows, limit, floor);
}

function pageOf(found: readonly DeliveryRow[], limit: number, floor: number | null): DeliveryPage {
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? (rows.at(-1)?.seq ?? null) : floor };
}

/** Are there more rows in this stretch than may be looked at? */
async function isWide(db: Database, range: Range, lookedAtMax: number): Promise<boolean> {
  const { rows } = await sql`${stretchOf(sql`1`, range)} LIMIT 1 OFFSET ${lookedAtMax}`.execute(db.read);
  return rows.length > 0;
}

/** All rows of a stretch that is not wide, sorted anew. It is cut off first, so that it is read first and as a whole. */
async function newestWithin(
  db: Database,
  range: Range,
  {
    others,
    below,
    limit,
    lookedAtMax,
  }: { others: readonly Part[]; below: number; limit: number; lookedAtMax: number },
): Promise<number[]> {
  const { rows } = await sql<{ seq: number }>`
    SELECT seq FROM (${stretchOf(sql`*`, range)} LIMIT ${lookedAtMax}) AS narrow
    WHERE seq < ${below} ${conditionOf(others)} ORDER BY seq DESC LIMIT ${limit}
  `.execute(db.read);
  return rows.map(({ seq }) => seq);
}

function stretchOf(what: RawBuilder<unknown>, { table, column, low, high }: Range): RawBuilder<unknown> {
  return sql`
    SELECT ${what} FROM ${table} WHERE ${column} >= ${low} AND ${column} <= ${high} ORDER BY ${column}`;
}

async function rowsAt(db: Database, seqs: readonly number[]): Promise<DeliveryRow[]> {
  if (seqs.length === 0) return [];
  const input = seqsOf(db.dialect, seqs);
  const { rows } = await sql<DeliveryRow>`
    SELECT * FROM deliveries WHERE seq IN (SELECT seq FROM ${input})
  `.execute(db.read);
  return rows.sort((a, b) => b.seq - a.seq);
}

/**
 * Paths that have the rows in the order of the answer. Where rows must be passed over, each path ends after its share of
 * what may be looked at; the page then ends at the highest of those ends, and the next one goes on there.
 */
async function wayIn(db: Database, filter: DeliveryFilter, parts: readonly Part[], lookedAtMax: number) {
  const { below = Number.MAX_SAFE_INTEGER } = filter;
  const ways: Path[][] = parts.flatMap(({ path }) => (path ? [[path]] : []));
  if (filter.status || filter.source !== undefined) ways.push(await listsOf(db, filter));
  if (ways.length === 0) ways.push([inSeqOrder]);
  let first: { paths: Path[]; floor: number | null } | undefined;
  for (const paths of ways) {
    const isWhole = parts.every(({ name }) => paths[0]?.covers.includes(name));
    const floor = isWhole ? null : await floorOf(db, paths, below, lookedAtMax);
    if (floor === null) return { paths, floor };
    first ??= { paths, floor };
  }
  return first ?? { paths: [inSeqOrder], floor: null };
}

/** Each status of each source is a list of its own in the index `deliveries_listed`. */
async function listsOf(db: Database, { source, status }: DeliveryFilter): Promise<Path[]> {
  const sources = source === undefined ? await knownSources(db) : [source];
  const wanted = status ? [...new Set(status)] : statusNames;
  return sources.flatMap((each) =>
    wanted.map(
      (one): Path => ({
        index: 'deliveries_listed',
        covers: ['source', 'status'],
        columns: [
          { column: sql`source`, value: each },
          { column: sql`status`, value: one },
        ],
      }),
    ),
  );
}

/** From one name to the next in the index, so that each costs one look. */
async function knownSources(db: Database): Promise<string[]> {
  const { rows } = await sql<{ source: string }>`
    WITH RECURSIVE known (source) AS (
      SELECT min(source) FROM deliveries
      UNION ALL SELECT (SELECT min(source) FROM deliveries WHERE source > known.source) FROM known WHERE source IS NOT NULL
    )
    SELECT source FROM known WHERE source IS NOT NULL
  `.execute(db.read);
  return rows.map(({ source }) => source);
}

async function floorOf(
  db: Database,
  paths: readonly Path[],
  below: number,
  lookedAtMax: number,
): Promise<number | null> {
  if (paths.length === 0) return null;
  const isSideBySide = paths[0]?.index === null;
  const offset = Math.ceil((lookedAtMax * (isSideBySide ? sideBySide : 1)) / paths.length);
  const ends = paths.map((path) =>
    walkOf(db.dialect, path, { what: sql`seq`, below, floor: 0, rest: [], limit: 1, offset }),
  );
  const { rows } = await sql<{ floor: number | null }>`
    SELECT max(seq) AS floor FROM (${merged(ends)}) AS ends
  `.execute(db.read);
  return rows[0]?.floor ?? null;
}

function merged(selects: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const each = selects.map((select, index) => sql`SELECT * FROM (${select}) AS ${sql.raw(`list_${index}`)}`);
  return sql.join(each, sql` UNION ALL `);
}
