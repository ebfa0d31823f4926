import type { Database } from '../db/database.ts';
import type { Clock } from '../std/clock.ts';

/**
 * What an operator has stopped: everything, or one source. Every process looks before it claims, so that nothing new leaves
 * within seconds: what has been claimed, about a second of work, still finishes. Nothing is lost: it waits where it is.
 */
export interface Pauses {
  list(): Promise<Pause[]>;
  /** Answers false where that is paused already; its reason is kept. */
  pause(scope: string, order: { reason: string; operator: string }): Promise<boolean>;
  /** Answers false where nothing was paused. */
  resume(scope: string): Promise<boolean>;
}

export interface Pause {
  scope: string;
  reason: string;
  by: string;
  at: number;
}

/** The scope of a pause of everything; any other is the name of a source. */
export const everything = '*';

export function createPauses(db: Database, clock: Clock): Pauses {
  return {
    async list() {
      const rows = await db.read.selectFrom('pauses').selectAll().orderBy('scope').execute();
      return rows.map(({ scope, reason, paused_by, paused_at }) => ({
        ...{ scope, reason, by: paused_by, at: paused_at },
      }));
    },
    async pause(scope, { reason, operator }) {
      const made = await db.write
        .insertInto('pauses')
        .values({ scope, reason, paused_by: operator, paused_at: clock.now() })
        .onConflict((conflict) => conflict.doNothing())
        .returning('scope')
        .execute();
      return made.length > 0;
    },
    async resume(scope) {
      const gone = await db.write
        .deleteFrom('pauses')
        .where('scope', '=', scope)
        .returning('scope')
        .execute();
      return gone.length > 0;
    },
  };
}

/** Looked at before permits are handed out: a pause that was committed by then stops them. */
export async function pausedScopes(reader: Database['read']): Promise<ReadonlySet<string>> {
  const rows = await reader.selectFrom('pauses').select('scope').execute();
  return new Set(rows.map(({ scope }) => scope));
}
