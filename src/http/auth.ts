import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { cookieOf, readCookie, type SignedIn } from './sign-in.ts';

/**
 * Who asks. An operator's key opens everything, a read key what only reads, a service key the making of intents, a trigger key the
 * runs of newsletters. Several
 * of each may be valid at once, so that a key is changed without an outage: add the new one, move everybody, take the old one out.
 */
const roles = ['operator', 'read', 'service', 'trigger'] as const;
export type Role = (typeof roles)[number];
export type ApiKeys = Readonly<Partial<Record<Role, readonly string[]>>>;

export interface KeyHolder {
  role: Role;
  /** For logs and stories: which of the keys, never the key. */
  name: string;
}

export interface Auth {
  /** No key is set: whoever can reach us may do everything. */
  readonly isOpen: boolean;
  /** There are keys for this. */
  isGuarded(role: Role): boolean;
  holderOf(key: string | undefined): KeyHolder | undefined;
  /** A cookie for whoever has just shown a key. */
  signIn(signedIn: SignedIn): string;
  /** Whose cookie it is, and until when. */
  holderBy(cookie: string | undefined, now: number): (KeyHolder & Pick<SignedIn, 'until'>) | undefined;
}

export function createAuth(keys: ApiKeys): Auth {
  const holders = roles.flatMap((role) =>
    (keys[role] ?? []).map((key, index) => ({
      role,
      name: `${role} key ${index + 1}`,
      digest: digestOf(key),
    })),
  );
  return {
    // A trigger key guards the trigger, and opens nothing else.
    isOpen: holders.every(({ role }) => role === 'trigger'),
    isGuarded: (role) => (keys[role] ?? []).length > 0,
    holderOf(key) {
      // Digests have one length, and every key is compared whatever came before: how long this takes says nothing about any of them.
      const digest = digestOf(key ?? '');
      const found = holders.filter((holder) => timingSafeEqual(holder.digest, digest));
      return key === undefined ? undefined : found[0];
    },
    signIn(signedIn) {
      const holder = holders.find(({ name }) => name === signedIn.name);
      return cookieOf(signedIn, holder?.digest ?? digestOf(''));
    },
    holderBy(cookie, now) {
      const said = cookie === undefined ? undefined : readCookie(cookie);
      const holder = said && holders.find(({ name }) => name === said.name);
      if (!holder || !said.isBy(holder.digest) || said.until <= now) return undefined;
      return { role: holder.role, name: holder.name, until: said.until };
    },
  };
}

const digestOf = (key: string) => createHash('sha256').update(key, 'utf8').digest();

export function keyIn(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers;
  if (authorization !== undefined) return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  // Spec 002's own name for it.
  const key = headers['x-api-key'] ?? headers['x-notification-api-key'];
  return typeof key === 'string' ? key : undefined;
}

const variables: Readonly<Record<Role, string>> = {
  operator: 'OPERATOR_API_KEY',
  read: 'READ_API_KEY',
  service: 'SERVICE_API_KEY',
  trigger: 'NOTIFICATION_TRIGGER_API_KEY',
};

/** As sentences and the document say it. */
export function keysNamed(allowed: readonly Role[]): string {
  return allowed.map((role) => `${role} key (${variables[role]})`).join(' or ');
}

/** How a key for these is sent; spec 002 has a header of its own for the trigger. */
export function keyHeaders(allowed: readonly Role[]): string[] {
  const own = allowed.includes('trigger') ? ['X-Notification-API-Key: <key>'] : [];
  return [...own, 'Authorization: Bearer <key>', 'X-API-Key: <key>'];
}
