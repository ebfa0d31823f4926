import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { ListStatus } from '../sources/course-seats/feed/list-status.ts';
import type { Poller } from '../sources/course-seats/feed/poller.ts';
import { countWatches } from '../sources/course-seats/status.ts';
import { campusesOf } from '../sources/course-seats/term.ts';
import type { Clock } from '../std/clock.ts';
import { keptFor } from './kept.ts';
import type { Metric, Sample } from './metrics.ts';

/**
 * How the section feed is, and what follows from it, by term and campus. A list that several campuses share goes by the name of
 * the one by which it is asked for. What is asked every few seconds reads what is open, or what is new.
 */
export interface SeatMetricParts {
  db: Database;
  clock: Clock;
  /** Left out where nothing is polled: then there is nothing to tell. */
  seats?: { poller: Pick<Poller, 'status'> } | undefined;
}

/** All watches are read to count them. */
const watchesKeptMs = 60_000;

export function createSeatMetrics({ db, clock, seats }: SeatMetricParts): () => Promise<Metric[]> {
  if (!seats) return async () => [];
  const watches = keptFor(watchesKeptMs, clock, () => countWatches(db));
  const polls = createPollCounts(db, clock);
  const events = createEventCounts(db, clock);
  return async () => {
    const lists = await seats.poller.status();
    return [
      ...feedMetrics(lists, clock.now()),
      await polls(lists),
      await events(lists),
      {
        name: 'seat_watches',
        type: 'gauge',
        help: 'Who watches a section, by status; counted once a minute.',
        samples: Object.entries(await watches()).map(([status, value]) => ({ labels: { status }, value })),
      },
      ...(await fanOutMetrics(db, clock)),
    ];
  };
}

function feedMetrics(lists: readonly ListStatus[], now: number): Metric[] {
  const gauge = (name: string, help: string, read: (list: ListStatus) => number): Metric => ({
    ...{ name: `seat_${name}`, type: 'gauge', help },
    samples: lists.map((list) => ({ labels: labelsOf(list), value: read(list) })),
  });
  return [
    gauge(
      'feed_age_seconds',
      'Since a list was last believed; infinite while none has been. Alert when it stays above 60.',
      ({ goodAt }) => (goodAt === null ? Number.POSITIVE_INFINITY : Math.max(0, now - goodAt) / 1000),
    ),
    gauge('feed_held', '1 while the lists that come lack too much to be believed.', ({ isHeld }) =>
      isHeld ? 1 : 0,
    ),
    gauge('feed_failures', 'Polls in a row that brought no list.', ({ failures }) => failures),
    gauge('open_sections', 'Sections that are believed open.', ({ openCount }) => openCount),
  ];
}

const labelsOf = ({ termId, campusCode }: Pick<ListStatus, 'termId' | 'campusCode'>) => ({
  term: termId,
  campus: campusCode,
});

const verdicts = ['baseline', 'taken', 'held', 'empty'] as const;

function createPollCounts(db: Database, clock: Clock): (lists: readonly ListStatus[]) => Promise<Metric> {
  const look = createTotals(clock, {
    newest: sql`SELECT max(snapshot_id) AS id FROM open_section_snapshots`,
    unsettled: (after, since) =>
      sql`SELECT min(snapshot_id) AS id FROM open_section_snapshots WHERE snapshot_id > ${after} AND seen_open_at > ${since}`,
    counts: (after, until) =>
      sql`SELECT term_id, campus_code, verdict AS word, count(*) AS count FROM open_section_snapshots
        WHERE snapshot_id > ${after} AND snapshot_id <= ${until} GROUP BY term_id, campus_code, verdict`,
    db,
  });
  return async (lists) => ({
    name: 'seat_snapshots_total',
    type: 'counter',
    help: 'Lists that came, by what was thought of them, in all processes, since this one was first asked.',
    samples: await look(
      lists.flatMap((list) => verdicts.map((verdict) => ({ ...labelsOf(list), word: verdict }))),
      'verdict',
    ),
  });
}

