import { CompiledQuery, type QueryResult, type RawBuilder, sql, type Transaction } from 'kysely';
import { Refusal } from '../std/refusal.ts';
import { parseUrl } from '../std/url.ts';
import { arrayOf, type ElementType } from './postgres-array.ts';
import type { Schema } from './schema.ts';

/** The few places where the two databases differ in more than their migrations. Loads no driver. */

export type DialectName = 'sqlite' | 'postgres';

const sqliteUrl = /^sqlite:(?:\/\/)?(.+)$/;
const postgresUrl = /^postgres(?:ql)?:\/\//;

export function dialectOf(url: string): DialectName {
  if (sqliteUrl.test(url)) return 'sqlite';
  // A password with a sign like # or / must be percent-encoded, or it cuts the address short.
  if (postgresUrl.test(url) && parseUrl(url)) return 'postgres';
  throw new Refusal(
    'unknown_database',
    'DATABASE_URL must look like sqlite:./data/tidings.db or postgres://user:password@host:5432/name, special signs percent-encoded.',
  );
}

export function sqlitePathOf(url: string): string {
  return sqliteUrl.exec(url)?.[1] ?? '';
}

type Cell = string | number | null;
type ColumnType = ElementType;
const postgresTypes: Record<ColumnType, string> = { text: 'text', number: 'bigint', uuid: 'uuid' };

/**
 * Many rows as one table expression, so that a batch is one statement with a fixed text, whatever its size:
 * arrays unnested on PostgreSQL, one JSON parameter on SQLite. Use it as `FROM ${rowsOf(…)}`; its columns are
 * `input.<name>`.
 */
export function rowsOf<Name extends string>(
  dialect: DialectName,
  columns: Record<Name, ColumnType>,
  rows: readonly Record<Name, Cell>[],
): RawBuilder<unknown> {
  const names = Object.keys(columns) as Name[];
  if (dialect === 'postgres') {
    const arrays = names.map((name) => {
      const array = arrayOf(
        columns[name],
        rows.map((row) => row[name]),
      );
      return sql`${array}::${sql.raw(postgresTypes[columns[name]])}[]`;
    });
    return sql`unnest(${sql.join(arrays)}) AS input(${namesOf(columns)})`;
  }
  const json = JSON.stringify(rows.map((row) => names.map((name) => row[name])));
  return sql`(SELECT ${cellsOf(columns)} FROM json_each(${json})) AS input`;
}

/** Numbers alone, as `input.seq`. */
export function seqsOf(dialect: DialectName, seqs: readonly number[]): RawBuilder<unknown> {
  return rowsOf(
    dialect,
    seqColumns,
    seqs.map((seq) => ({ seq })),
  );
}

const seqColumns = { seq: 'number' } as const;

type Columns = Readonly<Record<string, ColumnType>>;

/**
 * New rows, by a text that is fixed whatever their number. SQLite takes them one by one: to write them as JSON and to read that again costs
 * twice what the rows themselves do, and four times if a mail is in them.
 */
export function insertRows<Name extends string, Answer = unknown>(
  tx: Transaction<Schema>,
  dialect: DialectName,
  order: { head: string; columns: Record<Name, ColumnType>; tail?: string },
  rows: readonly Record<Name, Cell>[],
  wantsNumbers = false,
): Promise<QueryResult<Answer>> {
  const { head, columns, tail = '' } = order;
  if (dialect === 'postgres') {
    const names = namesOf(columns);
    const into = sql`${sql.raw(head)} (${names}) SELECT ${names} FROM ${rowsOf(dialect, columns, rows)}`;
    return sql<Answer>`${into} ${sql.raw(tail)}`.execute(tx);
  }
  const names = Object.keys(columns) as Name[];
  const text = `${head} (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${names.map(() => '?').join(', ')}) ${tail}`;
  return forEachRow(
    tx,
    text,
    rows.map((row) => names.map((name) => row[name] ?? null)),
    wantsNumbers,
  );
}

/**
 * Rows of which some may be there already: the numbers of the new ones, by what tells them apart. SQLite says by itself which number it gave:
 * a RETURNING would cost it half as much again as the row does (31.8 µs against 19.4).
 */
