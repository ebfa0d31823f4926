import { expect, test } from 'vitest';
import { unsubscribePage } from './unsubscribe-page.ts';

const seats = /course section|secțiune de curs|班级/;
const newsletters = /newsletter|buletin|简报/;
const others = /any other message|orice alt mesaj|其他邮件：/;
const reviews = false;

test.each(['en', 'ro', 'zh-CN'] as const)('in %s nobody is told of mails that nobody gets here', (locale) => {
  for (const shows of ['ask', 'stop', 'everything', 'undo'] as const) {
    const pageWith = (kinds: { seats: boolean; newsletters: boolean }) =>
      unsubscribePage({ locale, shows, toSteps: 'x/', kinds: { ...kinds, reviews } });
    // A mail whose words the operator brings is of no kind that has a name, and is told beside those that have.
    const says = (page: string) => [seats.test(page), newsletters.test(page), others.test(page)];
    const isSaid = shows === 'ask' || shows === 'stop';
    expect(says(pageWith({ seats: false, newsletters: true }))).toEqual([false, isSaid, isSaid]);
    expect(says(pageWith({ seats: true, newsletters: false }))).toEqual([isSaid, false, isSaid]);
    expect(says(pageWith({ seats: true, newsletters: true }))).toEqual([isSaid, isSaid, isSaid]);
    expect(says(pageWith({ seats: false, newsletters: false }))).toEqual([false, false, false]);
  }
});

const all = { seats: true, newsletters: true, reviews: true };

test('the first page is true also after everything was stopped: it does not know, and says what holds either way', () => {
  const page = unsubscribePage({ locale: 'en', shows: 'ask', toSteps: 'x/', kinds: all });
  expect(page).toContain('If they are stopped already, they stay so.');
  expect(page).not.toMatch(/still come/i);
});

test.each([
  ['en', 'what was held back meanwhile is sent now'],
  ['ro', 'ce a fost reținut între timp se trimite acum'],
  ['zh-CN', '其间暂缓的邮件如仍有用，现在就会发送'],
] as const)('in %s whoever takes it back is told that what waited comes now', (locale, sentence) => {
  expect(unsubscribePage({ locale, shows: 'undo', toSteps: '', kinds: all })).toContain(sentence);
});

test('what is taken back is not confirmed by it, where anything has to be', () => {
  const page = (seats: boolean) =>
    unsubscribePage({ locale: 'en', shows: 'undo', toSteps: '', kinds: { ...all, seats } });
  expect(page(true)).toContain('What was not confirmed before still waits to be.');
  expect(page(false)).not.toContain('confirmed');
});
