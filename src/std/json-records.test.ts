import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JsonRecord, readJsonList } from './json-records.ts';

async function read(text: string, length = text.length || 1): Promise<JsonRecord[]> {
  async function* chunks() {
    for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
  }
  const records = [];
  for await (const record of readJsonList(chunks())) records.push(record);
  return records;
}

test('any list is read as JSON.parse reads it, on one line or on many, in any chunks', async () => {
  const element = fc.jsonValue({ maxDepth: 2 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(element, { maxLength: 5 }),
      fc.constantFrom(0, 2),
      fc.integer({ min: 1, max: 40 }),
      async (list, spaces, length) => {
        const text = JSON.stringify(list, null, spaces);
        const values = (await read(text, length)).map((each) =>
          'value' in each ? each.value : each.problem,
        );
        expect(values).toEqual(JSON.parse(text));
      },
    ),
    { numRuns: 500 },
  );
});

test('each has the line on which it begins', async () => {
  expect(await read('\ufeff[\n  {"a":\n1},\n\n "]},{"\n]\n')).toEqual([
    { line: 2, number: 1, value: { a: 1 } },
    { line: 5, number: 2, value: ']},{' },
  ]);
});

test('one that is broken does not stop the others', async () => {
  expect(await read('[{"a" 1},\n{"b":2}]')).toEqual([
    { line: 1, number: 1, problem: expect.stringContaining('not JSON') },
    { line: 2, number: 2, value: { b: 2 } },
  ]);
});

test('what is too long, or has a bracket too many, does not keep the next from being read', async () => {
  const tooLong = { line: 2, number: 1, problem: expect.stringContaining('longer than 10000') };
  expect(await read(`[\n"${'x'.repeat(20_000)}",\n2]`)).toEqual([tooLong, { line: 3, number: 2, value: 2 }]);
  expect(await read('[{"a":1}},\n2]')).toEqual([
    { line: 1, number: 1, problem: expect.stringContaining('not JSON') },
    { line: 2, number: 2, value: 2 },
  ]);
});

test('what is not closed, and what follows after the end, is told', async () => {
  const notClosed = expect.stringContaining('not closed');
  expect(await read('[1,\n{"a":2')).toEqual([
    { line: 1, number: 1, value: 1 },
    { line: 2, number: 2, problem: notClosed },
  ]);
  expect(await read('[1]\nmore')).toEqual([
    { line: 1, number: 1, value: 1 },
    { line: 2, problem: expect.stringContaining('after the end') },
  ]);
});
