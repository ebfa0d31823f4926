import { type ReactNode, useEffect } from 'react';

type HeadingParts = { className?: string } & (
  | { children: string; title?: string }
  /** What is more than text says itself what the browser shows of it. */
  | { children: ReactNode; title: string }
);

/** The heading of a page, which is also its title: in a tab, in the history and for who hears pages instead of seeing them. */
export function Heading({ children, className, title = children as string }: HeadingParts) {
  useEffect(() => {
    document.title = `${title} · Tidings`;
    return () => {
      document.title = 'Tidings';
    };
  }, [title]);
  return <h1 className={className}>{children}</h1>;
}
