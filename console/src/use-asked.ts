import { useCallback, useEffect, useState } from 'react';
import { ask, Refused } from './api.ts';

export type Asked<T> =
  | { state: 'waiting'; value: undefined }
  | { state: 'there'; value: T }
  | { state: 'broken'; value: undefined; problem: Refused };

/**
 * What a page shows: asked when it opens, and again when it is told to, or when something else is `as` it was not. What was there stays
 * until there is something newer.
 */
export function useAsked<T>(path: string | null, as = ''): readonly [Asked<T>, () => void] {
  const [asked, setAsked] = useState<{ path: string | null; is: Asked<T> }>({ path: null, is: waiting });
  const [turn, setTurn] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the turn is there to be asked again.
  useEffect(() => {
    if (path === null) return;
    const left = new AbortController();
    ask<T>('GET', path, undefined, left.signal).then(
      (value) => setAsked({ path, is: { state: 'there', value } }),
      (problem: unknown) => {
        if (left.signal.aborted) return;
        const refused = problem instanceof Refused ? problem : new Refused(0, 'failed', String(problem));
        setAsked({ path, is: { state: 'broken', value: undefined, problem: refused } });
      },
    );
    return () => left.abort();
  }, [path, as, turn]);
  const again = useCallback(() => setTurn((before) => before + 1), []);
  return [asked.path === path ? asked.is : waiting, again];
}

const waiting = { state: 'waiting', value: undefined } as const;
