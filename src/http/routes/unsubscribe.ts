import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { takenOverShape } from '../../consent/taken-over.ts';
import { type Unsubscribe, unsubscribePath, type Via } from '../../consent/unsubscribe.ts';
import type { Clock } from '../../std/clock.ts';
import type { Log } from '../../std/log.ts';
import { languageFor } from '../accept-language.ts';
import { failureFields } from '../database-away.ts';
import { type Step, type UnsubscribePage, unsubscribePage } from '../pages/unsubscribe-page.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, error } from '../schemas.ts';
import type { ApiParts } from '../server.ts';

/**
 * Where the link in every mail leads. Following it shows a page with a button and changes nothing, because programs that check
 * mails follow links; the button, or the mail program's own (RFC 8058), unsubscribes. A link that nobody gave out gets the same
 * answers in the same time, and what could not be done is not said to be done. Tokens are in no page's log line and no error.
 */
interface UnsubscribeParts
  extends Pick<ApiParts, 'consent' | 'unsubscribeOnGet' | 'seats' | 'notifications' | 'reviews'> {
  clock: Clock;
  log: Log;
}

const path = `${unsubscribePath}/:token`;
const bodyOctetsMax = 16_384; // A mail program sends 26 octets, or a few hundred as multipart.
/** Well over what a commit takes, so that whether there was one cannot be read from the time. */
export const answerAfterMs = 150;
const retryAfterSeconds = '60';

/** Stands in the page where what came is no token at all, ours or taken over, so that nothing of it is ever repeated. */
const noToken = 'A'.repeat(44);

const token = Type.String({ description: 'From the link in a mail.' });
const steps = ['stop', 'undo', 'everything'] as const satisfies readonly Step[];
const params = { link: Type.Object({ token }, closed), step: stepParams() };
const page = { when: 'A page, the same for every token.', type: 'text/html' };
const failedPage = {
  when: 'A page that asks to try again: the database cannot be asked.',
  type: 'text/html',
};
const tooLarge = { 413: 'The body is too large.' };

export function unsubscribeRoutes(parts: UnsubscribeParts): Route[] {
  const { consent, unsubscribeOnGet, clock, log } = parts;
  const { unsubscribe } = consent;
  const kinds = {
    ...{ seats: parts.seats !== undefined, newsletters: parts.notifications !== undefined },
    reviews: parts.reviews !== undefined,
  };
  const pageAnswer = createPages(kinds);

  /** Whether it could be done; nobody is told whether there was anything to do. */
  async function attempt(work: () => Promise<void>, traceId: string): Promise<boolean> {
    const startedAt = clock.monotonic();
    let isDone = true;
    try {
      await work();
    } catch (error) {
      isDone = false;
      log.error('unsubscribe.failed', { traceId, ...failureFields(error) });
    }
    const leftMs = answerAfterMs - (clock.monotonic() - startedAt);
    if (leftMs > 0) await clock.sleep(leftMs);
    return isDone;
  }

  async function takeStep(step: Step, given: string, via: Via, traceId: string): Promise<Shown> {
    const isDone = await attempt(() => stepOf(unsubscribe, step, given, via), traceId);
    return isDone ? { status: 200, shows: step } : { status: 503, shows: { failed: step } };
  }

  const common = { who: 'the world', takesBytes: true, isConstant: true } as const;
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path,
      summary: unsubscribeOnGet
        ? 'The link in a mail: unsubscribes, and shows a page'
        : 'The link in a mail: a page with a button, which changes nothing by itself',
      params: params.link,
      answers: { 200: page, ...(unsubscribeOnGet && { 503: failedPage }) },
      async handle({ params: { token: given }, method, headers, traceId }) {
        // A HEAD never does: it is how programs look whether a link is alive.
        const shown: Shown =
          unsubscribeOnGet && method === 'GET'
            ? await takeStep('stop', given, 'link', traceId)
            : { status: 200, shows: 'ask' };
        return pageAnswer(headers, shown, `${takenOverShape.test(given) ? given : noToken}/`);
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path,
      summary: 'Unsubscribe with one click, as mail programs do (RFC 8058)',
      params: params.link,
      bodyOctetsMax,
      answers: {
        200: { when: 'Nothing, for every token; the body that came does not matter.', type: null },
        503: { when: 'The database cannot be asked; nothing is promised.', schema: error },
      },
      refusals: tooLarge,
      async handle({ params: { token: given }, traceId }) {
        const isDone = await attempt(() => unsubscribe.stop(given, 'one-click'), traceId);
        if (isDone) return { status: 200, body: undefined, headers: privately };
        const sentence = 'This could not be done just now. Please ask again in a minute.';
        const body = { error: sentence, code: 'try_again', traceId };
        return { status: 503, body, headers: { ...privately, 'retry-after': retryAfterSeconds } };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: `${path}/:step`,
      summary: 'The page with the button again, for whoever reloads or comes back',
      params: params.step,
      answers: { 200: page },
      async handle({ headers }) {
        return pageAnswer(headers, { status: 200, shows: 'ask' }, '');
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: `${path}/:step`,
      summary: 'What the buttons of the page do: stop these mails, stop everything, undo either for 24 hours',
      params: params.step,
      bodyOctetsMax,
      answers: { 200: page, 503: failedPage },
      refusals: tooLarge,
      async handle({ params: { token: given, step }, headers, traceId }) {
        return pageAnswer(headers, await takeStep(step, given, 'page', traceId), '');
      },
    }),
  ];
}

interface Shown {
  status: number;
  shows: UnsubscribePage['shows'];
}

function stepOf(unsubscribe: Unsubscribe, step: Step, given: string, via: Via): Promise<void> {
  switch (step) {
    case 'stop':
      return unsubscribe.stop(given, via);
    case 'undo':
      return unsubscribe.undo(given);
    case 'everything':
      return unsubscribe.stopEverything(given);
  }
}

function stepParams() {
  return Type.Object({ token, step: Type.Enum([...steps]) }, closed);
}

/** The address of the page is a secret of one person: kept by nobody, told to nobody. */
const privately = {
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow',
} as const;

function createPages(kinds: UnsubscribePage['kinds']) {
  return (requested: IncomingHttpHeaders, { status, shows }: Shown, toSteps: string) => ({
    status,
    body: unsubscribePage({ locale: languageFor(requested['accept-language']), shows, toSteps, kinds }),
    type: 'text/html; charset=utf-8',
    headers: {
      ...privately,
      // As everywhere, but for its own buttons.
      'content-security-policy':
        "default-src 'none';style-src 'unsafe-inline';base-uri 'none';form-action 'self';frame-ancestors 'none'",
      vary: 'Accept-Language',
      ...(status === 503 && { 'retry-after': retryAfterSeconds }),
    },
  });
}
