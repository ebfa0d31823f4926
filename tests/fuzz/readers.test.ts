import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readSuppressionFile } from '../../src/consent/suppression-file.ts';
import { readCsv, readLines } from '../../src/std/csv.ts';
import { readJsonList } from '../../src/std/json-records.ts';
import { Refusal } from '../../src/std/refusal.ts';
import { patience, runs } from './runs.ts';

/** A file arrives in pieces that nobody chose: between the halves of a line end, of a letter, of an escape. */
const pieces = fc.constantFrom(
  ...[
    '\r',
    '\n',
    '\r\n',
    '\n\n',
    '\ufeff',
    '"',
    '""',
    "'",
    ',',
    ';',
    '\t',
    ' ',
    '=',
    '@',
    '😀',
    '\ud83d',
    '\\',
    '\\"',
  ],
  ...[
    '[',
    ']',
    '{',
    '}',
    ':',
    'null',
    '1',
    '{"address":"a@example.org"}',
    'address,note',
    'ana@example.org',
    'x',
    'é',
  ],
);
const texts = fc.oneof(
  fc.array(pieces, { maxLength: 40 }).map((all) => all.join('')),
  fc.array(pieces, { maxLength: 30 }).map((all) => `[${all.join('')}`),
  fc.array(pieces, { maxLength: 30 }).map((all) => `{${all.join('')}`),
  fc.json({ maxDepth: 3 }).map((one) => `[${one},${one}]`),
);
const cuts = fc.array(fc.nat(6), { minLength: 1, maxLength: 20 });

async function* cut(text: string, lengths: readonly number[]): AsyncGenerator<string> {
  // Empty ones, too. The last length is never nothing, or there would be no end.
  const all = [...lengths, 1];
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const length = all[turn % all.length] ?? 1;
    yield text.slice(at, at + length);
    at += length;
  }
}

async function* after(first: string, chunks: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* chunks;
}

/** What was read, or the refusal; anything else that is thrown is a bug. */
async function readAll(records: AsyncIterable<unknown>): Promise<unknown[]> {
  const read: unknown[] = [];
  try {
    for await (const record of records) read.push(record);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    read.push(error.code);
  }
  return read;
}

it.each<[string, (chunks: AsyncIterable<string>) => AsyncIterable<unknown>]>([
  ['a table', readCsv],
  ['lines', readLines],
  ['a list of JSON', (chunks) => readJsonList(after('[', chunks))],
  ['a list of addresses in whatever form', (chunks) => readSuppressionFile(chunks, new Set())],
])('%s is read the same in any pieces', patience, async (_name, read) => {
  await fc.assert(
    fc.asyncProperty(texts, cuts, async (text, lengths) => {
      const whole = await readAll(read(cut(text, [text.length || 1])));
      expect(await readAll(read(cut(text, lengths)))).toEqual(whole);
    }),
    runs(1500),
  );
});
