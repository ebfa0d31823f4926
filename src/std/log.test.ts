import { describe, expect, test } from 'vitest';
import { createLog, type LogLevel, logLevels, silentLog } from './log.ts';

function logTo(options: { level?: LogLevel; isForPeople?: boolean } = {}) {
  const written: string[] = [];
  const log = createLog({ level: 'debug', ...options, sink: { write: (text) => written.push(text) } });
  return { log, written, rows: () => written.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('createLog for programs', () => {
  test('writes one line of JSON: level, time, fields and the name of the event', () => {
    const { log, written, rows } = logTo();
    log.info('delivery.sent', { deliveryId: 'd1', traceId: 't1' });
    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(/^\{.*\}\n$/);
    expect(rows()).toEqual([
      { level: 'info', at: expect.any(String), deliveryId: 'd1', traceId: 't1', event: 'delivery.sent' },
    ]);
    const at = String(rows()[0]?.at);
    expect(new Date(at).toISOString()).toBe(at);
  });

  test('an event needs no fields', () => {
    const { log, rows } = logTo();
    log.warn('engine.stopping');
    expect(rows()).toEqual([{ level: 'warn', at: expect.any(String), event: 'engine.stopping' }]);
  });

  test('a field cannot take the place of the name of the event', () => {
    const { log, rows } = logTo();
    log.info('delivery.sent', { event: 'delivery.failed' });
    expect(rows()[0]?.event).toBe('delivery.sent');
  });

  test('an error keeps its type, message, stack and cause', () => {
    const { log, rows } = logTo();
    log.error('loop.failed', { error: new TypeError('outer', { cause: new Error('inner') }) });
    expect(rows()[0]?.error).toMatchObject({
      type: 'TypeError',
      message: 'outer',
      stack: expect.stringContaining('log.test.ts'),
      cause: { message: 'inner' },
    });
  });

  test('what looks like an address, a token or a key is blanked, wherever a stranger has put it', () => {
    const { log, written, rows } = logTo();
    const cause = new Error(
      'Bearer abc.def-123 and re_AbCdEfGh1234 and whsec_MfKQ9r8GKYqr, sk_live_QwErTy123456 with eyJhbGciOi.eyJzdWIi.c2ln',
    );
    log.error('provider.threw', {
      error: new Error('Invalid `to`: "Ana <ana.b+c@mail.example.org>", postgres://u:pass@db.example.org', {
        cause,
      }),
      to: ['bob@localhost'],
      url: 'https://mail.example.org/api/v1/notifications/unsubscribe/k32BUOQNWw3NYeEIFnEU_gMLuS1eX3Pw8e8JuRHJ5RMw',
    });
    expect(written.join('')).not.toMatch(/ana|bob|abc\.def|AbCdEfGh|MfKQ9r|QwErTy|eyJzdWIi|pass@|k32B/);
    expect(rows()[0]?.error).toMatchObject({
      message: 'Invalid `to`: "Ana <[address]>", postgres://u:[address]',
      cause: { message: '(secret) and (secret) and (secret), (secret) with (secret)' },
    });
    expect(rows()[0]?.to).toEqual(['[address]']);
  });

  test('a package in a stack trace is no address', () => {
    const { log, written } = logTo();
    log.info('at', { path: '/node_modules/@scope/name/file.js' });
    expect(written[0]).toContain('/node_modules/@scope/name/file.js');
  });

  test('a line break in a field does not begin a second line', () => {
    const { log, written } = logTo();
    log.info('webhook.received', { type: 'a\n{"level":"error"}' });
    expect(written.join('').split('\n')).toHaveLength(2);
  });

  test('what JSON has no word for does not stop the program', () => {
    const { log, rows } = logTo();
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    log.info('odd', { circle, big: 12n, nothing: undefined });
    expect(rows()[0]?.event).toBe('odd');
  });

  test.each(logLevels)('at level %s, what is less grave is not written', (level) => {
    const { log, rows } = logTo({ level });
    for (const each of ['debug', 'info', 'warn', 'error'] as const) log[each](each);
    const expected = logLevels.slice(logLevels.indexOf(level)).filter((each) => each !== 'silent');
    expect(rows().map((row) => row.event)).toEqual(expected);
  });

  test('silentLog takes every event and writes none', () => {
    expect(() => silentLog.error('nothing', { error: new Error('unheard') })).not.toThrow();
  });
});

describe('createLog for people', () => {
  const lineOf = (level: 'debug' | 'info' | 'warn' | 'error', fields: Record<string, unknown>) => {
    const { log, written } = logTo({ isForPeople: true });
    log[level]('delivery.sent', fields);
    return written.join('');
  };

  test('writes the time, a mark, the event and the fields', () => {
    expect(lineOf('info', { deliveryId: 'd1', attempts: 2, tags: { env: 'test' } })).toMatch(
      /^\d\d:\d\d:\d\d {3}delivery\.sent deliveryId=d1 attempts=2 tags=\{"env":"test"\}\n$/,
    );
    expect(lineOf('warn', {})).toMatch(/^[\d:]{8} ! delivery\.sent\n$/);
    expect(lineOf('error', {})).toMatch(/^[\d:]{8} ✗ delivery\.sent\n$/);
    expect(lineOf('debug', {})).toMatch(/^[\d:]{8} · delivery\.sent\n$/);
  });

  test('shows the stack of an error, which a person will want to read', () => {
    const line = lineOf('error', { error: new Error('broken') });
    expect(line).toContain('error=Error: broken\n    at ');
  });

  test('a field can neither forge a line nor steer the terminal', () => {
    const line = lineOf('info', {
      reason: 'full\n12:00:00   delivery.sent deliveryId=d2',
      type: '\u001b[2J\u009b2J',
    });
    expect(line.trimEnd()).toMatch(/^\P{Cc}+$/u);
    expect(line).toContain('reason="full\\n12:00:00');
  });

  test('nor can the stack of a stranger’s error, or what is inside a field', () => {
    const error = new Error('a\u001b[2Jb\u009b2Jc\u202ed');
    const line = lineOf('error', { error, tags: { name: '\u009b2J\u2066' }, type: '\u202ex' });
    expect(line).toContain('error=Error: a\\u001b[2Jb\\u009b2Jc\\u202ed\n    at ');
    expect(line).toContain('tags={"name":"\\u009b2J\\u2066"}');
    expect(line).toContain('type="\\u202ex"');
    expect(line.replaceAll('\n', '')).toMatch(/^[^\p{Cc}\u202e\u2066]+$/u);
  });
});
