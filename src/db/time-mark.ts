import type { Database, Tx } from './database.ts';

/**
 * The latest time that anybody has seen on this database. Times are compared with each other for days, by processes that come and
 * go: without it nobody could tell after a restart that the clock was set back, and keys would be relied on for longer than the
 * provider knows them.
 */
const name = 'latest time';

export async function readMark(db: Database): Promise<number | null> {
  const row = await db.read.selectFrom('leases').select('until').where('name', '=', name).executeTakeFirst();
  return row?.until ?? null;
}

export async function raiseMark(db: Database, to: number): Promise<void> {
  await db.write
    .insertInto('leases')
    .values({ name, holder: '', until: to })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ until: to }).where('leases.until', '<', to),
    )
    .execute();
}

/** False if another process was first. */
export async function lowerMark(tx: Tx, { from, to }: SetBack): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('leases')
    .set({ until: to })
    .where('name', '=', name)
    .where('until', '=', from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** A clock that had shown `from` shows `to`, which is earlier. */
export interface SetBack {
  from: number;
  to: number;
}
