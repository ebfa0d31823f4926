import { CompiledQuery } from 'kysely';
import { columns, type WatchedRow } from './promises.ts';

/**
 * The deliveries as the table has them, in the order of their numbers: a question, and what its answer makes of what was known. Who asks is
 * somebody else, who waits for nothing but the database: what happens meanwhile is part of a run.
 */
export interface RowReader {
  /** What was touched since the last answer. */
  askTouched(): CompiledQuery<Answer>;
  askAll(): CompiledQuery<Answer>;
  /** What was not touched is the same object as before. */
  rowsBy(answer: readonly Answer[]): readonly WatchedRow[];
}

interface Answer extends Omit<WatchedRow, 'id'> {
  /** Null where there is no such row any more. */
  id: string | null;
  /** Of the note that brought it up. */
  place: number;
}

/** A line of the list is in force for it. */
const isListed = `EXISTS (SELECT 1 FROM suppressions WHERE address_key = lower(to_email) AND lifted_at IS NULL AND (scope = deliveries.source OR (scope = '*'
    AND NOT EXISTS (SELECT 1 FROM json_each(COALESCE(except_for, '[]')) WHERE value = deliveries.source))))`;

const cells = `${columns.map((name) => `deliveries.${name}`).join(', ')},
  ${isListed}
  OR EXISTS (SELECT 1 FROM unsubscribe_tokens AS token WHERE token.recipient = deliveries.recipient
    AND token.source = deliveries.source AND unsubscribed_at IS NOT NULL)
  OR (deliveries.source LIKE 'course-seats%' AND EXISTS (SELECT 1 FROM subscriptions
    WHERE subscription_id = CAST(deliveries.recipient AS INTEGER) AND status = 'unsubscribed'))
  OR (deliveries.source = 'newsletters' AND EXISTS (SELECT 1 FROM notifications
    LEFT JOIN notification_opt_outs AS opt_outs ON opt_outs.user_id = notifications.user_id
    WHERE notifications.id = substr(deliveries.recipient, instr(deliveries.recipient, ':') + 1)
      AND (opt_outs.user_id IS NOT NULL OR inactive_because NOT IN ('bounced', 'complained')))) AS said_no,
  (deliveries.source LIKE 'course-seats%' AND EXISTS (SELECT 1 FROM unsubscribe_tokens AS token
    WHERE token.recipient = deliveries.recipient AND token.source LIKE 'course-seats%' AND token.source <> deliveries.source
      AND unsubscribed_at IS NOT NULL) AND NOT ${isListed}) AS left_the_other,
  EXISTS (SELECT 1 FROM delivery_mails AS mail WHERE mail.delivery_seq = deliveries.seq AND mail.round = deliveries.round
    AND html IS NOT NULL) AS is_frozen,
  (SELECT max(event_seq) FROM delivery_events WHERE delivery_seq = deliveries.seq) AS told_up_to`;

const all = `SELECT ${cells}, (SELECT max(place) FROM touched) AS place FROM deliveries ORDER BY deliveries.seq`;
const aboutAll = '(SELECT max(place) FROM touched WHERE place > ?1 AND seq IS NULL)';
const touched = `SELECT ${cells}, noted.seq, noted.place
  FROM (SELECT seq, max(place) AS place FROM (
    SELECT seq, place FROM touched WHERE place > ?1 AND seq IS NOT NULL
    UNION ALL SELECT seq, ${aboutAll} FROM deliveries WHERE ${aboutAll} IS NOT NULL
  ) GROUP BY seq) AS noted
  LEFT JOIN deliveries ON deliveries.seq = noted.seq ORDER BY noted.seq`;

/** On a database whose triggers note what is touched, and from its first note on. */
export function createRowReader(): RowReader {
  let known = new Map<number, WatchedRow>();
  let rows: readonly WatchedRow[] = [];
  let place = 0;

  return {
    askTouched: () => CompiledQuery.raw(touched, [place]) as CompiledQuery<Answer>,
    askAll() {
      known = new Map();
      rows = [];
      return CompiledQuery.raw(all) as CompiledQuery<Answer>;
    },
    rowsBy(answer) {
      if (answer.length === 0) return rows;
      for (const row of answer) {
        place = Math.max(place, row.place);
        // A row is what it says, and not when it was noted.
        row.place = 0;
        if (isThere(row)) known.set(row.seq, row);
        else known.delete(row.seq);
      }
      rows = [...known.values()].sort((one, other) => one.seq - other.seq);
      return rows;
    },
  };
}

const isThere = (row: Answer): row is Answer & WatchedRow => row.id !== null;
