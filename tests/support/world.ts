import { describe, expect } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import type { Intent } from '../../src/domain/delivery.ts';
import type { Fact } from '../../src/outbox/facts.ts';
import { createOutbox, type Outbox, readNamespace } from '../../src/outbox/outbox.ts';
import { createQueries, type OutboxQueries } from '../../src/outbox/queries.ts';
import { createManualClock, type ManualClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { hasPostgres, migratedDatabase } from './own-database.ts';
import { isOnPostgresToo } from './run-size.ts';

export { emptyDatabase, hasPostgres } from './own-database.ts';

/** A real database of its own, with the real tables and an outbox on a clock that the test moves. */
export interface World {
  url: string;
  db: Database;
  clock: ManualClock;
  outbox: Outbox;
  queries: OutboxQueries;
  /** What consent and the source `plain` were told, in order. */
  told: { by: 'consent' | 'source'; fact: Fact }[];
  /** The next bookkeeping of a source throws. */
  failBookkeeping(times: number): void;
  close(): Promise<void>;
}

/** The same tests on both databases. Without a PostgreSQL they are skipped, and the runner says so by name. */
export function onBothDatabases(name: string, tests: (dialect: DialectName) => void): void {
  describe(`${name} (sqlite)`, () => tests('sqlite'));
  if (!isOnPostgresToo(expect.getState().testPath ?? '')) return;
  describe.skipIf(!hasPostgres)(`${name} (postgres)`, () => tests('postgres'));
}

export async function createWorld(dialect: DialectName, more: { healAfterMs?: number } = {}): Promise<World> {
  const { url, drop, db } = await migratedDatabase(dialect);
  const clock = createManualClock();
  const told: World['told'] = [];
  let failures = 0;
  const listener = (by: 'consent' | 'source') => async (facts: readonly Fact[]) => {
    if (by === 'source' && failures > 0) {
      failures -= 1;
      throw new Error('bookkeeping failed');
    }
    told.push(...facts.map((fact) => ({ by, fact })));
  };
  const outbox = createOutbox({
    db,
    clock,
    log: silentLog,
    namespace: await readNamespace(db),
    listeners: { consent: listener('consent'), source: () => listener('source') },
    ...more,
  });
  return {
    url,
    db,
    clock,
    outbox,
    queries: createQueries(db),
    told,
    failBookkeeping: (times) => {
      failures = times;
    },
    close: async () => {
      await db.close();
      await drop();
    },
  };
}

/**
 * Lets time pass for code that sleeps, and only for it: while a real database works at its own pace, the clock stands.
 * Gives up after ten seconds of real time.
 */
export async function advanceUntil<T>(clock: ManualClock, work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => {});
  for (let wait = 0; wait < 5000 && !isDone; wait++) {
    const ms = clock.nextWakeMs();
    if (ms === undefined) await new Promise((resolve) => setTimeout(resolve, 2));
    else await clock.advance(ms);
  }
  return done;
}

export function intentNumber(number: number, more: Partial<Intent> = {}): Intent {
  return {
    source: 'plain',
    occasion: `occasion-${number}`,
    recipient: `person-${number}@example.org`,
    toEmail: `person-${number}@example.org`,
    lane: 'normal',
    variables: { subject: `Subject ${number}`, text: `Text ${number}` },
    ...more,
  };
}
