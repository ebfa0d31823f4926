import { type RawBuilder, sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { type DialectName, forUpdate, rowsOf } from '../../../db/dialect.ts';
import type { SubscriptionRow } from '../../../db/seats-schema.ts';
import type { Status } from '../../../domain/status.ts';
import type { Verdict } from '../../../outbox/begin.ts';
import type { Claimed } from '../../../outbox/claim.ts';
import type { Clock } from '../../../std/clock.ts';
import { campusesOf } from '../term.ts';
import { byTheHour, type Circumstances, judge, type Sibling } from './verdict.ts';
import { isPauseByCount } from './watch-book.ts';

/**
 * The last look before a seat mail leaves, in that transaction: is the seat still there, and does this person still want to hear
 * of it, now? Everything is read anew, for the whole batch at once; `verdict.ts` decides.
 */
export interface GateParts {
  db: Database;
  clock: Clock;
  timeZone: string;
  verifiesAddresses: boolean;
}

export function createSeatGate({ db: { dialect }, clock, timeZone, verifiesAddresses }: GateParts) {
  return async (batch: readonly Claimed[], tx: Tx): Promise<ReadonlyMap<number, Verdict>> => {
    if (batch.length === 0) return new Map();
    const watches = await lockWatches(
      tx,
      dialect,
      batch.map(({ recipient }) => recipient),
    );
    const events = await readEvents(tx, dialect, batch);
    const siblings = await readSiblings(tx, dialect, batch);
    const now = clock.now();
    return new Map(
      batch.flatMap(({ seq, recipient }): [number, Verdict][] => {
        const circumstances: Circumstances = {
          ...{ now, timeZone, verifiesAddresses },
          watch: watches.get(recipient),
          event: events.get(seq),
          siblings: siblings.get(seq) ?? [],
        };
        const verdict = judge(circumstances);
        return verdict ? [[seq, verdict]] : [];
      }),
    );
  };
}

/** For whoever explains: does the hour, or a snooze, keep a mail from this watch now? A fan-out makes such mails for later. */
export async function readWhyWait(
  { db, clock, timeZone }: Pick<GateParts, 'db' | 'clock' | 'timeZone'>,
  recipient: string,
): Promise<string | null> {
  const watch = await db.read
    .selectFrom('subscriptions')
    .selectAll()
    .where('subscription_id', '=', Number(recipient))
    .executeTakeFirst();
  return (watch && byTheHour(watch, { now: clock.now(), timeZone })?.error?.message) ?? null;
}

/** Locked in the order of their numbers: of two mails to one person, the second waits until it is known that the first leaves. */
export async function lockWatches(
  tx: Tx,
  dialect: DialectName,
  recipients: readonly string[],
): Promise<ReadonlyMap<string, SubscriptionRow>> {
  const numbers = [...new Set(recipients)].map((recipient) => ({ id: Number(recipient) }));
  const { rows } = await sql<SubscriptionRow>`
    SELECT subscriptions.* FROM subscriptions
    WHERE subscription_id IN (SELECT id FROM ${rowsOf(dialect, { id: 'number' }, numbers)})
    ORDER BY subscription_id ${forUpdate(dialect)}
  `.execute(tx);
  return new Map(rows.map((row) => [String(row.subscription_id), row]));
}

export type EventFacts = NonNullable<Circumstances['event']>;

async function readEvents(
  tx: Tx,
  dialect: DialectName,
  batch: readonly Claimed[],
): Promise<ReadonlyMap<number, EventFacts>> {
  const input = rowsOf(
    dialect,
    { seq: 'number', open_event_id: 'number', subscription_id: 'number' },
    batch.map(({ seq, occasion, recipient }) => ({
      ...{ seq, open_event_id: Number(occasion), subscription_id: Number(recipient) },
    })),
  );
  const last = (status: 'Open' | 'Closed', when: RawBuilder<unknown>) => sql`(
    SELECT max(other.open_event_id) FROM open_events AS other
    WHERE other.term_id = events.term_id AND other.index_number = events.index_number
      AND other.status_after = ${sql.lit(status)} AND ${when}
  )`;
  const before = sql`other.open_event_id < events.open_event_id`;
  const after = sql`other.open_event_id > events.open_event_id`;
  const { rows } = await sql<EventRow>`
    SELECT found.*, fanouts.open_event_id AS fanning_out, ${booked} AS booked, ${lastPause} AS last_pause,
      CASE WHEN believed.is_open = 0 THEN believed.closed_at END AS list_closed_at
    FROM (
      SELECT input.seq, input.subscription_id, events.open_event_id, events.term_id, events.campus_code,
        events.index_number, events.event_at, ${last('Closed', before)} AS closed_before,
        ${last('Closed', after)} AS closed_after, ${last('Open', after)} AS opened_after
      FROM ${input} JOIN open_events AS events ON events.open_event_id = input.open_event_id
    ) AS found
    LEFT JOIN open_event_fanouts AS fanouts ON fanouts.open_event_id = found.opened_after
      AND fanouts.finished_at IS NULL AND fanouts.after_subscription_id < found.subscription_id
    LEFT JOIN open_list_indexes AS believed ON believed.term_id = found.term_id
      AND believed.campus_code = ${listCampus} AND believed.index_number = found.index_number
  `.execute(tx);
  return new Map(
    rows.map((row) => [
      row.seq,
      {
        openEventId: row.open_event_id,
        termId: row.term_id,
        eventAt: Date.parse(row.event_at),
        closedBefore: row.closed_before,
        closedAfter: row.closed_after,
        openedAfter: row.opened_after,
        isFanningOut: row.fanning_out !== null,
        listClosedAt: row.list_closed_at,
        isBooked: row.booked !== null,
        isPausedByCount: isPauseByCount(row.last_pause),
      },
    ]),
  );
}

interface EventRow {
  seq: number;
  open_event_id: number;
  term_id: string;
  event_at: string;
  closed_before: number | null;
  closed_after: number | null;
  opened_after: number | null;
  fanning_out: number | null;
  list_closed_at: number | null;
  booked: number | null;
  last_pause: string | null;
}

const booked = sql`(
  SELECT max(lines.subscription_event_id) FROM subscription_events AS lines
  WHERE lines.subscription_id = found.subscription_id AND lines.event_type = 'notify_sent'
    AND lines.open_event_id = found.open_event_id
)`;
/** What stands beside the last pause: who paused by hand has said nothing. */
const lastPause = sql`(
  SELECT lines.detail FROM subscription_events AS lines
  WHERE lines.subscription_id = found.subscription_id AND lines.event_type = 'paused'
  ORDER BY lines.subscription_event_id DESC LIMIT 1
)`;

/** By whose name the list of a campus is polled (8.9): in SQL, because an event has its section's own campus. */
const sharing = campusesOf({ campusCode: 'NB' });
const listCampus = sql`CASE WHEN found.campus_code IN (${sql.join(sharing.map((campus) => sql.lit(campus)))})
  THEN ${sql.lit(sharing[0] ?? 'NB')} ELSE found.campus_code END`;

/** What else was to be told to the same people. The source is hidden from SQLite, which would read all of its deliveries. */
async function readSiblings(
  tx: Tx,
  dialect: DialectName,
  batch: readonly Claimed[],
): Promise<ReadonlyMap<number, Sibling[]>> {
  const input = rowsOf(
    dialect,
    { seq: 'number', recipient: 'text' },
    batch.map(({ seq, recipient }) => ({ seq, recipient })),
  );
  const { rows } = await sql<{ seq: number; occasion: string; status: Status; sent_at: number | null }>`
    SELECT input.seq, others.occasion, others.status, others.sent_at FROM ${input}
    JOIN deliveries AS others ON others.recipient = input.recipient
      AND others.source || '' = ${sql.lit(batch[0]?.source ?? '')} AND others.seq <> input.seq
  `.execute(tx);
  const bySeq = new Map<number, Sibling[]>();
  for (const { seq, occasion, status, sent_at } of rows) {
    const sibling = { openEventId: Number(occasion), status, wasAccepted: sent_at !== null };
    bySeq.set(seq, [...(bySeq.get(seq) ?? []), sibling]);
  }
  return bySeq;
}
