import helmet from '@fastify/helmet';
import Fastify, { type FastifyInstance } from 'fastify';
import { createAudit } from '../audit/audit.ts';
import type { Database } from '../db/database.ts';
import type { Engine } from '../engine.ts';
import type { Runner } from '../runners/runner.ts';
import type { QueueWatch } from '../runners/watch.ts';
import type { Samples } from '../samples/samples.ts';
import type { CodeReviews } from '../sources/code-reviews/code-reviews.ts';
import type { Runs } from '../sources/newsletters/runs/runs.ts';
import type { Clock } from '../std/clock.ts';
import { systemIds } from '../std/ids.ts';
import type { Log } from '../std/log.ts';
import type { Tracer } from '../std/trace.ts';
import { type ApiKeys, createAuth, keyIn } from './auth.ts';
import type { Sessions } from './callers/sessions.ts';
import { addErrors, answerBadRequest, answerBadUrl } from './errors.ts';
import { createGate, type Limits } from './gate.ts';
import { takeJsonBodies } from './json-body.ts';
import type { Quotas } from './live/mails-taken.ts';
import { createHttpCounts } from './metrics.ts';
import { traceRequests } from './request-trace.ts';
import { addRoutes, type Route } from './route.ts';
import { auditRoute } from './routes/audit.ts';
import { type ConsoleFiles, consoleRoutes, readConsole } from './routes/console.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { docsRoutes } from './routes/docs.ts';
import { emailPreviewRoutes, previewsAreOff } from './routes/email-preview.ts';
import { healthRoutes } from './routes/health.ts';
import { homeRoute } from './routes/home.ts';
import { inboxRoutes } from './routes/inbox.ts';
import { intentRoute } from './routes/intents.ts';
import { liveRoutes } from './routes/live.ts';
import { metricsRoute } from './routes/metrics.ts';
import { notificationRoutes } from './routes/notifications.ts';
import type { OwnNotifications } from './routes/notifications-json.ts';
import { orderRoutes } from './routes/orders.ts';
import { pauseRoutes } from './routes/pauses.ts';
import { reviewRoutes } from './routes/reviews.ts';
import { runRoutes } from './routes/runs.ts';
import { sampleRoutes } from './routes/samples.ts';
import { seatRoutes } from './routes/seats.ts';
import type { SeatLimits, Seats } from './routes/seats-parts.ts';
import { sessionRoutes } from './routes/session.ts';
import { suppressionFileRoutes } from './routes/suppression-files.ts';
import { suppressionListRoutes } from './routes/suppression-lists.ts';
import { suppressionRoutes } from './routes/suppressions.ts';
import { templateRoutes } from './routes/templates.ts';
import { unsubscribeRoutes } from './routes/unsubscribe.ts';
import { webhookRoutes } from './routes/webhooks.ts';
import { requireSameMachine } from './same-machine.ts';

/**
 * The HTTP side of a process. Every error has one shape, `{ error, code, traceId, details? }`, and tells nothing of the inside;
 * the log has the rest under the same trace id. Addresses of pages may hold tokens, and bodies hold mails: routes are logged,
 * never URLs or bodies. Where no key is set, being on this machine is the permission.
 */
export interface ServerParts {
  db: Database;
  /** Which one it is, for a command that works with one, too. */
  databaseId?: string | undefined;
  clock: Clock;
  log: Log;
  /** Where this process works; left out where it only answers. */
  runner?: Runner;
  /** What the API and the pages work with; a worker has none. */
  api?: ApiParts;
  /** Where a collector is named. */
  tracer?: Tracer | undefined;
  /** True from the first signal on. */
  isStopping: () => boolean;
}

export interface ApiParts
  extends Pick<Engine, 'outbox' | 'queries' | 'sources' | 'consent' | 'pauses' | 'provider' | 'webhooks'> {
  environment: string;
  /** Mails that the plan at the provider has; left out where nobody has said. */
  quotas?: Quotas | undefined;
  /** Where the links in mails lead; without it none is known as ours. */
  baseUrl?: (() => string) | undefined;
  keys: ApiKeys;
  unsubscribeOnGet: boolean;
  emailPreviewEnabled?: boolean;
  /** Left out where no section feed is configured. */
  seats?: Seats | undefined;
  /** Left out where there are no newsletters. */
  notifications?: OwnNotifications | undefined;
  runs?: Runs | undefined;
  /** Left out where there are no code reviews. */
  reviews?: CodeReviews | undefined;
  /** As it was built, unless somebody has another. */
  console?: ConsoleFiles | undefined;
  /** Left out where the first minute is not played. */
  samples?: Samples | undefined;
  /** Left out where no queues are used. */
  queues?: QueueWatch | undefined;
  /** Left out where nobody comes with a session of their own. */
  sessions?: Sessions | undefined;
  limits?: Limits;
  seatLimits?: SeatLimits;
}

