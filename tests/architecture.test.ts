import { describe, expect, test } from 'vitest';
import { inTheBrowser, theConsoleTakesLittle } from './architecture/console-rule.ts';
import { rules } from './architecture/rules.ts';
import { readSources } from './architecture/source-files.ts';

const sources = readSources();

/** That the rules see what they should is shown beside them, with planted mistakes. */
describe('the house rules', () => {
  test('there is something to check', () => {
    expect(sources.map(({ path }) => path)).toContain('src/outbox/outbox.ts');
  });

  for (const [name, rule] of Object.entries(rules)) {
    test(name, () => expect(rule(sources)).toEqual([]));
  }

  test('the console takes types and a few pure files of the server', () => {
    const files = [...readSources('console/src'), ...sources, ...readSources('scripts/docs')];
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['console/src/app.tsx', ...inTheBrowser]));
    expect(theConsoleTakesLittle(files)).toEqual([]);
  });
});
