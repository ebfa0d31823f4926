import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CsvRecord, csvLine, readCsv, readLines } from './csv.ts';

async function* inChunks(text: string, length = text.length || 1) {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

async function read(text: string, length?: number): Promise<CsvRecord[]> {
  const records = [];
  for await (const record of readCsv(inChunks(text, length))) records.push(record);
  return records;
}

const fieldsOf = async (text: string) => (await read(text)).map((each) => 'fields' in each && each.fields);

describe('CSV', () => {
  test('whatever is written is read back the same, however it is cut into chunks', async () => {
    const sign = fc.constantFrom(
      '=',
      '+',
      '-',
      '@',
      "'",
      '"',
      ',',
      ';',
      '\t',
      '\r',
      '\n',
      ' ',
      'a',
      'é',
      '😀',
    );
    const field = fc.string({ unit: sign, maxLength: 6 });
    const rows = fc.array(fc.tuple(fc.constant('x'), field, field), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 9 }), async (rows, length) => {
        const table = [['head', 'a', 'b'], ...rows];
        const text = table.map((row) => `${csvLine(row)}\r\n`).join('');
        const back = (await read(text, length)).map((each) =>
          'fields' in each ? each.fields : each.problem,
        );
        expect(back).toEqual(table);
      }),
      { numRuns: 500 },
    );
  });

  test.each(['=1+1', '+a@example.org', '-a', '@x', '\t=1', "'=1"])('a spreadsheet does not run %j', (field) =>
    expect(csvLine([field])).toMatch(/^"?'/),
  );

  test('an apostrophe that guards nothing is part of the text', async () => {
    expect(csvLine(["'tis"])).toBe("'tis");
    expect(await fieldsOf("'tis,o'clock")).toEqual([["'tis", "o'clock"]]);
  });

  test('all line ends, a byte order mark, and empty lines', async () => {
    expect(await read('\ufeffa,b\r\n\r\nc,d\re,f\n  \ng,h')).toEqual([
      { line: 1, fields: ['a', 'b'] },
      { line: 3, fields: ['c', 'd'] },
      { line: 4, fields: ['e', 'f'] },
      { line: 6, fields: ['g', 'h'] },
    ]);
    const lines = [];
    for await (const line of readLines(inChunks('\ufeffa\r\nb\n\nc\r', 1))) lines.push(line);
    expect(lines).toEqual(['a', 'b', '', 'c']);
  });

  test('semicolons and tabs separate where they come first, and commas are text then', async () => {
    expect(await fieldsOf('a;b,c\nd;"e;f"')).toEqual([
      ['a', 'b,c'],
      ['d', 'e;f'],
    ]);
    expect(await fieldsOf('"x;y"\tb')).toEqual([['x;y', 'b']]);
    expect(await fieldsOf('only\none;more')).toEqual([['only'], ['one', 'more']]);
  });

  test('the lines of a text in quotation marks count', async () => {
    expect(await read('a,"1\n2\n3"\nb,c')).toEqual([
      { line: 1, fields: ['a', '1\n2\n3'] },
      { line: 4, fields: ['b', 'c'] },
    ]);
  });

  test('a quotation mark that nobody closes costs its own line, and no other', async () => {
    const many = Array.from({ length: 3_000 }, (_, number) => `line ${number},x`);
    // Far below another mark would close it; but nobody writes so long a text.
    for (const after of [['b,c'], [...many, 'x"']]) {
      const records = await read(['a,"b', ...after].join('\n'), 1_000);
      expect(records[0]).toEqual({ line: 1, problem: expect.stringContaining('not closed') });
      expect(records.length).toBe(1 + after.length);
      expect(records.at(-1)).toEqual({ line: 1 + after.length, fields: after.at(-1)?.split(',') });
    }
  });

  test('a line without end is refused before it fills the memory', async () => {
    await expect(read('x'.repeat(1_200_000), 65_536)).rejects.toMatchObject({ code: 'line_too_long' });
  });

  test('what stands behind a closing mark is no guess', async () => {
    expect(await read('"a"b,c\nd')).toEqual([
      { line: 1, problem: expect.stringContaining('between a closing quotation mark') },
      { line: 2, fields: ['d'] },
    ]);
  });
});
