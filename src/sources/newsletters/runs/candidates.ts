import { type RawBuilder, sql } from 'kysely';
import { type DialectName, rowsOf } from '../../../db/dialect.ts';
import { type NotificationType, newsletterSource } from '../notification-type.ts';
import { undecided } from './run-rows.ts';

/**
 * Everybody who asked for a type of notification, and why they are not to be told now, if so: in one statement, whose conditions are
 * those of the specification (active, not globally off, not already delivered for this period). What came to nothing before any
 * mail could exist is told again by the next run: no data then, a run that was cancelled, also where that is still to be done.
 */
export interface CandidateOrder {
  type: NotificationType;
  /** The period of all, or that of each dataset; one whose dataset is not here is in no period. */
  periodKey: string | { byDataset: ReadonlyMap<string, string> };
}

/** Its columns: notification_id, user_id, period_key, was_tried (1 where a run came to nothing), reason (null for who is to be told). */
export function candidates(dialect: DialectName, { type, periodKey }: CandidateOrder): RawBuilder<unknown> {
  const isOne = typeof periodKey === 'string';
  const period = isOne ? sql`${sql.lit(periodKey)}` : sql`periods.period_key`;
  const periods = isOne
    ? sql``
    : sql`LEFT JOIN (${periodsOf(dialect, periodKey.byDataset)}) AS periods
    ON periods.dataset_id = notifications.dataset_id`;
  return sql`
    SELECT notifications.id AS notification_id, notifications.user_id, COALESCE(${period}, '') AS period_key,
      CASE WHEN deliveries.seq IS NULL THEN 0 ELSE 1 END AS was_tried,
      CASE
        WHEN opt_outs.user_id IS NOT NULL THEN 'globally_off'
        WHEN notifications.is_active = 0 THEN notifications.inactive_because
        WHEN ${period} IS NULL THEN 'unknown_dataset'
        WHEN deliveries.seq IS NOT NULL AND deliveries.status <> 'skipped_ineligible'
          AND NOT ${isOfCancelledRun} THEN 'already_delivered'
      END AS reason
    FROM notifications ${periods}
    LEFT JOIN notification_opt_outs AS opt_outs ON opt_outs.user_id = notifications.user_id
    LEFT JOIN deliveries ON deliveries.source = ${sql.lit(newsletterSource)} AND deliveries.occasion = ${period}
      AND deliveries.recipient = notifications.user_id || ':' || notifications.id
    WHERE notifications.notification_type = ${sql.lit(type)} AND notifications.deleted_at IS NULL`;
}

/**
 * A delivery of a run that was cancelled, and not at its end: the pass over that run ends it, or the gate does, unless it leaves from
 * the hand that holds it. Until then nobody knows which.
 */
export const isOfCancelledRun = sql`(deliveries.status IN ${undecided} AND EXISTS (
  SELECT 1 FROM notification_run_items AS owned JOIN notification_runs AS owners ON owners.run_id = owned.run_id
  WHERE owned.delivery_seq = deliveries.seq AND owned.state IN ('collected', 'composed') AND owners.status = 'cancelled'
))`;

function periodsOf(dialect: DialectName, byDataset: ReadonlyMap<string, string>): RawBuilder<unknown> {
  const rows = [...byDataset].map(([dataset_id, period_key]) => ({ dataset_id, period_key }));
  return sql`SELECT * FROM ${rowsOf(dialect, { dataset_id: 'text', period_key: 'text' }, rows)}`;
}
