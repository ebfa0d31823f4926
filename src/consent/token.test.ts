import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemIds } from '../std/ids.ts';
import { createTokens, tokenShape } from './token.ts';

const secret = 'a secret that is only good for tests';
const tokens = createTokens([secret], 'unsubscribe');

test('a token gives back its number, is the same every time, and needs no escape in a URL', () => {
  for (let time = 0; time < 100; time++) {
    const id = systemIds.secret();
    const token = tokens.of(id);
    expect(tokens.read(token)).toBe(id);
    expect(tokens.of(id)).toBe(token);
    expect(token).toMatch(tokenShape);
    expect(encodeURIComponent(token)).toBe(token);
  }
});

test('it is 256 bits of which the number alone says nothing: under another secret or for another purpose it is another', () => {
  const id = systemIds.secret();
  const signed = [tokens, createTokens(['other'], 'unsubscribe'), createTokens([secret], 'verify')].map(
    (one) => one.of(id),
  );
  expect(new Set(signed).size).toBe(3);
  expect(signed.slice(1).map(tokens.read)).toEqual([undefined, undefined]);
});

test('one character changed anywhere makes it nobody’s, also one that decodes to the same bytes', () => {
  const token = tokens.of(systemIds.secret());
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  for (let at = 0; at < token.length; at++) {
    for (const sign of alphabet) {
      const changed = token.slice(0, at) + sign + token.slice(at + 1);
      if (changed !== token) expect(tokens.read(changed)).toBeUndefined();
    }
  }
});

test('whatever is read, nothing is thrown and nothing is found', () => {
  const alike = fc.stringMatching(/^[A-Za-z0-9_-]{44}$/);
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), alike), (text) => {
      expect(tokens.read(text)).toBeUndefined();
    }),
  );
  expect(tokens.read(`${tokens.of(systemIds.secret())}\n`)).toBeUndefined();
});

test('a secret is replaced: the first signs, the older ones are still taken, and one that is gone is not', () => {
  const id = systemIds.secret();
  const [older, both, newer] = [['old'], ['new', 'old'], ['new']].map((secrets) =>
    createTokens(secrets, 'unsubscribe'),
  ) as [typeof tokens, typeof tokens, typeof tokens];
  expect(both.of(id)).toBe(newer.of(id));
  expect(both.read(older.of(id))).toBe(id);
  expect(both.read(newer.of(id))).toBe(id);
  expect(newer.read(older.of(id))).toBeUndefined();
});

test('without any secret there are no tokens', () => {
  expect(() => createTokens([], 'unsubscribe')).toThrow('there is no secret');
});
