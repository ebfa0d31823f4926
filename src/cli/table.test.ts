import { describe, expect, test } from 'vitest';
import { type Column, table } from './table.ts';

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

  test('without a screen nothing is cut', () => {
    expect(table(rows, columns).at(-1)).toContain(rows[1]?.who);
  });

  test('a screen narrower than is any use gets lines that wrap rather than nothing', () => {
    const lines = table(rows, columns, { columnsMax: 10 });
    expect(lines[1]).toMatch(/^ana@ex….*org {2}/);
  });

  test('paint does not move the columns', () => {
    const painted = columns.map((column) => ({ ...column, paint: (text: string) => `<${text}>` }));
    const bare = table(rows, painted).map((line) => line.replaceAll(/[<>]/g, ''));
    expect(bare).toEqual(table(rows, columns));
  });
});
