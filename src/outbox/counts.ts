import { sql } from 'kysely';
import type { Database, Tx } from '../db/database.ts';
import { type DialectName, namesOf, rowsOf, seqsOf } from '../db/dialect.ts';
import { type Status, statuses, statusNames } from '../domain/status.ts';

/**
 * How many deliveries there are, without counting them. Whoever makes or ends a delivery adds a line to `delivery_counts` in
 * the same transaction, one for each source and heading that gained or lost; so the sum is exact, and no two batches wait for
 * one row. A heading is a final status, or `open` for all the others together: from there to there (a claim, a send that
 * begins) costs nothing. Of the open ones all but `pending` are few and counted where they stand; `pending` is the rest.
 */
export interface DeliveryCount {
  source: string;
  status: Status;
  count: number;
}

/** One delivery's move; `before` is null for a new one, `after` for one that is removed. */
export interface Move {
  source: string;
  before: Status | null;
  after: Status | null;
}

const columns = { source: 'text', heading: 'text', delta: 'number' } as const;

export async function countMoves(tx: Tx, dialect: DialectName, moves: readonly Move[]): Promise<void> {
  await addLines(tx, dialect, linesOf(moves));
}

async function addLines(tx: Tx, dialect: DialectName, lines: readonly Line[]): Promise<void> {
  if (lines.length === 0) return;
  const names = namesOf(columns);
  await sql`
    INSERT INTO delivery_counts (${names}) SELECT ${names} FROM ${rowsOf(
      dialect,
      columns,
      lines.map((line) => ({ ...line })),
    )}
  `.execute(tx);
}

interface Line {
  source: string;
  heading: string;
  delta: number;
}

function linesOf(moves: readonly Move[]): Line[] {
  const lines: Line[] = [];
  for (const { source, before, after } of moves) {
    const [from, to] = [before && headingOf(before), after && headingOf(after)];
    if (from === to) continue;
    if (from) lines.push({ source, heading: from, delta: -1 });
    if (to) lines.push({ source, heading: to, delta: 1 });
  }
  return summed(lines);
}

function headingOf(status: Status): string {
  return statuses[status].isFinal ? status : 'open';
}

function summed(lines: readonly Line[]): Line[] {
  const sums = new Map<string, Line>();
  for (const { source, heading, delta } of lines) {
    const key = JSON.stringify([source, heading]);
    sums.set(key, { source, heading, delta: (sums.get(key)?.delta ?? 0) + delta });
  }
  return [...sums.values()].filter(({ delta }) => delta !== 0);
}

/**
 * Many lines become one each. What another process folds at this moment is left to it, and what is not committed yet cannot
 * be seen; neither changes the sum. Answers how many lines there are fewer.
 */
export async function foldCounts(tx: Tx, dialect: DialectName, limit: number): Promise<number> {
  let oldest = tx.selectFrom('delivery_counts').selectAll().orderBy('count_seq').limit(limit);
  if (dialect === 'postgres') oldest = oldest.forUpdate().skipLocked();
  const lines = await oldest.execute();
  const folded = summed(lines);
  if (folded.length === lines.length) return 0;
  const seqs = seqsOf(
    dialect,
    lines.map(({ count_seq }) => count_seq),
  );
  await sql`DELETE FROM delivery_counts WHERE count_seq IN (SELECT seq FROM ${seqs})`.execute(tx);
  await addLines(tx, dialect, folded);
  return lines.length - folded.length;
}

const countedLive = statusNames.filter((status) => !statuses[status].isFinal && status !== 'pending');

export async function readCounts(db: Database): Promise<DeliveryCount[]> {
  // One statement is one moment: in two, a delivery could be missed between them, or be counted twice.
  const live = countedLive.map(
    (status) => sql`SELECT source, ${sql.lit(status)}, (SELECT count(*) FROM deliveries
      WHERE deliveries.source = summed.source AND deliveries.status = ${sql.lit(status)})
      FROM summed WHERE heading = 'open'`,
  );
  const { rows } = await sql<{ source: string; heading: Status | 'open'; count: number | string }>`
    WITH summed AS (SELECT source, heading, sum(delta) AS count FROM delivery_counts GROUP BY source, heading)
    SELECT source, heading, count FROM summed UNION ALL ${sql.join(live, sql` UNION ALL `)}
  `.execute(db.read);
  const open = new Map(rows.filter(isOpen).map(({ source, count }) => [source, Number(count)]));
  const counts = rows.flatMap(({ source, heading, count }) => {
    if (heading === 'open') return [];
    if (!statuses[heading].isFinal) open.set(source, (open.get(source) ?? 0) - Number(count));
    return [{ source, status: heading, count: Number(count) }];
  });
  for (const [source, count] of open) counts.push({ source, status: 'pending', count });
  return counts.filter(({ count }) => count > 0).sort(bySourceAndStatus);
}

const isOpen = ({ heading }: { heading: string }) => heading === 'open';

function bySourceAndStatus(a: DeliveryCount, b: DeliveryCount): number {
  if (a.source !== b.source) return a.source < b.source ? -1 : 1;
  return statusNames.indexOf(a.status) - statusNames.indexOf(b.status);
}
