import type { ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { writeMarkup } from './write-markup.ts';

/**
 * The html of one template's mails: React's bytes, mostly without React. The first mails are made in both ways and compared; once
 * one differs, all are React's. So is every mail that holds what only React knows how to write.
 */
export interface Markup {
  of(element: ReactElement): string;
  /** How many were made, and how many of them by React alone: from the bytes nobody could tell. */
  readonly made: number;
  readonly byReact: number;
}

export function createMarkup(write: typeof writeMarkup = writeMarkup): Markup {
  let [made, byReact, compared, isTrusted] = [0, 0, 0, true];
  return {
    of(element) {
      made += 1;
      const own = isTrusted ? write(element) : undefined;
      if (own !== undefined && compared === comparedMails) return own;
      const markup = renderToStaticMarkup(element);
      if (own === markup) compared += 1;
      else byReact += 1;
      isTrusted &&= own === undefined || own === markup;
      return markup;
    },
    get made() {
      return made;
    },
    get byReact() {
      return byReact;
    },
  };
}

// The tests compare very many. This is for an installation with another React, whose difference any mail would show.
const comparedMails = 8;
