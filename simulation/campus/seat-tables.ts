import { CompiledQuery } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import type { OpenEventRow, SectionStatus, SubscriptionRow } from '../../src/db/seats-schema.ts';

/** What the tables of course seats say after a commit: of those that only grow, what is new. */
export interface Seats {
  events: OpenEventRow[];
  snapshots: SnapshotRow[];
  lists: ListRow[];
  /** By list: what is believed open in it. */
  beliefs: ReadonlyMap<string, ReadonlySet<string>>;
  words: WordRow[];
  fanouts: FanoutRow[];
  watches: ReadonlyMap<number, SubscriptionRow>;
  entries: EntryRow[];
}

export interface SnapshotRow {
  snapshot_id: number;
  campus_code: string;
  seen_open_at: string;
  source_hash: string;
  verdict: 'baseline' | 'taken' | 'held' | 'empty';
}
interface ListRow {
  campus_code: string;
  version: number;
  good_at: number | null;
  held: string | null;
  next_poll_at: number;
}
/** What the catalog has said, and nobody has weighed yet. */
interface WordRow {
  index_number: string;
  status_after: SectionStatus;
}
interface FanoutRow {
  open_event_id: number;
  finished_at: number | null;
}
/** A line of `subscription_events`. */
interface EntryRow {
  subscription_event_id: number;
  subscription_id: number;
  event_type: string;
  open_event_id: number | null;
}

export interface SeatReader {
  read(): Promise<Seats>;
}

const all = <T>(text: string) => CompiledQuery.raw(text) as CompiledQuery<T>;
const after = <T>(text: string, id: number) => CompiledQuery.raw(text, [id]) as CompiledQuery<T>;

// In one text each: a row for every index would be most of the cost of looking.
const beliefs = all<{ campus_code: string; open: string }>(
  `SELECT campus_code, group_concat(index_number, ' ') AS open FROM open_list_indexes WHERE is_open = 1
  GROUP BY campus_code`,
);
const lists = all<ListRow>('SELECT campus_code, version, good_at, held, next_poll_at FROM open_lists');
const words = all<WordRow>(
  'SELECT index_number, status_after FROM section_status_events WHERE weighed_at IS NULL ORDER BY status_event_id',
);
const fanouts = all<FanoutRow>('SELECT open_event_id, finished_at FROM open_event_fanouts');
const watches = all<SubscriptionRow>('SELECT * FROM subscriptions');

export function createSeatReader(db: Database): SeatReader {
  let lastEvent = 0;
  let lastSnapshot = 0;
  let lastEntry = 0;
  const rowsOf = async <T>(query: CompiledQuery<T>) => (await db.write.executeQuery(query)).rows;
  return {
    async read() {
      const seats: Seats = {
        events: await rowsOf(
          after<OpenEventRow>(
            'SELECT * FROM open_events WHERE open_event_id > ? ORDER BY open_event_id',
            lastEvent,
          ),
        ),
        snapshots: await rowsOf(
          after<SnapshotRow>(
            `SELECT snapshot_id, campus_code, seen_open_at, source_hash, verdict FROM open_section_snapshots
            WHERE snapshot_id > ? ORDER BY snapshot_id`,
            lastSnapshot,
          ),
        ),
        entries: await rowsOf(
          after<EntryRow>(
            `SELECT subscription_event_id, subscription_id, event_type, open_event_id FROM subscription_events
            WHERE subscription_event_id > ? ORDER BY subscription_event_id`,
            lastEntry,
          ),
        ),
        lists: await rowsOf(lists),
        beliefs: new Map(
          (await rowsOf(beliefs)).map(({ campus_code, open }) => [campus_code, new Set(open.split(' '))]),
        ),
        words: await rowsOf(words),
        fanouts: await rowsOf(fanouts),
        watches: new Map((await rowsOf(watches)).map((row) => [row.subscription_id, row])),
      };
      lastEvent = seats.events.at(-1)?.open_event_id ?? lastEvent;
      lastSnapshot = seats.snapshots.at(-1)?.snapshot_id ?? lastSnapshot;
      lastEntry = seats.entries.at(-1)?.subscription_event_id ?? lastEntry;
      return seats;
    },
  };
}
