import { type RawBuilder, sql } from 'kysely';
import type { DialectName } from '../db/dialect.ts';
import { addressKey, parseAddress } from '../domain/address.ts';
import { type Path, tableBy } from './paths.ts';
import type { DeliveryFilter } from './queries.ts';

/** A filter in its parts: each can check a row that another part has found, and some can find rows themselves. */
export type PartName = Exclude<keyof DeliveryFilter, 'below' | 'limit' | 'alsoTo'>;

export interface Part {
  name: PartName;
  /** Checks a row. Columns that have an index are hidden from the planner: `|| ''` changes no text. */
  check: RawBuilder<unknown>;
  /** Where the rows that match are, in another order than the answer's. */
  range?: Range;
  /** Where the rows that match are, in the order of the answer. */
  path?: Path;
}

/** One stretch of an index, from a text to a text. */
export interface Range {
  table: RawBuilder<unknown>;
  column: RawBuilder<unknown>;
  low: string;
  high: string;
}

/** As the indexes have them, word for word. */
const texts = {
  recipient: { column: sql`recipient`, index: 'deliveries_identity' },
  address: { column: sql`lower(to_email)`, index: 'deliveries_to_email' },
  occasion: { column: sql`(occasion || '')`, index: 'deliveries_occasion' },
} as const;
type TextName = keyof typeof texts;

/** Those that usually find the fewest come first. */
export function partsOf(filter: DeliveryFilter, dialect: DialectName): Part[] {
  const { recipient, address, occasion, recipientPrefix, addressPrefix, occasionPrefix } = filter;
  const { source, status, errorCode, createdAfter, createdBefore } = filter;
  const parts: Part[] = [];
  if (recipient !== undefined) parts.push(within(dialect, 'recipient', 'recipient', recipient, recipient));
  if (address !== undefined) parts.push(along('address', keyOf(address)));
  if (recipientPrefix !== undefined)
    parts.push(beginning(dialect, 'recipient', 'recipientPrefix', recipientPrefix));
  if (addressPrefix !== undefined)
    parts.push(beginning(dialect, 'address', 'addressPrefix', addressPrefix.toLowerCase()));
  if (occasion !== undefined) parts.push(along('occasion', occasion));
  if (occasionPrefix !== undefined)
    parts.push(beginning(dialect, 'occasion', 'occasionPrefix', occasionPrefix));
  if (source !== undefined) parts.push({ name: 'source', check: sql`source || '' = ${source}` });
  if (status) parts.push({ name: 'status', check: sql`status || '' IN (${sql.join(status)})` });
  if (errorCode !== undefined) {
    parts.push({ name: 'errorCode', check: sql`${errorCodeIn(dialect)} = ${errorCode}` });
  }
  if (createdAfter !== undefined)
    parts.push({ name: 'createdAfter', check: sql`created_at >= ${createdAfter}` });
  if (createdBefore !== undefined)
    parts.push({ name: 'createdBefore', check: sql`created_at < ${createdBefore}` });
  return parts;
}

/** JSON is text in both databases. */
export function errorCodeIn(dialect: DialectName): RawBuilder<string | null> {
  return dialect === 'postgres' ? sql`(last_error::json ->> 'code')` : sql`(last_error ->> 'code')`;
}

export function conditionOf(parts: readonly Part[]): RawBuilder<unknown> {
  return sql.join(
    parts.map(({ check }) => sql`AND ${check}`),
    sql` `,
  );
}

function along(name: 'address' | 'occasion', value: string): Part {
  const { column, index } = texts[name];
  return {
    name,
    check: sql`${column} || '' = ${value}`,
    path: { index, covers: [name], columns: [{ column, value }] },
  };
}

function beginning(dialect: DialectName, text: TextName, name: PartName, prefix: string): Part {
  // The last character there is: nobody's text goes on with it.
  return within(dialect, text, name, prefix, `${prefix}\u{10ffff}`);
}

function within(dialect: DialectName, text: TextName, name: PartName, low: string, high: string): Part {
  const { column, index } = texts[text];
  const table = tableBy(dialect, index);
  return {
    name,
    check: sql`(${column} || '' >= ${low} AND ${column} || '' <= ${high})`,
    range: { table, column, low, high },
  };
}

/** Addresses are stored as they are written to; people look for them in any case. */
function keyOf(address: string): string {
  const parsed = parseAddress(address);
  return parsed.ok ? addressKey(parsed.address) : address.toLowerCase();
}
