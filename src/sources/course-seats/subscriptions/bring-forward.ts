import { sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import type { DialectName } from '../../../db/dialect.ts';
import type { SubscriptionRow } from '../../../db/seats-schema.ts';
import type { Outbox } from '../../../outbox/outbox.ts';
import type { Clock } from '../../../std/clock.ts';
import { seatSourceName } from '../mail/seat-source.ts';
import { preferencesOf } from './preferences.ts';
import { nextWelcomeAt } from './quiet-hours.ts';

/**
 * A snooze and quiet hours say when a mail that waits is due. Whoever ends or shortens them is told as soon as they now want it,
 * and not when they would have wanted it before: their seat may be gone by then. The gate looks again in any case.
 */
export interface ForwardParts {
  db: Database;
  clock: Clock;
  outbox: Pick<Outbox, 'record'>;
  timeZone: string;
}

/** Of a watch that is locked, and as it will be. Answers how many mails come sooner. */
export async function bringForward(
  tx: Tx,
  { db: { dialect }, clock, outbox, timeZone }: ForwardParts,
  watch: SubscriptionRow,
): Promise<number> {
  const { deliveryWindow, snoozeUntil } = preferencesOf(watch);
  const now = clock.now();
  const dueAt = nextWelcomeAt(Math.max(now, snoozeUntil ?? now), deliveryWindow, timeZone);
  await waitForFanOuts(tx, dialect, watch);
  // What another transaction holds is passed over, because we hold the watch and it may want it: a worker in its last look reads
  // the watch after us. Source and status are hidden from the planners, which would read all that waits.
  const { rows } = await sql<{ seq: number; last_error: string | null }>`
    SELECT seq, last_error FROM deliveries
    WHERE recipient = ${String(watch.subscription_id)} AND source || '' = ${seatSourceName}
      AND status || '' = 'pending' AND due_at > ${dueAt}
    ORDER BY seq ${dialect === 'postgres' ? sql`FOR UPDATE SKIP LOCKED` : sql``}
  `.execute(tx);
  const reports = rows.filter(isHeldByTheHour).map(({ seq }) => ({
    ...({ seq, event: 'deferred', dueAt, actor: 'the recipient' } as const),
    detail: { reason: 'they changed when mail is welcome' },
  }));
  const answers = await outbox.record(reports, tx);
  return answers.filter(({ changed }) => changed).length;
}

/** By the fan-out, which gives no reason, or by the gate; not what waits for a provider. */
function isHeldByTheHour({ last_error }: { last_error: string | null }): boolean {
  if (last_error === null) return true;
  const { code } = JSON.parse(last_error) as { code?: string };
  return code === 'snoozed' || code === 'quiet_hours';
}

/** A page that is being written has read the watch as it was: its mails are waited for, and the next page comes after us. */
async function waitForFanOuts(
  tx: Tx,
  dialect: DialectName,
  { term_id, index_number }: Pick<SubscriptionRow, 'term_id' | 'index_number'>,
): Promise<void> {
  if (dialect !== 'postgres') return;
  await sql`
    SELECT 1 FROM open_event_fanouts AS fanouts JOIN open_events ON open_events.open_event_id = fanouts.open_event_id
    WHERE fanouts.finished_at IS NULL AND open_events.term_id = ${term_id} AND open_events.index_number = ${index_number}
    ORDER BY fanouts.open_event_id FOR SHARE OF fanouts
  `.execute(tx);
}
