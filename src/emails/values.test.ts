import { describe, expect, test } from 'vitest';
import { createValues, line, link, text } from './values.ts';

const read = createValues('letter', {
  type: 'object',
  required: ['name', 'body'],
  properties: {
    name: line(10),
    body: text(100),
    more: { type: 'object', required: ['url'], properties: { label: line(10), url: link } },
  },
});
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
