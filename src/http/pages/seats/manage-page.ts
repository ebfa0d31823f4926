import type { Locale } from '../../../emails/words.ts';
import type { RegistrationUrl } from '../../../sources/course-seats/registration.ts';
import type { Watch } from '../../../sources/course-seats/subscriptions/subscriptions.ts';
import { escapeHtml } from '../html.ts';
import { dayAt, momentName, timeName } from './campus-time.ts';
import { seatsPage } from './frame.ts';
import {
  type Freshness,
  freshnessLine,
  isOver,
  isSnoozed,
  openNow,
  sectionChip,
  sectionFacts,
  sectionHeading,
  sectionLine,
  sectionName,
  watchChip,
} from './section-view.ts';
import { type SeatsWords, type Step, seatsWords, steps } from './words.ts';

/** What somebody watches, and everything that can be done about it. Whoever has the link sees it; the address is not on it. */
export interface ManagePage {
  locale: Locale;
  now: number;
  watch: Watch;
  siblings: readonly Watch[];
  freshness: Freshness;
  timeZone: string;
  registrationUrl: RegistrationUrl;
  /** What came of the button before: a step that was done, or why nothing was. */
  says: Outcome | null;
  /** All mails to their address, from whatever source. */
  hasStoppedEverything: boolean;
  /** The one it was about, where that is another one than this page's. */
  about: Watch | undefined;
}

/** A step that was done, or what came of it instead. */
export const outcomes = [
  ...steps,
  'refused',
  'badSnooze',
  'badHours',
  'badMost',
  'asked',
  'askedTooOften',
  'stillStopped',
] as const;
type Outcome = (typeof outcomes)[number];

export function managePage(page: ManagePage): string {
  const { locale, watch } = page;
  const words = seatsWords[locale];
  const name = sectionName(watch, words);
  return seatsPage({
    ...{ locale, title: `${name} · ${words.manage.title}`, toRoot: '../../', isUnlisted: true },
    content: `${outcome(page, words)}<h1>${sectionHeading(watch, words, locale)}</h1>
${standing(page, words)}
${watch.section ? sectionFacts(watch.section, locale) : ''}
${controls(page, words)}
${siblingList(page, words)}`,
  });
}

function outcome({ says, watch, about, now }: ManagePage, words: SeatsWords): string {
  if (says === null) return '';
  const { manage, colon } = words;
  const isStep = (outcome: Outcome): outcome is Step => steps.some((step) => step === outcome);
  const one = about ?? watch;
  const isWatching = one.status === 'active' && !isSnoozed(one, now);
  const undone = isWatching
    ? manage.done.undo
    : manage.undoneTo[one.status === 'pending' ? 'pending' : 'other'];
  const sentence = says === 'undo' ? undone : isStep(says) ? manage.done[says] : manage[says];
  const meaning = isStep(says) ? 'good' : says === 'asked' ? 'hand' : 'person';
  return `<p class="told ${meaning}" role="status">${about ? `<strong>${escapeHtml(sectionName(about, words))}${escapeHtml(colon)}</strong>` : ''}${escapeHtml(sentence)}</p>\n`;
}

function standing(page: ManagePage, words: SeatsWords): string {
  const { watch, now, timeZone, locale, freshness, registrationUrl } = page;
  const { manage } = words;
  const { snoozeUntil, maxNotifications } = watch.preferences;
  const lines: string[] = [];
  const say = (sentence: string) => lines.push(`<p>${escapeHtml(sentence)}</p>`);
  if (isOver(watch, now)) say(words.section.over);
  else if (watch.section?.isGone) say(words.section.gone);
  if (page.hasStoppedEverything) say(manage.stoppedAll);
  if (watch.status === 'pending') say(manage.pending);
  if (watch.status === 'suppressed') say(manage.suppressed);
  if (watch.status === 'paused' && maxNotifications !== null && watch.notificationsSent >= maxNotifications)
    say(manage.pausedByLimit);
  if (watch.status === 'unsubscribed') say(ending(page, words));
  if (isSnoozed(watch, now) && watch.status !== 'unsubscribed')
    say(manage.snooze.until(momentName(snoozeUntil ?? 0, timeZone, locale)));
  const isThere = !isOver(watch, now) && !watch.section?.isGone;
  const isOpen = watch.sectionStatus === 'Open' && watch.status !== 'unsubscribed' && isThere;
  const isTold = watch.status === 'active' && !page.hasStoppedEverything;
  return `<p>${watchChip(watch, now, words)}</p>
${lines.join('\n')}
${sectionLine(watch.section?.sectionNumber, watch.sectionStatus, words)}
${freshnessLine(freshness, now, words)}
${isOpen ? openNow(registrationUrl(watch), words, isTold ? 'watching' : null) : ''}`;
}

function ending(
  { watch, now, timeZone, locale, hasStoppedEverything }: ManagePage,
  words: SeatsWords,
): string {
  const { manage } = words;
  if (!canUndo(watch, now)) return manage.ended;
  if (hasStoppedEverything) return manage.againFirst;
  return manage.undoUntil(momentName(watch.undoUntil ?? 0, timeZone, locale));
}

const canUndo = ({ undoUntil }: Watch, now: number) => undoUntil !== null && undoUntil > now;

/** The buttons for how it stands; the first is the likeliest. */
function stepsFor(watch: Watch, now: number): Step[] {
  switch (watch.status) {
    case 'pending':
      return ['confirm', 'stop'];
    case 'active':
      return ['pause', 'stop'];
    case 'paused':
      return ['resume', 'stop'];
    case 'suppressed':
      return ['resume', 'stop'];
    case 'unsubscribed':
      return canUndo(watch, now) ? ['undo'] : [];
  }
}

