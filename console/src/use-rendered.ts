import { useEffect, useState } from 'react';
import { ask, Refused } from './api.ts';

export interface RenderedMail {
  subject: string;
  html: string;
  text: string;
  octets: { html: number; text: number };
}

interface Rendering {
  /** The last that could be made. */
  mail: RenderedMail | undefined;
  /** Why the newest values make none. */
  problem: Refused | undefined;
}

/** A moment after the last key: nobody reads a mail that changes with every letter. */
const pauseMs = 250;

/** The mail of these values, made anew when they change; null while they cannot be read. */
export function useRendered(
  name: string,
  locale: string,
  props: Readonly<Record<string, unknown>> | null,
): Rendering {
  const [rendering, setRendering] = useState<Rendering & { of: string }>({
    of: '',
    mail: undefined,
    problem: undefined,
  });
  const of = `${name} ${locale}`;
  const body = props === null ? null : JSON.stringify({ locale, props });
  useEffect(() => {
    if (body === null) return;
    const left = new AbortController();
    const timer = setTimeout(() => {
      const path = `/api/v1/templates/${encodeURIComponent(name)}/render`;
      ask<RenderedMail>('POST', path, JSON.parse(body), left.signal).then(
        (mail) => setRendering({ of: `${name} ${locale}`, mail, problem: undefined }),
        (error: unknown) => {
          if (left.signal.aborted) return;
          const problem = error instanceof Refused ? error : new Refused(0, 'failed', String(error));
          setRendering((before) => ({ ...before, problem }));
        },
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      left.abort();
    };
  }, [name, locale, body]);
  // The mail of another template is not shown in the name of this one.
  return rendering.of === of ? rendering : { mail: undefined, problem: rendering.problem };
}
