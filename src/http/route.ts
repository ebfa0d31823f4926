import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Audit } from '../audit/audit.ts';
import { Refusal } from '../std/refusal.ts';
import { withoutAddresses } from '../std/without-addresses.ts';
import type { Role } from './auth.ts';
import { type Caller, type Gate, speaker } from './gate.ts';
import type { RequestTrace } from './request-trace.ts';
import { createValidator } from './validate.ts';

/**
 * A route as data: from the same definition it is served, guarded, checked and documented, so that the document cannot say
 * anything else than what happens.
 */
export interface Route<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** As Fastify writes it: `/deliveries/:reference`. */
  path: string;
  summary: string;
  /**
   * Whose keys open it, beside an operator's. What anybody may ask needs none, and costs next to nothing. What is for the world
   * comes with a proof of its own, a signature or a token, from whatever machine and also where no key is set. What is for users is asked
   * by themselves, with their session, or for them by a service.
   */
  who: readonly Role[] | 'anybody' | 'the world' | 'users';
  /** What a wrong or missing key is told, where a specification has words for it; then a key of another role is a wrong one. */
  wrongKey?: string;
  params?: Params;
  query?: Query;
  body?: Body;
  bodyOctetsMax?: number;
  /** Whatever the body is, it is handed over as the bytes that came; `body` is then no schema but only told of. */
  takesBytes?: true;
  /** It asks in a body, and changes nothing: counted among what reads, and not in the audit log. */
  readsOnly?: true;
  /** Asked where the body is not as it must be: throws a refusal that says more, if there is more to say. */
  explain?(body: unknown, traceId: string): Promise<void>;
  answers: Readonly<Record<number, Documented>>;
  /** Errors of its own, beside those that follow from the above. */
  refusals?: Readonly<Record<number, string>>;
  /** Services ask for it day by day, and an operator by a decision of their own: theirs is in the audit log. */
  isAuditedForOperators?: true;
  /** It asks no database, and cannot fail. */
  isConstant?: true;
  handle(asked: Asked<Static<Params>, Static<Query>, Static<Body>>): Promise<Answer>;
}

export interface Documented {
  when: string;
  schema?: TSchema;
  /** JSON unless it says otherwise; null where there is no body. */
  type?: string | null;
}

interface Asked<Params, Query, Body> {
  params: Params;
  query: Query;
  body: Body;
  /** The body as it came, where the route takes bytes. */
  bytes: Buffer;
  method: string;
  headers: IncomingHttpHeaders;
  traceId: string;
  /** What its intents carry on: the trace of a caller who follows it, else the same as `traceId`. */
  intentTraceId: string;
  caller: Caller;
}

interface Answer {
  status: number;
  body: unknown;
  type?: string;
  headers?: Readonly<Record<string, string>>;
}

/** Lets each definition have its own types, and a list of them one. */
export function defineRoute<Params extends TSchema, Query extends TSchema, Body extends TSchema>(
  route: Route<Params, Query, Body>,
): Route {
  return route as unknown as Route;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Who may come in, where it is written down what they changed, and whose trace it is part of. */
interface Doorkeepers {
  gate: Gate;
  audit: Pick<Audit, 'changing'>;
  trace: RequestTrace | undefined;
}

export function addRoutes(server: FastifyInstance, routes: readonly Route[], keepers: Doorkeepers): void {
  for (const route of routes.filter(({ takesBytes }) => !takesBytes)) addRoute(server, route, keepers);
  // In a room of their own: everywhere else a body is JSON.
  server.register(async (room) => {
    room.removeAllContentTypeParsers();
    room.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes));
    // Of any type, also one that is none, which would be refused before it comes to a parser.
    room.addHook('onRequest', async ({ headers }) => {
      if (headers['content-type'] !== undefined) headers['content-type'] = 'application/octet-stream';
    });
    for (const route of routes.filter(({ takesBytes }) => takesBytes)) addRoute(room, route, keepers);
  });
  for (const path of new Set(routes.map((route) => route.path))) {
    const served = routes.filter((route) => route.path === path).map((route) => route.method as string);
    if (served.includes('GET')) served.splice(served.indexOf('GET') + 1, 0, 'HEAD');
    server.route({
      method: methods.filter((method) => !served.includes(method)),
      url: path,
      // Before any body is read.
      onRequest: async (request, reply) => {
        reply.header('allow', served.join(', '));
        throw new Refusal(
          'method_not_allowed',
          `${request.method} is not possible here; this address takes ${served.join(', ')}.`,
        );
      },
      handler: async () => {},
    });
  }
}

function addRoute(server: FastifyInstance, route: Route, { gate, audit, trace }: Doorkeepers): void {
  const isByKey = Array.isArray(route.who);
  const callers = new WeakMap<FastifyRequest, Caller>();
  const read = {
    params: route.params && createValidator(route.params, 'address'),
    query: route.query && createValidator(route.query, 'query'),
    body: route.body && createValidator(route.body, 'body'),
  };
  const readBody = async ({ body: given, id }: FastifyRequest) => {
    try {
      return read.body?.(given);
    } catch (error) {
      await route.explain?.(given, id);
      throw error;
    }
  };
  server.route({
    method: route.method,
    url: route.path,
    ...(route.bodyOctetsMax !== undefined && { bodyLimit: route.bodyOctetsMax }),
    onRequest: async (request, reply) => {
      callers.set(request, await gate.admit(route, request, reply));
    },
    handler: async (request, reply) => {
      const params = read.params?.(request.params);
      const query = read.query?.(request.query);
      const asked = {
        params,
        query,
        body: route.takesBytes ? undefined : await readBody(request),
        bytes: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        method: request.method,
        headers: request.headers,
        traceId: request.id,
        intentTraceId: (isByKey ? trace?.letIn(request) : undefined) ?? request.id,
        caller: callers.get(request) as Caller,
      };
      const handle = () => route.handle(asked);
      const isDecision = isOperators(route) || (route.isAuditedForOperators && asked.caller.isOperator);
      const { status, body, type, headers } = isDecision
        ? await audit.changing(lineOf(route, asked), handle, (answer) => String(answer.status))
        : await handle();
      if (headers) reply.headers(headers);
      return send(reply, status, body, type);
    },
  });
}

/** What an operator or a trigger changes; what services ask for is their daily work, and has its own books. */
const isOperators = ({ method, who, readsOnly }: Route) =>
  method !== 'GET' && !readsOnly && typeof who !== 'string' && !who.includes('service');

function lineOf(
  { method, path }: Route,
  { params, query, body, caller, traceId }: Asked<unknown, unknown, unknown>,
) {
  const said: Record<string, unknown> = { ...(params as object), ...(query as object), ...(body as object) };
  const { reason, because, by, ...details } = said;
  return {
    who: withoutAddresses(speaker(typeof by === 'string' ? by : undefined, caller)),
    verb: `${method} ${path}`,
    details,
    reason: [reason, because].find((one) => typeof one === 'string') ?? null,
    traceId,
  };
}

function send(reply: FastifyReply, status: number, body: unknown, type: string | undefined) {
  if (type !== undefined) reply.type(type);
  return reply.code(status).send(body);
}
