import { type CompiledQuery, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Database } from '../src/db/database.ts';
import type { Schema } from '../src/db/schema.ts';
import type { Faults, Strike, What } from './faults.ts';

/** The shared database as one process sees it; `commit` runs what writes, one at a time, and looks at the result. */
export function faultyDatabase(
  base: Database,
  faults: Faults,
  commit: <T>(work: () => Promise<T>) => Promise<T>,
): Database {
  const through = (run: (query: CompiledQuery, strike: Strike) => Promise<unknown>, what: What) =>
    statements((query) => faults.call(what, (strike) => run(query, strike)) as never);
  return {
    dialect: base.dialect,
    read: through((query) => base.read.executeQuery(query), 'a read'),
    write: through(
      (query, strike) =>
        commit(async () => {
          strike.beforeWork();
          strike.beforeCommit();
          return base.write.executeQuery(query);
        }),
      'a statement',
    ),
    transaction: (work) =>
      faults.call('a transaction', (strike) =>
        commit(() => {
          strike.beforeWork();
          return base.transaction(async (tx) => {
            const result = await work(tx);
            strike.beforeCommit();
            return result;
          });
        }),
      ),
    script: base.script,
    close: async () => {},
  };
}

/** A Kysely whose single statements go where we say. */
function statements(executeQuery: <R>(query: CompiledQuery) => Promise<{ rows: R[] }>): Kysely<Schema> {
  const connection = {
    executeQuery,
    // biome-ignore lint/correctness/useYield: nothing streams; Kysely demands the method.
    async *streamQuery() {
      throw new Error('not used');
    },
  };
  const nothing = async () => {};
  return new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createDriver: () => ({
        init: nothing,
        acquireConnection: async () => connection,
        releaseConnection: nothing,
        beginTransaction: nothing,
        commitTransaction: nothing,
        rollbackTransaction: nothing,
        destroy: nothing,
      }),
    },
  });
}
