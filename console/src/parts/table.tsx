import type { KeyboardEvent, ReactNode } from 'react';
import { go } from '../place.ts';
import './table.css';

/** One line a row, the telling column first; arrows move between lines, Enter opens. On a phone each row is a small card. */
interface Column<Row> {
  title: string;
  isNumber?: true;
  cell(row: Row): ReactNode;
}

interface TableParts<Row> {
  /** What the table is of, for who does not see what stands above it. */
  title: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf(row: Row): string | number;
  /** Where a row leads; left out where it leads nowhere. */
  opens?: (row: Row) => string;
}

export function Table<Row>({ title, rows, columns, keyOf, opens }: TableParts<Row>) {
  const move = (event: KeyboardEvent<HTMLTableSectionElement>) => {
    // Keys that somebody types into a field, or presses on a button, are theirs.
    const focused = document.activeElement;
    if (focused instanceof HTMLInputElement || focused instanceof HTMLButtonElement) return;
    const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
    const lines = [...event.currentTarget.rows];
    const at = lines.findIndex((line) => line.contains(focused));
    const row = rows[at];
    if (step !== undefined) {
      event.preventDefault();
      lines[Math.max(0, Math.min(lines.length - 1, at + step))]?.focus();
    } else if (event.key === 'Enter' && focused === lines[at] && row !== undefined && opens) go(opens(row));
  };
  return (
    <table className="list" aria-label={title}>
      <thead>
        <tr>
          {columns.map(({ title: name, isNumber }) => (
            <th scope="col" key={name} className={isNumber ? 'number' : ''}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...(opens && { onKeyDown: move })}>
        {rows.map((row) => (
          <tr key={keyOf(row)} {...(opens && { tabIndex: 0 })}>
            {columns.map(({ title: name, isNumber, cell }) => (
              <td key={name} data-title={name} className={isNumber ? 'number' : ''}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
