import { describe, expect, test } from 'vitest';
import type { Exchanged } from './exchange.ts';
import { outcomeOf } from './postmark-answer.ts';

const now = Date.UTC(2026, 0, 1);
const messageId = 'b7bc2f4a-e38e-4336-af7d-e6c392c2f817';

const answered = (status: number, body: unknown, headers = {}): Exchanged => ({
  ...{ kind: 'answered', status, headers },
  bodyText: typeof body === 'string' ? body : JSON.stringify(body),
});

function verdict(exchanged: Exchanged) {
  const outcome = outcomeOf(exchanged, now);
  const { kind } = outcome;
  const trouble = 'trouble' in outcome ? { trouble: outcome.trouble } : {};
  return 'error' in outcome ? { kind, code: outcome.error.code, ...trouble } : { kind };
}

describe('accepted', () => {
  test('is only what has an id and no error', () => {
    const body = { To: 'a@example.org', SubmittedAt: 'x', MessageID: messageId, ErrorCode: 0, Message: 'OK' };
    expect(outcomeOf(answered(200, body), now)).toEqual({ kind: 'accepted', messageId });
    const doubtful = { kind: 'unknown', code: 'answer_unreadable' };
    expect(verdict(answered(200, { ...body, ErrorCode: 406 }))).toEqual(doubtful);
    expect(verdict(answered(200, { ...body, ErrorCode: undefined }))).toEqual(doubtful);
    expect(verdict(answered(200, { ...body, MessageID: '../../secret' }))).toEqual(doubtful);
    expect(verdict(answered(200, { ...body, MessageID: undefined }))).toEqual(doubtful);
    expect(verdict(answered(200, '<html>'))).toEqual(doubtful);
    expect(verdict({ kind: 'answered', status: 200, headers: {}, bodyText: null })).toEqual(doubtful);
  });
});

describe('their code decides', () => {
  const said = (status: number, ErrorCode: number) =>
    verdict(answered(status, { ErrorCode, Message: 'No.' }));
  test.each([
    [10, 'deferred', 'unauthorised'],
    [100, 'deferred', 'unreachable'],
    [300, 'refused_for_good'],
    [400, 'deferred', 'unauthorised'],
    [401, 'deferred', 'unauthorised'],
    [402, 'refused_for_good'],
    [403, 'refused_for_good'],
    [405, 'deferred', 'over_quota'],
    [409, 'refused_for_good'],
    [412, 'deferred', 'unauthorised'],
    [413, 'deferred', 'unauthorised'],
    [429, 'deferred', 'throttled'],
    [1235, 'deferred', 'unauthorised'],
    // One that is not known, of a request that they could not process.
    [9999, 'refused_for_good'],
  ])('422 with %i: %s %s', (code, kind, trouble?: string) => {
    expect(said(422, code)).toEqual({ kind, code: `postmark_${code}`, ...(trouble && { trouble }) });
  });

  test('406, inactive, has a name of its own: it suppresses the address', () => {
    expect(said(422, 406)).toEqual({ kind: 'refused_for_good', code: 'recipient_inactive' });
  });

  test('a number that only looks like one is none', () => {
    expect(verdict(answered(422, { ErrorCode: '406' }))).toEqual({
      kind: 'refused_for_good',
      code: 'http_422',
    });
    expect(verdict(answered(422, { ErrorCode: 406.5 }))).toEqual({
      kind: 'refused_for_good',
      code: 'http_422',
    });
  });
});

describe('without a code, the status decides', () => {
  test.each([
    [400, 'refused_for_good'],
    [401, 'deferred', 'unauthorised'],
    [403, 'refused_for_now'],
    [404, 'deferred', 'unreachable'],
    [405, 'deferred', 'unreachable'],
    [408, 'unknown'],
    [409, 'unknown'],
    [413, 'refused_for_good'],
    [415, 'deferred', 'unreachable'],
    [422, 'refused_for_good'],
    [425, 'unknown'],
    [429, 'deferred', 'throttled'],
    [302, 'unknown'],
    [500, 'unknown'],
    [502, 'unknown'],
    [503, 'unknown'],
  ])('%i is %s %s', (status, kind, trouble?: string) => {
    const expected = { kind, code: `http_${status}`, ...(trouble && { trouble }) };
    expect(verdict(answered(status, '<html>'))).toEqual(expected);
  });

  test('503 with the code of their maintenance is a refusal, and known not accepted', () => {
    expect(verdict(answered(503, { ErrorCode: 100, Message: 'Maintenance' }))).toMatchObject({
      ...{ kind: 'deferred', trouble: 'unreachable' },
    });
  });

  test('500 with the code of a wrong mail is a refusal; with one that is not known, nobody can tell', () => {
    expect(verdict(answered(500, { ErrorCode: 300 }))).toMatchObject({ kind: 'refused_for_good' });
    expect(verdict(answered(500, { ErrorCode: 0 }))).toMatchObject({ kind: 'unknown' });
  });
});

test('a throttle without a word of how long is for a second', () => {
  expect(outcomeOf(answered(429, {}), now)).toMatchObject({ retryAfterMs: 1000 });
  expect(outcomeOf(answered(429, {}, { 'retry-after': '7' }), now)).toMatchObject({ retryAfterMs: 7000 });
});

test('no sentence of theirs brings an address or a line of its own', () => {
  const Message = 'Found inactive addresses: ana@example.org.\n{"level":"error"}';
  expect(outcomeOf(answered(422, { ErrorCode: 406, Message }), now)).toMatchObject({
    error: { message: 'Found inactive addresses: [address] {"level":"error"}', provider: 'postmark' },
  });
});
