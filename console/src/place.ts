import { useSyncExternalStore } from 'react';

/** Where we are, by the address bar alone: every page and every filter can be shared, and the browser's own buttons work. */
export interface Place {
  path: string;
  query: URLSearchParams;
}

const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};
addEventListener('popstate', tell);

export function usePlace(): Place {
  const href = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => location.pathname + location.search,
  );
  const { pathname, searchParams } = new URL(href, location.origin);
  return { path: pathname.replace(/^\/console(?=\/|$)/, '').replace(/\/$/, '') || '/', query: searchParams };
}

/** Under its own address also at home: a link from elsewhere comes without the cookie, and the front page is then that for strangers. */
export const hrefOf = (path: string) => (path === '/' ? '/console' : `/console${path}`);

/** A place that was left keeps by which way, so that who comes back finds the line again. */
export const leftBy = (): string | undefined => (history.state as { leftBy?: string } | null)?.leftBy;

export function go(path: string, { isInPlace = false } = {}): void {
  if (!isInPlace) history.replaceState({ leftBy: hrefOf(path) }, '');
  history[isInPlace ? 'replaceState' : 'pushState'](null, '', hrefOf(path));
  if (!isInPlace) scrollTo(0, 0);
  tell();
}
