import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../std/clock.ts';
import type { Ids } from '../std/ids.ts';
import { freshContext, readTraceparent, type SpanContext, type Tracer, traceparentOf } from '../std/trace.ts';

/**
 * A span for each request: by its route, never by its address, which may hold a token. It belongs to the trace of the caller where that
 * one follows it and was let in with a key; what strangers send as a traceparent is nothing to us.
 */
export interface RequestTrace {
  /** Called when the caller has been let in. Answers what the intents of this request carry on, if its caller follows it. */
  letIn(request: FastifyRequest): string | undefined;
}

export interface RequestTraceParts {
  tracer: Tracer;
  clock: Clock;
  ids: Ids;
}

/** Asked every few seconds by machines; nobody wants to read that. */
const unasked: ReadonlySet<string | undefined> = new Set(['/health', '/ready', '/metrics']);

export function traceRequests(
  server: FastifyInstance,
  { tracer, clock, ids }: RequestTraceParts,
): RequestTrace {
  const begun = new WeakMap<object, Begun>();
  server.addHook('onRequest', async (request) => {
    begun.set(request, {
      at: clock.now(),
      monotonic: clock.monotonic(),
      own: freshContext(ids),
      caller: undefined,
    });
  });
  server.addHook('onResponse', async (request, { statusCode }) => {
    const one = begun.get(request);
    if (!one) return;
    const { at, monotonic, own, caller } = one;
    const { method, routeOptions } = request;
    const { url: route } = routeOptions;
    if (!caller && (unasked.has(route) || !tracer.follows(own.traceId))) return;
    tracer.tell({
      ...{ name: route === undefined ? method : `${method} ${route}`, kind: 'server' },
      ...{ traceId: caller?.traceId ?? own.traceId, spanId: own.spanId, parentId: caller?.spanId },
      ...{ startAt: at, endAt: at + (clock.monotonic() - monotonic) },
      attributes: {
        ...{ 'http.request.method': method, 'http.response.status_code': statusCode },
        ...(route !== undefined && { 'http.route': route }),
        'tidings.trace_id': request.id,
      },
      error: statusCode >= 500 ? String(statusCode) : undefined,
    });
  });
  return {
    letIn(request) {
      const one = begun.get(request);
      const caller = readTraceparent(request.headers.traceparent);
      if (!one || !caller) return undefined;
      one.caller = caller;
      return traceparentOf({ traceId: caller.traceId, spanId: one.own.spanId });
    },
  };
}

interface Begun {
  at: number;
  monotonic: number;
  own: SpanContext;
  caller: SpanContext | undefined;
}
