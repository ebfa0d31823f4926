import { describe, expect, test } from 'vitest';
import { tracingVariables } from './tracing-settings.ts';

describe('headers for the collector', () => {
  test.each([
    ['', {}],
    ['api-key=abc', { 'api-key': 'abc' }],
    [' api-key = a%20b , x=y=z ,', { 'api-key': 'a b', x: 'y=z' }],
    ['authorization=Bearer%20token', { authorization: 'Bearer token' }],
  ])('%j', (text, value) => expect(tracingVariables.otlpHeaders.read(text)).toEqual({ value }));

  test.each(['api-key', '=abc', 'a b=c', 'a=%zz', 'a=', 'a=b%0d%0ax: y'])('not %j', (text) =>
    expect(tracingVariables.otlpHeaders.read(text)).toEqual({ mustBe: expect.any(String) }),
  );
});

test.each(['0', '0.25', '1'])('a ratio: %s', (text) =>
  expect(tracingVariables.traceRatio.read(text)).toEqual({ value: Number(text) }),
);

test.each(['-0.1', '1.1', 'half'])('no ratio: %s', (text) =>
  expect(tracingVariables.traceRatio.read(text)).toEqual({ mustBe: 'a number from 0 to 1' }),
);

test.each([
  'localhost:4318',
  'grpc://collector:4317',
  'http://collector:4318?x=y',
  'http://',
  'http://me:secret@collector',
])('no collector: %s', (text) =>
  expect(tracingVariables.otlpUrl.read(text)).toEqual({ mustBe: expect.any(String) }),
);
