import type { Meaning } from '../domain/meanings.ts';
import type { Paint, Terminal } from './terminal.ts';
import { shortened, widthOf } from './width.ts';

/**
 * A table for a screen: the telling column first, the last one unpadded, and no line wider than the screen. What is long is cut in
 * the middle where it may be; where the columns still do not fit, each row is told in lines of its own, a column a line, because a
 * row that wraps can be read by nobody. Where no screen shows it nothing is cut.
 */
export interface Column<Row> {
  title: string;
  /** Plain text, safe to print. */
  cell(row: Row): string;
  /** Its colour, beside the word and never in place of it. */
  meaning?(row: Row): Meaning | undefined;
  isNumber?: true;
  /** May be cut when the screen is narrow. What somebody has to type elsewhere, such as an id, may not. */
  canShrink?: true;
}

export function printTable<Row>(
  { print, paint, columns: columnsMax }: Terminal,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): void {
  print(...table(rows, columns, { columnsMax, paint }));
}

interface TableOptions {
  /** Undefined where no screen shows it. */
  columnsMax?: number | undefined;
  paint?: Pick<Paint, 'dim' | 'meaning'>;
}

const gap = '  ';
/** Below this a cut text tells nothing. */
const shrunkMin = 12;
const unpainted: Pick<Paint, 'dim' | 'meaning'> = { dim: (text) => text, meaning: (_, text) => text };

export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { columnsMax, paint = unpainted }: TableOptions = {},
): string[] {
  const cells = rows.map((row) => columns.map((column) => column.cell(row)));
  const widths = columns.map(({ title }, index) =>
    Math.max(...[title, ...cells.map((line) => line[index] ?? '')].map(widthOf)),
  );
  if (columnsMax !== undefined && !shrink(widths, columns, columnsMax))
    return told(rows, columns, columnsMax, paint);
  const lineOf = (texts: readonly string[], colour: (text: string, index: number) => string) =>
    columns
      .map((column, index) => {
        const width = widths[index] ?? 0;
        const text = column.canShrink ? shortened(texts[index] ?? '', width) : (texts[index] ?? '');
        const padding = ' '.repeat(Math.max(0, width - widthOf(text)));
        const isLast = index === columns.length - 1;
        return column.isNumber
          ? padding + colour(text, index)
          : colour(text, index) + (isLast ? '' : padding);
      })
      .join(gap);
  return [
    lineOf(
      columns.map(({ title }) => title),
      paint.dim,
    ),
    ...rows.map((row, number) =>
      lineOf(cells[number] ?? [], (text, index) => painted(text, row, columns[index], paint)),
    ),
  ];
}

function painted<Row>(
  text: string,
  row: Row,
  column: Column<Row> | undefined,
  paint: Pick<Paint, 'meaning'>,
): string {
  const meaning = column?.meaning?.(row);
  return meaning === undefined || text === '' ? text : paint.meaning(meaning, text);
}

/** Takes from the widest that may shrink, a column at a time, until the line fits; false where nothing more can give. */
function shrink(widths: number[], columns: readonly Column<never>[], columnsMax: number): boolean {
  let excess = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - columnsMax;
  for (; excess > 0; excess--) {
    let widest = -1;
    for (const [index, column] of columns.entries()) {
      const width = widths[index] ?? 0;
      if (column.canShrink && width > Math.max(shrunkMin, widths[widest] ?? 0)) widest = index;
    }
    if (widest < 0) return false;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return true;
}

/** Each row in lines of its own, with a blank one between; what is empty is left out. */
function told<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  columnsMax: number,
  paint: Pick<Paint, 'dim' | 'meaning'>,
): string[] {
  const titles = Math.max(...columns.map(({ title }) => widthOf(title)));
  const valueMax = Math.max(shrunkMin, columnsMax - titles - gap.length);
  return rows.flatMap((row, number) => [
    ...(number === 0 ? [] : ['']),
    ...columns.flatMap((column) => {
      const whole = column.cell(row);
      const value = column.canShrink ? shortened(whole, valueMax) : whole;
      const title = `${column.title}${' '.repeat(titles - widthOf(column.title))}`;
      return whole === '' ? [] : [`${paint.dim(title)}${gap}${painted(value, row, column, paint)}`];
    }),
  ]);
}
