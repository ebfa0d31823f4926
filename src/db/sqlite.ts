import { dirname } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type LogEvent,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Clock } from '../std/clock.ts';
import type { StatementListener } from './database.ts';
import { EachRow } from './dialect.ts';
import { makeFolder } from './make-folder.ts';
import { makePrivateFile } from './make-private-file.ts';
import type { Schema } from './schema.ts';
import { busyGiveUpMs, explained, isBusy, locked } from './sqlite-errors.ts';

/**
 * SQLite as Kysely. The driver is synchronous, so a lock held by another process is waited for in two steps: 50 ms
 * inside SQLite, then again and again with an asynchronous pause, so that the process stays responsive. One
 * connection writes, one at a time; another only reads and never waits behind a transaction.
 */
export interface SqliteHandles {
  read: Kysely<Schema>;
  write: Kysely<Schema>;
  /** Several statements at once, in the transaction that is open on the writer, if any. */
  script(text: string): void;
  close(): void;
}

const busyTimeoutMs = 50;
/** The write lock is unfair between processes; whoever waits asks again at irregular, short intervals. */
const busyPauseMs = 2;

export async function openSqlite(
  path: string,
  clock: Clock,
  onStatement?: StatementListener,
): Promise<SqliteHandles> {
  const logged = onStatement ? { log: ({ query }: LogEvent) => onStatement(query) } : {};
  const handles: DatabaseSyncInstance[] = [];
  const close = () => {
    try {
      // So that the file alone is whole when nobody else has it open; whoever does will do this in our place.
      handles[0]?.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // A full disk or a busy file: everything is in the log beside it, and the next one to open it catches up.
    }
    for (const handle of handles.toReversed()) handle.close();
  };
  const connection = async (readOnly: boolean) => {
    const handle = await connect(path, clock, { readOnly });
    handles.push(handle);
    return { handle, db: new Kysely<Schema>({ dialect: createDialect(handle, clock), ...logged }) };
  };
  try {
    if (path !== ':memory:') makeFolder(dirname(path));
    // SQLite reads `file:` as a URI, which is no path.
    if (path !== ':memory:' && !path.startsWith('file:')) makePrivateFile(path);
    const { handle: writer, db: write } = await connection(false);
    // A database in memory belongs to its connection: there is no second one.
    const read = path === ':memory:' ? write : (await connection(true)).db;
    return { read, write, close, script: (text) => writer.exec(text) };
  } catch (error) {
    close();
    throw explained(error, path);
  }
}

async function connect(
  path: string,
  clock: Clock,
  { readOnly }: { readOnly: boolean },
): Promise<DatabaseSyncInstance> {
  const handle = new DatabaseSync(path, {
    readOnly,
    timeout: busyTimeoutMs,
    enableForeignKeyConstraints: true,
  });
  try {
    if (!readOnly) {
      // auto_vacuum must be chosen before the first table and before WAL; later it is ignored.
      await whileBusy(clock, () => handle.exec('PRAGMA auto_vacuum = INCREMENTAL'));
      await whileBusy(clock, () => handle.exec('PRAGMA journal_mode = WAL'));
      // FULL: a commit that we acted upon (a mail was sent) must survive a power cut.
      handle.exec('PRAGMA synchronous = FULL');
    }
    await whileBusy(clock, () => handle.prepare('SELECT count(*) FROM sqlite_master').get());
    return handle;
  } catch (error) {
    handle.close();
    throw error;
  }
}

async function whileBusy<T>(clock: Clock, work: () => T): Promise<T> {
  const giveUpAt = clock.monotonic() + busyGiveUpMs;
  for (let tries = 1; ; tries++) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (clock.monotonic() > giveUpAt) throw locked(error);
      await clock.sleep(busyPauseMs * (1 + (tries % 5)));
    }
  }
}

function createDialect(handle: DatabaseSyncInstance, clock: Clock): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(handle, clock),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Kysely's driver: one connection, handed out to one user at a time (a transaction, or a single statement). */
function createDriver(handle: DatabaseSyncInstance, clock: Clock): Driver {
  const connection = createConnection(handle, clock);
  let lastUser = Promise.resolve();
  let release = () => {};
  return {
    async init() {},
    async acquireConnection() {
      const before = lastUser;
      let done = () => {};
      lastUser = new Promise((resolve) => {
        done = resolve;
      });
      await before;
      release = done;
      return connection;
    },
    async releaseConnection() {
      release();
    },
    async beginTransaction() {
      // IMMEDIATE: a transaction that begins as a reader and then wants to write can fail half-way.
      await connection.executeQuery(CompiledQuery.raw('BEGIN IMMEDIATE'));
      connection.forgetIfTablesChanged();
    },
    async commitTransaction() {
      await connection.executeQuery(CompiledQuery.raw('COMMIT'));
    },
    async rollbackTransaction() {
      // A failed COMMIT or a full disk may have rolled back already.
      if (handle.isTransaction) handle.exec('ROLLBACK');
    },
    // Kysely destroys only drivers that were used; `close` of the handles below closes in any case.
    async destroy() {},
  };
}

