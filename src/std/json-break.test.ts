import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonBreak } from './json-break.ts';

test.each([
  ['{"a":1,\n "b":2 "c":3}', 'it breaks at line 2, column 8'],
  ['{"a":1,\n "b":}', 'it breaks at line 2, column 6'],
  ['[1,\n2,\n]', 'it breaks at line 3, column 1'],
  ['{"a":1,}', 'it breaks at line 1, column 8'],
  ['s3cret', 'it breaks at line 1, column 1'],
  ["{'a':1}", 'it breaks at line 1, column 2'],
  ['{"a":tru}', 'it breaks at line 1, column 9'],
  ['{"a":"😀",\n"b":]', 'it breaks at line 2, column 5'],
  ['{"a": ', 'it ends too early'],
  ['', 'it ends too early'],
])('%j', (text, place) => expect(jsonBreak(text)).toBe(place));

test('of a large text only the character is named, which takes one look', () => {
  expect(jsonBreak(`["${'x'.repeat(100_000)}",]`)).toBe('there is a ] where none may be');
});

test('JSON does not break', () => {
  fc.assert(fc.property(fc.json(), (text) => jsonBreak(text) === undefined));
});

test('a sign that no JSON has is found wherever it is put between two values', () => {
  const lists = fc.tuple(fc.array(fc.jsonValue()), fc.array(fc.jsonValue()));
  fc.assert(
    fc.property(lists, ([before, behind]) => {
      const start = `[${before.map((value) => `${JSON.stringify(value)},`).join('')}`;
      const text = `${start}@${behind.map((value) => `,${JSON.stringify(value)}`).join('')}]`;
      expect(jsonBreak(text)).toBe(`it breaks at line 1, column ${start.length + 1}`);
    }),
  );
});
