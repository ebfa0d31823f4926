import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type RunningSampleCampus,
  startSampleCampus,
} from '../../src/sources/course-seats/sample/sample-server.ts';
import { termInRegistration } from '../../src/sources/course-seats/term.ts';
import { createBudgetStore } from '../../src/sources/newsletters/budget/budget-store.ts';
import { previousPeriod } from '../../src/sources/newsletters/period.ts';
import { createLocalUsers } from '../../src/sources/newsletters/users/local-users.ts';
import { systemClock } from '../../src/std/clock.ts';
import { amount, both, entity } from '../newsletters/budget-lines.ts';
import { addressOf, monthly } from '../newsletters/civic-world.ts';
import { hasChromium } from './browser.ts';
import { type HostileCampus, startHostileCampus } from './hostile-campus.ts';
import { createSourcesWorld, type SourcesWorld } from './sources-world.ts';

/**
 * Every text that a stranger can fill in, planted with markup that would run a script. Where it is shown it is shown as it is written: the
 * test knows each by the word before the markup, and looks for all of them on the pages of its readers and of the operator. What an operator
 * and whoever has a key can fill in besides (occasions, recipients, reasons, names, raw mails) is in console-hostile.test.ts.
 */
const fields = {
  /** `courses.json` of the section feed. */
  feed: [
    ...([
      'title',
      'expandedTitle',
      'courseString',
      'number',
      'subtitle',
      'instructor',
      'permission',
    ] as const),
    ...(['openTo', 'eligibility', 'notes', 'comments', 'twinCourse', 'place', 'building', 'room'] as const),
  ],
  /** Only in the mail that tells of an opening. */
  feedMail: ['twinSection'],
  /** What no page shows: to find a course by. */
  feedUnseen: ['subject'],
  /** A review system's submission. */
  review: ['changelist', 'reviewTitle', 'summary', 'message', 'file'],
  /** Budgets that were imported, and what users call their alerts. */
  budget: ['entityName', 'chapterName', 'alertTitle', 'alertDescription'],
} as const;

/** Twenty signs, which is as long as a section's number may be: what stands before it is one letter where the field is that short. */
const short: Readonly<Record<string, string>> = {
  ...{ number: 'N', subject: 'S', twinCourse: 'T', twinSection: 'U', place: 'P', building: 'B', room: 'R' },
};
const planted = (field: string) =>
  field in short ? `${short[field]}<b onclick=x()>${short[field]}` : `${field}<svg onload=pwned=1>`;

