import { describe, expect, test } from 'vitest';
import { refusals } from '../../src/std/refusals.ts';
import { filesBelow, testsByCode } from './tried.ts';

const program = filesBelow('src').filter(
  ({ path }) => !path.endsWith('.test.ts') && !path.endsWith('-refusals.ts'),
);
const codes: readonly string[] = refusals.map(({ code }) => code);

describe('the table of refusals', () => {
  test('has no code that nobody is refused with', () => {
    const all = program.map(({ text }) => text).join('\n');
    expect(codes.filter((code) => !new RegExp(`['"\`]${code}['"\`]|\\b${code}:`).test(all))).toEqual([]);
  });

  test('has every code that the API answers', () => {
    const answered = program
      .filter(({ path }) => path.startsWith('src/http/'))
      .flatMap(({ text }) => [...text.matchAll(/\bcode: '([a-z_]+)'/g)].map(([, code = '']) => code));
    expect(answered.length).toBeGreaterThan(10);
    expect(answered.filter((code) => !codes.includes(code))).toEqual([]);
  });

  test('has each once', () => {
    expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
  });

  test('says of each what to do, in a sentence', () => {
    expect(refusals.filter(({ cure }) => !/^[A-Z`"].{10,}\.$/.test(cure))).toEqual([]);
  });

  test('what is not there is a 404, whatever it is', () => {
    const notFound = refusals.filter(({ code, status }) => code.endsWith('_not_found') && status !== null);
    expect(notFound.length).toBeGreaterThan(5);
    expect(notFound.filter(({ status }) => status !== 404)).toEqual([]);
  });

  test('each is expected by a test', () => {
    const tried = testsByCode();
    expect(refusals.filter(({ code }) => tried.get(code)?.length === 0)).toEqual([]);
  });
});
