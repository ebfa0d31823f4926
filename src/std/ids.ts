import { hash, randomBytes, randomUUID } from 'node:crypto';

/** Fresh identifiers as an argument, for the same reason as time and randomness. */
export interface Ids {
  uuid(): string;
  /** 128 bits that nobody can guess, in 22 signs that need no escape in a URL; a UUID has only 122. */
  secret(): string;
}

export const systemIds: Ids = {
  uuid: () => randomUUID(),
  secret: () => randomBytes(16).toString('base64url'),
};

/** RFC 9562 version 5: the same name under the same namespace is the same UUID for ever. */
export function uuidV5(namespace: string, name: string): string {
  const hex = hash('sha1', Buffer.concat([octetsOf(namespace), Buffer.from(name)]), 'hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A process has one namespace, and asks for it with every delivery. */
let lastSpace: { namespace: string; octets: Buffer } | undefined;

function octetsOf(namespace: string): Buffer {
  if (lastSpace?.namespace === namespace) return lastSpace.octets;
  // Checked as text: decoding hex stops silently at the first wrong character.
  if (!isUuid(namespace.toLowerCase())) throw new Error(`uuidV5: namespace is not a UUID: ${namespace}`);
  lastSpace = { namespace, octets: Buffer.from(namespace.replaceAll('-', ''), 'hex') };
  return lastSpace.octets;
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}