describe.skipIf(!hasChromium)('words of strangers', () => {
  const term = termInRegistration(systemClock.now());
  const periodKey = previousPeriod('monthly', systemClock.now()).key;
  const cui = '4305857';
  let campus: RunningSampleCampus;
  let feed: HostileCampus;
  let world: SourcesWorld;
  let withLongTitle = '';
  let withShortTitle = '';
  const dialogs: string[] = [];

  beforeAll(async () => {
    campus = await startSampleCampus({
      ...{ clock: systemClock, termIds: [term], campusCodes: ['NB'], sections: 120, openingEveryMs: null },
    });
    const sections = campus.campus.sections(term);
    withLongTitle = sections[0]?.index ?? '';
    withShortTitle = sections.find(({ course }) => course !== sections[0]?.course)?.index ?? '';
    for (const index of [withLongTitle, withShortTitle]) campus.switches.close(index);
    feed = await startHostileCampus(campus, { withLongTitle, withShortTitle }, planted);
    world = await createSourcesWorld({
      ...{ SOC_BASE_URL: feed.url, SOC_TERMS: term, SOC_CAMPUSES: 'NB', NEWSLETTERS_LOCALE: 'en' },
    });
    await world.engine.seats?.poller.pollNow();
    await world.until(async () => {
      const { courses } = await world.api('GET', `/api/v1/seats/courses?q=${withLongTitle}`);
      return courses.length > 0 || undefined;
    });
  });
  afterEach(() => world.leave());
  afterAll(async () => {
    await world?.close();
    await feed?.close();
    await campus?.close();
  });

  async function open(): Promise<Page> {
    const page = await world.open('');
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    return page;
  }

  const marks = '[onload], [onerror], [onclick]';
  const missing = (texts: string, wanted: readonly string[]) =>
    wanted.filter((field) => !texts.includes(planted(field)));

  /** What can be read on a page and in the mail on it, after nothing of it has run. */
  async function read(page: Page): Promise<string> {
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await expect.poll(() => page.getByText('Loading …', { exact: true }).count()).toBe(0);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(await page.locator(`${marks}, main script`).count()).toBe(0);
    let text = `${await page.title()}\n${await page.locator('body').innerText()}`;
    for (const mail of await page.locator('iframe').all()) {
      const inside = mail.contentFrame();
      await inside.locator('body').waitFor();
      expect(await inside.locator(`${marks}, script`).count()).toBe(0);
      text += await inside.locator('body').innerText();
    }
    expect(dialogs).toEqual([]);
    return text;
  }

  async function readAll(page: Page, paths: readonly string[]): Promise<string> {
    const texts: string[] = [];
    for (const path of paths) {
      await page.goto(`${world.server.url}${path}`);
      texts.push(await read(page));
    }
    return texts.join('\n');
  }

  /** Where links of the newest mail to somebody lead here, once one is of this kind. */
  const linkTo = (to: string, kind: string) =>
    world.until(async () => {
      const { mails } = await world.api('GET', '/api/v1/inbox?limit=50');
      for (const { messageId } of mails.filter((mail: { to: string }) => mail.to === to)) {
        const { text } = await world.api('GET', `/api/v1/inbox/${messageId}`);
        const [link] = new RegExp(`https?://\\S*/${kind}/[\\w-]{44}`).exec(text) ?? [];
        if (link) return { path: new URL(link).pathname, mail: `/console/inbox/${messageId}` };
      }
      return undefined;
    });

  test('from the section feed: students and operators read them, and none runs', async () => {
    const page = await open();
    let students = await readAll(page, [`/seats?q=${withLongTitle}`, `/seats?q=${withShortTitle}`]);
    const mails: string[] = [];
    for (const index of [withLongTitle, withShortTitle]) {
      const email = `ana${index}@example.org`;
      students += await readAll(page, [`/seats/${term}/${index}`]);
      await page.locator('#email').fill(email);
      await page.locator('form button.main').click();
      await page.waitForURL('**/asked');
      students += await read(page);
      const confirm = await linkTo(email, 'confirm');
      students += await readAll(page, [confirm.path]);
      await page.getByRole('button', { name: 'Yes, watch it' }).click();
      await page.waitForLoadState();
      students += await read(page);
      campus.switches.open(index);
      await world.engine.seats?.poller.pollNow();
      const manage = await linkTo(email, 'manage');
      const leave = await linkTo(email, 'unsubscribe');
      students += await readAll(page, [manage.path, leave.path]);
      mails.push(confirm.mail, manage.mail);
    }
    expect(missing(students, fields.feed)).toEqual([]);

    const { deliveries } = await world.api('GET', '/api/v1/deliveries?source=course-seats');
    expect(deliveries.length).toBeGreaterThanOrEqual(2);
    const operators = await readAll(page, [
      ...['/console', '/console/seats', '/console/seats/openings', '/console/deliveries', '/console/inbox'],
      ...[withLongTitle, withShortTitle].flatMap((index) => [
        `/console/seats/${term}/${index}`,
        `/console/seats?q=${index}`,
        `/console/deliveries?q=${index}`,
      ]),
      ...deliveries.map(({ seq }: { seq: number }) => `/console/deliveries/${seq}`),
      ...mails,
    ]);
    // Who teaches it, and of what it treats, is for those who choose.
    expect(missing(operators, [...fields.feed, ...fields.feedMail])).toEqual(['subtitle', 'instructor']);
    expect(missing(`${students}${operators}`, fields.feedUnseen)).toEqual(fields.feedUnseen);
  });

  test('from a review system: the operator reads them, and none runs', async () => {
    const { job } = await world.api('POST', '/api/v1/reviews/jobs', {
      ...{ idempotency_key: planted('key'), changelist_id: planted('changelist'), review_version: 1 },
      ...{
        title: planted('reviewTitle'),
        summary: planted('summary'),
        recipients: [{ email: 'eve@example.org' }],
      },
      url: 'https://review.example.org/?q="><svg onload=pwned=1>',
      findings: [{ severity: 'info', message: planted('message'), file: planted('file'), line: 1 }],
    });
    const { path, mail } = await linkTo('eve@example.org', 'unsubscribe');
    const page = await open();
    const id = encodeURIComponent(planted('changelist'));
    const text = await readAll(page, [
      ...[`/console/reviews/${job.job_id}`, '/console/reviews', `/console/reviews?changelist=${id}`],
      ...[mail, path, '/console/inbox', `/console/deliveries?q=${id}`],
    ]);
    expect(missing(text, fields.review)).toEqual([]);
  });

  test('from budgets and from those who follow them: the operator reads them, and none runs', async () => {
    const { db, newsletters } = world.engine;
    const chapter = amount(cui, periodKey, 'expenses', '500000', '65', {
      chapterName: planted('chapterName'),
    });
    await createBudgetStore({ db, clock: systemClock }).put([
      entity(cui, { name: planted('entityName') }),
      ...[...both(cui, periodKey, '2000000', '1500000'), chapter],
    ]);
    await createLocalUsers({ db, clock: systemClock }).put([
      { userId: 'user-1', email: addressOf('user-1'), isVerified: true },
    ]);
    await newsletters.notifications.subscribe({
      userId: 'user-1',
      type: monthly,
      entityCui: cui,
      locale: 'ro',
    });
    await newsletters.notifications.subscribe({
      ...{ userId: 'user-1', type: 'alert_series_analytics' },
      config: {
        ...{ title: planted('alertTitle'), description: planted('alertDescription'), conditions: [] },
        filter: { accountCategory: 'ch', entityCuis: [cui] },
      },
    });
    const runs: string[] = [];
    for (const notificationType of [monthly, 'alert_series_analytics']) {
      const order = { notificationType, periodKey, by: planted('by') };
      const { runId } = await world.api('POST', '/api/v1/notifications/plans', order);
      runs.push(`/console/runs/${runId}`);
    }
    const page = await open();
    let text = await readAll(page, runs);
    for (const run of runs)
      await world.api('POST', `/api/v1/notifications/plans/${run.slice(-36)}/apply`, {});
    const mails = await world.until(async () => {
      const { mails } = await world.api('GET', '/api/v1/inbox?limit=50');
      const mine = mails.filter(({ to }: { to: string }) => to === addressOf('user-1'));
      return mine.length === 2 ? mine : undefined;
    });
    const { path } = await linkTo(addressOf('user-1'), 'unsubscribe');
    text += await readAll(page, [
      ...[...runs, '/console/runs', path, '/console/audit'],
      ...mails.map(({ messageId }: { messageId: string }) => `/console/inbox/${messageId}`),
    ]);
    expect(missing(text, [...fields.budget, 'by'])).toEqual([]);
  });
});
