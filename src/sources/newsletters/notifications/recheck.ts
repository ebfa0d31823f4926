import { sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import { type DialectName, rowsOf } from '../../../db/dialect.ts';
import type { NotificationRow } from '../../../db/newsletters-schema.ts';
import { wisherOf } from '../recipient.ts';
import type { Standing } from './notifications.ts';

/**
 * How it stands with each, read anew in the transaction that begins a send. Whatever says no is said under a shared lock: who takes it
 * back waits until what was stopped because of it is written, and finds it. What says yes is not locked: there may be thousands.
 */
export async function recheckRows(
  tx: Tx,
  dialect: DialectName,
  recipients: readonly string[],
): Promise<ReadonlyMap<string, Standing>> {
  const asked = recipients.map((recipient) => ({ recipient, ...wisherOf(recipient) }));
  const isOut = await optedOutAmong(
    tx,
    dialect,
    asked.map(({ userId }) => userId),
  );
  const rows = await readRows(
    tx,
    dialect,
    asked.map(({ notificationId }) => notificationId),
  );
  return new Map(
    asked.flatMap(({ recipient, userId, notificationId }): [string, Standing][] => {
      const row = rows.get(notificationId);
      if (row?.user_id !== userId) return [];
      const standing = {
        ...{ isActive: row.is_active === 1, isDeleted: row.deleted_at !== null },
        ...{ inactiveBecause: row.inactive_because, isOptedOut: isOut.has(userId) },
      };
      return [[recipient, standing]];
    }),
  );
}

async function optedOutAmong(
  tx: Tx,
  dialect: DialectName,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const users = [...new Set(userIds)].map((user_id) => ({ user_id }));
  const { rows } = await sql<{ user_id: string }>`
    SELECT user_id FROM notification_opt_outs
    WHERE user_id IN (SELECT user_id FROM ${rowsOf(dialect, { user_id: 'text' }, users)})
    ORDER BY user_id ${dialect === 'postgres' ? sql`FOR SHARE` : sql``}
  `.execute(tx);
  return new Set(rows.map(({ user_id }) => user_id));
}

type Rows = ReadonlyMap<string, NotificationRow>;

async function readRows(tx: Tx, dialect: DialectName, ids: readonly string[]): Promise<Rows> {
  const read = async (wanted: readonly string[], lock = sql``): Promise<[string, NotificationRow][]> => {
    const input = rowsOf(
      dialect,
      { id: 'text' },
      wanted.map((id) => ({ id })),
    );
    const { rows } = await sql<NotificationRow>`
      SELECT * FROM notifications WHERE id IN (SELECT id FROM ${input}) ORDER BY id ${lock}
    `.execute(tx);
    return rows.map((row) => [row.id, row]);
  };
  const found = await read(ids);
  const against = found.filter(([, { is_active }]) => is_active === 0).map(([id]) => id);
  if (dialect !== 'postgres' || against.length === 0) return new Map(found);
  // By the time that the lock is there, they may want it again.
  return new Map([...found, ...(await read(against, sql`FOR SHARE`))]);
}
