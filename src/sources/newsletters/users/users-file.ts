import { parseAddress } from '../../../domain/address.ts';
import { readCsv, readLines } from '../../../std/csv.ts';
import { type JsonRecord, readJsonList, recordOf } from '../../../std/json-records.ts';
import { peekText } from '../../../std/peek-text.ts';
import { Refusal } from '../../../std/refusal.ts';
import type { LocalUser } from './local-users.ts';
import { userIdPattern } from './user-directory.ts';

/**
 * Users as files: CSV with or without a header, JSON lines or a JSON list; a user id, an address, and whether it is verified, which it
 * is unless the file says otherwise. The list that Clerk's own dashboard exports is read as it is. Nothing is in memory as a whole.
 */
export type UserRecord = { line: number; user: LocalUser } | { line: number; problem: string };

/** `ignored` is filled with the names of columns that mean nothing to us. */
export async function* readUsersFile(
  chunks: AsyncIterable<string>,
  ignored: Set<string>,
): AsyncGenerator<UserRecord> {
  const { first, all } = await peekText(chunks);
  if (first === '[') yield* fromJson(readJsonList(all), ignored);
  else if (first === '{') yield* fromJson(readJsonLines(all), ignored);
  else yield* fromCsv(all, ignored);
}

interface Found {
  userId?: unknown;
  email?: unknown;
  verified?: unknown;
  /** Of Clerk: all addresses that are, in one cell. */
  verifiedAddresses?: unknown;
}

/** By their letters alone. */
const meanings: Readonly<Record<string, keyof Found>> = {
  ...{ userid: 'userId', id: 'userId', user: 'userId' },
  ...{ email: 'email', emailaddress: 'email', address: 'email', primaryemailaddress: 'email' },
  ...{ verified: 'verified', isverified: 'verified', emailverified: 'verified' },
  verifiedemailaddresses: 'verifiedAddresses',
};
const positions = ['userId', 'email', 'verified'] as const;
const ignoredMax = 20;

function meaningOf(name: string, ignored: Set<string>): keyof Found | null {
  const letters = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  if (Object.hasOwn(meanings, letters)) return meanings[letters] ?? null;
  if (ignored.size < ignoredMax && letters !== '') ignored.add(name.trim().slice(0, 40));
  return null;
}

async function* fromCsv(chunks: AsyncIterable<string>, ignored: Set<string>): AsyncGenerator<UserRecord> {
  let names: readonly (keyof Found | null)[] | undefined;
  for await (const record of readCsv(chunks)) {
    if ('problem' in record) {
      yield record;
      continue;
    }
    const { line, fields } = record;
    if (names === undefined) {
      const header = headerOf(fields, ignored);
      names = header ?? positions;
      if (header) continue;
    }
    const found: Found = {};
    for (const [index, name] of names.entries()) if (name) found[name] ??= fields[index]?.trim();
    yield { line, ...userOf(found) };
  }
}

function headerOf(fields: readonly string[], ignored: Set<string>) {
  // An address in the first line: it is a user, and the columns are in our order.
  if (fields.some((field) => field.includes('@'))) return undefined;
  const names = fields.map((field) => meaningOf(field, ignored));
  if (names.includes('userId') && names.includes('email')) return names;
  throw new Refusal(
    'unknown_columns',
    'The first line names no column user_id (or id), or none that is called email, email address or primary email address; call them so.',
  );
}

async function* readJsonLines(chunks: AsyncIterable<string>): AsyncGenerator<JsonRecord> {
  let line = 0;
  for await (const text of readLines(chunks)) {
    line += 1;
    if (text.trim() !== '') yield recordOf(text, line);
  }
}

async function* fromJson(
  records: AsyncIterable<JsonRecord>,
  ignored: Set<string>,
): AsyncGenerator<UserRecord> {
  for await (const record of records) {
    if ('problem' in record) {
      yield record;
      continue;
    }
    const { line, value } = record;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      yield { line, problem: 'This is no object; give { "userId": …, "email": … }.' };
      continue;
    }
    const found: Found = {};
    for (const [key, one] of Object.entries(value)) {
      const name = meaningOf(key, ignored);
      if (name) found[name] ??= one;
    }
    yield { line, ...userOf(found) };
  }
}

/** The sentences hold neither the address nor the id: they end up in logs. */
function userOf({
  userId,
  email,
  verified,
  verifiedAddresses,
}: Found): { user: LocalUser } | { problem: string } {
  if (typeof userId !== 'string' || !userIdPattern.test(userId))
    return {
      problem: 'The user id is missing, or has other than letters, digits and the signs _ . @ | and -.',
    };
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

function truthOf(given: unknown): boolean | undefined {
  if (given === undefined || given === null || given === '') return true;
  if (typeof given === 'boolean') return given;
  const text = String(given).toLowerCase();
  if (['true', '1', 'yes'].includes(text)) return true;
  return ['false', '0', 'no'].includes(text) ? false : undefined;
}
