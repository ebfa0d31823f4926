import type { Database } from '../../db/database.ts';
import type { OpenEventRow, SubscriptionStatus } from '../../db/seats-schema.ts';
import type { Clock } from '../../std/clock.ts';

/** How course seats stand, for an operator: who watches, what was seen of late, and whether everybody has been told. */
export interface SeatsStatus {
  watches: Readonly<Record<SubscriptionStatus, number>>;
  lastHour: EdgeCounts;
  lastDay: EdgeCounts;
  /** Openings of which not everybody who watches has a delivery yet. */
  unfinishedFanOuts: number;
  newest: NewestEvent | null;
}

interface EdgeCounts {
  opened: number;
  closed: number;
}

interface NewestEvent
  extends Pick<OpenEventRow, 'term_id' | 'campus_code' | 'index_number' | 'status_after' | 'event_at'> {
  open_event_id: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export async function readSeatsStatus(db: Database, clock: Clock): Promise<SeatsStatus> {
  const now = clock.now();
  const unfinished = await db.read
    .selectFrom('open_event_fanouts')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('finished_at', 'is', null)
    .executeTakeFirstOrThrow();
  const newest = await db.read
    .selectFrom('open_events')
    .select(['open_event_id', 'term_id', 'campus_code', 'index_number', 'status_after', 'event_at'])
    .orderBy('open_event_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return {
    watches: await countWatches(db),
    lastHour: await countEdges(db, now - hourMs),
    lastDay: await countEdges(db, now - dayMs),
    unfinishedFanOuts: Number(unfinished.count),
    newest: newest ?? null,
  };
}

/** Reads every watch: asked by people, and by metrics once a minute. */
export async function countWatches(db: Database): Promise<SeatsStatus['watches']> {
  const rows = await db.read
    .selectFrom('subscriptions')
    .select((eb) => ['status', eb.fn.countAll().as('count')])
    .groupBy('status')
    .execute();
  const none = { pending: 0, active: 0, paused: 0, suppressed: 0, unsubscribed: 0 };
  return { ...none, ...Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)])) };
}

async function countEdges(db: Database, since: number): Promise<EdgeCounts> {
  const rows = await db.read
    .selectFrom('open_events')
    .select((eb) => ['status_after', eb.fn.countAll().as('count')])
    .where('event_at', '>', new Date(since).toISOString())
    .groupBy('status_after')
    .execute();
  const countOf = (status: OpenEventRow['status_after']) =>
    Number(rows.find(({ status_after }) => status_after === status)?.count ?? 0);
  return { opened: countOf('Open'), closed: countOf('Closed') };
}