export async function insertNew<Name extends string>(
  tx: Transaction<Schema>,
  dialect: DialectName,
  order: { head: string; columns: Record<Name, ColumnType>; number: string; by: Name },
  rows: readonly Record<Name, Cell>[],
): Promise<Map<Cell, number>> {
  const { head, columns, number, by } = order;
  const tail = 'ON CONFLICT DO NOTHING';
  if (dialect === 'sqlite') {
    const { rows: numbers } = await insertRows<Name, number | null>(
      tx,
      dialect,
      { head, columns, tail },
      rows,
      true,
    );
    return new Map(numbers.flatMap((at, index) => (at === null ? [] : [[rows[index]?.[by] ?? null, at]])));
  }
  const returning = `${tail} RETURNING "${number}" AS number, "${by}" AS key`;
  const answer = await insertRows<Name, { number: number; key: Cell }>(
    tx,
    dialect,
    { head, columns, tail: returning },
    rows,
  );
  return new Map(answer.rows.map(({ number, key }) => [key, number]));
}

/** On SQLite: one statement, prepared once and run for each row, in a transaction or not at all. Answers what they answer, one after the other, and how many rows changed in all. */
export function forEachRow<Answer>(
  tx: Transaction<Schema>,
  text: string,
  rows: readonly (readonly Cell[])[],
  wantsNumbers = false,
): Promise<QueryResult<Answer>> {
  return tx.executeQuery(CompiledQuery.raw(text, [new EachRow(rows, wantsNumbers)]) as CompiledQuery<Answer>);
}

/** In the place of a statement's parameters: those of every row. */
export class EachRow {
  readonly rows: readonly (readonly Cell[])[];
  /** Instead of what it returns: the number of each new row, null where none was made. */
  readonly wantsNumbers: boolean;
  constructor(rows: EachRow['rows'], wantsNumbers: boolean) {
    this.rows = rows;
    this.wantsNumbers = wantsNumbers;
  }
}

/**
 * The columns' names as SQL: constants of this program, and text for that reason. As a tree of references that is built and
 * printed at every statement, twenty columns cost 90 µs against 17, which is a share of a small batch.
 */
export const namesOf = printedOnce((name) => `"${name}"`);

const cellsOf = printedOnce((name, index) => `value ->> ${index} AS "${name}"`);

/** For each set of columns; those of the large statements are constants, and the same object every time. */
function printedOnce(
  print: (name: string, index: number) => string,
): (columns: Columns) => RawBuilder<unknown> {
  const printed = new WeakMap<Columns, RawBuilder<unknown>>();
  return (columns) => {
    const known = printed.get(columns);
    if (known) return known;
    const fresh = sql.raw(Object.keys(columns).map(print).join(', '));
    printed.set(columns, fresh);
    return fresh;
  };
}

/** So that a batch of long texts never outgrows what one statement can be: on SQLite a sign may take six in JSON. */
const portionCharactersMax = 8_000_000;

/** The same rows in the same order, as many at a time as `rowsOf` may carry; one alone is never too large. */
export function portions<Row>(rows: readonly Row[], charactersOf: (row: Row) => number): Row[][] {
  const result: Row[][] = [];
  let characters = 0;
  for (const row of rows) {
    characters += charactersOf(row);
    const last = result.at(-1);
    if (last && characters <= portionCharactersMax) last.push(row);
    else {
      result.push([row]);
      characters = charactersOf(row);
    }
  }
  return result;
}

/** What another process keeps locked: the machine's trouble. Where a person waits (open, migrate) it is refused. */
export const lockedCode = 'database_locked';

export const isLocked = (error: unknown) => (error as { code?: unknown } | undefined)?.code === lockedCode;

/** PostgreSQL, which waited in vain for what another transaction holds. */
export const isLockTimeout = (error: unknown) => (error as { code?: unknown } | undefined)?.code === '55P03';

/** This transaction rather fails than waits for another one. SQLite's has waited when it begins. */
export async function waitForNoLock(tx: Transaction<Schema>, dialect: DialectName): Promise<void> {
  if (dialect === 'postgres') await sql`SET LOCAL lock_timeout = '250ms'`.execute(tx);
}

/** Rows locked until the transaction ends. SQLite's writer is alone in any case. */
export function forUpdate(dialect: DialectName): RawBuilder<unknown> {
  return dialect === 'postgres' ? sql`FOR UPDATE` : sql``;
}
