import { describe, expect, test } from 'vitest';
import { createValues, line, link, listOf, oneOf, percent, text, unknownVariable } from './values.ts';

const schema = {
  type: 'object',
  required: ['name', 'body'],
  properties: {
    name: line(10),
    body: text(100),
    more: { type: 'object', required: ['url'], properties: { label: line(10), url: link } },
    how: oneOf('often', 'never'),
    bar: percent,
    parts: listOf(2, {
      type: 'object',
      required: ['name'],
      properties: { name: line(10), how: oneOf('often', 'never') },
    }),
  },
} as const;
const read = createValues('letter', schema);
const good = { name: 'Ana', body: 'Text' };

function propsOf(given: Record<string, unknown>): unknown {
  const values = read(given);
  return values.ok ? values.props : values;
}

describe('what a template gets', () => {
  test('only what its schema names', () => {
    const given = {
      ...good,
      other: 1,
      constructor: 'x',
      ['__proto__']: { name: 'y' },
      more: { url: 'https://a.example', x: 1 },
    };
    expect(propsOf(given)).toEqual({ ...good, more: { url: 'https://a.example' } });
  });

  test('what is blank or null was not given', () => {
    const given = { ...good, more: { label: '  ', url: 'https://a.example' } };
    expect(propsOf(given)).toEqual({ ...good, more: { url: 'https://a.example' } });
    expect(propsOf({ ...good, more: null })).toEqual(good);
    expect(propsOf({ ...good, more: undefined })).toEqual(good);
  });

  test('line breaks of every system are one kind, and blank lines around a text go', () => {
    expect(propsOf({ ...good, body: '\r\n\n  a\r\nb\rc\u2028d\u0085e\n\n' })).toEqual({
      ...good,
      body: '  a\nb\nc\nd\ne',
    });
  });

  test('characters that turn the direction are taken out; letters with a direction stay', () => {
    const turned = { name: 'a\u202eb\u2066\ufeffc\u2069', body: '\u202dשלום\u202c مرحبا\u200f' };
    expect(propsOf(turned)).toEqual({ name: 'abc', body: 'שלום مرحبا\u200f' });
  });

  test('the entries of a list are tidied like everything else, and an empty list is one', () => {
    const parts = [
      { name: ' a\u202e ', x: 1, how: ' often ' },
      { name: 'b', how: null },
    ];
    expect(propsOf({ ...good, parts })).toEqual({
      ...good,
      parts: [{ name: 'a', how: 'often' }, { name: 'b' }],
    });
    expect(propsOf({ ...good, parts: [] })).toEqual({ ...good, parts: [] });
  });

  test('a choice is one of its words, and a bar is as long as a whole percent', () => {
    expect(propsOf({ ...good, how: '\ufeffnever\n', bar: ' 7 ' })).toEqual({
      ...good,
      how: 'never',
      bar: '7',
    });
    for (const bar of ['0', '10', '99', '100']) expect(propsOf({ ...good, bar })).toEqual({ ...good, bar });
  });

  test('what is inherited was not given', () => {
    expect(propsOf(Object.create(good))).toMatchObject({ code: 'missing_variable' });
  });
});

