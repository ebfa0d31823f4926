import { useEffect } from 'react';

/** Asks again every so often while somebody can see the page, and at once when they come back to it. */
export function useOften(again: () => void, everyMs: number, isWanted = true): void {
  useEffect(() => {
    if (!isWanted) return;
    const ask = () => {
      if (document.visibilityState === 'visible') again();
    };
    const timer = setInterval(ask, everyMs);
    document.addEventListener('visibilitychange', ask);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', ask);
    };
  }, [again, everyMs, isWanted]);
}
