import { sql } from 'kysely';
import { type Database, openDatabase } from '../../src/db/database.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import { migrate } from '../../src/db/migrate.ts';
import { systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog as log } from '../../src/std/log.ts';
import { lend } from '../support/lent-database.ts';
import { emptyDatabase } from '../support/world.ts';
import { createJumpingClock, type JumpingClock } from './jumping-clock.ts';
import { booksTable } from './verdict.ts';

/** What outlives those who are killed: a database and the time. */
export interface Ground {
  /** Of a bystander, who is never killed. */
  readonly admin: Database;
  readonly clock: JumpingClock;
  /** Each scenario that is lived here has another one. */
  nextNumber(): number;
  /** For one life; `leave` when it is over, however it ended. */
  enter(): Promise<{ db: Database; leave(isDead: boolean): Promise<void> }>;
  /** As if nobody had ever lived here. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

const tables = [
  ...['deliveries', 'delivery_mails', 'delivery_events', 'owed_facts', 'operator_requests'],
  ...['unsubscribe_tokens', 'suppressions', 'captured_mails', 'crash_books'],
];

export async function createGround(dialect: DialectName): Promise<Ground> {
  const { url, drop } = await emptyDatabase(dialect);
  const open = (as = '') => openDatabase(`${url}${as}`, { clock: systemClock, log });
  // Under another name, so that it outlives those that die.
  const admin = await open(dialect === 'postgres' ? '?application_name=bystander' : '');
  await migrate(admin, { clock: systemClock, ids: systemIds });
  await sql.raw(booksTable).execute(admin.write);
  /** Nothing depends on the state of a session: who comes after somebody who let go of all of them may go on with them. */
  let kept: Database | undefined;
  let number = 0;

  /** What a killed process leaves to the database: connections that are gone, and so are their transactions. */
  async function bury(db: Database): Promise<void> {
    if (dialect === 'sqlite') {
      // A process that is gone has no lock; ours is still here and has to let go of it.
      await db.script('ROLLBACK', undefined as never).catch(() => {});
      return db.close();
    }
    // Until they are gone: their end is asked for, and comes a moment later.
    for (;;) {
      const { rows } = await sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'tidings'`.execute(admin.write);
      if (rows.length === 0) return;
      await systemClock.sleep(2);
    }
  }

  return {
    admin,
    clock: createJumpingClock(),
    nextNumber: () => number++,
    async enter() {
      const mine = kept ?? (await open());
      kept = undefined;
      const { db, end } = lend(mine);
      return {
        db,
        async leave(isDead) {
          if (!isDead) await db.close();
          if (end()) kept = mine;
          else await bury(mine);
        },
      };
    },
    async clear() {
      const text = tables.map((table) => `DELETE FROM ${table};`).join('\n');
      await admin.transaction((tx) => admin.script(text, tx));
    },
    async close() {
      await kept?.close();
      await admin.close();
      await drop();
    },
  };
}
