import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deliveryId, deliveryKey, type Intent, requireIntent } from './delivery.ts';

const namespace = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
const identity = { source: 'plain', occasion: 'o', recipient: 'r' };
const intent: Intent = { ...identity, lane: 'normal' };

describe('the identity of a delivery', () => {
  it('003-10.3-5 The provider’s key is derived from the tuple: the same for ever, under one namespace', () => {
    // Pinned: a change of this value would make every delivery new to the provider.
    expect(deliveryId(namespace, identity)).toBe('0cffa166-ed57-527d-9fe6-6de4dcf2cb9a');
    expect(deliveryId('6ba7b811-9dad-11d1-80b4-00c04fd430c8', identity)).not.toBe(
      deliveryId(namespace, identity),
    );
  });

  it('differs wherever a part differs, however the parts are cut', () => {
    const part = fc.string({
      minLength: 1,
      maxLength: 5,
      unit: fc.constantFrom('a', ':', ',', '"', '\\', '/'),
    });
    fc.assert(
      fc.property(part, part, part, part, part, part, (a, b, c, d, e, f) => {
        const one = { source: a, occasion: b, recipient: c };
        const other = { source: d, occasion: e, recipient: f };
        const isSame = a === d && b === e && c === f;
        expect(deliveryId(namespace, one) === deliveryId(namespace, other)).toBe(isSame);
      }),
    );
  });

  it('002-C-03 The provider’s key has no colon; the key for people may', () => {
    expect(deliveryId(namespace, identity)).toMatch(/^[0-9a-f-]{36}$/);
    expect(deliveryKey(identity)).toBe('plain:o:r');
  });
});

describe('an intent at the door', () => {
  it('passes', () => {
    expect(() => requireIntent({ ...intent, locale: 'ro', traceId: 't', dedupeKey: 'd' })).not.toThrow();
  });

  it.each([
    [{ source: '' }, 'invalid_identity'],
    [{ source: 'x'.repeat(41) }, 'invalid_identity'],
    [{ occasion: 'x'.repeat(301) }, 'invalid_identity'],
    [{ recipient: 'x'.repeat(321) }, 'invalid_identity'],
    [{ occasion: 'a\nb' }, 'invalid_identity'],
    [{ recipient: 'a\u0000b' }, 'invalid_identity'],
    [{ recipient: 'a\ud800' }, 'invalid_identity'],
    [{ occasion: 7 }, 'invalid_identity'],
    [{ locale: '' }, 'invalid_intent'],
    [{ traceId: 'a\u0000' }, 'invalid_intent'],
    [{ dedupeKey: 'x'.repeat(201) }, 'invalid_intent'],
    [{ expiresAt: Number.NaN }, 'invalid_intent'],
    [{ dueAt: 1.5 }, 'invalid_intent'],
    [{ lane: 'fast' }, 'invalid_lane'],
  ])('is refused with %j', (more, code) => {
    expect(() => requireIntent({ ...intent, ...more } as Intent)).toThrow(expect.objectContaining({ code }));
  });
});
