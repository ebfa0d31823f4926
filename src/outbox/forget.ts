import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { type DialectName, forUpdate, rowsOf, seqsOf } from '../db/dialect.ts';
import { type Status, statuses } from '../domain/status.ts';
import { undoWithinMs } from '../domain/suppression.ts';
import { writeStory } from './story.ts';

/**
 * Retention: the mails of deliveries that ended long ago are deleted, with what their intents brought, and their addresses
 * blanked. The delivery itself stays, with its identity and its story: the same thing is never told again, and who asks
 * still learns what became of it.
 */
export interface ForgetOrder {
  /** Of which nothing has been heard since. */
  before: number;
  /** Above this number: what cannot be forgotten yet must not hold back what is behind it. */
  above: number;
  limit: number;
}

export interface Forgotten {
  count: number;
  /** Where to go on; null when nothing older is left. */
  next: number | null;
}

interface Old {
  seq: number;
  status: Status;
  round: number;
  created_at: number;
  last_attempt_at: number | null;
  sent_at: number | null;
  delivered_at: number | null;
}

/** From its end, not from its beginning: a mail may have waited for months, and bounce after that. */
function lastHeardOf({ created_at, last_attempt_at, sent_at, delivered_at }: Old): number {
  return Math.max(created_at, last_attempt_at ?? 0, sent_at ?? 0, delivered_at ?? 0);
}

/** What has been forgotten has no mails any more, so that the lowest numbers that have are where to begin. */
export async function forgetMails(
  tx: Tx,
  dialect: DialectName,
  { before, above, limit }: ForgetOrder,
  now: number,
): Promise<Forgotten> {
  const chosen = await sql<{ seq: number }>`
    SELECT DISTINCT delivery_seq AS seq FROM delivery_mails WHERE delivery_seq > ${above} ORDER BY delivery_seq LIMIT ${limit}
  `.execute(tx);
  const { rows } = await sql<Old>`
    SELECT seq, status, round, created_at, last_attempt_at, sent_at, delivered_at FROM deliveries
    WHERE seq IN (SELECT seq FROM ${rowsOf(dialect, { seq: 'number' }, chosen.rows)})
    ORDER BY seq ${forUpdate(dialect)} ${dialect === 'postgres' ? sql`SKIP LOCKED` : sql``}
  `.execute(tx);
  const old = rows.filter((row) => row.created_at < before);
  const over = old.filter((row) => statuses[row.status].isFinal && lastHeardOf(row) < before);
  const undoable = await stoppedSince(tx, dialect, over, now - undoWithinMs);
  const ended = over.filter(({ seq }) => !undoable.has(seq));
  // What is locked just now comes the next time; what is too young says that all behind it is.
  const isMore = chosen.rows.length === limit && old.length === rows.length;
  const next = isMore ? (chosen.rows.at(-1)?.seq ?? null) : null;
  if (ended.length === 0) return { count: 0, next };
  const seqs = sql`(SELECT seq FROM ${seqsOf(
    dialect,
    ended.map(({ seq }) => seq),
  )})`;
  const deleted = await sql<{ delivery_seq: number }>`
    DELETE FROM delivery_mails WHERE delivery_seq IN ${seqs} RETURNING delivery_seq
  `.execute(tx);
  // A row that was locked just after another sweep had committed was chosen by its mails of before: it is not ours.
  const ours = new Set(deleted.rows.map(({ delivery_seq }) => delivery_seq));
  const forgotten = ended.filter(({ seq }) => ours.has(seq));
  await sql`UPDATE deliveries SET to_email = NULL WHERE seq IN ${seqs}`.execute(tx);
  await writeStory(
    tx,
    dialect,
    forgotten.map(({ seq, status, round }) => ({
      ...{ delivery_seq: seq, at: now, event: 'forgotten', status, round },
      ...{ actor: 'sweep', detail: '{}' },
    })),
  );
  return { count: forgotten.length, next };
}

/** Who has said no may take it back, for so long; then it leaves after all, in the words in which it may have left before. */
async function stoppedSince(
  tx: Tx,
  dialect: DialectName,
  rows: readonly Old[],
  since: number,
): Promise<ReadonlySet<number>> {
  const stopped = rows.filter(({ status }) => status === 'skipped_unsubscribed').map(({ seq }) => seq);
  if (stopped.length === 0) return new Set();
  // Line by line: as a join PostgreSQL would read every story that there is.
  const found = await sql<{ seq: number; stopped_at: number | null }>`
    SELECT input.seq, (
      SELECT max(at) FROM delivery_events WHERE delivery_seq = input.seq AND event = 'unsubscribed'
    ) AS stopped_at FROM ${seqsOf(dialect, stopped)}
  `.execute(tx);
  const isUndoable = ({ stopped_at: at }: { stopped_at: number | null }) => at !== null && at >= since;
  return new Set(found.rows.filter(isUndoable).map(({ seq }) => seq));
}

/** Of a row of `deliveries`: there is nothing left of it to send. What a source has composed anew since then is there. */
export const isForgotten = sql`(
  EXISTS (SELECT 1 FROM delivery_events WHERE delivery_seq = deliveries.seq AND event = 'forgotten')
  AND NOT EXISTS (SELECT 1 FROM delivery_mails WHERE delivery_mails.delivery_seq = deliveries.seq)
)`;

/** Those of which there is nothing left to send. */
export async function forgottenAmong(
  tx: Tx,
  dialect: DialectName,
  seqs: readonly number[],
): Promise<ReadonlySet<number>> {
  const input = seqsOf(dialect, seqs);
  const { rows } = await sql<{ seq: number }>`
    SELECT deliveries.seq FROM deliveries WHERE deliveries.seq IN (SELECT seq FROM ${input}) AND ${isForgotten}
  `.execute(tx);
  return new Set(rows.map(({ seq }) => seq));
}
