import type { FastifyInstance } from 'fastify';
import { readMigrations, schemaState } from '../../db/migrate.ts';
import { Refusal } from '../../std/refusal.ts';
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
  };
}

type HealthParts = Pick<ServerParts, 'db' | 'clock' | 'runner' | 'isStopping'>;

const answerWithinMs = 2_000;

export function addHealth(server: FastifyInstance, parts: HealthParts): void {
  const checkDatabase = createDatabaseCheck(parts);

  server.get('/health', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return { status: 'ok' };
  });

  server.get('/ready', async (_request, reply) => {
    const { runner, isStopping } = parts;
    const checks: Readiness['checks'] = {
      ...(await checkDatabase()),
      runner: runner ? (runner.isHealthy ? 'ok' : 'failing') : 'not in this process',
    };
    const isReady = checks.database === 'ok' && checks.schema === 'ok' && checks.runner !== 'failing';
    const status = isStopping() ? 'stopping' : isReady ? 'ready' : 'not ready';
    reply.code(status === 'ready' ? 200 : 503).header('cache-control', 'no-store');
    return { status, checks } satisfies Readiness;
  });
}

type DatabaseChecks = Omit<Readiness['checks'], 'runner'>;

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
