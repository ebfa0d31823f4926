import type { IncomingHttpHeaders } from 'node:http';
import type { Locale } from '../../emails/words.ts';
import type { Clock } from '../../std/clock.ts';
import type { Log } from '../../std/log.ts';
import type { RateLimit } from '../../std/rate-limit.ts';
import { parseUrl } from '../../std/url.ts';
import { languageFor } from '../accept-language.ts';
import { failureFields } from '../database-away.ts';
import type { Caller } from '../gate.ts';
import { networkOf } from '../network.ts';
import { noticePage } from '../pages/seats/notice-page.ts';
import type { Notice } from '../pages/seats/words.ts';
import type { Documented } from '../route.ts';

/**
 * How a page is answered: in the reader's language, within limits, and with a page also where something breaks. What a browser
 * may do with it is as little as forms need. After a form comes a redirect, so that Back and Reload do nothing twice.
 */
export type Shown =
  | { status: number; html: string }
  | { notice: Notice; retryAfterMs?: number | null }
  | { goTo: string };

export interface PageOrder {
  asked: { headers: IncomingHttpHeaders; traceId: string; caller: Pick<Caller, 'name'> };
  limit: RateLimit;
  /** From the page's address to the root of the server. */
  toRoot: string;
  /** The address is somebody's secret. */
  isPrivate: boolean;
  work(locale: Locale, network: string): Promise<Shown>;
}

export async function answerPage(order: PageOrder, { log }: { log: Log; clock: Clock }) {
  const { asked, limit, toRoot, isPrivate, work } = order;
  const locale = languageFor(asked.headers['accept-language']);
  const network = networkOf(asked.caller.name, asked.headers);
  const shown = await shownBy(async () => {
    const waitMs = limit.take(network);
    return waitMs > 0 ? { notice: 'tooMany', retryAfterMs: waitMs } : work(locale, network);
  });
  const headers = isPrivate ? privately : openly;
  if ('goTo' in shown) return { status: 303, body: '', headers: { ...headers, location: shown.goTo } };
  const type = 'text/html; charset=utf-8';
  if ('html' in shown) return { status: shown.status, body: shown.html, type, headers };
  const { notice, retryAfterMs = null } = shown;
  return {
    status: noticeStatuses[notice],
    body: noticePage(locale, notice, toRoot),
    type,
    headers: {
      ...headers,
      ...(retryAfterMs !== null && { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
    },
  };

  async function shownBy(look: () => Promise<Shown>): Promise<Shown> {
    try {
      return await look();
    } catch (error) {
      log.error('seats.page_failed', { traceId: asked.traceId, ...failureFields(error) });
      return { notice: 'failed', retryAfterMs: 60_000 };
    }
  }
}

const noticeStatuses: Readonly<Record<Notice, number>> = {
  noSection: 404,
  noLink: 404,
  tooMany: 429,
  sectionFull: 429,
  limited: 429,
  foreign: 403,
  failed: 503,
};

const policy = {
  // As everywhere, but for its own forms.
  'content-security-policy':
    "default-src 'none';style-src 'unsafe-inline';base-uri 'none';form-action 'self';frame-ancestors 'none'",
  'cache-control': 'no-store',
  vary: 'Accept-Language',
};

/** Otherwise a form of these pages would come from nowhere, and could not be told from one of a stranger's. */
const openly = { ...policy, 'referrer-policy': 'same-origin' } as const;
const privately = {
  ...policy,
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
} as const;

/** Answers that a page may have, for the document. */
export const pageAnswers = {
  page: (when: string): Documented => ({ when, type: 'text/html' }),
  seeOther: (when: string): Documented => ({ when, type: null }),
};

/**
 * Whether a form that was posted is one of these pages' own. There are no cookies here, so that another site could do nothing
 * in somebody's name; but it could spend their network's limit.
 */
export function isOwnForm({ host, origin, ...headers }: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  if (origin === undefined) return true;
  const hosts = [host, [headers['x-forwarded-host'] ?? []].flat().at(-1)];
  const from = parseUrl(origin);
  return from !== undefined && hosts.includes(from.host);
}

const formOctetsMax = 16_384; // A name and a few hours.
export const forms = { takesBytes: true, isConstant: true, bodyOctetsMax: formOctetsMax } as const;
export const tooLarge = { 413: 'The body is too large.' };

/** What a form says under a name; of several the first. */
export function readForm(bytes: Buffer): (name: string) => string {
  const fields = new URLSearchParams(bytes.toString('utf8'));
  return (name) => (fields.get(name) ?? '').trim();
}
