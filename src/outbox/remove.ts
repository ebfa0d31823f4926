import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { type DialectName, rowsOf, seqsOf } from '../db/dialect.ts';
import { type Status, statuses, statusNames } from '../domain/status.ts';
import { countMoves } from './counts.ts';
import { statusList } from './rows.ts';

/**
 * Retention for a source whose occasions go for good: deliveries that have ended are deleted, with all that was kept beside them. An
 * occasion must be gone at its source too, or will go with this: what is removed here would be told anew if it were asked for
 * again. Its numbers are never given out again. The recipients' links stay, and so does that somebody must not be mailed.
 */
export interface RemoveOrder {
  source: string;
  occasions: readonly string[];
  /** Of which nothing has been heard since: a bounce may come days after a mail that had waited for weeks. */
  before: number;
  limit: number;
}

export interface Removed {
  count: number;
  /** Occasions of which deliveries are left. */
  left: string[];
}

const finalStatuses = statusNames.filter((status) => statuses[status].isFinal);

export async function removeDeliveries(
  tx: Tx,
  dialect: DialectName,
  { source, occasions, before, limit }: RemoveOrder,
): Promise<Removed> {
  if (occasions.length === 0) return { count: 0, left: [] };
  const input = rowsOf(
    dialect,
    { occasion: 'text' },
    occasions.map((occasion) => ({ occasion })),
  );
  // In the words of `deliveries_occasion`; the rest is hidden from the planners, which would read all of a source or of a
  // status. Who holds one of these at the moment has something to say about it: it is passed over, and goes the next time.
  const { rows } = await sql<{ seq: number; status: Status }>`
    SELECT deliveries.seq, deliveries.status FROM ${input} CROSS JOIN deliveries
    WHERE deliveries.occasion || '' = input.occasion AND deliveries.source || '' = ${source}
      AND deliveries.status || '' IN (${statusList(finalStatuses)})
      AND deliveries.created_at < ${before} AND coalesce(deliveries.last_attempt_at, 0) < ${before}
      AND coalesce(deliveries.sent_at, 0) < ${before} AND coalesce(deliveries.delivered_at, 0) < ${before}
      AND deliveries.seq NOT IN (SELECT delivery_seq FROM operator_requests WHERE performed_at IS NULL)
    LIMIT ${limit} ${dialect === 'postgres' ? sql`FOR UPDATE OF deliveries SKIP LOCKED` : sql``}
  `.execute(tx);
  if (rows.length > 0) {
    const seqs = sql`(SELECT seq FROM ${seqsOf(
      dialect,
      rows.map(({ seq }) => seq),
    )})`;
    await sql`DELETE FROM deliveries WHERE seq IN ${seqs}`.execute(tx);
    for (const table of ['delivery_mails', 'delivery_events', 'owed_facts', 'operator_requests']) {
      await sql`DELETE FROM ${sql.table(table)} WHERE delivery_seq IN ${seqs}`.execute(tx);
    }
    // That a webhook came is kept, so that its repeat is known for one; what it said, and of whom, is not.
    await sql`
      UPDATE webhook_events SET delivery_seq = NULL, payload = NULL
      WHERE delivery_seq IS NOT NULL AND delivery_seq IN ${seqs}
    `.execute(tx);
    await countMoves(
      tx,
      dialect,
      rows.map(({ status }) => ({ source, before: status, after: null })),
    );
  }
  // Not EXISTS, of which PostgreSQL makes a join that reads the whole table.
  const left = await sql<{ occasion: string }>`
    SELECT input.occasion FROM ${input} WHERE (
      SELECT 1 FROM deliveries
      WHERE deliveries.occasion || '' = input.occasion AND deliveries.source || '' = ${source} LIMIT 1
    ) IS NOT NULL
  `.execute(tx);
  return { count: rows.length, left: left.rows.map(({ occasion }) => occasion) };
}
