import { parseAddress } from '../../../domain/address.ts';
import type { JsonPlace } from '../../../std/json-records.ts';
import { type FileShape, readRecordFile } from '../../../std/record-file.ts';
import type { LocalUser } from './local-users.ts';
import { userIdPattern } from './user-directory.ts';

/**
 * Users as files: a user id, an address, and whether it is verified, which it is unless the file says otherwise. The list that
 * Clerk's own dashboard exports is read as it is.
 */
export type UserRecord = JsonPlace & ({ user: LocalUser } | { problem: string });

/** `verifiedAddresses` is Clerk's: all that are, in one cell. */
type FieldName = 'userId' | 'email' | 'verified' | 'verifiedAddresses';
type Found = Partial<Record<FieldName, unknown>>;

const shape: FileShape<FieldName> = {
  meanings: {
    ...{ userid: 'userId', id: 'userId', user: 'userId' },
    ...{ email: 'email', emailaddress: 'email', address: 'email', primaryemailaddress: 'email' },
    ...{ verified: 'verified', isverified: 'verified', emailverified: 'verified' },
    verifiedemailaddresses: 'verifiedAddresses',
  },
  listName: 'users',
  example: '{ "userId": …, "email": … }',
  isHeader: (names) => names.includes('userId') && names.includes('email'),
  columns:
    'The first line names no column user_id (or id), or none that is called email, email address or primary email address; call them so.',
  headless: {
    // An address in the first line: it is a user, and the columns are in our order.
    isRecord: (fields) => fields.some((field) => field.includes('@')),
    positions: ['userId', 'email', 'verified'],
  },
};

/** `ignored` is filled with the names of columns that mean nothing to us. */
export async function* readUsersFile(
  chunks: AsyncIterable<string>,
  ignored: Set<string>,
): AsyncGenerator<UserRecord> {
  for await (const record of readRecordFile(chunks, shape, ignored)) {
    if ('problem' in record) yield record;
    else {
      const { found, ...place } = record;
      yield { ...place, ...userOf(found) };
    }
  }
}

/** The sentences hold neither the address nor the id: they end up in logs. */
function userOf(found: Found): { user: LocalUser } | { problem: string } {
  const { email, verified, verifiedAddresses } = found;
  const read = userIdOf(found.userId);
  if ('problem' in read) return read;
  const { userId } = read;
  if (email === undefined || email === null || email === '')
    return { user: { userId, email: null, isVerified: false } };
  const parsed = parseAddress(email);
  if (!parsed.ok) return { problem: parsed.sentence };
  const isVerified =
    typeof verifiedAddresses === 'string'
      ? verifiedAddresses.split(/[|,;\s]+/).includes(String(email))
      : truthOf(verified);
  if (isVerified === undefined) return { problem: 'Whether it is verified must be true or false.' };
  return { user: { userId, email: parsed.address, isVerified } };
}

/** Many systems number their users. */
function userIdOf(given: unknown): { userId: string } | { problem: string } {
  if (given === undefined || given === null || given === '') return { problem: 'The user id is missing.' };
  if (typeof given === 'number' && !Number.isSafeInteger(given))
    return { problem: 'The user id is a number that JSON does not keep; write it as a text.' };
  const userId = typeof given === 'number' ? String(given) : given;
  if (typeof userId === 'string' && userIdPattern.test(userId)) return { userId };
  return { problem: 'The user id has other than 1 to 128 letters, digits and the signs _ . @ | and -.' };
}

function truthOf(given: unknown): boolean | undefined {
  if (given === undefined || given === null || given === '') return true;
  if (typeof given === 'boolean') return given;
  const text = String(given).toLowerCase();
  if (['true', '1', 'yes'].includes(text)) return true;
  return ['false', '0', 'no'].includes(text) ? false : undefined;
}
