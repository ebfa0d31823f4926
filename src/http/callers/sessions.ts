import { createPublicKey } from 'node:crypto';
import { userIdPattern } from '../../sources/newsletters/users/user-directory.ts';
import { Refusal } from '../../std/refusal.ts';

/**
 * Who has signed in, by the session token that Clerk gave them. It is checked with a public key and nothing else, so that nobody is asked
 * and nobody has to be up. A token that is wrong in whatever way is nobody's; why, is told to nobody, and tokens are in no log.
 */
export interface Sessions {
  userOf(token: string): Promise<string | undefined>;
}

/** A token with many claims of its own is a few thousand characters long. */
const tokenCharactersMax = 16_384;
const tokenShape = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export function createSessions(jwtKey: string): Sessions {
  requireKey(jwtKey);
  return {
    async userOf(token) {
      if (token.length > tokenCharactersMax || !tokenShape.test(token)) return undefined;
      // Only where somebody comes with a token: it takes longer to load than most of what is asked here takes to answer.
      const { verifyToken } = await import('@clerk/backend');
      const claims = await verifyToken(token, { jwtKey }).catch(() => undefined);
      if (!claims || !isOfSession(claims)) return undefined;
      return userIdPattern.test(claims.sub) ? claims.sub : undefined;
    },
  };
}

/** The same key signs what is made for other purposes: of a session it has the id. One that still waits for something is none yet. */
function isOfSession({ sub, sid, sts }: { sub?: unknown; sid?: unknown; sts?: unknown }): boolean {
  return typeof sub === 'string' && typeof sid === 'string' && sid !== '' && sts !== 'pending';
}

/** The library takes the key apart by its letters, and knows this kind only; with another, every token would be wrong. */
function requireKey(jwtKey: string): void {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey(jwtKey);
    const { modulusLength, publicExponent } = asymmetricKeyDetails ?? {};
    if (asymmetricKeyType === 'rsa' && modulusLength === 2048 && publicExponent === 65_537n) return;
  } catch {
    // Not even a key: the same sentence helps.
  }
  throw new Refusal(
    'invalid_configuration',
    "CLERK_JWT_KEY is no RSA key of 2048 bits, which Clerk's are. Copy the PEM public key from the API keys of Clerk's dashboard.",
  );
}
