import { sql } from 'kysely';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';
import type { Database } from './database.ts';
import { raiseMark, readMark, type SetBack } from './time-mark.ts';

/**
 * The time by which all processes on one database agree: PostgreSQL's clock, carried on by this machine's monotonic one
 * between measurements. Leases are compared across machines, so a machine whose own clock is wrong must not matter. On
 * SQLite there is one machine and its clock.
 */
export interface DatabaseClock extends Clock {
  /** False after a measurement that was off by more than two seconds, until one agrees again. */
  readonly isSteady: boolean;
  /** Answers whether the time is earlier than it has been; it is not steady until somebody has seen to that. */
  measure(): Promise<SetBack | null>;
}

const jumpMs = 2_000;

export async function createDatabaseClock(db: Database, local: Clock, log: Log): Promise<DatabaseClock> {
  const clock = db.dialect === 'sqlite' ? wallClock(local) : await serverClock(db, local, log);
  const isBehind = (mark: number | null) => mark !== null && clock.now() < mark - jumpMs;
  let wasSetBack = isBehind(await readMark(db));
  return {
    now: () => clock.now(),
    monotonic: local.monotonic,
    sleep: local.sleep,
    nextTurn: local.nextTurn,
    get isSteady() {
      return !wasSetBack && clock.isSteady();
    },
    async measure() {
      await clock.measure();
      const mark = await readMark(db);
      wasSetBack = isBehind(mark);
      if (wasSetBack && mark !== null) return { from: mark, to: clock.now() };
      await raiseMark(db, clock.now());
      return null;
    },
  };
}

interface Reference {
  now(): number;
  isSteady(): boolean;
  measure(): Promise<void>;
}

/** How far the wall clock is ahead of the monotonic one: that changes when one sleeps, or the other is set. */
const leadOf = (local: Clock) => local.now() - local.monotonic();

function wallClock(local: Clock): Reference {
  let leadMs = leadOf(local);
  return {
    now: () => local.now(),
    // Ahead is what a sleep looks like, and does no harm: whatever was begun before it is over.
    isSteady: () => leadOf(local) >= leadMs - jumpMs,
    async measure() {
      leadMs = leadOf(local);
    },
  };
}

async function serverClock(db: Database, local: Clock, log: Log): Promise<Reference> {
  let offsetMs = await offsetOf(db, local);
  let isAgreed = true;
  let leadMs = leadOf(local);
  /** The monotonic clock stands still while the machine sleeps, and only the wall clock shows it. */
  const sleptMs = () => {
    const aheadMs = leadOf(local) - leadMs;
    return aheadMs > jumpMs ? aheadMs : 0;
  };
  return {
    // Too late rather than too early, until it is measured: whatever was begun before the sleep is over.
    now: () => Math.round(local.monotonic() + offsetMs + sleptMs()),
    isSteady: () => isAgreed && sleptMs() === 0,
    async measure() {
      const measuredMs = await offsetOf(db, local);
      isAgreed = Math.abs(measuredMs - offsetMs) <= jumpMs;
      leadMs = leadOf(local);
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
