import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { clauses, clausesThatTell, clausesToCome, wholeSpecs } from './clauses.ts';
import { clausesIn, putOffIn, testNamesIn } from './test-names.ts';

const folder = new URL('./', import.meta.url);
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));
const proved = new Set(files.flatMap(({ text }) => testNamesIn(text)).flatMap(clausesIn));

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

  test('none of their tests is put off', () => {
    expect(files.flatMap(({ name, text }) => putOffIn(text).map((word) => `${name}: ${word}`))).toEqual([]);
  });

  test('what is still to come is not proved yet, and each says why', () => {
    const without = Object.entries({ ...clausesToCome, ...clausesThatTell });
    expect(without.filter(([clause]) => clauses.includes(clause) || proved.has(clause))).toEqual([]);
    expect(without.filter(([, why]) => why.length < 10)).toEqual([]);
  });

  if (hasTable) {
    const lines = [...readFileSync(table, 'utf8').matchAll(/^\| (\d{3}-\S+) \| .* \|([^|]*)\|$/gm)];
    const all = lines.map(([, clause = '']) => clause);

    test.each(wholeSpecs)('of %s each is tested, to come, or tells only', (spec) => {
      const decided = [...clauses, ...Object.keys(clausesToCome), ...Object.keys(clausesThatTell)];
      const isOf = (clause: string) => clause.startsWith(`${spec}-`);
      expect(decided.filter(isOf)).not.toEqual([]);
      expect(decided.filter(isOf).sort()).toEqual(all.filter(isOf).sort());
    });

    test('of the others those that are listed are in the table', () => {
      expect(clauses.filter((clause) => !all.includes(clause))).toEqual([]);
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
