import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonNumber, parseExactJson } from './json-exact.ts';

/** As `JSON.parse` has it. */
function inFloats(value: unknown): unknown {
  if (value instanceof JsonNumber) return value.number;
  if (Array.isArray(value)) return value.map(inFloats);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, inFloats(member)] as const);
  return Object.fromEntries(entries);
}

function read(text: string): { value: unknown } | undefined {
  const parsed = parseExactJson(text);
  return 'value' in parsed ? { value: inFloats(parsed.value) } : undefined;
}

function asJsonParse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

const parsedOf = (text: string) => {
  const parsed = parseExactJson(text);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.value;
};

describe('a number', () => {
  test.each([
    '0',
    '-0',
    '0.60',
    '1972345678.95',
    '9007199254740993',
    '1E400',
    '1.10e-2',
    `1.${'3'.repeat(60)}`,
  ])('%s stays what stood there', (text) => {
    expect(parsedOf(`[ ${text} ]`)).toEqual([new JsonNumber(text)]);
  });

  test('is a decimal or a number for whoever asks', () => {
    const { a, b } = parsedOf('{"a": 0.60, "b": 1e400}') as Record<'a' | 'b', JsonNumber>;
    expect([a.decimal, a.number]).toEqual(['0.6', 0.6]);
    expect([b.decimal, b.number]).toEqual([undefined, Number.POSITIVE_INFINITY]);
  });

  test.each(['01', '+1', '.5', '5.', '1e', '0x1', '1_0', '-', 'NaN', '--1', '1 2', '１'])(
    '%s is none',
    (text) => {
      expect(read(text)).toBeUndefined();
      expect(asJsonParse(text)).toBeUndefined();
    },
  );
});

describe('beside JSON.parse', () => {
  test('every value, however it is laid out', () => {
    const spaces = fc.constantFrom(undefined, 1, '\t', 4);
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), spaces, (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(read(`\r\n ${text}\t`)).toEqual({ value: JSON.parse(text) });
      }),
      { numRuns: 200 },
    );
  });

  test('takes what that takes, and nothing else', () => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '"a"',
        '\\',
        '\\u00e',
        '\\n',
        '1',
        '-',
        '.5',
        'e',
        'true',
        'nul',
        'null',
      ],
      ...[
        ' ',
        '\n',
        '\u00a0',
        '\ufeff',
        '\0',
        '😀',
        '\ud800',
        '"__proto__"',
        '[]',
        '{}',
        '{"a":1}',
        '"\\ud83d"',
      ],
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
        (text) => {
          expect(read(text)).toEqual(asJsonParse(text));
        },
      ),
      { numRuns: 5000 },
    );
  });

  test('of a text that is cut short nothing is taken', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), fc.nat(), (value, at) => {
        const text = JSON.stringify(value);
        const parsed = parseExactJson(text.slice(0, at % text.length));
        expect(parsed).toMatchObject({ problem: expect.any(String), line: 1 });
      }),
    );
  });

  test('of two members with one name the last holds, and a name may be one that objects have', () => {
    const value = parsedOf('{"a":1,"__proto__":{"x":true},"a":"2","constructor":null}') as object;
    expect(Object.keys(value)).toEqual(['a', '__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect((value as { x?: unknown }).x).toBeUndefined();
  });
});

describe('bounds', () => {
  test('depth', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseExactJson(nested(10), { depthMax: 9 })).toHaveProperty('value');
    expect(parseExactJson(nested(11), { depthMax: 9 })).toEqual({
      problem: 'It is nested deeper than 9 times.',
      line: 1,
    });
    expect(parseExactJson('{"a":'.repeat(1_000_000))).toHaveProperty('problem');
  });

  test('values', () => {
    expect(parseExactJson('[1,{"a":[]}]', { valuesMax: 4 })).toHaveProperty('value');
    expect(parseExactJson('[1,{"a":[]}]', { valuesMax: 3 })).toMatchObject({
      problem: 'It has more than 3 values.',
    });
  });
});

test('what is wrong is told with its line', () => {
  expect(parseExactJson('{\n "a": 1,\n "b": oops\n}')).toEqual({
    problem: '"oops\\n}" cannot stand there.',
    line: 3,
  });
  expect(parseExactJson('[\n1,\n')).toEqual({ problem: 'It ends before it is complete.', line: 3 });
  expect(parseExactJson('["a\nb"]')).toMatchObject({
    problem: expect.stringContaining('line break'),
    line: 1,
  });
});

test('where a list or an object begins is known', () => {
  const parsed = parseExactJson('{\n "list": [\n  {"a": 1},\n\n  {\n   "a": 2}\n ]\n}');
  if ('problem' in parsed) throw new Error(parsed.problem);
  const { list } = parsed.value as { list: object[] };
  expect([parsed.value as object, list, ...list].map(parsed.lineOf)).toEqual([1, 2, 3, 5]);
  expect(parsed.lineOf({})).toBe(1);
});
