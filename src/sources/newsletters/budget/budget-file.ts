import { readCsv } from '../../../std/csv.ts';
import { JsonNumber, parseExactJson } from '../../../std/json-exact.ts';
import { peekText } from '../../../std/peek-text.ts';
import { Refusal } from '../../../std/refusal.ts';
import {
  type FieldName,
  type FoundFields,
  fieldNames,
  type ReadEntry,
  readAmount,
  readEntity,
} from './budget-entry.ts';
import { entriesInAnswer, type FileWords } from './platform-answer.ts';

/**
 * Budgets as files: CSV with a header, which may be of any length, and JSON, which is held as a whole and therefore bounded. JSON is
 * our own shape, `{ "entities": [ … ], "amounts": [ … ] }`, whose members are called as the columns are, or an answer of the
 * platform's API. What cannot be read is told with its line, and the next goes on.
 */
export type BudgetRecord = {
  line: number;
  /** In a list of JSON, from 1: all of them may stand in one line. */
  number?: number;
} & ReadEntry;

/** `ignored` is filled with the names of columns that mean nothing to us. */
export async function* readBudgetFile(
  chunks: AsyncIterable<string>,
  words: FileWords,
  ignored: Set<string>,
): AsyncGenerator<BudgetRecord> {
  const { first, all } = await peekText(chunks);
  if (first === '{' || first === '[') yield* recordsInJson(await wholeText(all), words);
  else if (first !== '') yield* recordsInCsv(all, ignored);
}

const ignoredMax = 20;

async function* recordsInCsv(
  chunks: AsyncIterable<string>,
  ignored: Set<string>,
): AsyncGenerator<BudgetRecord> {
  let names: readonly (FieldName | null)[] | undefined;
  for await (const record of readCsv(chunks)) {
    const { line } = record;
    if ('problem' in record) {
      yield record;
      continue;
    }
    if (names === undefined) {
      names = headerOf(record.fields, ignored);
      continue;
    }
    const found: Partial<Record<FieldName, string>> = {};
    for (const [index, name] of names.entries()) if (name) found[name] ??= record.fields[index] ?? '';
    yield { line, ...(names.includes('amount') ? readAmount(found) : readEntity(found)) };
  }
}

function headerOf(fields: readonly string[], ignored: Set<string>): (FieldName | null)[] {
  const names = fields.map((field) => {
    const name = byLetters.get(lettersOf(field)) ?? null;
    if (name === null && field.trim() !== '' && ignored.size < ignoredMax)
      ignored.add(field.trim().slice(0, 40));
    return name;
  });
  const has = (...wanted: FieldName[]) => wanted.every((name) => names.includes(name));
  if (has('cui', 'period', 'side', 'amount') || (has('cui', 'name') && !has('amount'))) return names;
  throw new Refusal(
    'unknown_columns',
    'The first line must name the columns: cui, period, side, chapter, chapter_name, amount, currency for amounts (chapter, its name and currency may be left out), or cui, name, entity_type, county_name, population for entities (all but two may be left out).',
  );
}

const lettersOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '');
/** `chapter_name`, `chapterName` and `Chapter name` are one. */
const byLetters = new Map<string, FieldName>(fieldNames.map((name) => [lettersOf(name), name]));

const charactersMax = 64 * 1024 * 1024;

async function wholeText(chunks: AsyncIterable<string>): Promise<string> {
  const pieces: string[] = [];
  let characters = 0;
  for await (const chunk of chunks) {
    characters += chunk.length;
    if (characters > charactersMax)
      throw new Refusal(
        'file_too_large',
        'A JSON file may have 64 MiB. Give it as CSV, which may be of any length.',
      );
    pieces.push(chunk);
  }
  return pieces.join('').replace(/^\ufeff/, '');
}

function* recordsInJson(text: string, words: FileWords): Generator<BudgetRecord> {
  const parsed = parseExactJson(text);
  if ('problem' in parsed)
    throw new Refusal(
      'not_json',
      `Line ${parsed.line}: ${parsed.problem} This is no JSON; nothing of it was read.`,
    );
  const { value, lineOf } = parsed;
  const [entities, amounts] = ownLists(value);
  if (entities === undefined && amounts === undefined) {
    for (const { part, ...read } of entriesInAnswer(value, words)) yield { line: lineOf(part), ...read };
    return;
  }
  for (const [list, read] of [[entities ?? [], readEntity] as const, [amounts ?? [], readAmount] as const])
    for (const [index, part] of list.entries()) {
      const number = index + 1;
      if (isObject(part)) yield { line: lineOf(part), number, ...read(fieldsOf(part)) };
      else yield { line: lineOf(list), number, problem: 'This is no object.' };
    }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof JsonNumber);

/** A list alone is of amounts, or of entities where the first has none. */
function ownLists(value: unknown): [entities: unknown[] | undefined, amounts: unknown[] | undefined] {
  if (Array.isArray(value)) {
    const hasAmount = isObject(value[0]) && 'amount' in fieldsOf(value[0]);
    return hasAmount ? [undefined, value] : [value, undefined];
  }
  const { entities, amounts } = value as Record<string, unknown>;
  const isOwn = [entities, amounts].every((list) => list === undefined || Array.isArray(list));
  return isOwn
    ? [entities as unknown[] | undefined, amounts as unknown[] | undefined]
    : [undefined, undefined];
}

function fieldsOf(part: object): FoundFields {
  const named = Object.entries(part).flatMap(([name, value]) => {
    const known = byLetters.get(lettersOf(name));
    return known === undefined ? [] : [[known, value] as const];
  });
  return Object.fromEntries(named);
}
