import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import type { DialectName } from '../db/dialect.ts';
import { forEachRow, forUpdate, rowsOf } from '../db/dialect.ts';
import type { DeliveryRow } from '../db/schema.ts';
import type { Status } from '../domain/status.ts';
import type { DeliveryError, DeliveryState } from '../domain/transition.ts';

/**
 * Rows of `deliveries` read under a lock and written back by number, many at a time. Everything but the claim
 * goes through these two: a locked read, a decision of `domain/transition.ts`, one write.
 */
export interface LockedDelivery {
  seq: number;
  id: string;
  source: string;
  occasion: string;
  recipient: string;
  toEmail: string | null;
  traceId: string | null;
  state: DeliveryState;
}

export async function lockDeliveries(
  tx: Tx,
  dialect: DialectName,
  seqs: readonly number[],
): Promise<LockedDelivery[]> {
  const numbers = [...new Set(seqs)].sort(byNumber);
  const input = rowsOf(
    dialect,
    numberColumns,
    numbers.map((seq) => ({ seq })),
  );
  // One order of locking for everybody is what keeps two batches from blocking each other.
  const { rows } = await sql<Pick<DeliveryRow, (typeof readColumns)[number]>>`
    SELECT ${readNames} FROM deliveries
    WHERE deliveries.seq IN (SELECT seq FROM ${input}) ORDER BY deliveries.seq ${forUpdate(dialect)}
  `.execute(tx);
  return rows.map(lockedOf);
}

/**
 * The same for whoever has had these rows in hand: what is still as it was then is locked and not read again, which is half of what a
 * write costs. Nobody changes a row that is held without changing one of the columns that are compared.
 */
export async function lockAsKnown(
  tx: Tx,
  dialect: DialectName,
  wanted: readonly { seq: number; known?: LockedDelivery | undefined }[],
): Promise<LockedDelivery[]> {
  const known = new Map(
    wanted.flatMap(({ seq, known }) => (known?.seq === seq ? [[seq, known] as const] : [])),
  );
  const same = known.size > 0 ? await lockUnchanged(tx, dialect, [...known.values()].sort(bySeq)) : new Set();
  const others = wanted.filter(({ seq }) => !same.has(seq)).map(({ seq }) => seq);
  // Copies: what is decided on them is not known before it is committed.
  const rows = [...known.values()].filter(({ seq }) => same.has(seq)).map((row) => ({ ...row }));
  return others.length === 0 ? rows : [...rows, ...(await lockDeliveries(tx, dialect, others))];
}

async function lockUnchanged(
  tx: Tx,
  dialect: DialectName,
  known: readonly LockedDelivery[],
): Promise<ReadonlySet<number>> {
  const rows = known.map(({ seq, id, state }) => guardOf(seq, id, state));
  const { rows: found } = await (dialect === 'sqlite'
    ? forEachRow<{ seq: number }>(tx, unchangedOne, rows.map(guardCells))
    : sql<{ seq: number }>`
        SELECT deliveries.seq FROM deliveries JOIN ${rowsOf<string>(dialect, guardColumns, rows)}
        ON deliveries.seq = input.seq AND ${isAsBefore} ORDER BY deliveries.seq FOR UPDATE OF deliveries
      `.execute(tx));
  return new Set(found.map(({ seq }) => seq));
}

const bySeq = (a: LockedDelivery, b: LockedDelivery) => a.seq - b.seq;

export function lockedOf(row: Pick<DeliveryRow, (typeof readColumns)[number]>): LockedDelivery {
  return {
    seq: row.seq,
    id: row.id,
    source: row.source,
    occasion: row.occasion,
    recipient: row.recipient,
    toEmail: row.to_email,
    traceId: row.trace_id,
    state: stateOf(row),
  };
}

const numberColumns = { seq: 'number' } as const;
const byNumber = (a: number, b: number) => a - b;

