import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTokens, tokenShape } from '../../src/consent/token.ts';
import { hostileSigns, patience, runs } from './runs.ts';

/** That a single sign changed is noticed is tried exhaustively beside it; here is what people and programs do to links. */
const tokens = createTokens(['a secret that is only good for tests', 'an older one'], 'unsubscribe');
const ids = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .map((bytes) => Buffer.from(bytes).toString('base64url'));

const mutations: readonly ((token: string, other: string, place: number, sign: string) => string)[] = [
  (token, _other, place) => token.slice(0, place) + token.slice(place + 1),
  (token, _other, place, sign) => token.slice(0, place) + sign + token.slice(place),
  (token, _other, place, sign) => token.slice(0, place) + sign + token.slice(place + 1),
  (token, other) => token.slice(0, 22) + other.slice(22),
  (token, other, place) => token.slice(0, place) + other.slice(place),
  (token, other) => token + other,
  (token, _other, place) => token.slice(place) + token.slice(0, place),
  (token) => token.toLowerCase(),
  (token) => token.toUpperCase(),
  (token) => token.split('').reverse().join(''),
  (token) => token.replaceAll('-', '+').replaceAll('_', '/'),
  (token) => `${token}==`,
  (token, _other, place) => token.replace(token.charAt(place), `%${token.charCodeAt(place).toString(16)}`),
  (token, _other, place) => Buffer.from(token.slice(0, place), 'base64url').toString('base64url'),
  (token, _other, place) =>
    token.replace(token.charAt(place), String.fromCharCode(token.charCodeAt(place) + 0xfee0)),
];

it('no token that was changed, cut, joined or mixed with another is taken for one', patience, () => {
  fc.assert(
    fc.property(
      ...[ids, ids, fc.constantFrom(...mutations), fc.nat(43)],
      fc.oneof(fc.constantFrom(...hostileSigns), fc.stringMatching(/^[A-Za-z0-9_-]$/)),
      (id, otherId, mutate, place, sign) => {
        const [token, other] = [tokens.of(id), tokens.of(otherId)];
        expect(token).toMatch(tokenShape);
        const changed = mutate(token, other, place, sign);
        fc.pre(changed !== token && changed !== other);
        expect(tokens.read(changed)).toBeUndefined();
        // Nor does having read it change what is read next.
        expect([tokens.read(token), tokens.read(other)]).toEqual([id, otherId]);
      },
    ),
    runs(3000),
  );
});
