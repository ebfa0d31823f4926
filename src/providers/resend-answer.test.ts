import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Outcome } from '../domain/outcome.ts';
import type { AnswerHeaders, Exchanged } from './exchange.ts';
import { outcomeOf, printable, readRatePerSecond } from './resend-answer.ts';

const now = Date.UTC(2026, 2, 14, 22, 30, 0, 500);

function answered(status: number, body: unknown, headers: AnswerHeaders = {}): Exchanged {
  const bodyText = typeof body === 'string' ? body : JSON.stringify(body);
  return { kind: 'answered', status, headers, bodyText };
}

const named = (status: number, name: string, headers: AnswerHeaders = {}) =>
  answered(status, { statusCode: status, name, message: `about ${name}` }, headers);

/** The outcome without its sentence. */
function verdict(exchanged: Exchanged): object {
  const outcome: Outcome = outcomeOf(exchanged, now);
  if (outcome.kind === 'accepted') return outcome;
  const { error, ...rest } = outcome;
  return { ...rest, code: error.code };
}

describe('an answer with 2xx', () => {
  test.each([
    ['200 with an id', answered(200, { id: 'abc-1' })],
    ['201 with an id among other things', answered(201, { object: 'email', id: 'abc-1' })],
  ])('%s: accepted', (_, exchanged) => {
    expect(verdict(exchanged)).toEqual({ kind: 'accepted', messageId: 'abc-1' });
  });

  test.each([
    ['without an id', answered(200, {})],
    ['with an empty id', answered(200, { id: '' })],
    ['with an id that is a number', answered(200, { id: 7 })],
    ['with an id that has a line break', answered(200, { id: 'a\r\nb' })],
    ['that is truncated', answered(200, '{"id":"abc')],
    ['that is a page for people', answered(200, '<html>')],
    ['that is empty', answered(204, '')],
    ['that is null', answered(200, 'null')],
    ['that is a list', answered(200, '[{"id":"abc"}]')],
    ['that is too large', { kind: 'answered', status: 200, headers: {}, bodyText: null } as const],
    ['that names an error', named(200, 'validation_error')],
  ])('%s: unknown', (_, exchanged) => {
    expect(verdict(exchanged)).toEqual({ kind: 'unknown', code: 'answer_unreadable' });
  });
});

describe('a refusal of the mail', () => {
  test.each([
    [400, 'validation_error'],
    [400, 'invalid_idempotency_key'],
    [422, 'validation_error'],
    [422, 'missing_required_field'],
    [422, 'a_name_of_tomorrow'],
    [422, 'constructor'],
    [413, 'payload_too_large'],
  ])('%i %s: refused for good', (status, name) => {
    expect(verdict(named(status, name))).toEqual({ kind: 'refused_for_good', code: name });
  });

  test('400 without a readable body: refused for good, by its status', () => {
    expect(verdict(answered(400, '<html>'))).toEqual({ kind: 'refused_for_good', code: 'http_400' });
  });

  test('451 security_error: refused for now, and counted', () => {
    expect(verdict(named(451, 'security_error'))).toEqual({
      kind: 'refused_for_now',
      code: 'security_error',
    });
  });
});

