import type { MouseEvent, ReactNode } from 'react';
import { go, hrefOf } from '../place.ts';

/** Within the console: without a new page, and with every other way to open a link as it is. */
export function Link({
  to,
  children,
  ...more
}: {
  to: string;
  children: ReactNode;
  className?: string;
  'aria-current'?: 'page';
}) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a {...more} href={hrefOf(to)} onClick={follow}>
      {children}
    </a>
  );
}
