import type { Database } from '../../../db/database.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Log } from '../../../std/log.ts';
import type { Chore } from '../../source.ts';
import type { ListKey } from '../term.ts';
import type { Catalog, Ingested } from './catalog.ts';

/**
 * Keeps the catalogs fresh: those that are asked for, one after the other, each as often as the feed makes a new one. The
 * time of the last whole reading is in the database, so that a restart reads nothing again, unless it had been cut short. What
 * fails waits longer each time, and holds up no other.
 */
interface IngestChoreParts {
  db: Database;
  catalog: Pick<Catalog, 'ingest'>;
  clock: Clock;
  log: Log;
  /** Terms and campuses of which a catalog is wanted now: those that are watched, and those that are configured. */
  wanted: () => Promise<readonly ListKey[]>;
  intervalMs?: number;
}

/** The feed's Cache-Control on its catalog. */
const intervalDefaultMs = 900_000;
/** So soon it is noticed what has come to be wanted. */
const pauseMs = 30_000;
const backOffFirstMs = 30_000;

export function createIngestChore(parts: IngestChoreParts): Chore {
  const { db, catalog, clock, log, intervalMs = intervalDefaultMs } = parts;
  /** What this process has tried, by a clock that nobody sets. */
  const tried = new Map<string, { notBefore: number; failures: number }>();

  async function waitOf(list: ListKey): Promise<number> {
    const ownMs = (tried.get(keyOf(list))?.notBefore ?? 0) - clock.monotonic();
    if (ownMs > 0) return ownMs;
    // Another process may have read it, or this one before it was started again.
    const [readAt, now] = [await lastReading(db, list), clock.now()];
    // A time that is still to come is of a clock that was set back, and says nothing.
    return readAt === undefined || readAt > now ? 0 : Math.max(0, readAt + intervalMs - now);
  }

  function remember(list: ListKey, result: Ingested | undefined): void {
    const failures = result?.kind === 'ingested' ? 0 : (tried.get(keyOf(list))?.failures ?? 0) + 1;
    const askedMs = result?.kind === 'failed' ? (result.retryAfterMs ?? 0) : 0;
    const backOffMs = Math.min(intervalMs, backOffFirstMs * 2 ** Math.min(failures - 1, 20));
    const waitMs = failures === 0 ? intervalMs : Math.max(askedMs, backOffMs);
    tried.set(keyOf(list), { notBefore: clock.monotonic() + waitMs, failures });
    if (failures > 0) log.info('seats.catalog_put_off', { ...list, failures, retryInMs: waitMs });
  }

  async function ingest(list: ListKey, signal: AbortSignal): Promise<void> {
    let result: Ingested | undefined;
    try {
      result = await catalog.ingest({ ...list, signal });
    } finally {
      // After what is thrown as well: whoever calls again in a second would fetch all of it again.
      if (!signal.aborted) remember(list, result);
    }
  }

  return {
    name: 'seats-ingest',
    pauseMs,
    async once(signal) {
      let nextMs = pauseMs;
      for (const list of distinct(await parts.wanted())) {
        const waitMs = await waitOf(list);
        if (waitMs <= 0) {
          await ingest(list, signal);
          return 'again';
        }
        nextMs = Math.min(nextMs, waitMs);
      }
      return nextMs;
    },
  };
}

const keyOf = ({ termId, campusCode }: ListKey) => `${termId} ${campusCode}`;

function distinct(lists: readonly ListKey[]): ListKey[] {
  return [...new Map(lists.map((list) => [keyOf(list), list])).values()];
}

/** When a catalog was last read to its end: its courses get that time only then. */
async function lastReading(db: Database, { termId, campusCode }: ListKey): Promise<number | undefined> {
  const row = await db.read
    .selectFrom('courses')
    .select(({ fn }) => fn.max('seen_at').as('read_at'))
    .where('term_id', '=', termId)
    .where('campus_code', '=', campusCode)
    .executeTakeFirst();
  return row?.read_at || undefined;
}
