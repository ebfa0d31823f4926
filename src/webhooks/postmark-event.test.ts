import { describe, expect, it } from 'vitest';
import { knownTypes, readPostmarkEvent } from './postmark-event.ts';

const id = '6f0c2c6e-5a53-5f3e-9c1a-0d5a3a5d2b11';
const common = {
  ...{ MessageID: '883953f4-6105-42a2-a16a-77a8eac79483', ServerID: 23, MessageStream: 'outbound', Tag: 'x' },
  Metadata: { delivery_id: id, round: '2', env: 'test' },
};
const read = (event: object) => readPostmarkEvent(JSON.stringify({ ...common, ...event }));
const bounce = (Type: string, more = {}) =>
  read({
    ...{ RecordType: 'Bounce', ID: 42, Type, TypeCode: 1, Email: 'ana@example.org', Inactive: false },
    ...{ Description: 'No ana@example.org here.', Details: 'smtp;550 <ana@example.org>', ...more },
    BouncedAt: '2026-01-01T13:28:10.2735393-04:00',
  });

describe('what it is about', () => {
  it('names mail, delivery, round, environment, recipient and time', () => {
    const event = read({
      ...{ RecordType: 'Delivery', Recipient: 'Ana@Example.org', DeliveredAt: '2026-01-01T12:00:00Z' },
    });
    expect(event).toEqual({
      ...{ type: 'Delivery', evidence: 'confirmed', error: null, isDelayed: false },
      ...{ messageId: common.MessageID, deliveryId: id, round: 2, environment: 'test' },
      ...{ to: 'Ana@example.org', at: Date.UTC(2026, 0, 1, 12) },
    });
  });

  it('reads seven digits of a second, and the zone', () => {
    expect(bounce('HardBounce').at).toBe(Date.parse('2026-01-01T17:28:10.273Z'));
  });

  it.each([
    ['no delivery', { delivery_id: 'x', round: '2' }, { deliveryId: null, round: 2 }],
    ['no round', { delivery_id: id, round: '0' }, { deliveryId: id, round: null }],
    ['numbers', { delivery_id: 1, round: 2 }, { deliveryId: null, round: null }],
    ['a list', [id, '2'], { deliveryId: null, round: null }],
  ])('takes nothing from tags that are not ours: %s', (_, Metadata, expected) => {
    expect(read({ RecordType: 'Delivery', Metadata })).toMatchObject(expected);
  });
});

describe('what it is evidence of', () => {
  it.each([
    ['HardBounce', 'bounced_for_good'],
    ['BadEmailAddress', 'bounced_for_good'],
    ['SpamComplaint', 'complained'],
    ['ManuallyDeactivated', 'provider_suppressed'],
    ['SoftBounce', 'bounced_for_now'],
    ['Blocked', 'bounced_for_now'],
    ['SpamNotification', 'provider_failed'],
    ['VirusNotification', 'provider_failed'],
    ['DMARCPolicy', 'provider_failed'],
    ['SMTPApiError', 'provider_failed'],
    ['TemplateRenderingFailed', 'provider_failed'],
  ])('a bounce of type %s: %s', (type, evidence) => {
    expect(bounce(type)).toMatchObject({
      ...{ type: `Bounce.${type}`, evidence, to: 'ana@example.org' },
      error: { code: 'bounced', message: `bounced: ${type}`, provider: 'postmark' },
    });
    expect(knownTypes).toContain(`Bounce.${type}`);
  });

  it.each(['Transient', 'DnsError'])('%s is a delay: they try on, and no other mail is asked for', (type) => {
    expect(bounce(type)).toMatchObject({ evidence: 'accepted', error: null, isDelayed: true });
  });

  it.each(['AutoResponder', 'AddressChange', 'ChallengeVerification', 'Unsubscribe', 'Subscribe', 'NewOne'])(
    '%s says no more than that the mail was accepted',
    (type) => {
      expect(bounce(type)).toMatchObject({ evidence: 'accepted', error: null, isDelayed: false });
    },
  );

  it('whatever they call it, an address that they have switched off is not written to', () => {
    for (const type of ['SoftBounce', 'Unsubscribe', 'NewOne']) {
      expect(bounce(type, { Inactive: true })).toMatchObject({ evidence: 'provider_suppressed' });
    }
    expect(bounce('HardBounce', { Inactive: true })).toMatchObject({ evidence: 'bounced_for_good' });
    expect(bounce('SoftBounce', { Inactive: 'true' })).toMatchObject({ evidence: 'bounced_for_now' });
  });

  it('a complaint', () => {
    const event = read({ RecordType: 'SpamComplaint', Type: 'SpamComplaint', Email: 'ana@example.org' });
    expect(event).toMatchObject({
      evidence: 'complained',
      to: 'ana@example.org',
      error: { code: 'complained' },
    });
  });

  it.each([
    [true, 'HardBounce', 'bounced_for_good'],
    [true, 'SpamComplaint', 'complained'],
    [true, 'ManualSuppression', 'provider_suppressed'],
    [true, 'Anything', 'provider_suppressed'],
    [false, null, null],
  ])(
    'a subscription that changes, off %s because of %s: %s',
    (SuppressSending, SuppressionReason, evidence) => {
      const event = read({
        ...{
          RecordType: 'SubscriptionChange',
          Recipient: 'ana@example.org',
          SuppressSending,
          SuppressionReason,
        },
      });
      expect(event).toMatchObject({ evidence, to: 'ana@example.org' });
    },
  );

  it.each(['Open', 'Click', 'Inbound', 'SMTPApiError', 'constructor', '__proto__'])(
    'nothing, of type %s: it is kept',
    (RecordType) => {
      expect(read({ RecordType })).toMatchObject({ type: RecordType, evidence: null, error: null });
    },
  );
});

describe('whatever comes', () => {
  it.each([
    '',
    'x',
    'null',
    '[]',
    '"Delivery"',
    '{"RecordType":1}',
    '{"__proto__":{"RecordType":"Delivery"}}',
  ])('%s is unreadable, and kept as that', (text) => {
    expect(readPostmarkEvent(text)).toMatchObject({ type: 'unreadable', evidence: null });
  });

  it('no address of a reason, no NUL and no novel comes out', () => {
    const event = bounce(`ana@example.org\0${'x'.repeat(1000)}`, { Inactive: true });
    expect(JSON.stringify([event.type, event.error])).not.toMatch(/\\u0000|x{400}/);
    expect(event.error?.message).not.toContain('ana@example.org');
    expect(event.type.length).toBeLessThanOrEqual(100);
  });
});
