import type { ReactElement, ReactNode } from 'react';
import { frame } from './frame.ts';
import { reading, Subtitle } from './layout.tsx';
import { light } from './look.ts';

/**
 * A heading, and below it a list of what was found, each with a small line of its own: a word about it, and where it is. There may be
 * many: what they have in common is written once, at the list, because Gmail hides what is beyond a hundred kilobytes.
 */
export function Entries({ heading, entries, kind }: EntriesProps): ReactElement {
  const items: ReactElement[] = [];
  for (const entry of entries) items.push(<Item key={items.length} {...entry} />);
  return (
    <List heading={heading} kind={kind}>
      {items}
    </List>
  );
}

const List = frame(['heading', 'children'], ({ heading, children, kind }: ListProps): ReactElement => {
  const colour = kind === 'past' ? 'quiet' : 'ink';
  const list = { ...reading, color: light[colour], margin: '0 0 16px', padding: '0 0 0 20px' };
  const part = (
    <>
      <Subtitle>{heading}</Subtitle>
      <ul className={colour} style={list}>
        {children}
      </ul>
    </>
  );
  if (kind !== 'warning') return part;
  // A bar at its side, as other warnings have it: seen without a colour.
  return (
    <div className="mark" style={{ borderLeft: `3px solid ${light.ink}`, paddingLeft: '12px' }}>
      {part}
    </div>
  );
});

interface ListProps {
  heading: string;
  /** What is past steps back. */
  kind: 'plain' | 'warning' | 'past';
  children: ReactNode;
}

interface EntriesProps extends Omit<ListProps, 'children'> {
  entries: readonly Entry[];
}

export interface Entry {
  message: string;
  /** In the reader's language: `New`. */
  label: string | undefined;
  place: string | undefined;
}

const Item = frame(['message', 'label', 'place'], ({ message, label, place }: Entry): ReactElement => {
  const hasBoth = label !== undefined && place !== undefined;
  return (
    <li style={{ marginBottom: '12px' }}>
      <span dir="auto">{message}</span>
      {label === undefined && place === undefined ? null : (
        <div style={{ fontSize: '12px', lineHeight: '16px' }}>
          {label === undefined ? null : <b>{label}</b>}
          {hasBoth ? ' · ' : null}
          {place === undefined ? null : <Place>{place}</Place>}
        </div>
      )}
    </li>
  );
});

/** Without a face of its own: every program has one for code. */
function Place({ children }: { children: string }): ReactElement {
  return (
    <code dir="auto" className="quiet" style={{ color: light.quiet }}>
      {children}
    </code>
  );
}
