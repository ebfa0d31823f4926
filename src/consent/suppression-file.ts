import { readCsv, readLines } from '../std/csv.ts';
import { type JsonPlace, type JsonRecord, readJsonList, recordOf } from '../std/json-records.ts';
import { peekText } from '../std/peek-text.ts';
import { Refusal } from '../std/refusal.ts';
import type { FoundEntry } from './suppression-entry.ts';

/**
 * Lists of addresses as files. Read are CSV with or without a header, one address a line, JSON lines and a JSON list: our own
 * export, and what mail services and spreadsheets write. Nothing is ever in memory as a whole.
 */
export type FileRecord = JsonPlace & ({ found: FoundEntry } | { problem: string });

/** `ignored` is filled with the names of columns that mean nothing to us. */
export async function* readSuppressionFile(
  chunks: AsyncIterable<string>,
  ignored: Set<string>,
): AsyncGenerator<FileRecord> {
  const { first, all } = await peekText(chunks);
  if (first === '[') yield* foundIn(readJsonList(all), ignored);
  else if (first === '{') yield* foundIn(readJsonLines(all), ignored);
  else yield* foundInCsv(all, ignored);
}

/** What names mean, by their letters alone. Mail services call the address by several. Null is ours, and is not read back. */
const meanings: Readonly<Record<string, keyof FoundEntry | null>> = {
  ...{ address: 'address', email: 'address', emailaddress: 'address', recipient: 'address' },
  ...{ scope: 'scope', reason: 'reason', note: 'note', liftedat: 'liftedAt' },
  ...{ seq: null, deliveryseq: null, by: null, at: null, liftedby: null, liftedbecause: null },
  // Elsewhere nobody has asked for anything yet.
  exceptfor: null,
};
const positions = ['address', 'scope', 'reason', 'note'] as const;
const ignoredMax = 20;

function meaningOf(name: string, ignored: Set<string>): keyof FoundEntry | null {
  const letters = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  if (Object.hasOwn(meanings, letters)) return meanings[letters] ?? null;
  if (ignored.size < ignoredMax && letters !== '') ignored.add(name.trim().slice(0, 40));
  return null;
}

async function* foundInCsv(chunks: AsyncIterable<string>, ignored: Set<string>): AsyncGenerator<FileRecord> {
  let names: readonly (keyof FoundEntry | null)[] | undefined;
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
    // Without a header nobody knows what a fifth column is.
    if (names === positions && fields.length > positions.length) {
      yield { line, problem: 'There are more than four columns, and no header that says what they are.' };
      continue;
    }
    const found: FoundEntry = {};
    for (const [index, name] of names.entries()) {
      const field = fields[index] ?? '';
      if (name && found[name] === undefined) found[name] = name === 'note' ? field : field.trim();
    }
    yield { line, found };
  }
}

function headerOf(fields: readonly string[], ignored: Set<string>) {
  if (fields.some((field) => field.includes('@'))) return undefined;
  const names = fields.map((field) => meaningOf(field, ignored));
  if (names.includes('address')) return names;
  ignored.clear();
  // Of one column the first line may be a bad address; of several it says what they are, and we do not know it.
  if (fields.length === 1) return undefined;
  throw new Refusal(
    'unknown_columns',
    'The first line names no column that is called address, email, email address or recipient; call the one with the addresses so.',
  );
}

async function* readJsonLines(chunks: AsyncIterable<string>): AsyncGenerator<JsonRecord> {
  let line = 0;
  for await (const text of readLines(chunks)) {
    line += 1;
    if (text.trim() !== '') yield recordOf(text, line);
  }
}

async function* foundIn(
  records: AsyncIterable<JsonRecord>,
  ignored: Set<string>,
): AsyncGenerator<FileRecord> {
  for await (const record of records) {
    if ('problem' in record) {
      yield record;
      continue;
    }
    const { value, ...place } = record;
    if (typeof value === 'string') yield { ...place, found: { address: value } };
    else if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      yield {
        ...place,
        problem: 'This is neither an address nor an object with one; give { "address": … }.',
      };
    } else {
      const found: FoundEntry = {};
      for (const [key, one] of Object.entries(value)) {
        const name = meaningOf(key, ignored);
        if (name) found[name] ??= one;
      }
      yield { ...place, found };
    }
  }
}