function createEventCounts(db: Database, clock: Clock): (lists: readonly ListStatus[]) => Promise<Metric> {
  const look = createTotals(clock, {
    newest: sql`SELECT max(open_event_id) AS id FROM open_events`,
    unsettled: (after, since) =>
      sql`SELECT min(open_event_id) AS id FROM open_events WHERE open_event_id > ${after} AND event_at > ${since}`,
    counts: (after, until) =>
      sql`SELECT term_id, campus_code, status_after AS word, count(*) AS count FROM open_events
        WHERE open_event_id > ${after} AND open_event_id <= ${until} GROUP BY term_id, campus_code, status_after`,
    db,
  });
  return async (lists) => ({
    name: 'seat_open_events_total',
    type: 'counter',
    help: "Openings and closings, by the section's own campus, in all processes, since this one was first asked.",
    samples: await look(
      lists.flatMap((list) =>
        campusesOf(list).flatMap((campus) =>
          ['Open', 'Closed'].map((word) => ({ ...labelsOf(list), campus, word })),
        ),
      ),
      'status',
    ),
  });
}

/** A transaction may still be open that has taken a lower number; ours are over long before this. */
const settledMs = 5_000;

interface Counted {
  term: string;
  campus: string;
  word: string;
}

/** Counts what has come into a table since the first question; each look reads only what is new. */
function createTotals(
  clock: Clock,
  questions: {
    newest: ReturnType<typeof sql>;
    unsettled(after: number, since: string): ReturnType<typeof sql>;
    counts(after: number, until: number): ReturnType<typeof sql>;
    db: Database;
  },
): (known: readonly Counted[], label: string) => Promise<Sample[]> {
  const { db } = questions;
  const totals = new Map<string, Counted & { count: number }>();
  const keyOf = ({ term, campus, word }: Counted) => `${term} ${campus} ${word}`;
  let seen: number | undefined;

  async function idOf(question: ReturnType<typeof sql>): Promise<number | null> {
    const { rows } = await question.execute(db.read);
    const [row] = rows as { id: number | string | null }[];
    return row?.id == null ? null : Number(row.id);
  }

  async function look(): Promise<void> {
    if (seen === undefined) {
      seen = (await idOf(questions.newest)) ?? 0;
      return;
    }
    const fresh = await idOf(questions.unsettled(seen, new Date(clock.now() - settledMs).toISOString()));
    const until = fresh === null ? ((await idOf(questions.newest)) ?? seen) : fresh - 1;
    const { rows } = await questions.counts(seen, until).execute(db.read);
    for (const row of rows as { term_id: string; campus_code: string; word: string; count: number }[]) {
      const counted = { term: row.term_id, campus: row.campus_code, word: row.word };
      const count = (totals.get(keyOf(counted))?.count ?? 0) + Number(row.count);
      totals.set(keyOf(counted), { ...counted, count });
    }
    seen = Math.max(seen, until);
  }

  return async (known, label) => {
    await look();
    // From the first question on each is there with 0: of a series that begins with 1, Prometheus sees no increase.
    for (const each of known) {
      if (!totals.has(keyOf(each))) totals.set(keyOf(each), { ...each, count: 0 });
    }
    return [...totals.values()]
      .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
      .map(({ term, campus, word, count }) => ({ labels: { term, campus, [label]: word }, value: count }));
  };
}

async function fanOutMetrics(db: Database, clock: Clock): Promise<Metric[]> {
  const { count, oldest } = await db.read
    .selectFrom('open_event_fanouts')
    .innerJoin('open_events', 'open_events.open_event_id', 'open_event_fanouts.open_event_id')
    .select((eb) => [eb.fn.countAll().as('count'), eb.fn.min('event_at').as('oldest')])
    .where('finished_at', 'is', null)
    .executeTakeFirstOrThrow();
  const ageMs = oldest === null ? 0 : Math.max(0, clock.now() - Date.parse(oldest));
  return [
    {
      name: 'seat_fanouts_unfinished',
      type: 'gauge',
      help: 'Openings of which not everybody who watches has a delivery yet.',
      samples: [{ value: Number(count) }],
    },
    {
      name: 'seat_fanout_oldest_seconds',
      type: 'gauge',
      help: 'How long ago the oldest of them was seen.',
      samples: [{ value: ageMs / 1000 }],
    },
  ];
}
