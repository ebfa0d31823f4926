import { useEffect, useRef } from 'react';
import { leftBy } from './place.ts';

/** How long a list may take to come back before nobody waits for its line any more. */
const waitMs = 5_000;

/**
 * For who works by the keyboard. A page that was opened has the focus; one that was come back to has it on the line, or the link, by which
 * it was left. Where nothing has it, arrows, `j` and `k` begin at the first line of the list.
 */
export function useFocus(path: string): void {
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    const main = document.querySelector('main');
    main?.focus({ preventScroll: true });
    const href = leftBy();
    return main && href !== undefined ? focusWhenThere(main, href) : undefined;
  }, [path]);
  useEffect(() => {
    addEventListener('keydown', beginAtFirstLine);
    return () => removeEventListener('keydown', beginAtFirstLine);
  }, []);
}

const isNothingFocused = () =>
  document.activeElement === document.body || document.activeElement?.tagName === 'MAIN';

/** Lists are asked for anew: their lines come a moment later. Who has gone on meanwhile is left where they are. */
function focusWhenThere(main: HTMLElement, href: string): () => void {
  const look = () => {
    const link = main.querySelector<HTMLElement>(`a[href="${CSS.escape(href)}"]`);
    if (link && isNothingFocused()) (link.closest<HTMLElement>('tr[tabindex]') ?? link).focus();
    if (link || !isNothingFocused()) end();
  };
  const watching = new MutationObserver(look);
  const timer = setTimeout(() => end(), waitMs);
  const end = () => {
    watching.disconnect();
    clearTimeout(timer);
  };
  watching.observe(main, { childList: true, subtree: true });
  look();
  return end;
}

function beginAtFirstLine(event: KeyboardEvent): void {
  if (!['ArrowDown', 'ArrowUp', 'j', 'k'].includes(event.key) || !isNothingFocused()) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const line = document.querySelector<HTMLElement>('main table.list tbody tr[tabindex]');
  if (!line) return;
  event.preventDefault();
  line.focus();
}
