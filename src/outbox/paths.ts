import { type RawBuilder, sql } from 'kysely';
import type { DialectName } from '../db/dialect.ts';
import { conditionOf, type Part, type PartName } from './filter.ts';

/** One stretch of an index in which everything but the number is the same, newest first. */
export interface Path {
  /** Null: the table itself, which is in the order of the numbers as a whole. */
  index: string | null;
  /** The parts of a filter that every row on this path matches. */
  covers: readonly PartName[];
  columns: readonly { column: RawBuilder<unknown>; value: string }[];
}

export const inSeqOrder: Path = { index: null, covers: [], columns: [] };

export interface Walk {
  what: RawBuilder<unknown>;
  below: number;
  /** The last number that is looked at. */
  floor: number;
  /** What the path does not cover. */
  rest: readonly Part[];
  limit: number;
  offset?: number;
}

/**
 * Downwards from a number along a path. SQLite is told the index by name. PostgreSQL has no word for that; but these indexes
 * hold `0 - seq`, and by that nothing else is in order: the primary key cannot be mistaken for the shorter way.
 */
export function walkOf(dialect: DialectName, path: Path, walk: Walk): RawBuilder<unknown> {
  const { what, below, floor, rest, limit, offset = 0 } = walk;
  const same = path.columns.map(({ column, value }) => sql`AND ${column} = ${value}`);
  const [range, order] =
    path.index === null
      ? [sql`seq < ${below} AND seq >= ${floor}`, sql`seq DESC`]
      : [sql`0 - seq > ${-below} AND 0 - seq <= ${-floor}`, sql`0 - seq`];
  return sql`
    SELECT ${what} FROM ${tableBy(dialect, path.index)}
    WHERE ${range} ${sql.join(same, sql` `)} ${conditionOf(rest)}
    ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}`;
}

/** On SQLite by this index and no other; null is the table itself. */
export function tableBy(dialect: DialectName, index: string | null): RawBuilder<unknown> {
  if (dialect === 'postgres') return sql`deliveries`;
  return index === null ? sql`deliveries NOT INDEXED` : sql`deliveries INDEXED BY ${sql.raw(index)}`;
}
