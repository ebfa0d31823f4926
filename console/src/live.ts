import { useEffect, useState } from 'react';
import type { Standing } from '../../src/http/live/standing.ts';

/** How everything stands, as the server tells it; the last that was heard stays while the connection is gone. */
/** `refused` is told when the server does not let us look. */
export function useStanding(refused: () => void): { standing: Standing | null; isLost: boolean } {
  const [standing, setStanding] = useState<Standing | null>(null);
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    let source: EventSource;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = () => {
      source = new EventSource('/api/v1/live');
      source.onmessage = ({ data }) => {
        setStanding(JSON.parse(data as string) as Standing);
        setLost(false);
      };
      source.addEventListener('broken', () => setLost(true));
      source.onerror = () => {
        setLost(true);
        // Refused, and not only cut off: then a browser does not try again by itself. Who is not signed in any more is asked to.
        if (source.readyState !== EventSource.CLOSED) return;
        refused();
        timer = setTimeout(open, againMs);
      };
    };
    open();
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [refused]);
  return { standing, isLost };
}

const againMs = 5_000;
