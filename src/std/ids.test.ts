import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isUuid, systemIds, uuidV5 } from './ids.ts';

const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

describe('uuidV5', () => {
  test.each([
    // RFC 9562 appendix A.4
    [dns, 'www.example.com', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
    [dns.toUpperCase(), 'www.example.com', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
    // Python: uuid.uuid5(uuid.NAMESPACE_DNS, 'ană😀')
    [dns, 'ană😀', 'd90555cb-17a0-5456-aa23-fcf28a058189'],
  ])('of %s and %j is %s', (namespace, name, uuid) => {
    expect(uuidV5(namespace, name)).toBe(uuid);
  });

  test('is a UUID of version 5, the same for the same name and another for another', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(isUuid(uuidV5(dns, one))).toBe(true);
        expect(uuidV5(dns, one)).toMatch(/^.{14}5.{4}[89ab]/);
        expect(uuidV5(dns, one) === uuidV5(dns, other)).toBe(one === other);
      }),
    );
  });

  test('keeps instances apart: another namespace gives another id', () => {
    expect(uuidV5(systemIds.uuid(), 'a')).not.toBe(uuidV5(systemIds.uuid(), 'a'));
  });

  test.each(['', 'production', dns.slice(1), `${dns}zz`, `${dns}00`, `z${dns.slice(1)}`])(
    'refuses %j as a namespace',
    (namespace) => {
      expect(() => uuidV5(namespace, 'a')).toThrow(/namespace is not a UUID/);
    },
  );
});

test('systemIds gives a new UUID each time', () => {
  const ids = Array.from({ length: 100 }, () => systemIds.uuid());
  expect(ids.every(isUuid)).toBe(true);
  expect(new Set(ids).size).toBe(100);
});

test.each(['', dns.toUpperCase(), `${dns}\n`, ` ${dns}`, dns.replaceAll('-', ''), `{${dns}}`, dns.slice(1)])(
  'isUuid refuses %j: ids are compared as text, so there is one spelling',
  (text) => {
    expect(isUuid(text)).toBe(false);
  },
);
