import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { knownTypes, readResendEvent } from './resend-event.ts';

const id = '6f0c2c6e-5a53-5f3e-9c1a-0d5a3a5d2b11';
const event = (type: string, data: object = {}) =>
  JSON.stringify({
    type,
    created_at: '2026-03-14T22:00:00.000Z',
    data: { email_id: 'mail-1', tags: { delivery_id: id, round: '2', env: 'test' }, ...data },
  });
const nothing = {
  ...{ at: null, messageId: null, deliveryId: null, round: null, environment: null, to: null },
  isDelayed: false,
};

describe('an event of Resend', () => {
  it('names its mail by tags as an object', () => {
    expect(readResendEvent(event('email.sent'))).toEqual({
      ...{ type: 'email.sent', at: Date.UTC(2026, 2, 14, 22), messageId: 'mail-1' },
      ...{ deliveryId: id, round: 2, environment: 'test', to: null, evidence: 'accepted', error: null },
      isDelayed: false,
    });
  });

  it.each([
    [['Ana@Example.org'], 'Ana@example.org'],
    ['ana@example.org', 'ana@example.org'],
    [['ana@example.org', 'bo@example.org'], null],
    [['Ana <ana@example.org>'], null],
    [[['ana@example.org']], null],
    [[], null],
    [{ 0: 'ana@example.org', length: 1 }, null],
  ])('went to %j, that is %s', (to, address) => {
    expect(readResendEvent(event('email.sent', { to })).to).toBe(address);
  });

  it('names it by tags as a list of names and values', () => {
    const tags = [
      ...[null, 'round', { name: 'round', value: '3' }, { name: 'round', value: '4' }],
      { name: 'delivery_id', value: id },
    ];
    const read = readResendEvent(event('email.sent', { tags }));
    expect(read).toMatchObject({ deliveryId: id, round: 3, environment: null });
  });

  it.each([
    ['email.sent', {}, 'accepted', null],
    ['email.delivery_delayed', {}, 'accepted', null],
    ['email.delivered', {}, 'confirmed', null],
    ['email.opened', {}, 'confirmed', null],
    ['email.clicked', { click: { link: 'https://example.org' } }, 'confirmed', null],
    [
      'email.bounced',
      { bounce: { type: 'Permanent', subType: 'General' } },
      'bounced_for_good',
      'bounced: General',
    ],
    [
      'email.bounced',
      { bounce: { type: 'Transient', subType: 'MailboxFull' } },
      'bounced_for_now',
      'bounced: MailboxFull',
    ],
    [
      'email.bounced',
      { bounce: { type: 'Temporary', subType: 'General' } },
      'bounced_for_now',
      'bounced: General',
    ],
    ['email.bounced', { bounce: { type: 'Undetermined' } }, 'bounced_for_now', 'bounced: no reason given'],
    ['email.bounced', { bounce: { type: 'permanent' } }, 'bounced_for_now', 'bounced: no reason given'],
    ['email.bounced', {}, 'bounced_for_now', 'bounced: no reason given'],
    ['email.complained', {}, 'complained', 'email.complained: no reason given'],
    [
      'email.suppressed',
      { suppressed: { message: 'a@example.org is on the list' } },
      'provider_suppressed',
      'email.suppressed: [address] is on the list',
    ],
    [
      'email.failed',
      { failed: { reason: 'reached_daily_quota' } },
      'over_quota',
      'email.failed: reached_daily_quota',
    ],
    ['email.failed', { failed: { reason: 'invalid' } }, 'provider_failed', 'email.failed: invalid'],
    ['email.failed', {}, 'provider_failed', 'email.failed: no reason given'],
    ['email.scheduled', {}, null, null],
    ['email.received', {}, null, null],
    ['contact.created', {}, null, null],
    ['domain.updated', {}, null, null],
    ['email.something_new', {}, null, null],
    ['constructor', {}, null, null],
    ['__proto__', {}, null, null],
  ])('%s %j is evidence of %s', (type, data, evidence, message) => {
    const read = readResendEvent(event(type, data));
    expect(read.type).toBe(type);
    expect(read.evidence).toBe(evidence);
    expect(read.error?.message ?? null).toBe(message);
  });

  it('may be of any type that Resend has', () => {
    const types = [
      'sent',
      'scheduled',
      'delivered',
      'delivery_delayed',
      'complained',
      'bounced',
      'opened',
      'clicked',
      'failed',
      'suppressed',
    ];
    expect([...knownTypes].sort()).toEqual(types.map((type) => `email.${type}`).sort());
  });

  it.each([
    ['2026-03-14T22:00:00.000Z', Date.UTC(2026, 2, 14, 22)],
    ['2026-03-14T22:00:00.123456+00:00', Date.UTC(2026, 2, 14, 22, 0, 0, 123)],
    ['2026-03-14 22:00:00.5+00', Date.UTC(2026, 2, 14, 22, 0, 0, 500)],
    ['2026-03-14 23:00:00+0100', Date.UTC(2026, 2, 14, 22)],
    ['2026-03-14 22:00:00', Date.UTC(2026, 2, 14, 22)],
    ['2026-02-31T25:00:00Z', null],
    ['0001-01-01T00:00:00Z', null],
    ['+275760-09-13T00:00:00Z', null],
    ['yesterday', null],
    [1_767_225_600, null],
  ])('happened at %j', (created_at, at) => {
    expect(readResendEvent(JSON.stringify({ type: 'email.sent', created_at })).at).toBe(at);
  });

  const none = [
    '',
    'no json',
    '[]',
    'null',
    '7',
    '{}',
    '{"type":7}',
    '{"type":""}',
    '{"type":"\\u0000"}',
    '['.repeat(100_000),
  ];
  it.each(none.map((text) => [text.slice(0, 30), text]))('is none, and kept as such: %s', (_start, text) => {
    const read = readResendEvent(text);
    expect(read).toEqual({ ...nothing, type: 'unreadable', evidence: null, error: null });
  });

  it('is read from its own fields only', () => {
    const poisoned = `{"type":"email.sent","__proto__":{"created_at":"2026-03-14T22:00:00Z"},"constructor":{"prototype":{"email_id":"x"}},
      "data":{"__proto__":{"email_id":"y"},"tags":{"__proto__":{"delivery_id":"${id}"}}}}`;
    expect(readResendEvent(poisoned)).toEqual({
      ...nothing,
      type: 'email.sent',
      evidence: 'accepted',
      error: null,
    });
    expect(Object.hasOwn(Object.prototype, 'email_id')).toBe(false);
    // Should somebody else's code ever have been less careful.
    Object.defineProperty(Object.prototype, 'email_id', { value: 'x', configurable: true });
    try {
      expect(readResendEvent(poisoned).messageId).toBeNull();
    } finally {
      Reflect.deleteProperty(Object.prototype, 'email_id');
    }
  });

  it.each(['0', '-1', '1.5', '1e2', ' 1', '1000', '٣', '', 'NaN'])('has no round %j', (round) => {
    const tags = { delivery_id: 'no uuid', round };
    expect(readResendEvent(event('email.sent', { tags }))).toMatchObject({ deliveryId: null, round: null });
  });

  it('loses what no database stores, and what is too long', () => {
    const read = readResendEvent(event(`email.\0x\ud800${'y'.repeat(200)}`, { email_id: 'm\0'.repeat(300) }));
    expect(read.type).toBe(`email.x\ufffd${'y'.repeat(91)}`);
    expect(read.messageId).toBe('m'.repeat(100));
  });

  it('is read without harm, whatever is in it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...knownTypes), fc.json(), fc.json(), (type, one, other) => {
        readResendEvent(one);
        const read = readResendEvent(`{"type":"${type}","created_at":${one},"data":${other}}`);
        expect(read.type).toBe(type);
        const nested = `{"tags":${one},"bounce":${other},"failed":${one},"suppressed":${other},"email_id":${one}}`;
        expect(readResendEvent(`{"type":"${type}","data":${nested}}`).type).toBe(type);
      }),
    );
  });
});
