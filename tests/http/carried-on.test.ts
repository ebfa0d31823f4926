import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Span, Tracer } from '../../src/std/trace.ts';
import { type Api, intentBody } from './api-world.ts';
import { reviewBody, reviewsOf } from './reviews-examples.ts';
import { createSeatsApiWorld, type SeatsApiWorld, term } from './seats-api-world.ts';

const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const traceparent = `00-${caller.traceId}-${caller.spanId}-01`;

let world: SeatsApiWorld;
let told: Span[];
beforeEach(async () => {
  world = await createSeatsApiWorld('sqlite');
  told = [];
});
afterEach(() => world.close());

/** Nothing of our own is followed: what is told was carried on. */
const tracer: Tracer = {
  follows: () => false,
  tell: (span) => void told.push(span),
  stop: async () => {},
};
const serve = (tracer?: Tracer) =>
  world.serveSeats({ api: { reviews: reviewsOf(world) }, server: { tracer } });
const tracesOf = async (table: 'deliveries' | 'open_events') =>
  (await world.db.read.selectFrom(table).select('trace_id').execute()).map((row) => row.trace_id);

/** All that make deliveries for whoever has a key. */
const requests = {
  'POST /api/v1/intents': { body: intentBody(1), table: 'deliveries' },
  'POST /api/v1/reviews/jobs': { body: reviewBody(), table: 'deliveries' },
  'POST /api/v1/seats/openings': { body: { term, index: '21000' }, table: 'open_events' },
} as const;

async function ask(api: Api, name: keyof typeof requests) {
  const [method = '', path = ''] = name.split(' ');
  const headers = { traceparent, 'x-request-id': 'request-0001' };
  const { body, table } = requests[name];
  const { status } = await api.ask(method, path, { body, headers });
  expect(status).toBe(201);
  return new Set(await tracesOf(table));
}

test.each(Object.keys(requests) as (keyof typeof requests)[])(
  'what %s makes is in the trace of a caller who follows it, where there is a collector',
  async (name) => {
    const traces = await ask(await serve(tracer), name);
    // An answer is told of when it has left, which may be a moment after it has come.
    await expect.poll(() => told.length).toBe(1);
    const [span] = told;
    expect(span).toMatchObject({ name, traceId: caller.traceId, parentId: caller.spanId });
    expect(traces).toEqual(new Set([`00-${caller.traceId}-${span?.spanId}-01`]));
  },
);

test.each(Object.keys(requests) as (keyof typeof requests)[])(
  'without a collector what %s makes has the id of its request',
  async (name) => {
    expect(await ask(await serve(), name)).toEqual(new Set(['request-0001']));
  },
);
