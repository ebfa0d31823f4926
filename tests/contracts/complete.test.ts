import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { clauseFiles } from './clause-files.ts';
import { clauses, clausesThatTell, filesByClause, inRange, specs } from './clauses.ts';
import { proofsIn, readContractTests } from './proofs.ts';
import { clausesIn, putOffIn, testNamesIn } from './test-names.ts';

const files = readContractTests();
const proved = new Set(proofsIn(files).keys());
const root = fileURLToPath(new URL('../../', import.meta.url));

/** The table of all clauses, where this work tree has it beside itself; the project ships none. */
const table = new URL('../../../shared/specs/CLAUSES.md', import.meta.url);
const hasTable = existsSync(table);

describe('the clauses of the specifications', () => {
  test('each has a test', () => {
    expect(clauses.filter((clause) => !proved.has(clause))).toEqual([]);
  });

  test('a test is about one that there is', () => {
    expect([...proved].filter((clause) => !clauses.includes(clause))).toEqual([]);
  });

  test('each is kept by files that are there', () => {
    const gone = [...new Set([...filesByClause.values()].flat())].filter((path) => !existsSync(root + path));
    expect(gone).toEqual([]);
  });

  test('none is listed twice', () => {
    const listed = Object.keys(clauseFiles).flatMap(inRange);
    expect(listed.filter((clause, at) => listed.indexOf(clause) !== at)).toEqual([]);
  });

  test('they are 386, of five specifications, whatever is done to the list', () => {
    expect(clauses.length + Object.keys(clausesThatTell).length).toBe(386);
    expect([...new Set(clauses.map((clause) => clause.slice(0, 3)))].sort()).toEqual(Object.keys(specs));
  });

  test('none of their tests is put off', () => {
    expect(files.flatMap(({ name, text }) => putOffIn(text).map((word) => `${name}: ${word}`))).toEqual([]);
  });

  test('what only tells has no test, and says what it tells', () => {
    const telling = Object.entries(clausesThatTell);
    expect(telling.filter(([clause]) => clauses.includes(clause) || proved.has(clause))).toEqual([]);
    expect(telling.filter(([, why]) => why.length < 10)).toEqual([]);
  });

  if (hasTable) {
    const lines = [...readFileSync(table, 'utf8').matchAll(/^\| (\d{3}-\S+) \| .* \|([^|]*)\|$/gm)];
    const all = lines.map(([, clause = '']) => clause);

    test.each(Object.keys(specs))('of %s each is tested, or tells only', (spec) => {
      const decided = [...clauses, ...Object.keys(clausesThatTell)];
      const isOf = (clause: string) => clause.startsWith(`${spec}-`);
      expect(decided.filter(isOf)).not.toEqual([]);
      expect(decided.filter(isOf).sort()).toEqual(all.filter(isOf).sort());
    });

    test('those that only tell are those that the table marks', () => {
      const marked = lines.filter(([, , note = '']) => note.trim() === 'informative');
      const ofWhole = marked.map(([, clause = '']) => clause).filter((clause) => clause.startsWith('002-'));
      expect(Object.keys(clausesThatTell).sort()).toEqual(ofWhole.sort());
    });
  }
});

describe('the names of tests', () => {
  test('are read from the calls that make them, with a table and without, and from nothing else', () => {
    const text = [
      `it('000-01 one', () => {});`,
      '  test(',
      `    "000-02 two", async () => expect('000-03 a text').toBe(1));`,
      "describe('000-04, 000-05 both', () => {});",
      'it.each([["(", fn("000-06")], [`)`, 2]] as const)(`000-07 of %s`, () => {});',
      `// it('000-08 in a comment', () => {});`,
      `/* test('000-09 in another', () => {}); */`,
      `it.skip('000-10 put off', () => {});`,
      `it.todo('000-11 put off');`,
      `submit('000-12 of another', () => {}); this.it('000-13 of a method', () => {});`,
      `const text = "it('000-14 in a text', () => {})";`,
      `it.each('000-15 a table', 1);`,
    ].join('\n');
    expect(testNamesIn(text).flatMap(clausesIn)).toEqual(['000-01', '000-02', '000-04', '000-05', '000-07']);
    expect(putOffIn(text)).toEqual(['it.skip', 'it.todo']);
  });

  test('hold clauses of every form, and dates and numbers are none', () => {
    const name = '002-P7-01, 003-8.2-10 002-C-05 004-67: on 2026-01-01, 100-fold, (000-05)';
    expect(clausesIn(name)).toEqual(['002-P7-01', '003-8.2-10', '002-C-05', '004-67', '000-05']);
  });
});
