import { sql } from 'kysely';
import type { Clock } from '../std/clock.ts';
import type { Database } from './database.ts';

/**
 * Work that one process at a time does, because two would only be a burden. It is a courtesy and not the protection: who lost the lease
 * without knowing must still do no harm.
 */
export interface Lease {
  /** Takes it, or keeps it. Otherwise for how long it is somebody else's. */
  hold(): Promise<Held>;
  /** At a stop: whoever is there next need not wait for its end. */
  release(): Promise<void>;
}

type Held = { isOurs: true } | { isOurs: false; freeInMs: number };

export interface LeaseParts {
  db: Database;
  clock: Clock;
  /** This process among those that could hold it. */
  holder: string;
  name: string;
}

/** Somebody else takes over so long after a death: within the minute in which a list must be fresh (004-01), with time to spare. */
const leaseMs = 12_000;
/** What is left of it when it is prolonged: more than nearly every question to a feed takes; who loses it meanwhile does no harm. */
const renewBelowMs = 9_000;
/** By how much two processes may disagree about the time: each has measured the database's by questions that took their way. */
const clocksDifferMs = 2_000;
/** How often those without it look, and they only look: an idle process must not write several times a second. */
const lookEveryMs = 1_000;

export function createLease({ db, clock, holder, name }: LeaseParts): Lease {
  // By the clock that is never set back: for as long as this process knows whose it is.
  let heldUntil = Number.NEGATIVE_INFINITY;
  let othersUntil = Number.NEGATIVE_INFINITY;
  let lookAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<Held> | undefined;

  function othersFor(ms: number): Held {
    heldUntil = Number.NEGATIVE_INFINITY;
    othersUntil = clock.monotonic() + ms;
    lookAt = clock.monotonic() + Math.min(ms, lookEveryMs);
    return { isOurs: false, freeInMs: ms };
  }

  async function ask(): Promise<Held> {
    const startedAt = clock.monotonic();
    const now = clock.now();
    const row = await db.read.selectFrom('leases').selectAll().where('name', '=', name).executeTakeFirst();
    // Nobody takes it for longer than its length: where it is so, a clock was set back.
    const longest = now + leaseMs + clocksDifferMs;
    const isOthers = row && row.holder !== holder && row.until >= now && row.until <= longest;
    if (isOthers) return othersFor(row.until - now);
    const { rows } = await sql<{ holder: string }>`
      INSERT INTO leases (name, holder, until) VALUES (${name}, ${holder}, ${now + leaseMs})
      ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
      WHERE leases.holder = excluded.holder OR leases.until < ${now}
        OR leases.until > ${longest}
      RETURNING holder
    `.execute(db.write);
    // Somebody was quicker, a moment ago.
    if (rows.length === 0) return othersFor(leaseMs);
    heldUntil = startedAt + leaseMs;
    return { isOurs: true };
  }

  return {
    async hold() {
      const now = clock.monotonic();
      if (heldUntil - now >= renewBelowMs) return { isOurs: true };
      if (now < lookAt) return { isOurs: false, freeInMs: Math.max(0, othersUntil - now) };
      // All that hangs on it asks in the same moment.
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    async release() {
      if (heldUntil <= clock.monotonic()) return;
      heldUntil = Number.NEGATIVE_INFINITY;
      await db.write.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute();
    },
  };
}

/** Whose it was last, and until when; undefined where nobody has ever had it. */
export async function readLease(
  db: Database,
  name: string,
): Promise<{ holder: string; until: number } | undefined> {
  const row = await db.read
    .selectFrom('leases')
    .select(['holder', 'until'])
    .where('name', '=', name)
    .executeTakeFirst();
  return row && { holder: row.holder, until: Number(row.until) };
}