const bodyOctetsMax = 65_536; // Nothing posted but intents is larger, and they say so themselves.
const requestWithinMs = 30_000; // A client that dribbles its request holds a connection no longer than this.
const referenceLengthMax = 1_000; // A delivery's key holds its source, occasion and recipient, percent-encoded.

export async function createServer(parts: ServerParts): Promise<FastifyInstance> {
  const { log, clock, api, tracer } = parts;
  const server = Fastify({
    logger: false,
    // Somebody else's id is taken over only where it cannot be mistaken for anything else in a log or a header.
    genReqId: ({ headers }) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(given) ? given : systemIds.uuid();
    },
    bodyLimit: bodyOctetsMax,
    requestTimeout: requestWithinMs,
    routerOptions: { maxParamLength: referenceLengthMax },
    // While the server closes, connections that are open get their answer from our own routes, in our shape.
    return503OnClosing: false,
    clientErrorHandler: answerBadRequest,
    frameworkErrors: answerBadUrl,
  });
  const auth = createAuth(api?.keys ?? { operator: [], read: [], service: [] });
  const audit = createAudit({ db: parts.db, clock, log });
  const counts = createHttpCounts();
  await addHeaders(server);
  watchRequests(server, { log, clock, counts });
  const trace = tracer && traceRequests(server, { tracer, clock, ids: systemIds });
  const world = new Set<string>();
  if (api && auth.isOpen) {
    server.addHook('onRequest', async ({ method, headers, socket, routeOptions }) => {
      if (!world.has(routeOptions.url ?? '')) requireSameMachine(method, headers, socket.remoteAddress);
    });
  }
  if (api) {
    server.addHook('onRequest', async ({ url, headers, routeOptions }) => {
      const mayOpen = auth.isOpen || auth.holderOf(keyIn(headers))?.role === 'operator';
      const off = routeOptions.url === undefined && mayOpen ? previewsAreOff(api, url) : undefined;
      if (off) throw off;
    });
  }
  takeJsonBodies(server);
  addErrors(server, log);
  const routes: Route[] = [...healthRoutes(parts)];
  if (api) {
    const answering = { ...api, db: parts.db, clock, log };
    const pages = api.console ?? readConsole();
    routes.push(
      intentRoute(answering),
      ...deliveryRoutes(answering),
      ...orderRoutes(answering),
      ...pauseRoutes(answering),
      ...suppressionRoutes(answering),
      ...suppressionListRoutes(answering),
      ...suppressionFileRoutes(answering),
      ...inboxRoutes({ ...answering, routes: () => routes }),
      ...webhookRoutes(answering),
      metricsRoute(answering, counts),
      homeRoute({ ...answering, console: pages }),
      ...consoleRoutes(pages),
      auditRoute({ audit }),
      ...liveRoutes({ ...answering, isStopping: parts.isStopping }),
      ...sessionRoutes({ auth, clock, log, failuresMax: api.limits?.failures ?? 10 }),
      ...unsubscribeRoutes(answering),
      ...seatRoutes(answering),
      ...emailPreviewRoutes(answering),
      ...templateRoutes(),
      ...notificationRoutes(answering),
      ...runRoutes(answering),
      ...reviewRoutes(answering),
      ...sampleRoutes(answering),
    );
    // Last: the document tells of all, itself included.
    routes.push(...docsRoutes(routes));
  }
  for (const { who, path } of routes) if (who === 'the world') world.add(path);
  const gate = createGate({ auth, clock, limits: api?.limits, sessions: api?.sessions });
  addRoutes(server, routes, { gate, audit, trace });
  return server;
}

/** For pages; on an answer to a program they do no harm. Pages load nothing, and nothing frames them. */
async function addHeaders(server: FastifyInstance): Promise<void> {
  const none = ["'none'"];
  await server.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: none,
        styleSrc: ["'unsafe-inline'"],
        baseUri: none,
        formAction: none,
        frameAncestors: none,
      },
    },
    // Whoever puts TLS before this decides for the whole host name.
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
  });
  server.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'x-request-id': request.id });
  });
}

function watchRequests(
  server: FastifyInstance,
  {
    log,
    clock,
    counts,
  }: Pick<ServerParts, 'log' | 'clock'> & { counts: ReturnType<typeof createHttpCounts> },
): void {
  const startedAt = new WeakMap<object, number>();
  server.addHook('onRequest', async (request) => {
    startedAt.set(request, clock.monotonic());
  });
  server.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request;
    const route = routeOptions.url ?? null;
    const afterMs = clock.monotonic() - (startedAt.get(request) ?? clock.monotonic());
    counts.add({ method, route: route ?? 'none', status: reply.statusCode }, afterMs / 1000);
    log.debug('http.answered', {
      traceId: request.id,
      method,
      route,
      status: reply.statusCode,
      afterMs: Math.round(afterMs),
    });
  });
}
