import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { type DialectName, forEachRow, rowsOf } from '../db/dialect.ts';
import type { DeliveryRow } from '../db/schema.ts';
import type { DeliveryState } from '../domain/transition.ts';
import { type Cells, guardCells, guardColumns, guardOf, isAsBefore, isOneAsBefore } from './as-before.ts';
import { type StateColumn, stateColumnNames, stateColumns } from './rows.ts';

/** Rows that were read under a lock, written back by number, many at a time: each with what was decided on it. */
export interface ChangedDelivery {
  seq: number;
  id: string;
  toEmailBefore: string | null;
  before: DeliveryState;
  after: DeliveryState;
  frozen?: Frozen;
}

/** What `begun`, and whoever composes ahead of it, fixes beside the state. */
export interface Frozen {
  toEmail: string | null;
  contentHash: string | null;
  templateName: string | null;
  templateVersion: string | null;
}

const frozenColumns = {
  to_email: 'toEmail',
  content_hash: 'contentHash',
  template_name: 'templateName',
  template_version: 'templateVersion',
} as const satisfies Partial<Record<keyof DeliveryRow, keyof Frozen>>;
type FrozenColumn = keyof typeof frozenColumns;
const frozenColumnNames = Object.keys(frozenColumns) as FrozenColumn[];

/** Each arrow sets its own few columns, and an index whose columns are left alone is left alone, too. */
function writeOf(names: readonly (StateColumn | FrozenColumn)[]) {
  const types = names.map((name) => [
    name,
    name in stateColumns ? stateColumns[name as StateColumn][0] : 'text',
  ]);
  return {
    columns: { ...guardColumns, ...(Object.fromEntries(types) as Record<string, 'text' | 'number'>) },
    assignments: sql.raw(names.map((name) => `"${name}" = "input"."${name}"`).join(', ')),
    ofOne: `UPDATE deliveries SET ${names.map((name) => `"${name}" = ?`).join(', ')} WHERE ${isOneAsBefore}`,
  };
}

/** The one UPDATE behind every arrow but the claim, and behind all evidence. */
export async function writeDeliveries(
  tx: Tx,
  dialect: DialectName,
  changes: readonly ChangedDelivery[],
): Promise<void> {
  await update(
    tx,
    dialect,
    changes.filter((change) => !change.frozen),
    [],
  );
  const freezing = changes.filter((change) => change.frozen);
  await update(
    tx,
    dialect,
    freezing,
    frozenColumnNames.filter(
      (name) =>
        name !== 'to_email' ||
        freezing.some(({ frozen, toEmailBefore }) => frozen?.toEmail !== toEmailBefore),
    ),
  );
}

async function update(
  tx: Tx,
  dialect: DialectName,
  changes: readonly ChangedDelivery[],
  frozen: readonly FrozenColumn[],
): Promise<void> {
  const moved = stateColumnNames.filter((name) => {
    const [, key] = stateColumns[name];
    return changes.some(({ before, after }) => before[key] !== after[key]);
  });
  const names = [...moved, ...frozen];
  if (changes.length === 0 || names.length === 0) return;
  const { columns, assignments, ofOne } = writeOf(names);
  const rows = changes.map((change) => cellsOf(change, moved, frozen));
  // The rows are locked, so the guard always holds; it is here so that a mistake above this line changes nothing instead of everything.
  const { numAffectedRows } = await (dialect === 'sqlite'
    ? forEachRow(
        tx,
        ofOne,
        rows.map((row) => [...names.map((name) => row[name] ?? null), ...guardCells(row)]),
      )
    : sql`
        UPDATE deliveries SET ${assignments} FROM ${rowsOf<string>(dialect, columns, rows)}
        WHERE deliveries.seq = input.seq AND ${isAsBefore}
      `.execute(tx));
  if (numAffectedRows !== BigInt(changes.length)) {
    throw new Error(
      `outbox: wrote ${numAffectedRows} of ${changes.length} rows that were locked; nothing is committed`,
    );
  }
}

function cellsOf(
  { seq, id, before, after, frozen }: ChangedDelivery,
  moved: readonly StateColumn[],
  fixed: readonly FrozenColumn[],
): Cells {
  const cells = guardOf(seq, id, before);
  for (const name of moved) {
    const value = after[stateColumns[name][1]];
    cells[name] = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  }
  for (const name of fixed) cells[name] = frozen?.[frozenColumns[name]] ?? null;
  return cells;
}