function controls(page: ManagePage, words: SeatsWords): string {
  const { watch, now } = page;
  // Which of two ways back to press, and whether the other is needed besides, is nobody's riddle: one, then the other.
  const own = stepsFor(watch, now).filter((step) => !page.hasStoppedEverything || step !== 'undo');
  const steps: Step[] = page.hasStoppedEverything ? ['again', ...own] : own;
  const buttons = steps.map((step) =>
    post(watch, step, button(words.manage.steps[step], step !== 'stop' && step !== 'pause')),
  );
  const isAlive = watch.status === 'active' || watch.status === 'paused' || watch.status === 'pending';
  return `<div class="row">${buttons.join('')}</div>
${isAlive ? `${snooze(page, words)}\n${hours(page, words)}\n${most(page, words)}` : ''}`;
}

const post = ({ token }: Watch, step: Step, content: string) =>
  `<form method="post" action="${escapeHtml(token)}/${step}">${content}</form>`;

const button = (label: string, isMain = false, more = '') =>
  `<button type="submit"${isMain ? ' class="main"' : ''}${more}>${escapeHtml(label)}</button>`;

function snooze({ watch, now, timeZone }: ManagePage, words: SeatsWords): string {
  const { snooze: says, steps } = words.manage;
  const ready = (value: string, label: string) =>
    post(watch, 'snooze', `<input type="hidden" name="until" value="${value}">${button(label)}`);
  const day = `<div class="row"><div><label for="until">${escapeHtml(says.date)}</label>
<input id="until" name="until" type="date" required min="${dayAt(now + 86_400_000, timeZone)}" max="${dayAt(now + 365 * 86_400_000, timeZone)}"></div>${button(steps.snooze)}</div>`;
  return `<section>
<h2>${escapeHtml(says.heading)}</h2>
<p>${escapeHtml(says.hint)}</p>
<div class="row">${ready('tomorrow', says.tomorrow)}${ready('next-week', says.nextWeek)}${isSnoozed(watch, now) ? post(watch, 'wake', button(steps.wake)) : ''}</div>
${post(watch, 'snooze', day)}
</section>`;
}

function hours({ watch, timeZone }: ManagePage, words: SeatsWords): string {
  const { deliveryWindow } = watch.preferences;
  // From an hour to the same hour is the whole day.
  const window = deliveryWindow?.startMinutes === deliveryWindow?.endMinutes ? null : deliveryWindow;
  const { hours: says, steps } = words.manage;
  // In the same form, whose values it does not need.
  const always = button(
    steps.always,
    false,
    ` formaction="${escapeHtml(watch.token)}/always" formnovalidate`,
  );
  const from = window ? timeName(window.startMinutes) : '';
  const to = window ? timeName(window.endMinutes) : '';
  const time = (name: 'from' | 'to', value: string) =>
    `<div><label for="${name}">${escapeHtml(words.hours[name])}</label><input id="${name}" name="${name}" type="time" value="${value}" aria-describedby="hours-hint"></div>`;
  return `<section>
<h2>${escapeHtml(says.heading)}</h2>
<p>${escapeHtml(window ? says.now(from, to) : says.always)}</p>
<p class="quiet" id="hours-hint">${escapeHtml(`${words.hours.hint(timeZone)} ${words.watch.hoursEmpty}`)}</p>
${post(watch, 'hours', `<div class="row">${time('from', from)}${time('to', to)}${button(steps.hours)}${window ? always : ''}</div>`)}
</section>`;
}

function most({ watch }: ManagePage, words: SeatsWords): string {
  const { most: says, steps } = words.manage;
  const max = watch.preferences.maxNotifications;
  return `<section>
<h2>${escapeHtml(says.heading)}</h2>
<p>${escapeHtml(says.sent(watch.notificationsSent, max))}${max === null ? ` ${escapeHtml(says.none)}` : ''}</p>
<p class="quiet" id="most-hint">${escapeHtml(says.hint)}</p>
${post(watch, 'most', `<div class="row"><div><label for="most">${escapeHtml(says.label)}</label><input id="most" name="most" type="number" inputmode="numeric" min="1" max="1000" value="${max ?? ''}" aria-describedby="most-hint"></div>${button(steps.most)}</div>`)}
</section>`;
}

function siblingList({ watch, siblings, now }: ManagePage, words: SeatsWords): string {
  const others = siblings.filter(({ token }) => token !== watch.token);
  if (others.length === 0) return '';
  return `<section>
<h2>${escapeHtml(words.manage.siblings)}</h2>
<ul class="sections">${others.map((one) => sibling(one, watch.token, now, words)).join('\n')}</ul>
</section>`;
}

function sibling(one: Watch, back: string, now: number, words: SeatsWords): string {
  const { manage } = words;
  const name = sectionName(one, words);
  const number = one.section ? `${words.section.name(one.section.sectionNumber)} · ` : '';
  const named = (label: string) =>
    ` aria-label="${escapeHtml(manage.stepFor(label, `${name} ${one.indexNumber}`))}"`;
  const buttons = stepsFor(one, now).map((step) => {
    const label = manage.steps[step];
    const content = `<input type="hidden" name="back" value="${escapeHtml(back)}">${button(label, false, named(label))}`;
    return post(one, step, content);
  });
  return `<li><div>${sectionChip(one.sectionStatus, words)}</div>
<div><div><a href="${escapeHtml(one.token)}">${escapeHtml(name)}</a></div><div class="quiet">${escapeHtml(number)}<span class="mono">${escapeHtml(one.indexNumber)}</span></div><div>${watchChip(one, now, words)}</div></div>
<div class="row">${buttons.join('')}</div></li>`;
}
