import { describe, expect, test } from 'vitest';
import { rules } from './rules.ts';
import { planted } from './source-files.ts';

describe('shape', () => {
  test.each(['export default function open() {}', 'function open() {}\nexport { open as default };'])(
    '%s',
    (text) => {
      expect(rules['no default exports'](planted('src/db/database.ts', text))).toEqual([
        'src/db/database.ts has a default export: export it by name, because a thing has one name everywhere.',
      ]);
    },
  );

  test.each([
    ['src/outbox/index.ts', 'export const nothing = 1;'],
    [
      'src/outbox/everything.ts',
      "// All of it.\nexport * from './claim.ts';\nexport { type A } from './record.ts';",
    ],
  ])('a barrel: %s', (path, text) => {
    expect(rules['no barrels'](planted(path, text))).toEqual([
      `${path} is a barrel: import from the file that makes the thing, because a reader must see where it comes from.`,
    ]);
  });

  test.each([
    ['src/std/utils.ts', 'src/std/utils.ts'],
    ['src/std/date-helpers.ts', 'src/std/date-helpers.ts'],
    ['src/domain/types.ts', 'src/domain/types.ts'],
    ['src/common/log.ts', 'src/common'],
  ])('a drawer: %s', (path, drawer) => {
    expect(rules['no drawers for everything'](planted(path, ''))).toEqual([
      `${drawer} is a drawer for everything: name it after what is in it, because a reader looks for things by their name.`,
    ]);
  });

  test('300 lines are enough', () => {
    const rule = rules['no file is too long to read'];
    const lines = (count: number) => [{ path: 'src/http/server.ts', text: '//\n'.repeat(count) }];
    expect(rule(lines(300))).toEqual([]);
    expect(rule(lines(301))).toEqual([
      'src/http/server.ts has 301 lines, and may have 300: split it by meaning, because nobody reads more as a whole.',
    ]);
  });

  test('a folder without a front door, and a front door without a word', () => {
    const rule = rules['every folder has a front door'];
    expect(rule(planted('src/outbox/claim.ts', ''))).toEqual([
      'src/outbox has no front door: make src/outbox/outbox.ts, because a reader must know which file to open first.',
    ]);
    expect(rule(planted('src/sources/newsletters/period.ts', ''))).toEqual([
      'src/sources/newsletters has no front door: make src/sources/newsletters/newsletters.ts, because a reader must know which file to open first.',
    ]);
    expect(rule(planted('src/runners/runner.ts', 'export interface Runner {}'))).toEqual([
      'src/runners/runner.ts opens without a word: begin with what src/runners is, promises and never does.',
    ]);
  });
});
