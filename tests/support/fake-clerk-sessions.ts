import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';

/** What Clerk gives somebody who has signed in, with a key of our own. Tokens are of now: who checks them reads the real clock. */
export interface FakeSessions {
  /** PEM, as it is configured. */
  jwtKey: string;
  token(userId: string, more?: TokenWords): string;
}

export interface TokenWords {
  claims?: Readonly<Record<string, unknown>>;
  header?: Readonly<Record<string, unknown>>;
  /** From now, in seconds. */
  expiresIn?: number;
}

export function createFakeSessions(modulusLength = 2048): FakeSessions {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength });
  return {
    jwtKey: publicKey.export({ type: 'spki', format: 'pem' }).toString().trim(),
    token: (userId, words) => tokenOf(privateKey, userId, words),
  };
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

function tokenOf(
  key: KeyObject,
  userId: string,
  { claims, header, expiresIn = 60 }: TokenWords = {},
): string {
  const now = Math.floor(Date.now() / 1000);
  const head = encoded({ alg: 'RS256', typ: 'JWT', kid: 'ins_1', ...header });
  const body = encoded({
    ...{ iss: 'https://clerk.example.org', sub: userId, sid: 'sess_1', azp: 'https://example.org' },
    ...{ iat: now - 1, nbf: now - 10, exp: now + expiresIn },
    ...claims,
  });
  const signature = createSign('RSA-SHA256').update(`${head}.${body}`).sign(key).toString('base64url');
  return `${head}.${body}.${signature}`;
}
