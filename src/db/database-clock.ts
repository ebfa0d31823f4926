import { sql } from 'kysely';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';
import type { Database } from './database.ts';

/**
 * The time by which all processes on one database agree: PostgreSQL's clock, carried on by this machine's monotonic one
 * between measurements. Leases are compared across machines, so a machine whose own clock is wrong must not matter. On
 * SQLite there is one machine and its clock.
 */
export interface DatabaseClock extends Clock {
  /** False after a measurement that was off by more than two seconds, until one agrees again. */
  readonly isSteady: boolean;
  measure(): Promise<void>;
}

const jumpMs = 2_000;

export async function createDatabaseClock(db: Database, local: Clock, log: Log): Promise<DatabaseClock> {
  if (db.dialect === 'sqlite') return { ...local, isSteady: true, measure: async () => {} };
  let offsetMs = await offsetOf(db, local);
  let isAgreed = true;
  /** The monotonic clock stands still while the machine sleeps, and only the wall clock shows it. */
  const wallLead = () => local.now() - local.monotonic();
  let leadMs = wallLead();
  const sleptMs = () => {
    const aheadMs = wallLead() - leadMs;
    return aheadMs > jumpMs ? aheadMs : 0;
  };
  return {
    // Too late rather than too early, until it is measured: whatever was begun before the sleep is over.
    now: () => Math.round(local.monotonic() + offsetMs + sleptMs()),
    monotonic: local.monotonic,
    sleep: local.sleep,
    nextTurn: local.nextTurn,
    get isSteady() {
      return isAgreed && sleptMs() === 0;
    },
    async measure() {
      const measuredMs = await offsetOf(db, local);
      isAgreed = Math.abs(measuredMs - offsetMs) <= jumpMs;
      leadMs = wallLead();
      if (!isAgreed) log.error('clock.jumped', { byMs: Math.round(measuredMs - offsetMs) });
      offsetMs = measuredMs;
    },
  };
}

/** The database's time less our monotonic time, taken at the middle of the question's way there and back. */
async function offsetOf(db: Database, local: Clock): Promise<number> {
  const askedAt = local.monotonic();
  const { rows } = await sql<{
    now: string;
  }>`SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now`.execute(db.read);
  const answeredAt = local.monotonic();
  return Number(rows[0]?.now) - (askedAt + answeredAt) / 2;
}
