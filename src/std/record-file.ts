import { readCsv, readLines } from './csv.ts';
import { type JsonPlace, type JsonRecord, readJsonList, recordOf } from './json-records.ts';
import { peekText } from './peek-text.ts';
import { Refusal } from './refusal.ts';

/**
 * Lists that people bring as files: CSV, a JSON list, such a list as the first member of an object, or a JSON object a line. Names are
 * known by their letters alone, `user_id` and `User ID` alike. Nothing is in memory as a whole; what cannot be read is told with its
 * place, and the next goes on.
 */
export interface FileShape<Name extends string> {
  /** By their letters and digits alone. */
  meanings: Readonly<Record<string, Name>>;
  /** What a JSON object calls the list in it. */
  listName: string;
  /** One of them, as it may be written in JSON. */
  example: string;
  isHeader(names: readonly (Name | null)[]): boolean;
  /** What to say of a header that is none. */
  columns: string;
  /** For a first line that is no header; without it there must be one. */
  headless?: { isRecord(fields: readonly string[]): boolean; positions: readonly Name[] };
}

export type FileRecord<Name extends string> = JsonPlace &
  ({ found: Partial<Record<Name, unknown>> } | { problem: string });

/** `ignored` is filled with the names that mean nothing to us. */
export async function* readRecordFile<Name extends string>(
  chunks: AsyncIterable<string>,
  shape: FileShape<Name>,
  ignored: Set<string>,
): AsyncGenerator<FileRecord<Name>> {
  const { first, start, all } = await peekText(chunks, isDecided);
  const meaningOf = createMeanings(shape, ignored);
  const around = wrapping(start, shape.listName);
  if (around !== undefined) {
    const list = readJsonList(without(all, around), { isWrapped: true });
    yield* fromJson(list, shape, meaningOf);
  } else if (first === '[') yield* fromJson(readJsonList(all), shape, meaningOf);
  else if (first === '{') yield* fromJson(readJsonLines(all), shape, meaningOf);
  else {
    if (looksLikeJson.test(start)) throw notJson(shape);
    yield* fromCsv(all, shape, meaningOf);
  }
}

const decidedBy = 300;
const isDecided = (start: string) =>
  start.length > decidedBy || /^[^\s\ufeff{]|\{\s*"[^"]*"\s*:\s*\S/.test(start.trimStart());

/** What stands before the list in `{ "users": [`. */
function wrapping(start: string, listName: string): string | undefined {
  const found = /^[\s\ufeff]*\{\s*"([^"]*)"\s*:\s*(?=\[)/.exec(start);
  return found?.[1]?.toLowerCase() === listName ? found[0] : undefined;
}

/** Its line breaks stay: places are counted by them. */
async function* without(chunks: AsyncIterable<string>, around: string): AsyncGenerator<string> {
  let isFirst = true;
  for await (const chunk of chunks) {
    yield isFirst ? around.replaceAll(/[^\n]/g, '') + chunk.slice(around.length) : chunk;
    isFirst = false;
  }
}

type MeaningOf<Name> = (name: string) => Name | null;
const ignoredMax = 20;

function createMeanings<Name extends string>(
  { meanings }: FileShape<Name>,
  ignored: Set<string>,
): MeaningOf<Name> {
  return (name) => {
    const letters = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
    if (Object.hasOwn(meanings, letters)) return meanings[letters] ?? null;
    if (ignored.size < ignoredMax && letters !== '') ignored.add(name.trim().slice(0, 40));
    return null;
  };
}

async function* fromCsv<Name extends string>(
  chunks: AsyncIterable<string>,
  shape: FileShape<Name>,
  meaningOf: MeaningOf<Name>,
): AsyncGenerator<FileRecord<Name>> {
  let names: readonly (Name | null)[] | undefined;
  for await (const record of readCsv(chunks)) {
    if ('problem' in record) {
      yield record;
      continue;
    }
    const { line, fields } = record;
    if (names === undefined) {
      const isRecord = shape.headless?.isRecord(fields) ?? false;
      names = isRecord ? shape.headless?.positions : headerOf(fields, shape, meaningOf);
      if (!isRecord) continue;
    }
    const found: Partial<Record<Name, unknown>> = {};
    for (const [index, name] of (names ?? []).entries()) if (name) found[name] ??= fields[index]?.trim();
    yield { line, found };
  }
}

function headerOf<Name extends string>(
  fields: readonly string[],
  shape: FileShape<Name>,
  meaningOf: MeaningOf<Name>,
): (Name | null)[] {
  const names = fields.map(meaningOf);
  if (shape.isHeader(names)) return names;
  throw new Refusal('unknown_columns', shape.columns);
}

/** In a first line. No column is called so, and no address is written so. */
const looksLikeJson = /^[^\r\n]*[[{]/;

const notJson = ({ example }: FileShape<string>) =>
  new Refusal(
    'not_json',
    `This looks like JSON and is none. Give a list, [${example}, …], or one such object a line.`,
  );

async function* readJsonLines(chunks: AsyncIterable<string>): AsyncGenerator<JsonRecord> {
  let line = 0;
  for await (const text of readLines(chunks)) {
    line += 1;
    if (text.trim() !== '') yield recordOf(text, line);
  }
}

async function* fromJson<Name extends string>(
  records: AsyncIterable<JsonRecord>,
  { example, listName }: FileShape<Name>,
  meaningOf: MeaningOf<Name>,
): AsyncGenerator<FileRecord<Name>> {
  for await (const record of records) {
    if ('problem' in record) {
      yield record;
      continue;
    }
    const { value, ...place } = record;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      yield { ...place, problem: `This is no object; give ${example}.` };
      continue;
    }
    if (Array.isArray((value as Record<string, unknown>)[listName])) {
      yield { ...place, problem: `This is an object around a list; give the list itself: [${example}, …].` };
      continue;
    }
    const found: Partial<Record<Name, unknown>> = {};
    for (const [key, one] of Object.entries(value)) {
      const name = meaningOf(key);
      if (name) found[name] ??= one;
    }
    yield { ...place, found };
  }
}