describe('what is refused', () => {
  test.each([
    ['no name', { body: 'x' }, 'missing_variable', 'The template letter needs the variable name.'],
    ['a blank name', { name: ' ', body: 'x' }, 'missing_variable', /variable name/],
    ['half a group', { ...good, more: { label: 'x' } }, 'missing_variable', /variable more\.url/],
    ['a missing one before a bad one', { name: 'a\nb' }, 'missing_variable', /variable body/],
    [
      'a long one before a bad one',
      { name: 'a\nb', body: 'x'.repeat(101) },
      'variable_too_long',
      /body .* 100 /,
    ],
    ['a megabyte', { ...good, name: 'x'.repeat(1_000_000) }, 'variable_too_long', /name .* longer than 10 /],
    ['a megabyte of marks', { ...good, name: `e${'\u0301'.repeat(1_000_000)}` }, 'variable_too_long', /name/],
    ['a number', { ...good, name: 7 }, 'invalid_variable', /name .* must be a text/],
    ['a list', { ...good, name: ['Ana'] }, 'invalid_variable', /name .* must be a text/],
    [
      'an object for a text',
      { ...good, body: { toString: String } },
      'invalid_variable',
      /body .* must be a text/,
    ],
    ['a text for an object', { ...good, more: 'x' }, 'invalid_variable', /more .* must be an object/],
    ['a line break', { ...good, name: 'a\r\nb' }, 'invalid_variable', /name .* line break/],
    ['another line break', { ...good, name: 'a\u2028b' }, 'invalid_variable', /name .* line break/],
    ['a NUL', { ...good, body: 'a\0b' }, 'invalid_variable', /body .* control character/],
    ['an escape', { ...good, body: '\u001b[31mred' }, 'invalid_variable', /body .* control character/],
    ['half a character', { ...good, body: 'a\ud83d' }, 'invalid_variable', /body .* half of a character/],
    ['a bad link', { ...good, more: { url: 'javascript:x' } }, 'invalid_variable', /more\.url .* no link/],
    ['another word', { ...good, how: 'OFTEN' }, 'invalid_variable', /how .* must be one of often, never\.$/],
    ['a megabyte for a word', { ...good, how: 'x'.repeat(1e6) }, 'invalid_variable', /how .* one of/],
    ['a number for a word', { ...good, how: 7 }, 'invalid_variable', /how .* must be a text/],
    ['a style for a bar', { ...good, bar: '1;x:y' }, 'variable_too_long', /bar .* longer than 3 /],
    ['a text for a list', { ...good, parts: 'x' }, 'invalid_variable', /parts .* must be a list\.$/],
    ['an object for a list', { ...good, parts: { 0: 'x' } }, 'invalid_variable', /parts .* must be a list/],
    ['a list of texts', { ...good, parts: ['x'] }, 'invalid_variable', /parts\[0\] .* must be an object/],
    ['a list of nothing', { ...good, parts: [null] }, 'invalid_variable', /parts\[0\] .* must be an object/],
    [
      'a long list',
      { ...good, parts: Array(3).fill({ name: 'a' }) },
      'variable_too_long',
      /The variable parts of the template letter has more than 2 entries; leave some out\./,
    ],
    ['a million entries', { ...good, parts: Array(1e6).fill({ name: 'a' }) }, 'variable_too_long', /parts/],
    [
      'half an entry',
      { ...good, parts: [{ name: 'a' }, {}] },
      'missing_variable',
      /variable parts\[1\]\.name\./,
    ],
    [
      'a line break in an entry',
      { ...good, parts: [{ name: 'a\nb' }] },
      'invalid_variable',
      /parts\[0\]\.name .* line break/,
    ],
    [
      'a link that turns',
      { ...good, more: { url: 'https://a.example/\u202e' } },
      'invalid_variable',
      /more\.url/,
    ],
  ])('%s', (_, given, code, sentence) => {
    const values = read(given as Record<string, unknown>);
    expect(values).toMatchObject({ ok: false, code });
    if (!values.ok) expect(values.sentence).toMatch(sentence);
  });

  test.each(['101', '-1', '07', '1.5', '5%', '٣'])('a bar of %s', (bar) => {
    expect(propsOf({ ...good, bar })).toMatchObject({
      code: 'invalid_variable',
      sentence: 'The variable bar of the template letter must be a whole number from 0 to 100.',
    });
  });

  test('more lines than anybody reads', () => {
    const readLong = createValues('long', {
      type: 'object',
      required: [],
      properties: { body: text(100_000) },
    });
    expect(readLong({ body: 'a\n'.repeat(10_000) })).toMatchObject({ ok: true });
    expect(readLong({ body: 'a\n'.repeat(10_001) })).toMatchObject({ ok: false, code: 'invalid_variable' });
  });

  test('what was sent is never quoted', () => {
    const values = read({ ...good, more: { url: 'javascript:secret' } });
    expect(JSON.stringify(values)).not.toContain('secret');
  });
});

describe('names that a template does not have', () => {
  const unknownIn = (given: Record<string, unknown>) => unknownVariable('letter', schema, given)?.sentence;

  test('are found in groups and in lists', () => {
    const parts = [{ name: 'a' }, { nam: 'b' }];
    expect(unknownIn({ ...good, parts })).toMatch(/no variable "parts\[1\]\.nam"\. Did you mean name\?/);
    expect(unknownIn({ ...good, more: { lable: 'x' } })).toMatch(/no variable "more\.lable"/);
    expect(unknownIn({ ...good, parts: [{ name: 'a', how: 'x' }], more: { url: 'x' } })).toBeUndefined();
  });

  test('are not looked for in what is something else', () => {
    for (const odd of ['x', 7, null, { x: 1 }, [1, null, ['x']]]) {
      expect(unknownIn({ ...good, parts: odd })).toBeUndefined();
    }
    expect(unknownIn({ ...good, more: ['x'] })).toBeUndefined();
  });
});