describe('a refusal that is about the account', () => {
  test.each([
    [401, 'missing_api_key', 'unauthorised'],
    [401, 'restricted_api_key', 'unauthorised'],
    [403, 'invalid_api_key', 'unauthorised'],
    [403, 'validation_error', 'unauthorised'], // The sender's domain is not verified.
    [403, 'a_name_of_tomorrow', 'unauthorised'],
    [400, 'invalid_api_key', 'unauthorised'],
    [402, 'payment_required', 'over_quota'],
    [404, 'not_found', 'unreachable'],
    [405, 'method_not_allowed', 'unreachable'],
    [415, 'unsupported_media_type', 'unreachable'],
    [429, 'monthly_quota_exceeded', 'over_quota'],
  ])('%i %s: deferred, the provider is %s', (status, name, trouble) => {
    expect(verdict(named(status, name, { 'retry-after': '7' }))).toEqual({
      kind: 'deferred',
      trouble,
      code: name,
    });
  });

  test('400 validation_error that says the API key is invalid is not held against the mail', () => {
    const exchanged = answered(400, { name: 'validation_error', message: 'API key is invalid' });
    expect(verdict(exchanged)).toMatchObject({ kind: 'deferred', trouble: 'unauthorised' });
  });

  test('429 daily_quota_exceeded waits until midnight UTC, whatever retry-after says', () => {
    expect(outcomeOf(named(429, 'daily_quota_exceeded', { 'retry-after': '1' }), now)).toEqual({
      kind: 'deferred',
      trouble: 'over_quota',
      retryAfterMs: 89 * 60_000 + 59_500,
      error: {
        code: 'daily_quota_exceeded',
        message: 'about daily_quota_exceeded',
        provider: 'resend',
        retryAfterSeconds: 5400,
      },
    });
    const atMidnight = outcomeOf(named(429, 'daily_quota_exceeded'), Date.UTC(2026, 2, 14));
    expect(atMidnight).toMatchObject({ retryAfterMs: 86_400_000 });
  });

  test.each<[string, AnswerHeaders, number]>([
    ['seconds', { 'retry-after': '3' }, 3000],
    ['a date', { 'retry-after': 'Sat, 14 Mar 2026 22:30:10 GMT' }, 9500],
    ['several', { 'retry-after': ['2', '5'] }, 5000],
    ['nonsense', { 'retry-after': 'soon' }, 1000],
    ['nonsense, and a reset', { 'retry-after': 'soon', 'ratelimit-reset': '4' }, 4000],
    ['both', { 'retry-after': '3', 'ratelimit-reset': '4' }, 3000],
    ['only a reset', { 'ratelimit-reset': '2' }, 2000],
    ['no wait at all', { 'retry-after': '0' }, 1000],
    ['a date in the past', { 'retry-after': 'Sat, 14 Mar 2020 22:30:10 GMT' }, 1000],
    ['nothing', {}, 1000],
    ['more than a day', { 'retry-after': '9999999' }, 86_400_000],
  ])('429 rate_limit_exceeded with %s is throttled for as long', (_, headers, retryAfterMs) => {
    expect(verdict(named(429, 'rate_limit_exceeded', headers))).toEqual({
      kind: 'deferred',
      trouble: 'throttled',
      retryAfterMs,
      code: 'rate_limit_exceeded',
    });
  });

  test('429 with another name, or with a page of somebody in between, is throttled', () => {
    expect(verdict(named(429, 'a_name_of_tomorrow'))).toMatchObject({ trouble: 'throttled' });
    expect(verdict(answered(429, '<html>'))).toMatchObject({ trouble: 'throttled', code: 'http_429' });
  });
});

describe('a key that was used before', () => {
  test('409 invalid_idempotent_request: a conflict, never a refusal', () => {
    const code = 'invalid_idempotent_request';
    for (const status of [409, 400, 422])
      expect(verdict(named(status, code))).toEqual({ kind: 'key_conflict', code });
  });

  test('409 concurrent_idempotent_requests: unknown, and no attempt', () => {
    const code = 'concurrent_idempotent_requests';
    for (const status of [409, 422])
      expect(verdict(named(status, code))).toEqual({ kind: 'unknown', isAttempt: false, code });
  });

  test.each([named(409, 'a_name_of_tomorrow'), named(409, 'invalid_api_key'), answered(409, '<html>')])(
    'any other 409: unknown, and an attempt',
    (exchanged) => {
      expect(verdict(exchanged)).toEqual({ kind: 'unknown', code: expect.any(String) });
    },
  );
});

