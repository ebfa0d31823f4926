import { Type } from 'typebox';
import { readMigrations, schemaState } from '../../db/migrate.ts';
import type { RedisState } from '../../runners/watch.ts';
import { Refusal } from '../../std/refusal.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed } from '../schemas.ts';
import type { ServerParts } from '../server.ts';

/**
 * `/health`: the process is alive; it asks nobody, so that a database that is down does not get every process
 * restarted. `/ready`: this process can do its work now.
 */
interface Readiness {
  status: 'ready' | 'not ready' | 'stopping';
  checks: {
    database: 'ok' | 'unreachable';
    schema: 'ok' | 'pending' | 'not understood' | 'unknown';
    runner: 'ok' | 'failing' | 'not in this process';
    /** Where this process works with queues; who only answers does so without it. */
    redis: RedisState | 'not in this process';
  };
}

type HealthParts = Pick<ServerParts, 'db' | 'databaseId' | 'clock' | 'runner' | 'isStopping'>;

const answerWithinMs = 2_000;

const alive = Type.Object(
  {
    status: Type.Literal('ok'),
    database: Type.Optional(
      Type.String({
        description: 'By which a command finds out whether it works with the database of this server.',
      }),
    ),
  },
  closed,
);

const readiness = Type.Object(
  {
    status: Type.Enum(['ready', 'not ready', 'stopping']),
    checks: Type.Object(
      {
        database: Type.Enum(['ok', 'unreachable']),
        schema: Type.Enum(['ok', 'pending', 'not understood', 'unknown']),
        runner: Type.Enum(['ok', 'failing', 'not in this process']),
        redis: Type.Enum(['ok', 'away', 'evicts', 'full', 'not in this process']),
      },
      closed,
    ),
  },
  closed,
);

export function healthRoutes(parts: HealthParts): Route[] {
  const checkDatabase = createDatabaseCheck(parts);
  return [
    defineRoute({
      method: 'GET',
      path: '/health',
      summary: 'Is this process alive?',
      who: 'anybody',
      isConstant: true,
      answers: {
        200: { when: 'It is.', schema: alive },
      },
      async handle() {
        const { databaseId: database } = parts;
        return { status: 200, body: { status: 'ok', ...(database && { database }) } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/ready',
      summary: 'Can this process do its work now?',
      who: 'anybody',
      isConstant: true,
      answers: {
        200: { when: 'It can.', schema: readiness },
        503: { when: 'It cannot; the checks say why.', schema: readiness },
      },
      async handle() {
        const { runner, isStopping } = parts;
        const checks: Readiness['checks'] = {
          ...(await checkDatabase()),
          runner: runner ? (runner.isHealthy ? 'ok' : 'failing') : 'not in this process',
          redis: runner?.queues?.redis ?? 'not in this process',
        };
        const isWorking = checks.runner !== 'failing' && ['ok', 'not in this process'].includes(checks.redis);
        const isReady = checks.database === 'ok' && checks.schema === 'ok' && isWorking;
        const status = isStopping() ? 'stopping' : isReady ? 'ready' : 'not ready';
        return { status: status === 'ready' ? 200 : 503, body: { status, checks } satisfies Readiness };
      },
    }),
  ];
}

type DatabaseChecks = Pick<Readiness['checks'], 'database' | 'schema'>;

/** One question at a time however many ask: a database that hangs must not collect waiting connections. */
function createDatabaseCheck({ db, clock }: HealthParts): () => Promise<DatabaseChecks> {
  const known = readMigrations(db.dialect);
  let asking: Promise<DatabaseChecks> | undefined;

  async function ask(): Promise<DatabaseChecks> {
    try {
      const { pending } = await schemaState(db, known);
      return { database: 'ok', schema: pending.length === 0 ? 'ok' : 'pending' };
    } catch (error) {
      return error instanceof Refusal
        ? { database: 'ok', schema: 'not understood' }
        : { database: 'unreachable', schema: 'unknown' };
    } finally {
      asking = undefined;
    }
  }

  return async () => {
    asking ??= ask();
    const bound = new AbortController();
    const late = clock
      .sleep(answerWithinMs, bound.signal)
      .then((): DatabaseChecks => ({ database: 'unreachable', schema: 'unknown' }));
    const answer = await Promise.race([asking, late]);
    bound.abort();
    return answer;
  };
}