/** The columns of a state, and where in it they are. */
const stateColumns = {
  status: ['text', 'status'],
  evidence: ['number', 'evidence'],
  round: ['number', 'round'],
  attempts: ['number', 'attempts'],
  lapses: ['number', 'lapses'],
  lease: ['number', 'lease'],
  due_at: ['number', 'dueAt'],
  locked_by: ['text', 'lockedBy'],
  locked_at: ['number', 'lockedAt'],
  account: ['text', 'account'],
  first_possible_accept_at: ['number', 'firstPossibleAcceptAt'],
  resubmit_until: ['number', 'resubmitUntil'],
  last_attempt_at: ['number', 'lastAttemptAt'],
  sent_at: ['number', 'sentAt'],
  delivered_at: ['number', 'deliveredAt'],
  provider_message_id: ['text', 'providerMessageId'],
  last_error: ['text', 'lastError'],
} as const satisfies Partial<Record<keyof DeliveryRow, readonly ['text' | 'number', keyof DeliveryState]>>;
type StateColumn = keyof typeof stateColumns;
const stateColumnNames = Object.keys(stateColumns) as StateColumn[];

const readColumns = [
  ...(['seq', 'id', 'source', 'occasion', 'recipient', 'to_email', 'trace_id'] as const),
  ...stateColumnNames,
] as const;
const readNames = sql.raw(readColumns.map((name) => `deliveries.${name}`).join(', '));

export function stateOf(row: Pick<DeliveryRow, StateColumn>): DeliveryState {
  return {
    status: row.status,
    evidence: row.evidence,
    round: row.round,
    attempts: row.attempts,
    lapses: row.lapses,
    lease: row.lease,
    dueAt: row.due_at,
    lockedBy: row.locked_by,
    lockedAt: row.locked_at,
    account: row.account,
    firstPossibleAcceptAt: row.first_possible_accept_at,
    resubmitUntil: row.resubmit_until,
    lastAttemptAt: row.last_attempt_at,
    sentAt: row.sent_at,
    deliveredAt: row.delivered_at,
    providerMessageId: row.provider_message_id,
    lastError: row.last_error === null ? null : (JSON.parse(row.last_error) as DeliveryError),
  };
}

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

type Cells = Record<string, string | number | null>;

const guardColumns = {
  seq: 'number',
  id_before: 'uuid',
  status_before: 'text',
  lease_before: 'number',
  evidence_before: 'number',
  holder_before: 'text',
} as const;

function guardOf(seq: number, id: string, before: DeliveryState): Cells {
  return {
    seq,
    id_before: id,
    status_before: before.status,
    lease_before: before.lease,
    evidence_before: before.evidence,
    holder_before: before.lockedBy ?? '',
  };
}

const guardNames = Object.keys(guardColumns);
const guardCells = (cells: Cells) => guardNames.map((name) => cells[name] ?? null);

/**
 * `status || ''` hides the status from the planner, which would otherwise leave the primary key for a partial index on status and read it
 * whole (7.6 ms against 415 per 500 rows).
 */
const isAsBefore = sql.raw(`deliveries.id = input.id_before AND deliveries.status || '' = input.status_before
  AND deliveries.lease = input.lease_before AND deliveries.evidence = input.evidence_before
  AND coalesce(deliveries.locked_by, '') = input.holder_before`);
const isOneAsBefore = `seq = ? AND id || '' = ? AND status || '' = ? AND lease = ? AND evidence = ? AND coalesce(locked_by, '') = ?`;
const unchangedOne = `SELECT seq FROM deliveries WHERE ${isOneAsBefore}`;

interface Write {
  columns: Readonly<Record<string, 'text' | 'number' | 'uuid'>>;
  assignments: RawBuilder<unknown>;
  ofOne: string;
}

/** By the columns that they set: each arrow sets its own few, and an index whose columns are left alone is left alone, too. */
const writes = new Map<string, Write>();

function writeOf(names: readonly (StateColumn | FrozenColumn)[]): Write {
  const key = names.join();
  const known = writes.get(key);
  if (known) return known;
  const types = names.map((name) => [
    name,
    name in stateColumns ? stateColumns[name as StateColumn][0] : 'text',
  ]);
  const fresh: Write = {
    columns: { ...guardColumns, ...Object.fromEntries(types) },
    assignments: sql.raw(names.map((name) => `"${name}" = "input"."${name}"`).join(', ')),
    ofOne: `UPDATE deliveries SET ${names.map((name) => `"${name}" = ?`).join(', ')} WHERE ${isOneAsBefore}`,
  };
  writes.set(key, fresh);
  return fresh;
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

/** Literals, not parameters: a partial index is used only where the planner can see the status. */
export function statusList(list: readonly Status[]): RawBuilder<unknown> {
  return sql.join(list.map((status) => sql.lit(status)));
}
