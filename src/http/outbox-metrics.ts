import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { type Lane, lanes } from '../domain/delivery.ts';
import { evidenceEventNames } from '../domain/evidence.ts';
import { arrow, workEvents } from '../domain/lifecycle.ts';
import { statusNames } from '../domain/status.ts';
import { isInHand } from '../outbox/rows.ts';
import type { Clock } from '../std/clock.ts';
import type { Metric, Sample } from './metrics.ts';
import type { ApiParts } from './server.ts';

/**
 * How the outbox stands. It is asked every few seconds for ever, so everything here reads what is open, or what is new; the
 * counts by status are the outbox's own.
 */
export interface OutboxMetricParts extends Pick<ApiParts, 'queries' | 'sources' | 'pauses' | 'provider'> {
  db: Database;
  clock: Clock;
}

export function createOutboxMetrics(parts: OutboxMetricParts): () => Promise<Metric[]> {
  const events = createEventCounts(parts);
  return async () => [
    {
      name: 'deliveries',
      type: 'gauge',
      help: 'Deliveries by source and status.',
      samples: (await parts.queries.counts()).map(({ source, status, count }) => ({
        labels: { source, status },
        value: count,
      })),
    },
    ...(await waitingMetrics(parts)),
    ...(await doubtMetrics(parts)),
    ...(await events()),
    ...(await providerMetrics(parts)),
    {
      name: 'paused',
      type: 'gauge',
      help: 'What an operator has stopped; * is everything.',
      samples: (await parts.pauses.list()).map(({ scope }) => ({ labels: { scope }, value: 1 })),
    },
  ];
}

/** As the index of the claim has it, word for word: neither question reads more than what waits. */
const waits = sql`status IN ('pending', 'failed_transient') AND lapses < 2`;

async function waitingMetrics({ db, sources, clock }: OutboxMetricParts): Promise<Metric[]> {
  const { rows } = await sql<{ source: string; lane: Lane; count: number | string; due: number | string }>`
    SELECT source, lane, count(*) AS count, min(due_at) AS due FROM deliveries WHERE ${waits} GROUP BY source, lane
  `.execute(db.read);
  const now = clock.now();
  const samples = (read: (row: (typeof rows)[number] | undefined) => number): Sample[] =>
    sources.flatMap(({ name: source }) =>
      lanes.map((lane) => {
        const row = rows.find((one) => one.source === source && one.lane === lane);
        return { labels: { source, lane }, value: read(row) };
      }),
    );
  return [
    {
      name: 'deliveries_waiting',
      type: 'gauge',
      help: 'Deliveries that wait to be sent, by source and lane.',
      samples: samples((row) => Number(row?.count ?? 0)),
    },
    {
      name: 'oldest_due_seconds',
      type: 'gauge',
      help: 'How long the delivery that is due longest has been due: how far behind we are.',
      samples: samples((row) => (row ? Math.max(0, now - Number(row.due)) / 1000 : 0)),
    },
  ];
}

/**
 * What nobody knows, and for how long. The first is read by the index of what is in hand, the second by that of a source's
 * status: both hold little besides, however many deliveries there are.
 */
async function doubtMetrics({ db, sources, clock }: OutboxMetricParts): Promise<Metric[]> {
  // Where the source is hidden and something is said of the due time, SQLite takes the small index of what is in hand.
  const read = sql`SELECT source || '' AS source, count(*) AS count, min(first_possible_accept_at) AS since FROM deliveries`;
  const names = sql.join(sources.map(({ name }) => name));
  const { rows: uncertain } = await sql<Doubts>`
    ${read} WHERE ${isInHand} AND due_at >= 0 AND status || '' = 'reconciling'
    GROUP BY source || ''
  `.execute(db.read);
  const { rows: reviews } = await sql<Doubts>`
    ${read} WHERE source IN (${names}) AND status = 'needs_review' GROUP BY source || ''
  `.execute(db.read);
  const now = clock.now();
  const gauge = (
    name: string,
    help: string,
    rows: readonly Doubts[],
    value: (row: Doubts) => number,
  ): Metric => ({
    ...{ name, type: 'gauge', help },
    samples: sources.map(({ name: source }) => {
      const row = rows.find((one) => one.source === source);
      return { labels: { source }, value: row ? value(row) : 0 };
    }),
  });
  const count = (row: Doubts) => Number(row.count);
  const age = ({ since }: Doubts) => (since === null ? 0 : Math.max(0, now - Number(since)) / 1000);
  return [
    gauge('uncertain', 'Deliveries of which a mail may exist, being settled.', uncertain, count),
    gauge('uncertain_oldest_seconds', 'How long the oldest of them has been in doubt.', uncertain, age),
    gauge('needs_review', 'Deliveries that nobody can settle but a person. Alert on this.', reviews, count),
    gauge('needs_review_oldest_seconds', 'How long the oldest of them has been in doubt.', reviews, age),
  ];
}

interface Doubts {
  source: string;
  count: number | string;
  since: number | string | null;
}

/** A transaction may still be open that has taken a lower number; ours are over long before this. */
const settledMs = 5_000;

/** From the first question on each is there with 0: of a series that begins with 1, Prometheus sees no increase. */
const knownEvents: readonly string[] = [...workEvents, ...evidenceEventNames].sort();
const attemptEvents: ReadonlySet<string> = new Set([
  'accepted',
  ...workEvents.filter((event) => statusNames.some((status) => arrow(status, event)?.countsAttempt)),
]);

