import { expect, it } from 'vitest';
import { createManualClock } from '../std/clock.ts';
import { systemIds } from '../std/ids.ts';
import type { Span } from '../std/trace.ts';
import { createTrail, type Trail } from './trail.ts';

const id = '6ba7b810-9dad-51d1-80b4-00c0ffffffff';
const trace = id.replaceAll('-', '');
const intentSpan = '80b400c0ffffffff';
const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const traceparent = `00-${caller.traceId}-${caller.spanId}-01`;

/** What one worker tells of a delivery's path. */
function told(
  work: (trail: Trail, clock: ReturnType<typeof createManualClock>) => unknown,
  follows = true,
): Span[] {
  const spans: Span[] = [];
  const clock = createManualClock();
  const tracer = { follows: () => follows, tell: (span: Span) => spans.push(span), stop: async () => {} };
  work(createTrail(tracer, clock, systemIds), clock);
  return spans;
}
const plain = { source: 'plain', lane: 'normal' };

it('two processes that know nothing of each other put their spans into one tree', () => {
  const [intent] = told((trail) => trail.intended({ id, traceId: 'request-0001' }, plain, trail.start()));
  const held = { id, traceId: 'request-0001', lease: 3, round: 1 };
  const [claim, send] = told((trail) => {
    trail.claimed(held, 1, trail.start());
    trail.sent(held, 'resend', { kind: 'accepted', messageId: 'm' }, trail.start());
  });
  const [webhook] = told((trail) =>
    trail.heard({ ...held }, { type: 'email.sent', outcome: 'applied' }, trail.start()),
  );
  expect([intent, claim, send, webhook].map((span) => span?.traceId)).toEqual(Array(4).fill(trace));
  expect(intent).toMatchObject({ spanId: intentSpan, parentId: undefined });
  // The sum goes round at 32 bits: it never grows out of its sixteen digits.
  expect(claim).toMatchObject({ spanId: '80b400c000000002', parentId: intentSpan });
  expect(send?.parentId).toBe(claim?.spanId);
  expect(webhook?.parentId).toBe(intentSpan);
  expect(new Set([intent, claim, send, webhook].map((span) => span?.spanId)).size).toBe(4);
});

it('each lease has a span of its own', () => {
  const spans = told((trail) => {
    for (const lease of [1, 2, 300]) trail.claimed({ id, traceId: null, lease }, 1, trail.start());
    trail.reconciled({ id, traceId: null, lease: 4 }, 'still_unknown', 'reconciling', trail.start());
  });
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(4);
  expect(spans.every(({ spanId }) => /^[0-9a-f]{16}$/.test(spanId))).toBe(true);
});

it('what no ratio has chosen is not told, unless its caller follows it', () => {
  const work = (traceId: string | null) => (trail: Trail) => {
    trail.intended({ id, traceId }, plain, trail.start());
    trail.recorded(
      { id, traceId },
      { event: 'lapsed', isChanged: true, status: 'pending', code: undefined },
      trail.start(),
    );
  };
  expect(told(work(null), false)).toEqual([]);
  const [intent, record] = told(work(traceparent), false);
  expect(intent).toMatchObject({ traceId: caller.traceId, spanId: intentSpan, parentId: caller.spanId });
  expect(record).toMatchObject({ traceId: caller.traceId, parentId: intentSpan });
});

it('a span is as long as it took, and says what failed by its code alone', async () => {
  const held = { id, traceId: null, lease: 1, round: 2 };
  const error = { code: 'mailbox_unknown', message: 'no ana@example.org here' };
  const spans: Span[] = [];
  const clock = createManualClock();
  const tracer = { follows: () => true, tell: (span: Span) => spans.push(span), stop: async () => {} };
  const trail = createTrail(tracer, clock, systemIds);
  const since = trail.start();
  await clock.advance(1_500.25);
  trail.sent(held, 'smtp', { kind: 'refused_for_good', error }, since);
  expect(spans).toEqual([
    {
      ...{ name: 'provider.send', kind: 'client', traceId: trace, spanId: expect.any(String) },
      ...{ parentId: '80b400c000000000', startAt: since.at, endAt: since.at + 1_500.25 },
      attributes: {
        ...{ 'tidings.delivery.id': id, 'tidings.provider': 'smtp' },
        ...{ 'tidings.round': 2, 'tidings.outcome': 'refused_for_good' },
      },
      error: 'mailbox_unknown',
    },
  ]);
});
