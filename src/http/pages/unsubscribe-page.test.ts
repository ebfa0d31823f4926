import { expect, test } from 'vitest';
import { unsubscribePage } from './unsubscribe-page.ts';

const seats = /course section|secțiune de curs|班级/;
const newsletters = /newsletter|buletin|简报/;

test.each(['en', 'ro', 'zh-CN'] as const)('in %s nobody is told of mails that nobody gets here', (locale) => {
  for (const shows of ['ask', 'stop', 'everything', 'undo'] as const) {
    const pageWith = (kinds: { seats: boolean; newsletters: boolean }) =>
      unsubscribePage({ locale, shows, toSteps: 'x/', kinds });
    const says = (page: string) => [seats.test(page), newsletters.test(page), page.includes('{kinds}')];
    const isSaid = shows === 'ask' || shows === 'stop';
    expect(says(pageWith({ seats: false, newsletters: true }))).toEqual([false, isSaid, false]);
    expect(says(pageWith({ seats: true, newsletters: false }))).toEqual([isSaid, false, false]);
    expect(says(pageWith({ seats: true, newsletters: true }))).toEqual([isSaid, isSaid, false]);
    expect(says(pageWith({ seats: false, newsletters: false }))).toEqual([false, false, false]);
  }
});
