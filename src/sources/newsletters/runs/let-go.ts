import { sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { rowsOf } from '../../../db/dialect.ts';
import { heldFrom } from '../../../domain/delivery.ts';
import { applyReports, type Report } from '../../../outbox/record.ts';
import { lockDeliveries } from '../../../outbox/rows.ts';
import type { Log } from '../../../std/log.ts';
import { newsletterSource } from '../notification-type.ts';
import { wisherOf } from '../recipient.ts';

/** So long after it began a run tells nobody who was left out of it: that is for the next one. */
const oldestMs = 31 * 86_400_000;

/**
 * Somebody who had left before they were collected is back, and the run that left them out is at work: their line is planned again.
 * Who was collected has a delivery, and that is let go below.
 */
export async function planAgain(
  tx: Tx,
  recipients: readonly string[],
  { now, db: { dialect } }: { now: number; db: Pick<Database, 'dialect'> },
): Promise<void> {
  const ids = recipients.map((recipient) => ({ id: wisherOf(recipient).notificationId }));
  const names = sql`(SELECT id FROM ${rowsOf(dialect, { id: 'text' }, ids)})`;
  const atWork = sql`created_at > ${now - oldestMs} AND status IN ('running', 'paused', 'halted')`;
  // Whoever collects them at this very moment has seen them, or has left them out by the time that the lock is there.
  if (dialect === 'postgres') {
    await sql`
      SELECT runs.run_id FROM notification_runs AS runs WHERE ${atWork} AND EXISTS (
        SELECT 1 FROM notification_run_items AS items WHERE items.run_id = runs.run_id AND items.notification_id IN ${names}
      ) ORDER BY runs.run_id FOR SHARE
    `.execute(tx);
  }
  await sql`
    UPDATE notification_run_items SET state = 'planned', reason = NULL, due_at = 0
    WHERE run_id IN (SELECT run_id FROM notification_runs WHERE ${atWork}) AND state || '' = 'left_out' AND delivery_seq IS NULL
      AND notification_id IN (SELECT id FROM notifications WHERE id IN ${names} AND is_active = 1)
  `.execute(tx);
}

/**
 * Somebody who had left is back, and with them what waited for them: held back as it was. Where the run that held it will still
 * compose it or let it go, it stays so; where that run has gone on without them, nobody else would. Then it may leave, and if nobody
 * has composed it, that is done when it does.
 */
export async function letGo(
  tx: Tx,
  recipients: readonly string[],
  { now, actor, ...parts }: { now: number; actor: string; db: Pick<Database, 'dialect'>; log: Log },
): Promise<void> {
  if (recipients.length === 0) return;
  const { dialect } = parts.db;
  const names = rowsOf(
    dialect,
    { recipient: 'text' },
    recipients.map((recipient) => ({ recipient })),
  );
  // By the recipient, which has an index; the others are hidden, as in the outbox.
  const held = sql`deliveries.recipient IN (SELECT recipient FROM ${names}) AND deliveries.source || '' = ${newsletterSource}
    AND deliveries.status || '' IN ('pending', 'failed_transient') AND deliveries.due_at >= ${heldFrom}`;
  // A run that goes on at this very moment has seen them, or comes after this.
  if (dialect === 'postgres') {
    await sql`
      SELECT run_id FROM notification_runs WHERE run_id IN (
        SELECT items.run_id FROM deliveries JOIN notification_run_items AS items ON items.delivery_seq = deliveries.seq
        WHERE ${held}
      ) ORDER BY run_id FOR SHARE
    `.execute(tx);
  }
  const { rows } = await sql<{ seq: number }>`
    SELECT deliveries.seq FROM deliveries WHERE ${held} AND NOT EXISTS (
      SELECT 1 FROM notification_run_items AS items JOIN notification_runs AS runs ON runs.run_id = items.run_id
      WHERE items.delivery_seq = deliveries.seq AND (
        (items.state = 'collected' AND runs.status IN ('running', 'paused', 'halted'))
        OR (items.state = 'composed' AND runs.status IN ('paused', 'halted'))
      )
    ) ORDER BY deliveries.seq
  `.execute(tx);
  if (rows.length === 0) return;
  const detail = { reason: 'no run holds it back any more' };
  const reports = rows.map(({ seq }): Report => ({ seq, event: 'deferred', dueAt: now, actor, detail }));
  const locked = await lockDeliveries(
    tx,
    dialect,
    rows.map(({ seq }) => seq),
  );
  // No fact comes of it, so that there is nobody to be told.
  const listeners = { consent: async () => {}, source: () => undefined };
  await applyReports(tx, locked, reports, now, { dialect, log: parts.log, listeners });
}
