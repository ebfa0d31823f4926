import type { Socket } from 'node:net';
import { CompiledQuery, type Dialect, Kysely, type LogEvent, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';
import { Refusal } from '../std/refusal.ts';
import type { StatementListener } from './database.ts';
import type { Schema } from './schema.ts';

/**
 * PostgreSQL as Kysely. Nothing depends on the state of a session (no named statements, no advisory locks of a session, no
 * LISTEN), so that a pooler in transaction mode may stand between. The one advisory lock there is, on a contact
 * (`subscriptions/contact.ts`), is a transaction's and ends with it.
 */
export async function openPostgres(
  url: string,
  { clock, log }: { clock: Clock; log: Log },
  onStatement?: StatementListener,
): Promise<PostgresHandles> {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    application_name: 'tidings',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
  });
  // Without a listener, a server that restarts would end the process by an unhandled 'error'.
  const lost = (error: Error) => log.debug('database.connection_lost', { problem: error.message });
  pool.on('error', lost);
  const patience = createPatience(clock);
  // The pool listens to idle connections only; one that is lost while in use says so itself, besides failing its query.
  pool.on('connect', (client) => {
    client.on('error', lost);
    patience.watch(client);
  });
  let ended: Promise<void> | undefined;
  // Kysely ends only pools that it has used, and there is a connection already.
  const close = () => {
    ended ??= pool.end().finally(patience.end);
    return ended;
  };
  try {
    await pool.query('SELECT 1');
  } catch (error) {
    await close();
    throw explained(error);
  }
  const logged = onStatement ? { log: ({ query }: LogEvent) => onStatement(query) } : {};
  const db = new Kysely<Schema>({ dialect: withOurTransactions(new PostgresDialect({ pool })), ...logged });
  return { db, close };
}

export interface PostgresHandles {
  db: Kysely<Schema>;
  close(): Promise<void>;
}

/**
 * A connection that has gone silent, behind a fire-wall or a server that was paused, never ends by itself, and whoever waits
 * for its answer would wait for ever. The client's own time-out leaves such a connection in use; this cuts it. One sleeper for
 * all of them: one for every statement costs more than to build the statement.
 */
function createPatience(clock: Clock) {
  const ended = new AbortController();
  /** What each connection has been asked last, and has not answered. */
  const unanswered = new Map<Socket, unknown>();
  let isWatching = false;

  async function watchAll(): Promise<void> {
    isWatching = true;
    while (unanswered.size > 0 && !ended.signal.aborted) {
      const before = [...unanswered];
      await clock.sleep(answerWithinMs, ended.signal);
      for (const [stream, asked] of before) if (unanswered.get(stream) === asked) cut(stream);
    }
    isWatching = false;
  }

  function cut(stream: Socket): void {
    unanswered.delete(stream);
    if (!ended.signal.aborted)
      stream.destroy(new Error(`the database has not answered for ${answerWithinMs / 1000} s`));
  }

  return {
    watch(client: pg.ClientBase): void {
      const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      Object.assign(client, {
        query(...args: unknown[]): unknown {
          const asked = query(...args);
          if (!(asked instanceof Promise) || mayTakeLong(args[0])) return asked;
          unanswered.set(stream, asked);
          if (!isWatching) void watchAll();
          const end = () => {
            if (unanswered.get(stream) === asked) unanswered.delete(stream);
          };
          asked.then(end, end);
          return asked;
        },
      });
    },
    end: () => ended.abort('closed'),
  };
}

/** Longer than any of our statements takes. */
const answerWithinMs = 60_000;

/** A migration builds its indexes for as long as the table is large. */
function mayTakeLong(asked: unknown): boolean {
  const text = typeof asked === 'string' ? asked : String((asked as { text?: unknown } | null)?.text);
  return /\b(CREATE|ALTER)\b/.test(text);
}

/**
 * On a connection that is lost the rollback fails too, and its error would stand in the log in the place of the one that says
 * what happened. The server rolls back by itself, and the pool does not take such a connection back.
 */
function withOurTransactions(dialect: Dialect): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver() {
      const driver = dialect.createDriver();
      const rollback = driver.rollbackTransaction.bind(driver);
      driver.rollbackTransaction = (connection) => rollback(connection).catch(() => {});
      driver.beginTransaction = async (connection) => {
        await connection.executeQuery(CompiledQuery.raw(begin));
      };
      driver.commitTransaction = async (connection) => {
        await connection.executeQuery(CompiledQuery.raw(commit));
      };
      return driver;
    },
  };
}

/**
 * In one message, because it is paid for every time. A process that was stopped in mid-transaction holds its locks: it loses
 * them, and nobody waits for it for ever. Set for the transaction, not for the session, which a pooler may share.
 */
const begin = `BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL lock_timeout = '10s'; SET LOCAL idle_in_transaction_session_timeout = '60s'`;

/**
 * A transaction with a failed statement in it is rolled back by COMMIT without an error. The statement before it asks, and where
 * it fails the rest of the message is not looked at.
 */
const commit = 'SELECT 1; COMMIT';

const int8 = 20;

/** Our 64-bit integers are times and counters, all below 2^53: numbers, as in SQLite, instead of strings. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === int8) return (text: string) => Number(text);
  return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
}

function explained(error: unknown): unknown {
  const code = (error as { code?: unknown })?.code;
  const sentences: Record<string, string> = {
    ECONNREFUSED: 'No PostgreSQL answers at DATABASE_URL. Start it, or correct host and port.',
    ENOTFOUND:
      'The host in DATABASE_URL is unknown. Correct it; in user and password, signs such as @ / # are written %40 %2F %23.',
    '28P01': 'PostgreSQL rejects the password in DATABASE_URL. Correct user and password.',
    '28000': 'PostgreSQL rejects the user in DATABASE_URL. Correct the user, or allow it in pg_hba.conf.',
    '3D000':
      'The database named in DATABASE_URL does not exist. Create it with createdb, or correct the name.',
  };
  const sentence = (typeof code === 'string' ? sentences[code] : undefined) ?? sentenceFor(String(error));
  return sentence ? new Refusal('database_unreachable', sentence) : error;
}

/** What the client says without a code. */
function sentenceFor(text: string): string | undefined {
  if (/timeout/i.test(text))
    return 'The host in DATABASE_URL does not answer within 10 s. Correct it, or open the way to it.';
  if (/terminated unexpectedly/i.test(text))
    return 'What answers at DATABASE_URL hangs up: is it PostgreSQL? Correct host and port.';
  if (/does not support SSL/i.test(text))
    return 'The server at DATABASE_URL has no TLS. Leave out sslmode, or turn TLS on there.';
  return undefined;
}