interface Prepared {
  statement: StatementSyncInstance;
  returnsRows: boolean;
  /** Of the rows that it returns; known when it has run, because only that makes SQLite look at what the tables are now. */
  shape?: { names: readonly string[]; empty: Readonly<Record<string, unknown>> };
}

type Values = (string | number | bigint | null)[];

function runOne<R>(known: Prepared, parameters: readonly unknown[]): QueryResult<R> {
  const values = parameters as Values;
  if (known.returnsRows) return { rows: rowsOf<R>(known, values) };
  const { changes, lastInsertRowid } = known.statement.run(...values);
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}

function runEach<R>(known: Prepared, { rows: each, wantsNumbers }: EachRow): QueryResult<R> {
  if (known.returnsRows) return { rows: each.flatMap((values) => rowsOf<R>(known, values as Values)) };
  let changed = 0;
  const numbers: (number | null)[] = [];
  for (const values of each) {
    const { changes, lastInsertRowid } = known.statement.run(...(values as Values));
    changed += Number(changes);
    if (wantsNumbers) numbers.push(Number(changes) > 0 ? Number(lastInsertRowid) : null);
  }
  return { rows: numbers as R[], numAffectedRows: BigInt(changed) };
}

/** Half of what a row costs is its making, if the driver does it: property by property, from outside of the engine. */
function rowsOf<R>(prepared: Prepared, values: Values): R[] {
  const { statement } = prepared;
  const rows = statement.all(...values) as unknown as unknown[][];
  prepared.shape ??= shapeOf(statement);
  const { names, empty } = prepared.shape;
  return rows.map((cells) => {
    const row: Record<string, unknown> = { ...empty };
    for (let index = 0; index < names.length; index++) row[names[index] as string] = cells[index];
    return row as R;
  });
}

function shapeOf(statement: StatementSyncInstance): NonNullable<Prepared['shape']> {
  const names = statement.columns().map(({ name }) => name);
  return { names, empty: Object.fromEntries(names.map((name) => [name, null])) };
}

/**
 * SQLite looks at the value of a bound LIMIT when it plans, and so compiles the statement anew at every run: 40 µs for a select
 * that takes two. Behind a CAST it does not look.
 */
const boundLimit = /\blimit \?/gi;

interface SqliteConnection extends DatabaseConnection {
  /** Another process may have migrated: SQLite prepares its statements anew by itself, with other columns behind a `*`. */
  forgetIfTablesChanged(): void;
}

function createConnection(handle: DatabaseSyncInstance, clock: Clock): SqliteConnection {
  const prepared = new Map<string, Prepared>();
  const schemaVersion = handle.prepare('PRAGMA schema_version');
  let preparedFor: unknown;

  function forgetIfTablesChanged(): void {
    const { schema_version: version } = schemaVersion.get() as { schema_version: number };
    if (version !== preparedFor) prepared.clear();
    preparedFor = version;
  }

  function prepare(text: string) {
    const known = prepared.get(text);
    if (known) return known;
    // Statements are fixed, and some six hundred with every source; what outgrows this bound is ad-hoc SQL.
    if (prepared.size >= 1_000) prepared.clear();
    const statement = handle.prepare(text.replace(boundLimit, 'LIMIT CAST(? AS INTEGER)'));
    const fresh: Prepared = { statement, returnsRows: statement.columns().length > 0 };
    if (fresh.returnsRows) statement.setReturnArrays(true);
    prepared.set(text, fresh);
    return fresh;
  }

  return {
    forgetIfTablesChanged,
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const run = () => {
        if (!handle.isTransaction) forgetIfTablesChanged();
        const known = prepare(sql);
        const [first] = parameters;
        return first instanceof EachRow ? runEach<R>(known, first) : runOne<R>(known, parameters);
      };
      // Inside a transaction the write lock is ours: busy can only come from its first statement.
      return handle.isTransaction ? run() : whileBusy(clock, run);
    },
    // biome-ignore lint/correctness/useYield: nothing streams; Kysely demands the method.
    async *streamQuery() {
      throw new Error('streaming is not used with SQLite');
    },
  };
}
