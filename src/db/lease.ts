import { sql } from 'kysely';
import type { Clock } from '../std/clock.ts';
import type { Database } from './database.ts';

/**
 * Work that one process at a time does, because two would only be a burden. It is a courtesy and not the protection: who lost the lease
 * without knowing must still do no harm.
 */
export interface Lease {
  /** Takes it, or keeps it. Otherwise for how long it is somebody else's. */
  hold(): Promise<{ isOurs: true } | { isOurs: false; freeInMs: number }>;
}

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

export function createLease({ db, clock, holder, name }: LeaseParts): Lease {
  let heldUntil = Number.NEGATIVE_INFINITY;
  return {
    async hold() {
      // By the clock that is never set back: for as long as this process knows that it is its own.
      if (heldUntil - clock.monotonic() >= renewBelowMs) return { isOurs: true };
      const startedAt = clock.monotonic();
      const now = clock.now();
      // Nobody takes it for longer than its length: where it is so, a clock was set back.
      const { rows } = await sql<{ holder: string }>`
        INSERT INTO leases (name, holder, until) VALUES (${name}, ${holder}, ${now + leaseMs})
        ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
        WHERE leases.holder = excluded.holder OR leases.until < ${now}
          OR leases.until > ${now + leaseMs}
        RETURNING holder
      `.execute(db.write);
      if (rows.length > 0) {
        heldUntil = startedAt + leaseMs;
        return { isOurs: true };
      }
      heldUntil = Number.NEGATIVE_INFINITY;
      const other = await db.read
        .selectFrom('leases')
        .select('until')
        .where('name', '=', name)
        .executeTakeFirst();
      return { isOurs: false, freeInMs: Math.max(0, (other?.until ?? now) - now) };
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
