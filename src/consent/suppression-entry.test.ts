import { describe, expect, test } from 'vitest';
import { suppressionReasonNames } from '../domain/suppression.ts';
import { readEntry } from './suppression-entry.ts';

const address = 'Ana@Example.org';
const read = (found: object) => readEntry(found, ['plain']);

describe('an entry', () => {
  test('holds for everything and is imported, unless it says otherwise', () => {
    const entry = { address: 'Ana@example.org', scope: '*', reason: 'imported', note: null };
    for (const nothing of [undefined, null, '']) {
      const found = { address, scope: nothing, reason: nothing, note: nothing, liftedAt: nothing };
      expect(read(found)).toEqual({ entry });
    }
    expect(read({ address, scope: 'plain', reason: 'complained', note: ' x\n' })).toEqual({
      entry: { ...entry, scope: 'plain', reason: 'complained', note: ' x\n' },
    });
  });

  test.each(suppressionReasonNames)('the reason %s is taken', (reason) => {
    expect(read({ address, reason })).toMatchObject({ entry: { reason } });
  });

  test('a reason in the words of a mail service is kept as a note', () => {
    const long = `smtp; 550 ${'x'.repeat(600)}`;
    expect(read({ address, reason: 'BOUNCE' })).toMatchObject({
      entry: { reason: 'imported', note: 'BOUNCE' },
    });
    expect(read({ address, reason: long })).toMatchObject({ entry: { note: long.slice(0, 500) } });
    expect(read({ address, reason: 'x', note: 'y' })).toMatchObject({ entry: { note: 'y' } });
  });

  test.each([
    [{ address: 'ana at example.org' }, /white space/],
    [{}, /not text/],
    [{ address, scope: 'plian' }, /no source of that name; the scope is one of \*, plain/],
    [{ address, scope: 7 }, /no source/],
    [{ address, reason: 7 }, /note/],
    [{ address, note: 'x'.repeat(501) }, /note/],
    [{ address, note: 'a\0b' }, /note/],
    [{ address, note: '\ud800' }, /note/],
    [{ address, note: 7 }, /note/],
  ])('%j is refused, and nothing of it is quoted', (found, problem) => {
    const answer = read(found) as { problem: string };
    expect(answer.problem).toMatch(problem);
    expect(answer.problem).not.toMatch(/ana|plian|toString/);
  });

  test('what was lifted where it comes from is passed over, whatever else it says', () => {
    expect(read({ address: 'x', liftedAt: '2026-07-01' })).toEqual({ isLifted: true });
  });
});
