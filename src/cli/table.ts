import { shortened } from './printable.ts';

/** A table for a screen: the telling column first, the last one unpadded, and no line wider than the screen. */
export interface Column<Row> {
  title: string;
  /** Plain text, safe to print. */
  cell(row: Row): string;
  paint?(text: string, row: Row): string;
  isNumber?: true;
  /** May be cut when the screen is narrow. */
  canShrink?: true;
}

const gap = '  ';
/** Below this a cut text tells nothing, and a line that wraps is the lesser evil. */
const shrunkMin = 12;

export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  options: { columnsMax?: number | undefined; paintTitle?: (text: string) => string } = {},
): string[] {
  const cells = rows.map((row) => columns.map((column) => column.cell(row)));
  const widths = columns.map(({ title }, index) =>
    Math.max(...[title, ...cells.map((line) => line[index] ?? '')].map(widthOf)),
  );
  if (options.columnsMax !== undefined) shrink(widths, columns, options.columnsMax);
  const lineOf = (texts: readonly string[], paint: (text: string, index: number) => string) =>
    columns
      .map((column, index) => {
        const width = widths[index] ?? 0;
        const text = column.canShrink ? shortened(texts[index] ?? '', width) : (texts[index] ?? '');
        const padding = ' '.repeat(Math.max(0, width - widthOf(text)));
        const isLast = index === columns.length - 1;
        return column.isNumber ? padding + paint(text, index) : paint(text, index) + (isLast ? '' : padding);
      })
      .join(gap);
  const { paintTitle = (text) => text } = options;
  return [
    lineOf(
      columns.map(({ title }) => title),
      paintTitle,
    ),
    ...rows.map((row, number) =>
      lineOf(cells[number] ?? [], (text, index) => columns[index]?.paint?.(text, row) ?? text),
    ),
  ];
}

function widthOf(text: string): number {
  return [...text].length;
}

/** Takes from the widest that may shrink, a sign at a time, until the line fits or nothing more can give. */
function shrink(widths: number[], columns: readonly Column<never>[], columnsMax: number): void {
  let excess = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - columnsMax;
  for (; excess > 0; excess--) {
    let widest = -1;
    for (const [index, column] of columns.entries()) {
      const width = widths[index] ?? 0;
      if (column.canShrink && width > Math.max(shrunkMin, widths[widest] ?? 0)) widest = index;
    }
    if (widest < 0) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}
