import { useEffect } from 'react';
import type { Asked } from './use-asked.ts';

/**
 * Asks again while there is something to see move and somebody can see it: a while after the last answer, so that a slow one is not asked
 * for all the time, and at once when they come back to the page.
 */
export function useRepeated(
  asked: Asked<unknown>,
  again: () => void,
  isMoving: boolean,
  everyMs = 2_000,
): void {
  useEffect(() => {
    if (!isMoving || asked.state === 'waiting') return;
    let isDue = false;
    const ask = () => {
      if (isDue && document.visibilityState === 'visible') again();
    };
    const timer = setTimeout(() => {
      isDue = true;
      ask();
    }, everyMs);
    document.addEventListener('visibilitychange', ask);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', ask);
    };
  }, [asked, again, isMoving, everyMs]);
}
