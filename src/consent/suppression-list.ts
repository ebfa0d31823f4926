import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { DialectName } from '../db/dialect.ts';
import type { SuppressionRow } from '../db/schema.ts';
import { type Address, addressKey } from '../domain/address.ts';
import type { SuppressionReason } from '../domain/suppression.ts';

/**
 * Reading the list of suppressions, page by page and by an index whatever is asked: the planner is given no choice, as in
 * `outbox/search.ts`, because it guesses from averages.
 */
export interface ListOrder {
  address?: Address;
  scope?: string;
  reason?: SuppressionReason;
  /** Those that were lifted, too. */
  withLifted?: boolean;
  /** Below this number: the last of the page before. */
  below?: number;
  limit: number;
}

/** Newest first. */
export async function listSuppressions(db: Database, order: ListOrder): Promise<SuppressionRow[]> {
  const { address, scope, reason, below = Number.MAX_SAFE_INTEGER, limit } = order;
  const { dialect } = db;
  if (address !== undefined) {
    // As many as sources and times that it was on the list: few, whatever their order.
    const { rows } = await sql<SuppressionRow>`
      SELECT * FROM ${tableBy(dialect, 'suppressions_address')}
      WHERE ${keyColumn(dialect)} = ${addressKey(address)} AND 0 - suppression_seq > ${-below} ${checksOf(order)}
      ORDER BY 0 - suppression_seq LIMIT ${limit}
    `.execute(db.read);
    return rows;
  }
  const { index, same } = pathOf(scope, reason);
  const [range, inOrder] =
    index === null
      ? [sql`suppression_seq < ${below}`, sql`suppression_seq DESC`]
      : [sql`0 - suppression_seq > ${-below}`, sql`0 - suppression_seq`];
  const { rows } = await sql<SuppressionRow>`
    SELECT * FROM ${tableBy(dialect, index)} WHERE ${range} ${same} ${order.withLifted ? sql`` : holds}
    ORDER BY ${inOrder} LIMIT ${limit}
  `.execute(db.read);
  return rows;
}

const holds = sql`AND lifted_at IS NULL`;

function pathOf(scope: string | undefined, reason: SuppressionReason | undefined) {
  if (scope !== undefined && reason !== undefined)
    return {
      index: 'suppressions_by_scope_and_reason',
      same: sql`AND scope || '' = ${scope} AND reason || '' = ${reason}`,
    };
  if (scope !== undefined) return { index: 'suppressions_by_scope', same: sql`AND scope || '' = ${scope}` };
  if (reason !== undefined)
    return { index: 'suppressions_by_reason', same: sql`AND reason || '' = ${reason}` };
  return { index: null, same: sql`` };
}

export interface BeginningOrder extends Omit<ListOrder, 'address' | 'below'> {
  /** In any case of letters. */
  beginning: string;
  /** The last of the page before. */
  after?: PlaceInList | undefined;
}

/** In the order of addresses a line's number does not say where it is. */
interface PlaceInList {
  address: string;
  seq: number;
}

export interface BeginningPage {
  rows: SuppressionRow[];
  /** Null at the end. A page may be short, or empty, before the end is reached: so much work and no more. */
  next: PlaceInList | null;
}

/** So many lines are looked at for one page, where other filters pass some over. */
const lookedAtMax = 5_000;

/** Addresses that begin with some text, in their own order: that of the index, so that the last page costs what the first does. */
export async function suppressionsBeginning(
  db: Database,
  order: BeginningOrder,
  lookedAt = lookedAtMax,
): Promise<BeginningPage> {
  const { dialect } = db;
  const key = keyColumn(dialect);
  const low = order.beginning.toLowerCase();
  const { address, seq } = laterOf({ address: low, seq: 0 }, order.after);
  // The last character there is: nobody's address goes on with it.
  const stretch = sql`
    SELECT * FROM ${tableBy(dialect, 'suppressions_address')}
    WHERE ${key} >= ${address} AND ${key} <= ${`${low}\u{10ffff}`} AND (${key} <> ${address} OR suppression_seq > ${seq})
    ORDER BY ${key}, suppression_seq`;
  const { rows: found } = await sql<SuppressionRow>`
    SELECT * FROM (${stretch} LIMIT ${lookedAt}) AS looked_at WHERE true ${checksOf(order)}
    ORDER BY ${key}, suppression_seq LIMIT ${order.limit + 1}
  `.execute(db.read);
  const rows = found.slice(0, order.limit);
  if (found.length > rows.length) return { rows, next: placeOf(rows.at(-1)) };
  const { rows: ends } = await sql<SuppressionRow>`${stretch} LIMIT 1 OFFSET ${lookedAt - 1}`.execute(
    db.read,
  );
  return { rows, next: placeOf(ends[0]) };
}

/** By their bytes, as the index has them. */
function laterOf(start: PlaceInList, after: PlaceInList | undefined): PlaceInList {
  return after && Buffer.compare(Buffer.from(after.address), Buffer.from(start.address)) >= 0 ? after : start;
}

const placeOf = (row: SuppressionRow | undefined): PlaceInList | null =>
  row ? { address: row.address_key, seq: row.suppression_seq } : null;

function checksOf({ scope, reason, withLifted }: Pick<ListOrder, 'scope' | 'reason' | 'withLifted'>) {
  return sql.join(
    [
      ...(scope === undefined ? [] : [sql`AND scope || '' = ${scope}`]),
      ...(reason === undefined ? [] : [sql`AND reason || '' = ${reason}`]),
      ...(withLifted ? [] : [holds]),
    ],
    sql` `,
  );
}

/** By its bytes on both, in the words of the index: whatever begins with some text is then one stretch. */
const keyColumn = (dialect: DialectName) =>
  dialect === 'postgres' ? sql`(address_key || '') COLLATE "C"` : sql`(address_key || '')`;

/** On SQLite by this index and no other; PostgreSQL has no word for that, but by these orders nothing else is in order. */
function tableBy(dialect: DialectName, index: string | null): RawBuilder<unknown> {
  if (dialect === 'postgres') return sql`suppressions`;
  return index === null ? sql`suppressions NOT INDEXED` : sql`suppressions INDEXED BY ${sql.raw(index)}`;
}