describe('what is not known to be a refusal', () => {
  test.each([500, 502, 503, 504, 520, 599, 301, 307, 304, 100, 408, 425, 499, 418, 421, 431, 0, 999])(
    '%i: unknown',
    (status) => {
      expect(verdict(named(status, 'application_error', { 'retry-after': '9' }))).toEqual({
        kind: 'unknown',
        code: 'application_error',
      });
    },
  );

  test('nothing has left: deferred, and it is the provider that is unreachable', () => {
    const broken: Exchanged = { kind: 'broken', phase: 'connecting', code: 'ECONNREFUSED' };
    expect(outcomeOf(broken, now)).toEqual({
      kind: 'deferred',
      trouble: 'unreachable',
      error: { code: 'unreachable', message: 'ECONNREFUSED', provider: 'resend' },
    });
  });

  test('something may have left: unknown', () => {
    expect(verdict({ kind: 'broken', phase: 'sent', code: 'ECONNREFUSED' })).toEqual({
      kind: 'unknown',
      code: 'no_answer',
    });
  });

  test('it was not begun: deferred, and nobody is to blame', () => {
    expect(verdict({ kind: 'not_started' })).toEqual({ kind: 'deferred', code: 'not_started' });
  });
});

describe('for any answer at all', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc
      .record(
        { id: fc.anything(), name: fc.anything(), message: fc.anything(), statusCode: fc.anything() },
        { requiredKeys: [] },
      )
      .map((body) => JSON.stringify(body, (_, value) => (typeof value === 'bigint' ? `${value}` : value))),
    fc
      .constantFrom('invalid_idempotent_request', 'rate_limit_exceeded', '__proto__', 'constructor')
      .map((name) => JSON.stringify({ name })),
  );
  const headers = fc.dictionary(
    fc.constantFrom('retry-after', 'ratelimit-reset', 'ratelimit-limit', 'x'),
    fc.oneof(fc.string(), fc.array(fc.string()), fc.constant(undefined)),
  );
  const answers = (statuses: fc.Arbitrary<number>) =>
    fc.record({
      kind: fc.constant('answered' as const),
      status: statuses,
      headers,
      bodyText: fc.option(texts),
    });

  test('it is never thrown, and what is said is short and of one line', () => {
    fc.assert(
      fc.property(answers(fc.integer()), fc.nat({ max: 4e12 }), (exchanged, at) => {
        const outcome = outcomeOf(exchanged, at);
        if (outcome.kind === 'accepted') return;
        expect(outcome.error.message?.length).toBeLessThanOrEqual(300);
        expect(outcome.error.message).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
        expect(outcome.error.code).toMatch(/^[a-z][a-z0-9_-]*$/);
      }),
    );
  });

  test('2xx, 3xx and 5xx never say that a mail was not accepted', () => {
    const statuses = fc.oneof(fc.integer({ min: 100, max: 399 }), fc.integer({ min: 500, max: 599 }));
    fc.assert(
      fc.property(answers(statuses), (exchanged) => {
        const { kind } = outcomeOf(exchanged, now);
        expect(kind === 'unknown' || (kind === 'accepted' && exchanged.status < 300)).toBe(true);
      }),
    );
  });

  test('only an answer with 2xx accepts', () => {
    fc.assert(
      fc.property(answers(fc.integer({ min: 300, max: 599 })), (exchanged) => {
        expect(outcomeOf(exchanged, now).kind).not.toBe('accepted');
      }),
    );
  });
});

test('what is said holds no address, no key and no line break', () => {
  const said = 'You can only mail (ana.b+c@example.org), not <Eve@x.org>;\r\nkey re_AbC_123 is bad';
  expect(printable(said)).toBe('You can only mail ([address]), not <[address]>; key [key] is bad');
  expect(printable(`${'a'.repeat(298)} ana@example.org`)).not.toContain('@');
});

test('the rate that an answer tells is read where it is one by the second', () => {
  const headers = { 'ratelimit-limit': '10', 'ratelimit-remaining': '9', 'ratelimit-reset': '1' };
  expect(readRatePerSecond(headers)).toBe(10);
  expect(readRatePerSecond({ ...headers, 'ratelimit-reset': 'soon' })).toBeUndefined();
  expect(readRatePerSecond({ ...headers, 'ratelimit-reset': '3600' })).toBeUndefined();
  expect(readRatePerSecond({ ...headers, 'ratelimit-limit': '0' })).toBeUndefined();
  expect(readRatePerSecond({})).toBeUndefined();
});
