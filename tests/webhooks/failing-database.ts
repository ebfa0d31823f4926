import type { KyselyPlugin } from 'kysely';
import type { Database, Tx } from '../../src/db/database.ts';

/** Where in a transaction everything breaks off: before or after one of its statements, before its commit, or after it. */
export type Break =
  | { at: 'before' | 'after'; statement: number }
  | { at: 'before commit' }
  | { at: 'after commit' };

export interface FailingDatabase extends Database {
  /** How many statements the last transaction sent. */
  readonly statements: number;
}

/** The process dies there: what was not committed is gone, and nobody gets an answer. */
export function failingDatabase(base: Database, where: Break | undefined): FailingDatabase {
  let statements = 0;
  let isDead = false;
  const die = () => {
    isDead = true;
    throw new Error('died here');
  };
  const isAt = (at: 'before' | 'after') =>
    where !== undefined && 'statement' in where && where.at === at && where.statement === statements;
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      statements += 1;
      // A source whose bookkeeping fails is forgiven; a process that died says nothing any more.
      if (isDead || isAt('before')) die();
      return node;
    },
    async transformResult({ result }) {
      if (isAt('after')) die();
      return result;
    },
  };
  return {
    ...base,
    get statements() {
      return statements;
    },
    async transaction(work) {
      statements = 0;
      const result = await base.transaction(async (tx) => {
        const done = await work(tx.withPlugin(plugin) as Tx);
        if (where?.at === 'before commit') die();
        return done;
      });
      if (where?.at === 'after commit') die();
      return result;
    },
  };
}
