import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * What stands in a link: a random number that is kept in the database, and its signature under a secret that is not. So the
 * same link can be made again for the next mail, and who steals the database can make none.
 */
export interface Tokens {
  of(id: string): string;
  /** The number in it, or undefined where it was not made here. */
  read(token: string): string | undefined;
  /** The number that it says it has, whoever signed it. */
  claimed(token: string): string | undefined;
}

/** 128 bits each, as base64 without its padding. */
const idLength = 22;
export const tokenShape = /^[A-Za-z0-9_-]{44}$/;

/** Signs with the first secret and takes those of all: so a secret is replaced while old mails are still about. */
export function createTokens(secrets: readonly string[], purpose: string): Tokens {
  const sign = (id: string, secret: string) =>
    createHmac('sha256', secret)
      .update(`tidings ${purpose} ${id}`)
      .digest()
      .subarray(0, 16)
      .toString('base64url');
  const [first] = secrets;
  if (first === undefined) throw new Error('createTokens: there is no secret');
  return {
    of: (id) => id + sign(id, first),
    read(token) {
      if (!tokenShape.test(token)) return undefined;
      const id = token.slice(0, idLength);
      // As text, because sixteen texts decode to the same bytes: a link has one spelling.
      const given = Buffer.from(token.slice(idLength));
      return secrets.some((secret) => timingSafeEqual(given, Buffer.from(sign(id, secret)))) ? id : undefined;
    },
    claimed: (token) => (tokenShape.test(token) ? token.slice(0, idLength) : undefined),
  };
}
