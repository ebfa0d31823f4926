import type { KeyboardEvent } from 'react';

/** Arrows move between the lines of a table, Enter opens the one that has the focus, and the space bar chooses it. */
export function moveByKeys(open: (index: number) => void, choose?: (index: number) => void) {
  return (event: KeyboardEvent<HTMLTableSectionElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
    const rows = [...event.currentTarget.querySelectorAll<HTMLTableRowElement>('tr')];
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    if (step !== undefined) {
      event.preventDefault();
      rows[Math.max(0, Math.min(rows.length - 1, at + step))]?.focus();
    } else if (document.activeElement?.tagName !== 'TR') return;
    else if (event.key === 'Enter') open(at);
    else if (event.key === ' ' && choose) {
      event.preventDefault();
      choose(at);
    }
  };
}
