import { type Kysely, sql, type Transaction } from 'kysely';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';
import { type DialectName, dialectOf, sqlitePathOf } from './dialect.ts';
import type { Schema } from './schema.ts';
import { openSqlite } from './sqlite.ts';

/**
 * The database: every fact is in it, and nothing that matters is anywhere else. No transaction may stay open
 * across a network call.
 */
export interface Database {
  readonly dialect: DialectName;
  /** Never waits behind a transaction of this process. */
  readonly read: Kysely<Schema>;
  /** For a single statement, which commits by itself. */
  readonly write: Kysely<Schema>;
  /** `work` may run more than once (deadlock): it must do nothing but use `tx`. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** A migration's text: several statements, in `tx`. */
  script(text: string, tx: Tx): Promise<void>;
  close(): Promise<void>;
}

export type Tx = Transaction<Schema>;

export interface DatabaseParts {
  clock: Clock;
  log: Log;
  /** Every statement as it is sent: for the tests that check the plans of the hot ones. */
  onStatement?: StatementListener;
}

export type StatementListener = (statement: { sql: string; parameters: readonly unknown[] }) => void;

export async function openDatabase(
  url: string,
  { clock, log, onStatement }: DatabaseParts,
): Promise<Database> {
  if (dialectOf(url) === 'sqlite') {
    const path = sqlitePathOf(url);
    const { read, write, script, close } = await openSqlite(path, clock, onStatement);
    return {
      dialect: 'sqlite',
      read,
      write,
      transaction: (work) => write.transaction().execute(work),
      script: async (text) => script(text),
      close: async () => close(),
    };
  }
  // Loaded only then, as its driver takes a tenth of a second that most commands do not have to wait.
  const { openPostgres } = await import('./postgres.ts');
  const { db, close } = await openPostgres(url, { clock, log }, onStatement);
  return {
    dialect: 'postgres',
    read: db,
    write: db,
    transaction: (work) => retryingDeadlocks(() => db.transaction().execute(work)),
    // Without parameters pg speaks the simple protocol, which takes many statements.
    script: async (text, tx) => {
      await sql.raw(text).execute(tx);
    },
    close,
  };
}

const deadlock = '40P01';
const deadlockTries = 5;

/** PostgreSQL has rolled back what waited: the whole transaction is to be tried again, by whoever began it. */
export function isDeadlock(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === deadlock;
}

/**
 * Rows are locked in one order wherever we can choose it, which leaves deadlocks to where we cannot: operators' SQL, foreign rows that
 * are found only under another lock (a section that changes its list), and statements that lock in the order in which they read.
 */
async function retryingDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isDeadlock(error) || tries >= deadlockTries) throw error;
    }
  }
}
