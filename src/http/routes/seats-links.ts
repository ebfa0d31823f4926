import { Type } from 'typebox';
import { tokenShape } from '../../consent/token.ts';
import type { Changed, Watch } from '../../sources/course-seats/subscriptions/subscriptions.ts';
import { minutesOf, morningOf, nextWeekMorning, tomorrowMorning } from '../pages/seats/campus-time.ts';
import { confirmPage } from '../pages/seats/confirm-page.ts';
import { managePage, outcomes } from '../pages/seats/manage-page.ts';
import { type Step, steps } from '../pages/seats/words.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed } from '../schemas.ts';
import { answerPage, forms, pageAnswers, readForm, type Shown, tooLarge } from './seats-page.ts';
import type { SeatRouteParts } from './seats-parts.ts';

/**
 * Where the links in mails about seats lead. The token in the address is the proof, from whatever machine, and it is in no log.
 * Following a link changes nothing; the buttons do. A link that nobody gave out gets one answer, whatever is wrong with it.
 */
const token = Type.String({ description: 'From the link in a mail.' });
const params = {
  link: Type.Object({ token }, closed),
  step: Type.Object({ token, step: Type.Enum([...steps]) }, closed),
};
/** What can be said better than that it is not possible. */
const refusals: Readonly<Record<string, (typeof outcomes)[number]>> = {
  suppressed: 'stillStopped',
  asked_too_often: 'askedTooOften',
};
/** What is said where a value cannot be used: which can. */
const badValues: Partial<Readonly<Record<Step, (typeof outcomes)[number]>>> = {
  snooze: 'badSnooze',
  hours: 'badHours',
  most: 'badMost',
};
const mostMax = 1000;
const snoozeMaxMs = 366 * 86_400_000; // Terms are shorter.

