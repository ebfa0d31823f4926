import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useWords } from '../words/words.ts';
import { Link } from './link.tsx';
import './navigation.css';

interface NavigationParts {
  /** Where each leads, its name, and how much waits there for a person. */
  links: readonly (readonly [to: string, title: string, waiting: number])[];
  path: string;
  /** What stands below the links. */
  after: ReactNode;
}

/** The menu: beside the page where there is room; on a phone behind a button, which says how much waits for a person. */
export function Navigation({ links, path, after }: NavigationParts) {
  const { nav } = useWords();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  // Who has chosen a page wants to see it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is closed by going elsewhere.
  useEffect(() => setOpen(false), [path]);
  const leave = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || !isOpen) return;
    setOpen(false);
    button.current?.focus();
  };
  const waitingInAll = links.reduce((sum, [, , waiting]) => sum + waiting, 0);
  return (
    <nav aria-label="Tidings" onKeyDown={leave}>
      <div className="head">
        <strong>Tidings</strong>
        <button
          ref={button}
          type="button"
          className="menu"
          aria-expanded={isOpen}
          aria-controls="menu"
          onClick={() => setOpen(!isOpen)}
        >
          {nav.menu} <Waiting count={waitingInAll} />
        </button>
      </div>
      <div id="menu" className={isOpen ? 'open' : ''}>
        <ul>
          {links.map(([to, title, waiting]) => (
            <li key={to}>
              <Link to={to} {...(isAt(path, to) && { 'aria-current': 'page' as const })}>
                <span>{title}</span>
                <Waiting count={waiting} />
              </Link>
            </li>
          ))}
        </ul>
        {after}
      </div>
    </nav>
  );
}

function Waiting({ count }: { count: number }) {
  const { number } = useWords();
  return count > 0 && <span className="person">▲ {number(count)}</span>;
}

const isAt = (path: string, to: string) =>
  to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`);
