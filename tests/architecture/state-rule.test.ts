import { describe, expect, test } from 'vitest';
import { rules } from './rules.ts';
import { planted } from './source-files.ts';
import { memories } from './state-rule.ts';

describe('no module remembers anything', () => {
  const rule = rules['no module remembers anything'];
  const path = 'src/outbox/outbox.ts';
  const remembers = (name: string) => [
    `${path} remembers something in ${name}: a second engine in the process, or the next command, would find it there. Keep it in what create… makes.`,
  ];

  test.each([
    'let last = 0;',
    'export let last: Row | undefined;',
    'const last = new Map<string, Map<number, Row>>();',
    'const last: Map<string, Row> = new Map();',
    'export const last = new WeakSet();',
    'const last: Row[] = [];',
    'const last: Record<string, Row> = {};',
  ])('%s', (text) => expect(rule(planted(path, text))).toEqual(remembers('last')));

  test.each([
    'const codes = new Set([530, 534]);',
    'const byName = new Map(names.map((name) => [name, name]));',
    'export function count() {\n  let last = 0;\n  const seen = new Set<string>();\n}',
    '// let last = 0;',
    'const text = `\nlet last = 0;\n`;',
  ])('is none: %s', (text) => expect(rule(planted(path, text))).toEqual([]));

  test('an exception that nobody needs any more is told', () => {
    const [{ path: at, name } = { path: '', name: '' }] = memories;
    expect(rule(planted(at, 'export {};'))).toEqual([
      `${at} has no ${name} any more: remove it from tests/architecture/state-rule.ts.`,
    ]);
  });
});