/** What happened since the first question, from the story, of which each look reads only what is new. */
function createEventCounts({ db, clock }: OutboxMetricParts): () => Promise<Metric[]> {
  const totals = new Map(knownEvents.map((event) => [event, { events: 0, attempts: 0 }]));
  const reconciled = new Map(reconciledBy.map((by) => [by, 0]));
  let seen: number | undefined;

  async function look(): Promise<void> {
    if (seen === undefined) {
      seen = (await lastEvent(db)) ?? 0;
      return;
    }
    const fresh = await db.read
      .selectFrom('delivery_events')
      .select((eb) => eb.fn.min('event_seq').as('seq'))
      .where('event_seq', '>', seen)
      .where('at', '>', clock.now() - settledMs)
      .executeTakeFirst();
    const until = fresh?.seq == null ? ((await lastEvent(db)) ?? seen) : Number(fresh.seq) - 1;
    // An attempt is told with its number, and 0 is a new beginning; reasons and errors stand in the same JSON with their quotes escaped.
    const { rows } = await sql<{ event: string; events: number | string; attempts: number | string }>`
      SELECT event, count(*) AS events, sum(CASE WHEN detail LIKE '%"attempts":%' AND detail NOT LIKE '%"attempts":0%' THEN 1 ELSE 0 END) AS attempts
      FROM delivery_events WHERE event_seq > ${seen} AND event_seq <= ${until} GROUP BY event
    `.execute(db.read);
    for (const { event, events, attempts } of rows) {
      const before = totals.get(event) ?? { events: 0, attempts: 0 };
      totals.set(event, {
        events: before.events + Number(events),
        attempts: before.attempts + Number(attempts),
      });
    }
    for (const { by, events } of await endsOfDoubt(db, seen, until)) {
      reconciled.set(by, (reconciled.get(by) ?? 0) + Number(events));
    }
    seen = Math.max(seen, until);
  }

  return async () => {
    await look();
    const all = [...totals].sort(([one], [other]) => (one < other ? -1 : 1));
    return [
      {
        name: 'events_total',
        type: 'counter',
        help: 'What happened to deliveries, in all processes, since this one was first asked.',
        samples: all.map(([event, { events }]) => ({ labels: { event }, value: events })),
      },
      {
        name: 'attempts_total',
        type: 'counter',
        help: 'Attempts that ended, by how, in all processes, since this one was first asked.',
        samples: all.flatMap(([event, { attempts }]) =>
          attempts > 0 || attemptEvents.has(event) ? [{ labels: { event }, value: attempts }] : [],
        ),
      },
      {
        name: 'reconciled_total',
        type: 'counter',
        help: 'Doubts that ended, by whose word, in all processes, since this one was first asked.',
        samples: [...reconciled].map(([by, value]) => ({ labels: { by }, value })),
      },
    ];
  };
}

const reconciledBy = ['same_key', 'look_up', 'webhook', 'operator', 'late_answer'];

/** What left the two statuses of doubt, in this stretch of the story. The detail begins with where it came from. */
async function endsOfDoubt(db: Database, after: number, until: number) {
  const { rows } = await sql<{ by: string; events: number | string }>`
    SELECT CASE
        WHEN actor = 'webhook' THEN 'webhook'
        WHEN actor LIKE 'operator %' THEN 'operator'
        WHEN detail LIKE '%"evidence":"same key"%' THEN 'same_key'
        WHEN detail LIKE '%"evidence":"look-up"%' THEN 'look_up'
        ELSE 'late_answer' END AS by, count(*) AS events
    FROM delivery_events
    WHERE event_seq > ${after} AND event_seq <= ${until} AND status NOT IN ('reconciling', 'needs_review')
      AND (detail LIKE '{"from":"reconciling"%' OR detail LIKE '{"from":"needs_review"%')
    GROUP BY 1
  `.execute(db.read);
  return rows;
}

async function lastEvent(db: Database): Promise<number | null> {
  const row = await db.read
    .selectFrom('delivery_events')
    .select((eb) => eb.fn.max('event_seq').as('seq'))
    .executeTakeFirst();
  return row?.seq == null ? null : Number(row.seq);
}

async function providerMetrics({ db, provider, clock }: OutboxMetricParts): Promise<Metric[]> {
  const rows = await db.read.selectFrom('provider_pace').selectAll().orderBy('account').execute();
  const now = clock.now();
  const gauge = (name: string, help: string, read: (row: (typeof rows)[number]) => number): Metric => ({
    name: `provider_${name}`,
    type: 'gauge',
    help,
    samples: rows.map((row) => ({ labels: { account: row.account }, value: read(row) })),
  });
  return [
    {
      name: 'provider_info',
      type: 'gauge',
      help: 'The provider that this process sends through.',
      samples: [{ labels: { provider: provider.name, account: provider.account }, value: 1 }],
    },
    gauge('circuit_open', '1 while it is of no use to ask the provider.', (row) =>
      row.open_since === null ? 0 : 1,
    ),
    gauge('circuit_open_seconds', 'For how long it has been so.', (row) =>
      row.open_since === null ? 0 : Math.max(0, now - row.open_since) / 1000,
    ),
    gauge(
      'pause_seconds',
      'How long the provider still asks for patience.',
      (row) => Math.max(0, row.paused_until - now) / 1000,
    ),
    gauge(
      'seen_rate_per_second',
      'Mails a second by its last answers; 0 while none has said so.',
      (row) => row.seen_rate_per_second ?? 0,
    ),
    gauge('doubts', 'Answers in a row that left it open whether a mail exists.', (row) => row.doubts),
  ];
}
