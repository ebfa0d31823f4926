import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { type Status, statusNames } from '../../domain/status.ts';
import type { Clock } from '../../std/clock.ts';
import { numberBefore, settledUntil } from './story.ts';

/**
 * What moved in the last hour, minute by minute, from the story. Each look reads only what is new; the first one looks for where the hour began.
 */
export interface RecentMoves {
  look(): Promise<Moves>;
}

export interface Moves {
  /** Of the whole hour; a delivery that is new comes from nowhere. */
  arrows: readonly { from: Status | null; to: Status; count: number }[];
  /** The oldest first; a minute in which nothing happened is not there. */
  minutes: readonly Minute[];
}

interface Minute {
  at: number;
  accepted: number;
  delivered: number;
  failed: number;
  /** From the moment it was due to be known until the provider had it, in the middle and at the slow end, of those that were looked at. */
  p50Ms: number | null;
  p99Ms: number | null;
}

interface Kept extends Omit<Minute, 'p50Ms' | 'p99Ms'> {
  moves: Map<string, number>;
  waitsMs: number[];
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const waitsMax = 500;
const staleMs = 10 * minuteMs;

export function createRecentMoves({ db, clock }: { db: Database; clock: Clock }): RecentMoves {
  const minutes = new Map<number, Kept>();
  let seen: number | undefined;
  let lookedAt = -Infinity;

  const minuteOf = (at: number): Kept => {
    const start = Math.floor(at / minuteMs) * minuteMs;
    const known = minutes.get(start);
    if (known) return known;
    const fresh = { ...{ at: start, accepted: 0, delivered: 0, failed: 0 }, moves: new Map(), waitsMs: [] };
    minutes.set(start, fresh);
    return fresh;
  };

  async function readNew(after: number, until: number): Promise<void> {
    const { rows } = await sql<{
      minute: number | string;
      from: string | null;
      status: Status;
      count: number | string;
    }>`
      SELECT at / ${sql.lit(minuteMs)} AS minute, CASE WHEN detail LIKE '{"from":"%' THEN substr(detail, 10, 10) END AS "from", status, count(*) AS count
      FROM delivery_events WHERE event_seq > ${after} AND event_seq <= ${until} GROUP BY 1, 2, 3
    `.execute(db.read);
    for (const { minute, from, status, count } of rows) {
      const kept = minuteOf(Number(minute) * minuteMs);
      const before =
        from === null
          ? null
          : (statusNames.find((name) => `${name}"`.startsWith(from.slice(0, name.length + 1))) ?? null);
      if (before === status) continue;
      const key = `${before ?? ''}>${status}`;
      kept.moves.set(key, (kept.moves.get(key) ?? 0) + Number(count));
      if (status === 'sent') kept.accepted += Number(count);
      if (status === 'delivered') kept.delivered += Number(count);
      if (status === 'failed_permanent') kept.failed += Number(count);
    }
    const waits = await db.read
      .selectFrom('delivery_events')
      .innerJoin('deliveries', 'deliveries.seq', 'delivery_events.delivery_seq')
      .select(['delivery_events.at', 'deliveries.created_at'])
      .where('event_seq', '>', after)
      .where('event_seq', '<=', until)
      .where('event', '=', 'accepted')
      .orderBy('event_seq', 'desc')
      .limit(waitsMax)
      .execute();
    for (const { at, created_at } of waits) {
      const { waitsMs } = minuteOf(Number(at));
      if (waitsMs.length < waitsMax) waitsMs.push(Math.max(0, Number(at) - Number(created_at)));
    }
  }

  async function look(): Promise<Moves> {
    // Nobody has looked for so long that what was kept is over: all of it need not be read to learn that.
    if (clock.monotonic() - lookedAt > staleMs) {
      minutes.clear();
      seen = undefined;
    }
    lookedAt = clock.monotonic();
    seen ??= await numberBefore(db, clock.now() - hourMs);
    const until = await settledUntil(db, seen, clock.now());
    if (until > seen) await readNew(seen, until);
    seen = until;
    for (const start of minutes.keys()) if (start < clock.now() - hourMs - minuteMs) minutes.delete(start);
    return movesOf([...minutes.values()].sort((one, other) => one.at - other.at));
  }

  return { look };
}

function movesOf(kept: readonly Kept[]): Moves {
  const sums = new Map<string, number>();
  const add = (key: string, count: number) => sums.set(key, (sums.get(key) ?? 0) + count);
  for (const { moves } of kept) for (const [key, count] of moves) add(key, count);
  // What merely takes a row in hand is not told in its story; what left from there has passed there.
  const leftFrom = (status: Status) =>
    [...sums].reduce((sum, [key, count]) => sum + (key.startsWith(`${status}>`) ? count : 0), 0);
  add('claimed>sending', leftFrom('sending'));
  add('pending>claimed', leftFrom('claimed'));
  return {
    arrows: [...sums].flatMap(([key, count]) => {
      const [from, to] = key.split('>') as [Status | '', Status];
      return count === 0 ? [] : [{ from: from === '' ? null : from, to, count }];
    }),
    minutes: kept.map(({ moves: _, waitsMs, ...minute }) => {
      const sorted = waitsMs.toSorted((one, other) => one - other);
      const at = (share: number) =>
        sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
      return { ...minute, p50Ms: at(0.5), p99Ms: at(0.99) };
    }),
  };
}