export function seatLinkRoutes(parts: SeatRouteParts): Route[] {
  const { seats, clock, limits } = parts;
  const { subscriptions, timeZone, registrationUrl } = seats;
  const { page, seeOther } = pageAnswers;
  const common = {
    404: page('A page: this link leads to no watch.'),
    429: page('A page: too many requests from this network.'),
    503: page('A page: the database cannot be asked; nothing is promised.'),
  };
  const links = { limit: limits.links, isPrivate: true } as const;

  async function find(given: string): Promise<Watch | undefined> {
    return tokenShape.test(given) ? subscriptions.find(given) : undefined;
  }

  /** Undefined where the value cannot be used. */
  function perform(step: Step, given: string, field: (name: string) => string): Promise<Changed> | undefined {
    switch (step) {
      case 'confirm':
        return subscriptions.confirm(given);
      case 'pause':
        return subscriptions.pause(given);
      case 'resume':
        return subscriptions.resume(given);
      case 'stop':
        return subscriptions.cancel(given);
      case 'undo':
        return subscriptions.undoCancel(given);
      case 'again':
        return subscriptions.mailAgain(given);
      case 'wake':
        return subscriptions.snooze(given, null);
      case 'always':
        return subscriptions.setWindow(given, null);
      case 'snooze': {
        const until = snoozeEnd(field('until'), clock.now(), timeZone);
        return until === undefined ? undefined : subscriptions.snooze(given, until);
      }
      case 'hours': {
        const [from, to] = [field('from'), field('to')];
        if (from === '' && to === '') return subscriptions.setWindow(given, null);
        const [startMinutes, endMinutes] = [minutesOf(from), minutesOf(to)];
        if (startMinutes === undefined || endMinutes === undefined) return undefined;
        return subscriptions.setWindow(given, { startMinutes, endMinutes });
      }
      case 'most': {
        const text = field('most');
        if (text === '') return subscriptions.setMaxNotifications(given, null);
        const most = /^\d{1,4}$/.test(text) ? Number(text) : 0;
        return most < 1 || most > mostMax ? undefined : subscriptions.setMaxNotifications(given, most);
      }
    }
  }

  /** From `/seats/manage/<token>/<step>` to the page that the button was on. */
  async function takeStep(step: Step, given: string, field: (name: string) => string): Promise<Shown> {
    if (!tokenShape.test(given)) return { notice: 'noLink' };
    const back = field('back');
    const isElsewhere = tokenShape.test(back) && back !== given;
    const goTo = (says: string, about?: Watch): Shown => ({
      goTo: `../${isElsewhere ? back : given}?says=${says}${isElsewhere && about ? `&about=${about.indexNumber}` : ''}`,
    });
    const changed = await perform(step, given, field);
    if (changed === undefined) return goTo(badValues[step] ?? 'refused');
    switch (changed.kind) {
      case 'changed':
      case 'unchanged':
        // Whose address bounced is asked by mail before the watch goes on.
        return goTo(step === 'resume' && changed.watch.status === 'pending' ? 'asked' : step, changed.watch);
      case 'unknown':
        return { notice: 'noLink' };
      case 'refused':
        return goTo(refusals[changed.code] ?? 'refused');
    }
  }

  return [
    defineRoute({
      ...{ method: 'GET', path: '/seats/confirm/:token', who: 'the world', isConstant: true },
      summary:
        'The link in the first mail to a student: a page with a button, which changes nothing by itself',
      params: params.link,
      answers: {
        200: page('The watch that is to be confirmed.'),
        303: seeOther('It is confirmed already: on to its page.'),
        ...common,
      },
      handle: ({ params: { token: given }, ...asked }) =>
        answerPage(
          {
            ...{ asked, ...links, toRoot: '../../' },
            async work(locale) {
              const watch = await find(given);
              if (!watch) return { notice: 'noLink' };
              if (watch.status !== 'pending') return { goTo: `../manage/${given}` };
              const siblings = await subscriptions.siblings(given);
              const waiting = siblings.filter(({ status }) => status === 'pending');
              return { status: 200, html: confirmPage({ locale, watch, waiting }) };
            },
          },
          parts,
        ),
    }),
    defineRoute({
      ...forms,
      ...{ method: 'POST', path: '/seats/confirm/:token', who: 'the world' },
      summary: 'What the button of that page does: the address is believed, and the watch begins',
      params: params.link,
      answers: { 303: seeOther('On to the page of the watch.'), ...common },
      refusals: tooLarge,
      handle: ({ params: { token: given }, ...asked }) =>
        answerPage(
          {
            ...{ asked, ...links, toRoot: '../../' },
            async work() {
              const changed = tokenShape.test(given) ? await subscriptions.confirm(given) : undefined;
              if (!changed || changed.kind === 'unknown') return { notice: 'noLink' };
              return {
                goTo: `../manage/${given}?says=${changed.kind === 'refused' ? 'refused' : 'confirm'}`,
              };
            },
          },
          parts,
        ),
    }),
    defineRoute({
      ...{ method: 'GET', path: '/seats/manage/:token', who: 'the world', isConstant: true },
      summary: 'The link in every mail to a student: what they watch, and the buttons for it',
      params: params.link,
      query: Type.Object({
        says: Type.Optional(Type.String({ maxLength: 40, description: 'What came of the button before.' })),
        about: Type.Optional(Type.String({ maxLength: 5, description: 'The index that it was about.' })),
      }),
      answers: { 200: page('The watch, and what else its owner watches.'), ...common },
      handle: ({ params: { token: given }, query: { says, about }, ...asked }) =>
        answerPage(
          {
            ...{ asked, ...links, toRoot: '../../' },
            async work(locale) {
              const watch = await find(given);
              if (!watch) return { notice: 'noLink' };
              const siblings = await subscriptions.siblings(given);
              const html = managePage({
                ...{ locale, now: clock.now(), watch, siblings, timeZone, registrationUrl },
                hasStoppedEverything: await subscriptions.hasStoppedEverything(given),
                freshness: (await parts.freshness())(watch),
                says: outcomes.find((one) => one === says) ?? null,
                about: siblings.find(
                  ({ indexNumber, token: other }) => indexNumber === about && other !== given,
                ),
              });
              return { status: 200, html };
            },
          },
          parts,
        ),
    }),
    defineRoute({
      ...forms,
      ...{ method: 'POST', path: '/seats/manage/:token/:step', who: 'the world' },
      summary:
        'What the buttons of that page do: pause, resume, snooze, hours, most mails, stop, undo for 24 hours, mail again after all mails were stopped',
      params: params.step,
      answers: { 303: seeOther('Back to the page, which says what came of it.'), ...common },
      refusals: tooLarge,
      handle: ({ params: { token: given, step }, bytes, ...asked }) =>
        answerPage(
          {
            ...{ asked, ...links, toRoot: '../../../' },
            work: () => takeStep(step, given, readForm(bytes)),
          },
          parts,
        ),
    }),
  ];
}

/** Undefined for what is no day, or not in the time to come. */
function snoozeEnd(until: string, now: number, timeZone: string): number | undefined {
  if (until === 'tomorrow') return tomorrowMorning(now, timeZone);
  if (until === 'next-week') return nextWeekMorning(now, timeZone);
  const at = morningOf(until, timeZone);
  return at !== undefined && at > now && at - now <= snoozeMaxMs ? at : undefined;
}
