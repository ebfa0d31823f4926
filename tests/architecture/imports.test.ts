// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts that are scanned are programs.
import { describe, expect, test } from 'vitest';
import { importsOf } from './imports.ts';
import { readSources } from './source-files.ts';
import { codeOnly, withoutComments } from './source-text.ts';

describe('importsOf', () => {
  test.each([
    ["import { a } from './a.ts';", { specifier: './a.ts', names: ['a'], isTypeOnly: false }],
    [
      "import {\n  a,\n  type B,\n  c as d,\n} from './a.ts';",
      { specifier: './a.ts', names: ['a', 'B', 'c'], isTypeOnly: false },
    ],
    ["import type { A } from './a.ts';", { specifier: './a.ts', names: ['A'], isTypeOnly: true }],
    [
      "import { type A, type B } from './a.ts';",
      { specifier: './a.ts', names: ['A', 'B'], isTypeOnly: true },
    ],
    ["import pg from 'pg';", { specifier: 'pg', names: ['default'], isTypeOnly: false }],
    [
      "import pg, { type Pool } from 'pg';",
      { specifier: 'pg', names: ['default', 'Pool'], isTypeOnly: false },
    ],
    ["import * as all from './a.ts';", { specifier: './a.ts', names: ['*'], isTypeOnly: false }],
    ["import './a.ts';", { specifier: './a.ts', names: [], isTypeOnly: false }],
    ["import{a}from'./a.ts'", { specifier: './a.ts', names: ['a'], isTypeOnly: false }],
    ['import { a } from "./a.ts"', { specifier: './a.ts', names: ['a'], isTypeOnly: false }],
    ["export { a } from './a.ts';", { specifier: './a.ts', names: ['a'], isTypeOnly: false }],
    ["export type { A } from './a.ts';", { specifier: './a.ts', names: ['A'], isTypeOnly: true }],
    ["export * from './a.ts';", { specifier: './a.ts', names: ['*'], isTypeOnly: false }],
    ["export * as all from './a.ts';", { specifier: './a.ts', names: ['*'], isTypeOnly: false }],
    ["const a = await import('./a.ts');", { specifier: './a.ts', names: ['*'], isTypeOnly: false }],
    ['const a = await import(\n  `./a.ts`,\n);', { specifier: './a.ts', names: ['*'], isTypeOnly: false }],
    ['const a = await import(path);', { specifier: null, names: ['*'], isTypeOnly: false }],
    ['const a = await import(`./${name}.ts`);', { specifier: null, names: ['*'], isTypeOnly: false }],
    [
      "import { /* not { b } from './b.ts' */ a } from './a.ts';",
      { specifier: './a.ts', names: ['a'], isTypeOnly: false },
    ],
  ])('%s', (text, expected) => {
    expect(importsOf(text)).toEqual([expected]);
  });

  test.each([
    "// import { a } from './a.ts';",
    "/*\nimport { a } from './a.ts';\n*/",
    'const text = "import { a } from \'./a.ts\'";',
    "const text = `import { a } from './a.ts'`;",
    "const pattern = /import { a } from '.\\/a.ts'/;",
    'const folder = new URL(import.meta.url);',
    'export const a = 1;',
    "export { a };\nconst from = 'x';",
    'loader.import(path);',
  ])('none in %s', (text) => {
    expect(importsOf(text)).toEqual([]);
  });

  test('several, in the order of the text', () => {
    const text = "export { b } from './b.ts';\nimport { a } from './a.ts';\nvoid import('./c.ts');";
    expect(importsOf(text).map(({ specifier }) => specifier)).toEqual(['./b.ts', './a.ts', './c.ts']);
  });

  test('no import of the program escapes it', () => {
    for (const { path, text } of readSources()) {
      // Our formatter writes them in one way, so that here a much simpler pattern finds them too.
      const written = [...text.matchAll(/(?:^import |^[^'`]* from )'([^']+)';$|\bimport\('([^']+)'[,)]/gm)];
      const seen = importsOf(text).map(({ specifier }) => specifier);
      expect({ path, imports: seen }).toEqual({
        path,
        imports: written.map(([, one, other]) => one ?? other),
      });
    }
  });
});

describe('what is code, and what is not', () => {
  test.each([
    ["a('b') // c", "a(' ')     "],
    ["a(\"it's\", 'b')", 'a("    ", \' \')'],
    ["a('\\'', b)", "a('  ', b)"],
    ['`a ${b(`c ${d}`)} e`', '`  ${b(`  ${d}`)}  `'],
    ['`${{ a: {} }} b` + c', '`${{ a: {} }}  ` + c'],
    ['x.replace(/["\'/]/g, a) // b', 'x.replace(/     /g, a)     '],
    ['const a = b / c / d;', 'const a = b / c / d;'],
    ['return /\\/x/.test(a);', 'return /   /.test(a);'],
    ['a => /b/', 'a => / /'],
    ["/* a\n ' */ b", '    \n      b'],
    ["<p>don't</p>\na('b')", "<p>don'     \na(' ')"],
  ])('%s', (text, expected) => {
    expect(codeOnly(text)).toBe(expected);
  });

  test('strings stay where SQL is looked for', () => {
    expect(withoutComments("sql`DELETE FROM a -- b` // c\n'd' /* e */")).toBe(
      "sql`DELETE FROM a -- b`     \n'd'        ",
    );
  });

  test('nothing moves', () => {
    for (const { text } of readSources()) {
      expect(codeOnly(text).length).toBe(text.length);
      expect(codeOnly(text).split('\n').length).toBe(text.split('\n').length);
    }
  });
});
