import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import type { DialectName } from '../db/dialect.ts';
import { forEachRow, forUpdate, rowsOf, seqsOf } from '../db/dialect.ts';
import type { DeliveryRow } from '../db/schema.ts';
import type { Status } from '../domain/status.ts';
import type { DeliveryError, DeliveryState } from '../domain/transition.ts';
import { guardCells, guardColumns, guardOf, isAsBefore, isOneAsBefore } from './as-before.ts';

/**
 * Rows of `deliveries` read under a lock, many at a time. Everything but the claim goes this way: a locked read, a decision of
 * `domain/transition.ts`, one write (`write-rows.ts`).
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

/** Nobody else writes them until this transaction ends. What is not there is not in the answer. */
export async function lockDeliveries(
  tx: Tx,
  dialect: DialectName,
  seqs: readonly number[],
): Promise<LockedDelivery[]> {
  const numbers = [...new Set(seqs)].sort(byNumber);
  const input = seqsOf(dialect, numbers);
  // One order of locking for everybody is what keeps two batches from blocking each other.
  const { rows } = await sql<Pick<DeliveryRow, (typeof readColumns)[number]>>`
    SELECT ${readNames} FROM deliveries
    WHERE deliveries.seq IN (SELECT seq FROM ${input}) ORDER BY deliveries.seq ${forUpdate(dialect)}
  `.execute(tx);
  return rows.map(lockedOf);
}

/**
 * The same for whoever has had some of these in hand: what is still as it was then is locked and not read again, which is half of what a
 * write costs. Nobody changes a row that is held without changing one of the columns that are compared, but for what is heard of an earlier
 * round: so only rows of a first round are known.
 */
export async function lockAsKnown(
  tx: Tx,
  dialect: DialectName,
  wanted: readonly { seq: number; known?: LockedDelivery | undefined }[],
): Promise<LockedDelivery[]> {
  const known = new Map(
    wanted.flatMap(({ seq, known }) => (known?.seq === seq ? [[seq, known] as const] : [])),
  );
  const numbers = [...new Set(wanted.map(({ seq }) => seq))].sort(byNumber);
  const same = known.size > 0 ? await lockAndCompare(tx, dialect, numbers, known) : new Set();
  // Copies: what is decided on them is not known before it is committed.
  const rows = [...known.values()].filter(({ seq }) => same.has(seq)).map((row) => ({ ...row }));
  const others = numbers.filter((seq) => !same.has(seq));
  return others.length === 0 ? rows : [...rows, ...(await lockDeliveries(tx, dialect, others))];
}

/** Locks all of them, in the one order, and answers which are as they are known. */
async function lockAndCompare(
  tx: Tx,
  dialect: DialectName,
  numbers: readonly number[],
  known: ReadonlyMap<number, LockedDelivery>,
): Promise<ReadonlySet<number>> {
  const guards = new Map([...known].map(([seq, { id, state }]) => [seq, guardOf(seq, id, state)]));
  const input = numbers.map((seq) => guards.get(seq) ?? { ...unknownGuard, seq });
  // On PostgreSQL in the list and not in the condition: one that has changed is locked, too.
  const { rows } = await (dialect === 'sqlite'
    ? forEachRow<Compared>(tx, unchangedOne, [...guards.values()].map(guardCells))
    : sql<Compared>`
        SELECT deliveries.seq, (${isAsBefore}) AS same
        FROM deliveries JOIN ${rowsOf<string>(dialect, guardColumns, input)} ON deliveries.seq = input.seq
        ORDER BY deliveries.seq FOR UPDATE OF deliveries
      `.execute(tx));
  return new Set(rows.filter(({ same }) => same).map(({ seq }) => seq));
}

interface Compared {
  seq: number;
  same: boolean | number | null;
}

const unchangedOne = `SELECT seq, 1 AS same FROM deliveries WHERE ${isOneAsBefore}`;
/** Nothing is equal to it. */
const unknownGuard = Object.fromEntries(Object.keys(guardColumns).map((name) => [name, null]));

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

const byNumber = (a: number, b: number) => a - b;

/** The columns of a state, and where in it they are. */
export const stateColumns = {
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
export type StateColumn = keyof typeof stateColumns;
export const stateColumnNames = Object.keys(stateColumns) as StateColumn[];

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

/** The condition of the index `deliveries_in_hand`, word for word: SQLite knows it by nothing else. */
export const isInHand = sql.raw("(status = 'claimed' OR status = 'sending' OR status = 'reconciling')");

/** Literals, not parameters: a partial index is used only where the planner can see the status. */
export function statusList(list: readonly Status[]): RawBuilder<unknown> {
  return sql.join(list.map((status) => sql.lit(status)));
}
