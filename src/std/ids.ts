import { createHash, randomBytes, randomUUID } from 'node:crypto';

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
  // Checked as text: decoding hex stops silently at the first wrong character.
  if (!isUuid(namespace.toLowerCase())) throw new Error(`uuidV5: namespace is not a UUID: ${namespace}`);
  const space = Buffer.from(namespace.replaceAll('-', ''), 'hex');
  const bytes = createHash('sha1').update(space).update(name, 'utf8').digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}
