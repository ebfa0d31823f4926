import type { ReactNode } from 'react';
import { type Meaning, meanings } from '../../../src/domain/meanings.ts';
import type { Status } from '../../../src/domain/status.ts';
import type { Refused } from '../api.ts';
import { useLanguage, useWords } from '../words/words.ts';

/** Small things that every page has: each colour with a shape, for who cannot tell colours apart. */
export const marks: Readonly<Record<Meaning, { sign: string; className: string }>> = {
  good: { sign: '●', className: 'good' },
  'in hand': { sign: '◐', className: 'hand' },
  'needs a person': { sign: '▲', className: 'person' },
  'stopped on purpose': { sign: '■', className: 'stopped' },
};

export function Chip({ status }: { status: Status }) {
  const { statusMeanings } = useWords();
  const { sign, className } = marks[meanings[status]];
  return (
    <span className="chip" title={statusMeanings[status]}>
      <span className={className} aria-hidden="true">
        {sign}
      </span>{' '}
      {status}
    </span>
  );
}

/** How long ago, with the moment itself for whoever points at it. */
export function When({ at }: { at: string | null | undefined }) {
  const { ago } = useWords();
  const language = useLanguage();
  if (!at) return null;
  const seconds = Math.round((Date.now() - Date.parse(at)) / 1000);
  const text =
    Math.abs(seconds) < 2
      ? ago.now
      : seconds < 0
        ? new Date(at).toLocaleString(language)
        : seconds < 90
          ? `${seconds}\u00a0${ago.seconds}`
          : seconds < 5_400
            ? `${Math.round(seconds / 60)}\u00a0${ago.minutes}`
            : seconds < 172_800
              ? `${Math.round(seconds / 3_600)}\u00a0${ago.hours}`
              : `${Math.round(seconds / 86_400)}\u00a0${ago.days}`;
  return (
    <time dateTime={at} title={`${new Date(at).toLocaleString(language)} (${at})`}>
      {text}
    </time>
  );
}

export function Loading() {
  const { loading } = useWords();
  return (
    <p className="muted" role="status">
      {loading}
    </p>
  );
}

export function Broken({ problem, again }: { problem: Refused; again: () => void }) {
  const { broken } = useWords();
  return (
    <div className="notice" role="alert">
      <p>
        <strong>{broken.title}.</strong> {problem.message}
      </p>
      <button type="button" onClick={again}>
        {broken.again}
      </button>
    </div>
  );
}

/** It is broken where a reader would break it: behind the @. */
export function Address({ text }: { text: string }) {
  const [name = '', ...rest] = text.split('@');
  if (rest.length === 0) return name;
  return (
    <>
      {name}@<wbr />
      {rest.join('@')}
    </>
  );
}

export function Empty({ children }: { children: ReactNode }) {
  return <p className="muted">{children}</p>;
}
