import { parseAddress } from '../../../domain/address.ts';
import type { FoundAddress } from './user-directory.ts';

/**
 * Users as Clerk answers them, read with care: only those that were asked for, only the fields that are needed, and only an address
 * that is their primary one and verified. Undefined where the whole answer is no list of users.
 */
export function readClerkUsers(
  value: unknown,
  asked: ReadonlySet<string>,
): ReadonlyMap<string, FoundAddress> | undefined {
  if (!Array.isArray(value)) return undefined;
  const found = new Map<string, FoundAddress>();
  for (const user of value as unknown[]) {
    if (!isObject(user) || typeof user.id !== 'string' || !asked.has(user.id)) continue;
    const address = addressOf(user);
    const before = found.get(user.id);
    // A user who comes twice with two addresses has none that anybody could rely on.
    const isSame = before === undefined || JSON.stringify(before) === JSON.stringify(address);
    found.set(user.id, isSame ? address : unverified);
  }
  return found;
}

function addressOf({ primary_email_address_id: primary, email_addresses: all }: Given): FoundAddress {
  const addresses: unknown[] = Array.isArray(all) ? all : [];
  const own = addresses.filter(isObject).find(({ id }) => typeof id === 'string' && id === primary);
  const { verification } = own ?? {};
  if (!own || !isObject(verification) || verification.status !== 'verified') return unverified;
  const parsed = parseAddress(own.email_address);
  if (parsed.ok) return { kind: 'address', address: parsed.address };
  return { kind: 'none', code: 'invalid_address', message: parsed.sentence };
}

const unverified: FoundAddress = {
  ...{ kind: 'none', code: 'no_verified_address', message: 'This user has no address that is verified.' },
};

type Given = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
