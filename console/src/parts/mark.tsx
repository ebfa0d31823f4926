import type { ReactNode } from 'react';
import type { Meaning } from '../../../src/domain/meanings.ts';
import { marks } from './shapes.tsx';

/** What something means, by a shape and a colour, with words beside it that say the same. */
export function Mark({ meaning, children }: { meaning: Meaning; children: ReactNode }) {
  const { sign, className } = marks[meaning];
  return (
    <span>
      <span className={className} aria-hidden="true">
        {sign}
      </span>{' '}
      <span>{children}</span>
    </span>
  );
}
