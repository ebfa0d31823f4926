import Fastify, { type FastifyInstance } from 'fastify';
import type { Database } from '../db/database.ts';
import type { OutboxQueries } from '../outbox/queries.ts';
import type { Runner } from '../runners/runner.ts';
import type { Clock } from '../std/clock.ts';
import { systemIds } from '../std/ids.ts';
import type { Log } from '../std/log.ts';
import { addErrors, answerBadRequest, answerBadUrl } from './errors.ts';
import { addHealth } from './routes/health.ts';
import { addHome } from './routes/home.ts';

/**
 * The HTTP side of a process. Every error has one shape, `{ error, code, traceId }`, and tells nothing of the inside;
 * the log has the rest under the same trace id. Addresses of pages may hold tokens: routes are logged, never URLs.
 */
export interface ServerParts {
  db: Database;
  clock: Clock;
  log: Log;
  /** Where this process works; left out where it only answers. */
  runner?: Runner;
  /** The front page; a worker has none. */
  home?: { queries: OutboxQueries; environment: string };
  /** True from the first signal on. */
  isStopping: () => boolean;
}

const bodyOctetsMax = 65_536; // Nothing posted so far is larger; a route that needs more says so itself.
const requestWithinMs = 30_000; // A client that dribbles its request holds a connection no longer than this.

export async function createServer(parts: ServerParts): Promise<FastifyInstance> {
  const { log, clock } = parts;
  const server = Fastify({
    logger: false,
    genReqId: () => systemIds.uuid(),
    bodyLimit: bodyOctetsMax,
    requestTimeout: requestWithinMs,
    // While the server closes, connections that are open get their answer from our own routes, in our shape.
    return503OnClosing: false,
    clientErrorHandler: answerBadRequest,
    frameworkErrors: answerBadUrl,
  });
  server.addHook('onRequest', async (_request, reply) => {
    reply.header('x-content-type-options', 'nosniff');
  });
  const startedAt = new WeakMap<object, number>();
  server.addHook('onRequest', async (request) => {
    startedAt.set(request, clock.monotonic());
  });
  server.addHook('onResponse', async (request, reply) => {
    log.debug('http.answered', {
      traceId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      afterMs: Math.round(clock.monotonic() - (startedAt.get(request) ?? clock.monotonic())),
    });
  });
  addErrors(server, log);
  addHealth(server, parts);
  if (parts.home) addHome(server, { ...parts.home, clock });
  return server;
}
