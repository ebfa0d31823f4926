import { sql } from 'kysely';
import type { Database, Tx } from '../../../../db/database.ts';
import { type DialectName, namesOf, rowsOf } from '../../../../db/dialect.ts';
import type { InactiveBecause } from '../../../../db/newsletters-schema.ts';
import type { Clock } from '../../../../std/clock.ts';
import type { Taken } from './import-old.ts';
import { type OldNotification, readOldNotification } from './old-rows.ts';
import type { OldRow } from './old-tables.ts';

interface NotificationsImport {
  db: Database;
  clock: Clock;
  /** Filled with what is here under another id. */
  otherIds: Map<string, string>;
}

const columns = {
  id: 'text',
  user_id: 'text',
  notification_type: 'text',
  entity_cui: 'text',
  config: 'text',
  dataset_id: 'text',
  hash: 'text',
  is_active: 'number',
  inactive_because: 'text',
  inactive_at: 'number',
  created_at: 'number',
  updated_at: 'number',
} as const;

/** What is here already stays as its user has left it since. */
export async function importNotifications(
  tx: Tx,
  { db: { dialect }, clock, otherIds }: NotificationsImport,
  rows: readonly OldRow[],
  counted: { active: number },
): Promise<Taken> {
  const now = clock.now();
  const problems: Taken['problems'] = [];
  const good: OldNotification[] = [];
  for (const old of rows) {
    const read = readOldNotification(old, now);
    if ('row' in read) good.push(read.row);
    else problems.push({ id: old.id ?? '', problem: read.problem });
  }
  const isOut = await optedOutAmong(tx, dialect, good);
  const cells = good.map((one) => cellsOf(one, isOut.has(one.userId)));
  const names = namesOf(columns);
  const { rows: made } = await sql<{ id: string; is_active: number }>`
    INSERT INTO notifications (${names}) SELECT ${names} FROM ${rowsOf(dialect, columns, cells)} WHERE true
    ON CONFLICT DO NOTHING RETURNING id, is_active
  `.execute(tx);
  const isNew = new Set(made.map(({ id }) => id));
  await findOthers(
    tx,
    dialect,
    good.filter(({ id }) => !isNew.has(id)),
    otherIds,
  );
  counted.active += made.filter(({ is_active }) => is_active === 1).length;
  return { taken: made.length, known: good.length - made.length, problems };
}

function cellsOf(one: OldNotification, isOptedOut: boolean) {
  const because = inactiveBecause(one, isOptedOut);
  return {
    ...{ id: one.id, user_id: one.userId, ...one.cells, is_active: because === null ? 1 : 0 },
    ...{ inactive_because: because, inactive_at: because === null ? null : one.updatedAt },
    ...{ created_at: one.createdAt, updated_at: one.updatedAt },
  };
}

/** Who has left everything here has said so after whatever they said there. */
function inactiveBecause(
  { isActive, hasLeft }: OldNotification,
  isOptedOut: boolean,
): InactiveBecause | null {
  if (isActive) return isOptedOut ? 'global_opt_out' : null;
  return hasLeft ? 'unsubscribed' : 'by_user';
}

async function optedOutAmong(
  tx: Tx,
  dialect: DialectName,
  good: readonly OldNotification[],
): Promise<ReadonlySet<string>> {
  const users = good.map(({ userId }) => ({ user_id: userId }));
  const { rows } = await sql<{ user_id: string }>`
    SELECT user_id FROM notification_opt_outs
    WHERE user_id IN (SELECT user_id FROM ${rowsOf(dialect, { user_id: 'text' }, users)})
  `.execute(tx);
  return new Set(rows.map(({ user_id }) => user_id));
}

async function findOthers(
  tx: Tx,
  dialect: DialectName,
  known: readonly OldNotification[],
  otherIds: Map<string, string>,
): Promise<void> {
  if (known.length === 0) return;
  const wanted = known.map(({ id, cells }) => ({ old_id: id, wanted: cells.hash }));
  const { rows } = await sql<{ old_id: string; id: string }>`
    SELECT input.old_id, notifications.id
    FROM ${rowsOf(dialect, { old_id: 'text', wanted: 'text' }, wanted)} JOIN notifications ON notifications.hash = input.wanted
    WHERE notifications.id <> input.old_id
  `.execute(tx);
  for (const { old_id, id } of rows) otherIds.set(old_id, id);
}
