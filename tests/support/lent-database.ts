import { setTimeout as sleep } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Database } from '../../src/db/database.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import type { Schema } from '../../src/db/schema.ts';

/** What is under way when it is given back has so long to end. */
const patienceMs = 2_000;

/**
 * An open database for one test: to begin sessions, to learn the tables and to prepare statements takes longer than most tests.
 * Closed, it refuses whoever still uses it, as any database does, and stays open for the next test.
 */
export interface Lent {
  /** To close it waits a moment for what is under way. */
  db: Database;
  /** From now on everybody is refused. Answers whether nobody is at work in it. */
  end(): boolean;
}

export function lend(kept: Database): Lent {
  let isClosed = false;
  const uses = new Set<Promise<unknown>>();
  const use = <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed) return Promise.reject(new Error('the database was closed'));
    const done = work();
    uses.add(done);
    const end = () => uses.delete(done);
    done.then(end, end);
    return done;
  };
  const end = () => {
    isClosed = true;
    return uses.size === 0;
  };
  const read = lentKysely(kept.dialect, kept.read, use);
  const db: Database = {
    dialect: kept.dialect,
    read,
    write: kept.write === kept.read ? read : lentKysely(kept.dialect, kept.write, use),
    transaction: (work) => use(() => kept.transaction(work)),
    script: (text, tx) => use(() => kept.script(text, tx)),
    async close() {
      if (!end()) await Promise.race([Promise.allSettled(uses), sleep(patienceMs)]);
    },
  };
  return { db, end };
}

type Use = <T>(work: () => Promise<T>) => Promise<T>;

/** The same statements on the same connections, each of them borrowed. */
function lentKysely(name: DialectName, kept: Kysely<Schema>, use: Use): Kysely<Schema> {
  const executor = kept.getExecutor();
  const releases = new Map<DatabaseConnection, () => void>();
  const say = async (connection: DatabaseConnection, text: string) => {
    await connection.executeQuery(CompiledQuery.raw(text));
  };
  const dialect: Dialect = {
    createAdapter: () => executor.adapter,
    createQueryCompiler: () =>
      name === 'postgres' ? new PostgresQueryCompiler() : new SqliteQueryCompiler(),
    createIntrospector: (db) =>
      name === 'postgres' ? new PostgresIntrospector(db) : new SqliteIntrospector(db),
    createDriver: () => ({
      async init() {},
      acquireConnection: () =>
        new Promise((resolve, reject) => {
          const borrow = (connection: DatabaseConnection) =>
            new Promise<void>((release) => {
              releases.set(connection, release);
              resolve(connection);
            });
          use(() => executor.provideConnection(borrow)).catch(reject);
        }),
      async releaseConnection(connection) {
        releases.get(connection)?.();
      },
      beginTransaction: (connection) => say(connection, name === 'postgres' ? 'BEGIN' : 'BEGIN IMMEDIATE'),
      commitTransaction: (connection) => say(connection, 'COMMIT'),
      rollbackTransaction: (connection) => say(connection, 'ROLLBACK'),
      async destroy() {},
    }),
  };
  return new Kysely<Schema>({ dialect });
}
