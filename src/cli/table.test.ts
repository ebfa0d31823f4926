import { describe, expect, test } from 'vitest';
import { type Column, table } from './table.ts';
import { widthOf } from './width.ts';

interface Row {
  who: string;
  count: number;
}

const columns: Column<Row>[] = [
  { title: 'WHO', cell: ({ who }) => who, canShrink: true },
  { title: 'COUNT', cell: ({ count }) => String(count), isNumber: true },
  { title: 'LAST', cell: () => 'x' },
];
const rows = [
  { who: 'ana@example.org', count: 7 },
  { who: 'a.very.long.name.of.a.person@department.example.org', count: 12_345 },
];

describe('table', () => {
  test('numbers stand right, texts left, and no line ends in blanks', () => {
    expect(
      table(
        [
          { who: 'ana', count: 7 },
          { who: 'robert', count: 12 },
        ],
        columns,
      ),
    ).toEqual(['WHO     COUNT  LAST', 'ana         7  x', 'robert     12  x']);
  });

  test('on a narrow screen the columns that may shrink are cut in the middle, and the others are not', () => {
    const lines = table(rows, columns, { columnsMax: 40 });
    expect(Math.max(...lines.map((line) => line.length))).toBe(40);
    expect(lines[2]).toMatch(/^a\.very\..*….*example\.org {2}12345 {2}x$/);
  });

  test('what is written with two columns a sign stays in line', () => {
    const lines = table([{ who: '计算机科学导论', count: 1 }, ...rows], columns, { columnsMax: 30 });
    expect(lines.map(widthOf)).toEqual([30, 27, 27, 27]);
  });

  test('without a screen nothing is cut', () => {
    expect(table(rows, columns).at(-1)).toContain(rows[1]?.who);
  });

  test('where the columns do not fit, each row is told a column a line, and no line is wider than the screen', () => {
    const id: Column<Row> = { title: 'ID', cell: () => '6b1f0c3e-4f0a' };
    expect(table(rows, [...columns, id], { columnsMax: 22 })).toEqual([
      ...['WHO    ana@example.org', 'COUNT  7', 'LAST   x', 'ID     6b1f0c3e-4f0a'],
      '',
      ...['WHO    a.very.…ple.org', 'COUNT  12345', 'LAST   x', 'ID     6b1f0c3e-4f0a'],
    ]);
  });

  test('paint does not move the columns, and a row without a meaning has none', () => {
    const paint = { dim: (text: string) => `<${text}>`, meaning: (_: string, text: string) => `<${text}>` };
    const painted = columns.map((column) => ({
      ...column,
      meaning: ({ count }: Row) => (count > 10 ? ('good' as const) : undefined),
    }));
    const lines = table(rows, painted, { paint });
    expect(lines.map((line) => line.replaceAll(/[<>]/g, ''))).toEqual(table(rows, columns));
    expect(lines.map((line) => line.includes('<'))).toEqual([true, false, true]);
  });
});
