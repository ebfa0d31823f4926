import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import type { Locale } from '../../emails/words.ts';
import type { SectionDetails } from '../../sources/course-seats/catalog/catalog.ts';
import type { DeliveryWindow } from '../../sources/course-seats/subscriptions/subscriptions.ts';
import { isIndex, parseTermId } from '../../sources/course-seats/term.ts';
import { minutesOf } from '../pages/seats/campus-time.ts';
import { askedPage, sectionPage, type WatchForm } from '../pages/seats/section-page.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed } from '../schemas.ts';
import { answerPage, forms, isOwnForm, pageAnswers, readForm, type Shown, tooLarge } from './seats-page.ts';
import type { SeatRouteParts } from './seats-parts.ts';
import { searchIn, searchQuery } from './seats-search.ts';

/**
 * A section's page, its form, and what follows the form. Nothing here shows an address or a link to a watch: who fills in an
 * address proves nothing, and learns nothing about it.
 */
const path = '/seats/:term/:index';
/** Well over what a commit takes; where one takes longer, the answer waits for the next multiple. */
export const answerEveryMs = 200;
const params = Type.Object({ term: Type.String(), index: Type.String() }, closed);

export function seatWatchRoutes(parts: SeatRouteParts): Route[] {
  const { seats, clock, limits } = parts;
  const { page, seeOther } = pageAnswers;
  const common = {
    404: page('A page: there is no such section.'),
    429: page('A page: too many requests from this network.'),
    503: page('A page: the database cannot be asked.'),
  };

  async function sectionOf({ term, index }: Static<typeof params>): Promise<SectionDetails | undefined> {
    return parseTermId(term) && isIndex(index) ? seats.catalog.section(term, index) : undefined;
  }

  async function show(section: SectionDetails, locale: Locale, search: string) {
    const freshness = (await parts.freshness())(section);
    return {
      locale,
      now: clock.now(),
      section,
      search,
      freshness,
      timeZone: seats.timeZone,
      registrationUrl: seats.registrationUrl,
    };
  }

  /** A new watch takes a commit, and one that is there takes none: what was found must not be read from the time. */
  async function untilNextAnswer(startedAt: number): Promise<void> {
    const tookMs = clock.monotonic() - startedAt;
    await clock.sleep(answerEveryMs * Math.max(1, Math.ceil(tookMs / answerEveryMs)) - tookMs);
  }

  async function watch(
    section: SectionDetails,
    given: WatchForm,
    { locale, network, search }: { locale: Locale; network: string; search: string },
  ): Promise<Shown> {
    const again = async (problem: 'badEmail' | 'badHours'): Promise<Shown> => ({
      status: 422,
      html: sectionPage({ ...(await show(section, locale, search)), given: { ...given, problem } }),
    });
    const window = windowOf(given);
    if (window === undefined) return again('badHours');
    const { termId, campusCode, indexNumber } = section;
    const startedAt = clock.monotonic();
    const created = await seats.subscriptions.create({
      ...{ termId, campusCode, indexNumber, email: given.email, locale },
      ...(window && { preferences: { deliveryWindow: window } }),
      caller: createHash('sha256').update(`tidings seats ${network}`).digest('base64url'),
    });
    await untilNextAnswer(startedAt);
    const isAsked: Shown = { goTo: `${indexNumber}/asked${search}` };
    switch (created.kind) {
      case 'created':
      case 'existing':
        return isAsked;
      case 'invalid_contact':
        return again('badEmail');
      case 'invalid_preferences':
        return again('badHours');
      case 'section_not_found':
      case 'section_conflict':
        return { notice: 'noSection' };
      case 'rate_limited': {
        const { limit, retryAfterMs } = created;
        // How much an address watches is its owner's business: what its limits say is said by a mail, or not at all.
        if (limit === 'contact') return isAsked;
        return { notice: limit === 'section' ? 'sectionFull' : 'limited', retryAfterMs };
      }
    }
  }

  return [
    defineRoute({
      ...{ method: 'GET', path, params, query: searchQuery, who: 'anybody', isConstant: true },
      summary: 'For students: a section, and the form to watch it',
      answers: { 200: page('The section.'), ...common },
      handle: ({ params: given, query, ...asked }) =>
        answerPage(
          {
            ...{ asked, limit: limits.looks, toRoot: '../../', isPrivate: false },
            async work(locale) {
              const section = await sectionOf(given);
              if (!section) return { notice: 'noSection' };
              return { status: 200, html: sectionPage(await show(section, locale, searchIn(query))) };
            },
          },
          parts,
        ),
    }),
    defineRoute({
      ...forms,
      ...{ method: 'POST', path, params, query: searchQuery, who: 'anybody' },
      summary: 'For students: what the form of a section does',
      answers: {
        303: seeOther('It is asked for: a mail to confirm it is on its way, or the watch was there already.'),
        ...common,
        403: page('A page: the form is one of another site.'),
        422: page('The section with its form: something in it is not as it must be.'),
      },
      refusals: tooLarge,
      handle: ({ params: given, query, bytes, ...asked }) =>
        answerPage(
          {
            ...{ asked, limit: limits.watches, toRoot: '../../', isPrivate: false },
            async work(locale, network) {
              if (!isOwnForm(asked.headers)) return { notice: 'foreign' };
              const section = await sectionOf(given);
              if (!section || section.isGone) return { notice: 'noSection' };
              const field = readForm(bytes);
              const filledIn = { email: field('email'), from: field('from'), to: field('to') };
              return watch(section, filledIn, { locale, network, search: searchIn(query) });
            },
          },
          parts,
        ),
    }),
    defineRoute({
      ...{
        method: 'GET',
        path: `${path}/asked`,
        params,
        query: searchQuery,
        who: 'anybody',
        isConstant: true,
      },
      summary: 'For students: what to do now that a watch was asked for',
      answers: { 200: page('The same for everybody.'), ...common },
      handle: ({ params: given, query, ...asked }) =>
        answerPage(
          {
            ...{ asked, limit: limits.looks, toRoot: '../../../', isPrivate: false },
            async work(locale) {
              const section = await sectionOf(given);
              if (!section) return { notice: 'noSection' };
              const { verifiesAddresses: verifies } = seats;
              const shown = await show(section, locale, searchIn(query));
              return { status: 200, html: askedPage({ ...shown, verifies, hasInbox: parts.hasInbox }) };
            },
          },
          parts,
        ),
    }),
  ];
}

/** Null where no hours were filled in, undefined where they are none. */
function windowOf({ from, to }: WatchForm): DeliveryWindow | null | undefined {
  if (from === '' && to === '') return null;
  const startMinutes = minutesOf(from);
  const endMinutes = minutesOf(to);
  return startMinutes === undefined || endMinutes === undefined ? undefined : { startMinutes, endMinutes };
}
