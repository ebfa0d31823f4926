import { unsubscribePath } from '../consent/unsubscribe.ts';
import type { MailLink } from '../inbox/mail-links.ts';
import { isLoopback } from '../std/loopback.ts';
import { parseUrl } from '../std/url.ts';
import type { Route } from './route.ts';

/**
 * Where the links of a mail lead. Of our own it is said whether the page is there and whether the token in it was given out; that is looked up,
 * and nothing is opened: not everywhere is following a link without consequence. Links to others are never followed.
 */
export interface JudgedLink extends MailLink {
  verdict: LinkVerdict;
  /** On this server; null where it leads elsewhere. */
  path: string | null;
}

export const linkVerdicts = [
  ...(['works', 'unknown_token', 'no_page'] as const),
  ...(['elsewhere', 'not_encrypted', 'mailbox', 'unsafe'] as const),
];
export type LinkVerdict = (typeof linkVerdicts)[number];

export interface JudgeParts {
  baseUrl: () => string;
  routes: () => readonly Pick<Route, 'method' | 'path' | 'who'>[];
  /** By the path up to the token: was this one given out? */
  tokens: Readonly<Record<string, (token: string) => Promise<boolean>>>;
}

export type Judge = (link: MailLink) => Promise<JudgedLink>;

export function createJudge({ baseUrl, routes, tokens }: JudgeParts): Judge {
  /** What a reader can open without a key. */
  const isPage = (path: string) =>
    routes().some(
      ({ method, path: pattern, who }) =>
        method === 'GET' && typeof who === 'string' && matches(pattern, path),
    );

  async function judgeOwn(path: string): Promise<LinkVerdict> {
    const [plain = ''] = path.split(/[?#]/);
    if (!isPage(plain)) return 'no_page';
    for (const [before, isGivenOut] of Object.entries(tokens)) {
      const [token = '', ...rest] = plain.startsWith(before) ? plain.slice(before.length).split('/') : [];
      if (token !== '' && rest.length <= 1) return (await isGivenOut(token)) ? 'works' : 'unknown_token';
    }
    return 'works';
  }

  return async (link) => {
    const url = parseUrl(link.href);
    if (url?.protocol === 'mailto:') return { ...link, verdict: 'mailbox', path: null };
    if (!url || !/^https?:$/.test(url.protocol)) return { ...link, verdict: 'unsafe', path: null };
    const path = ownPath(url, parseUrl(baseUrl()));
    if (path !== null) return { ...link, verdict: await judgeOwn(path), path };
    const isOpen = url.protocol === 'http:' && !isLoopback(url.hostname);
    return { ...link, verdict: isOpen ? 'not_encrypted' : 'elsewhere', path: null };
  };
}

/** This machine has several names for itself, and a mail has the one under which it was written. */
function ownPath(url: URL, base: URL | undefined): string | null {
  if (!base || url.protocol !== base.protocol || url.port !== base.port) return null;
  const isSame = url.hostname === base.hostname || (isLoopback(url.hostname) && isLoopback(base.hostname));
  const prefix = base.pathname.replace(/\/+$/, '');
  if (!isSame || !(url.pathname === prefix || url.pathname.startsWith(`${prefix}/`))) return null;
  const path = url.pathname.slice(prefix.length) || '/';
  // A browser takes two slashes for another host.
  return path.startsWith('//') ? null : `${path}${url.search}`;
}

/** Pages whose address holds a token, up to it. */
export const tokenPages = {
  unsubscribe: `${unsubscribePath}/`,
  confirm: '/seats/confirm/',
  manage: '/seats/manage/',
} as const;

function matches(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.at(-1) === '*') wanted.length = given.length = Math.min(wanted.length - 1, given.length);
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]))
  );
}
