import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import type { Schema } from '../../src/db/schema.ts';

/** A database to which there is no connection: `connect` hangs or rejects. */
export function databaseWith(db: Database, connect: () => Promise<never>): Database {
  const driver = {
    init: async () => {},
    acquireConnection: connect,
    releaseConnection: async () => {},
    beginTransaction: async () => {},
    commitTransaction: async () => {},
    rollbackTransaction: async () => {},
    destroy: async () => {},
  };
  const read = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  return { ...db, read };
}

export const never = () => new Promise<never>(() => {});
export const broken = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:5432'));
