import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { searchKey } from '../providers/capture.ts';

/**
 * Mails by how their recipient or their subject begins, newest first. However many there are, a page costs a bounded number of looks, and
 * none of them into a mail: a narrow stretch of an index is sorted anew, a wide one is walked by number, so far and no further.
 */
export interface MailSearch {
  limit: number;
  below: number;
  /** Only higher numbers. */
  above: number;
  to?: string | undefined;
  subject?: string | undefined;
}

export interface FoundSeqs {
  seqs: number[];
  /** The next page is below this; null at the end. A page may be short, or empty, before the end is reached. */
  next: number | null;
}

/** For one page; in an index each is some hundred octets. */
const lookedAtMax = 5_000;

export async function newestMails(db: Database, search: MailSearch): Promise<FoundSeqs> {
  const stretches = stretchesOf(search);
  const { limit, below, above } = search;
  const page = { limit: limit + 1, below, above };
  for (const stretch of stretches) {
    if (!(await isWide(db, stretch)))
      return pageOf(await newestWithin(db, stretch, stretches, page), limit, null);
  }
  const floor = stretches.length === 0 ? null : await floorOf(db, page);
  const lowest = floor === null ? above : floor - 1;
  return pageOf(await newestAbove(db, stretches, { ...page, above: lowest }), limit, floor);
}

function pageOf(found: readonly number[], limit: number, floor: number | null): FoundSeqs {
  const seqs = found.slice(0, limit);
  return { seqs, next: found.length > limit ? (seqs.at(-1) ?? null) : floor };
}

interface Wanted {
  limit: number;
  below: number;
  above: number;
}

/** Everything that begins with a text is one stretch of its index. */
interface Stretch {
  index: string;
  column: RawBuilder<unknown>;
  low: string;
  high: string;
}

function stretchesOf({ to, subject }: MailSearch): Stretch[] {
  const begins = (index: string, column: RawBuilder<unknown>, text: string | undefined): Stretch[] => {
    if (text === undefined || text === '') return [];
    const low = searchKey(text);
    // The last character there is: nobody's text goes on with it.
    return [{ index, column, low, high: `${low}\u{10ffff}` }];
  };
  return [
    ...begins('captured_mails_to', sql`to_key`, to),
    ...begins('captured_mails_subject', sql`subject_key`, subject),
  ];
}

/** On SQLite by this index and no other. PostgreSQL has no word for that, and no other index in these orders. */
const by = ({ dialect }: Database, index: string) =>
  dialect === 'sqlite' ? sql`captured_mails INDEXED BY ${sql.raw(index)}` : sql`captured_mails`;

async function isWide(db: Database, { index, column, low, high }: Stretch): Promise<boolean> {
  const { rows } = await sql`
    SELECT 1 AS one FROM ${by(db, index)} WHERE ${column} >= ${low} AND ${column} <= ${high}
    ORDER BY ${column} LIMIT 1 OFFSET ${lookedAtMax}
  `.execute(db.read);
  return rows.length > 0;
}

/** Hidden from the planner, which would rather take another index: `|| ''` changes no text. */
const checked = (stretches: readonly Stretch[]) =>
  sql.join(
    stretches.map(
      ({ column, low, high }) => sql`AND ${column} || '' >= ${low} AND ${column} || '' <= ${high}`,
    ),
    sql` `,
  );

async function newestWithin(
  db: Database,
  { index, column, low, high }: Stretch,
  all: readonly Stretch[],
  { limit, below, above }: Wanted,
): Promise<number[]> {
  const { rows } = await sql<{ seq: number }>`
    SELECT captured_seq AS seq FROM (
      SELECT captured_seq, to_key, subject_key FROM ${by(db, index)}
      WHERE ${column} >= ${low} AND ${column} <= ${high} ORDER BY ${column} LIMIT ${lookedAtMax}
    ) AS narrow
    WHERE captured_seq < ${below} AND captured_seq > ${above} ${checked(all)}
    ORDER BY captured_seq DESC LIMIT ${limit}
  `.execute(db.read);
  return rows.map(({ seq }) => seq);
}

async function newestAbove(
  db: Database,
  all: readonly Stretch[],
  { limit, below, above }: Wanted,
): Promise<number[]> {
  const { rows } = await sql<{ seq: number }>`
    SELECT captured_seq AS seq FROM ${by(db, 'captured_mails_newest')}
    WHERE 0 - captured_seq > ${-below} AND 0 - captured_seq < ${-above} ${checked(all)}
    ORDER BY 0 - captured_seq LIMIT ${limit}
  `.execute(db.read);
  return rows.map(({ seq }) => seq);
}

/** The last number that is looked at for this page; null where fewer are left. */
async function floorOf(db: Database, { below, above }: Wanted): Promise<number | null> {
  const { rows } = await sql<{ seq: number }>`
    SELECT captured_seq AS seq FROM ${by(db, 'captured_mails_newest')}
    WHERE 0 - captured_seq > ${-below} AND 0 - captured_seq < ${-above}
    ORDER BY 0 - captured_seq LIMIT 1 OFFSET ${lookedAtMax}
  `.execute(db.read);
  return rows[0]?.seq ?? null;
}
