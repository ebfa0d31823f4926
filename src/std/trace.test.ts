import { describe, expect, it, test } from 'vitest';
import { systemIds } from './ids.ts';
import { freshContext, isSampled, readTraceparent, spanIdOf, traceIdOf, traceparentOf } from './trace.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

describe('a traceparent', () => {
  test.each([
    [`00-${traceId}-${spanId}-01`, true],
    [`00-${traceId}-${spanId}-03`, true],
    // A later version may say more than we know.
    [`cc-${traceId}-${spanId}-01-what-the-future-brings`, true],
    [`00-${traceId}-${spanId}-00`, false],
    [`00-${traceId}-${spanId}-01-more`, false],
    [`ff-${traceId}-${spanId}-01`, false],
    [`00-${'0'.repeat(32)}-${spanId}-01`, false],
    [`00-${traceId}-${'0'.repeat(16)}-01`, false],
    [`00-${traceId.toUpperCase()}-${spanId}-01`, false],
    [`00-${traceId}-${spanId}`, false],
    [`cc-${traceId}-${spanId}-01-${'a'.repeat(600)}`, false],
    ['request-0001', false],
    [undefined, false],
    [['a', 'b'], false],
  ])('%s is carried on: %s', (text, isCarriedOn) => {
    expect(readTraceparent(text)).toEqual(isCarriedOn ? { traceId, spanId } : undefined);
  });

  it('is read as it was written', () => {
    const context = freshContext(systemIds);
    expect(readTraceparent(traceparentOf(context))).toEqual(context);
  });
});

it('a UUID names a trace and a span, and neither is ever zero', () => {
  const uuid = '00000000-0000-5000-8000-000000000000';
  expect(traceIdOf(uuid)).toBe('00000000000050008000000000000000');
  expect(spanIdOf(uuid)).toBe('8000000000000000');
});

it('of all traces as many are followed as the ratio says, and those of a smaller one by a larger one, too', () => {
  const traces = Array.from({ length: 4_000 }, () => freshContext(systemIds).traceId);
  const followed = (ratio: number) => traces.filter((each) => isSampled(each, ratio));
  expect([followed(0).length, followed(1).length]).toEqual([0, 4_000]);
  expect(isSampled('f'.repeat(32), 1)).toBe(true);
  // Nine standard deviations off would be a poor die.
  expect(Math.abs(followed(0.25).length - 1_000)).toBeLessThan(250);
  const half = new Set(followed(0.5));
  expect(followed(0.25).every((each) => half.has(each))).toBe(true);
});
