import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createBudgetStore } from '../../src/sources/newsletters/budget/budget-store.ts';
import { periodLabel, previousPeriod } from '../../src/sources/newsletters/period.ts';
import { createLocalUsers } from '../../src/sources/newsletters/users/local-users.ts';
import { systemClock } from '../../src/std/clock.ts';
import { both, entity } from '../newsletters/budget-lines.ts';
import { addressOf, monthly } from '../newsletters/civic-world.ts';
import { createFakeSmtp, type FakeSmtp } from '../support/fake-smtp/fake-smtp.ts';
import { hasChromium } from './browser.ts';
import { expectToFitEverywhere } from './console-world.ts';
import { createSourcesWorld, reasonByKeyboard, type SourcesWorld } from './sources-world.ts';

/** An operator with a browser, five people who follow a town hall, and a mail server that takes mail when the test says so. */
describe.skipIf(!hasChromium)('newsletters in the console', () => {
  const cui = '4305857';
  const period = previousPeriod('monthly', systemClock.now());
  const { key: periodKey } = period;
  const periodInWords = periodLabel(period, 'en');
  const runsPath = '/api/v1/notifications/runs';
  const operatorKey = 'operator-0123456789abcdefghijklmnopqrs';
  const readKey = 'read-0123456789abcdefghijklmnopqrstuvw';
  let smtp: FakeSmtp;
  let world: SourcesWorld;

  beforeAll(async () => {
    smtp = await createFakeSmtp();
    world = await createSourcesWorld({
      ...{
        MAIL_PROVIDER: 'smtp',
        SMTP_URL: smtp.plainUrl,
        NEWSLETTERS_LOCALE: 'en',
        MAIL_QUOTA_PER_DAY: '100',
      },
      ...{
        EMAIL_FROM_ADDRESS: 'Budgets <budgets@example.org>',
        PLATFORM_BASE_URL: 'https://budget.example.org',
      },
      ...{ OPERATOR_API_KEY: operatorKey, READ_API_KEY: readKey, TOKEN_SECRET: 'a'.repeat(40) },
    });
    const { db, newsletters } = world.engine;
    const names = [1, 2, 3, 4, 5].map((number) => `user-${number}`);
    await createBudgetStore({ db, clock: systemClock }).put([
      entity(cui, { name: '<img src=x onerror=alert(1)> Town' }),
      ...both(cui, periodKey, '2000000', '1500000'),
    ]);
    await createLocalUsers({ db, clock: systemClock }).put(
      names.map((userId) => ({ userId, email: addressOf(userId), isVerified: true })),
    );
    for (const userId of names) {
      const { notification } = await newsletters.notifications.subscribe({
        userId,
        type: monthly,
        entityCui: cui,
      });
      if (userId === 'user-5')
        await newsletters.notifications.update(userId, notification.id, { isActive: false });
    }
  });
  afterEach(() => world.leave());
  afterAll(async () => {
    await world?.close();
    await smtp?.close();
  });

  async function signedIn(path: string, key: string = operatorKey): Promise<Page> {
    const page = await world.open(path);
    await page.getByLabel('Key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation').waitFor();
    return page;
  }
  const runNow = async (page: Page) =>
    world.api('GET', `${runsPath}/${page.url().split('/').at(-1)}`, undefined, operatorKey);

  test('a run is planned, applied with a canary that halts, and goes on', async () => {
    smtp.lie({ rcpt: '550 5.7.1 We take nothing from you' });
    const page = await signedIn('/runs');
    await page.getByText('There has been no run yet.').waitFor();
    await page.getByRole('link', { name: 'Plan a run' }).click();
    await page.getByLabel('What is told').selectOption(monthly);
    await page.getByRole('button', { name: 'Only count' }).click();
    await page.getByText(`4 people are to be told of ${periodInWords}. Nothing was done.`).waitFor();
    expect(await world.api('GET', runsPath, undefined, operatorKey)).toEqual({ runs: [], next: null });
    await page.getByRole('textbox', { name: 'Period' }).fill('1999');
    await page.getByRole('button', { name: 'Make a plan' }).click();
    await page
      .getByRole('alert')
      .getByText('The period of newsletter_entity_monthly is written like')
      .waitFor();
    // To a browser an answer like that is worth a complaint.
    expect(world.complaints()).toEqual([expect.stringContaining('400')]);
    await page.getByRole('textbox', { name: 'Period' }).fill('');
    await page.getByLabel('Mail a few first').check();
    await page.getByLabel('How many first').fill('1');
    await expectToFitEverywhere(page);
    await page.getByRole('button', { name: 'Make a plan' }).click();

    await page.getByText('4 people would be told.').waitFor();
    await page.getByText('1: switched it off themselves').waitFor();
    const mail = page.frameLocator('iframe.mail');
    await mail.getByText('<img src=x onerror=alert(1)> Town').first().waitFor();
    expect(smtp.ledger).toEqual([]);
    await expectToFitEverywhere(page);
    await page.getByRole('button', { name: 'Text', exact: true }).click();
    expect(await page.locator('pre').innerText()).toContain('Town');

    await page.getByRole('button', { name: 'Tell 4 people' }).click();
    await page.getByText('The run has halted itself').waitFor();
    // One was to be first; another may have been taken up in its place before the run was halted.
    const now = await runNow(page);
    const { accepted, bad } = now.progress.canary;
    expect([now.status, accepted, bad >= 1, now.progress.items.planned >= 2]).toEqual([
      'halted',
      0,
      true,
      true,
    ]);
    await page.getByText(`${bad} bounced, refused or complained about.`).waitFor();
    const halted = page.getByRole('table', { name: 'What halted it' });
    await halted.waitFor();
    expect(await halted.getByRole('row').count()).toBe(bad + 1);
    expect(await halted.innerText()).toContain('failed_permanent');
    await expectToFitEverywhere(page);
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('link', { name: /^Monthly newsletter, .* has halted/ }).click();

    smtp.lie({});
    await page.getByRole('button', { name: 'Go on' }).click();
    await reasonByKeyboard(page, 'the mail server has let us in');
    await page.getByText('finished', { exact: true }).waitFor();
    await world.until(async () => (smtp.ledger.length === 4 - bad ? true : undefined));
    await page.getByText('4 of 4 settled').waitFor();
    expect((await runNow(page)).because).toContain('the mail server has let us in');
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
    await page.getByLabel('State').selectOption('composed');
    expect(new URL(page.url()).search).toBe('?state=composed');
    await page.reload();
    await page.getByRole('table', { name: 'Everybody on its list' }).waitFor();
    expect(await page.getByLabel('State').inputValue()).toBe('composed');
  });

  test('a run is paused, goes on and is cancelled, with the keyboard alone; the audit log has the reasons', async () => {
    smtp.lie({});
    const before = previousPeriod('monthly', systemClock.now() - 31 * 86_400_000).key;
    const { db } = world.engine;
    await createBudgetStore({ db, clock: systemClock }).put(both(cui, before, '2000000', '1500000'));
    const page = await signedIn(`/runs/new?type=${monthly}&period=${before}`);
    await page.getByLabel('Mail a few first').focus();
    await page.keyboard.press('Space');
    await page.getByLabel('How many first').fill('1');
    await page.keyboard.press('Enter');
    await page.getByLabel('Why, if you like').fill('the month is over');
    await page.keyboard.press('Enter');
    await page.getByText('Listening for bounces until').waitFor();
    await page.getByRole('button', { name: 'Pause' }).focus();
    await page.keyboard.press('Enter');
    await reasonByKeyboard(page, 'a figure looks wrong');
    await page.getByText('paused', { exact: true }).waitFor();
    await page.getByText('a figure looks wrong (').waitFor();
    await page.getByRole('button', { name: 'Go on' }).focus();
    await page.keyboard.press('Enter');
    await reasonByKeyboard(page, 'it is right');
    await page.getByText('running', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel the run' }).focus();
    await page.keyboard.press('Enter');
    await reasonByKeyboard(page, 'enough was seen');
    await page.getByText('cancelled', { exact: true }).waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    const { lines } = await world.api('GET', '/api/v1/audit?limit=5', undefined, operatorKey);
    expect(lines.map(({ reason }: { reason: string | null }) => reason)).toEqual([
      ...['enough was seen', 'it is right', 'a figure looks wrong', 'the month is over', null],
    ]);
    await page.goto(`${world.server.url}/console/runs`);
    const table = page.getByRole('table', { name: 'Newsletters' });
    await table.waitFor();
    await expectToFitEverywhere(page);
    // Down one line, and open it.
    await table.getByRole('row').nth(1).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `Monthly newsletter, ${periodInWords}` }).waitFor();
  });

  test('a plan that nobody is on is no work in hand', async () => {
    const page = await signedIn('/runs/new');
    await page.getByLabel('What is told').selectOption('newsletter_entity_yearly');
    await page.getByRole('button', { name: 'Make a plan' }).click();
    await page.getByText('There is nobody to be told, and nothing to apply.').waitFor();
    await page.locator('.chip', { hasText: 'nobody to tell' }).waitFor();
    await page.getByRole('link', { name: 'All runs' }).click();
    await page.getByRole('row', { name: /Yearly newsletter.*nobody to tell/ }).waitFor();
    expect(await page.getByText('planned', { exact: true }).count()).toBe(0);
  });

  test('who only looks sees the runs, and no verb', async () => {
    const page = await signedIn('/runs', readKey);
    await page.getByRole('table', { name: 'Newsletters' }).waitFor();
    expect(await page.getByRole('link', { name: 'Plan a run' }).count()).toBe(0);
    await page.goto(`${world.server.url}/console/runs/new`);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    // A period that nobody was told of, and of which there are no figures.
    const order = { notificationType: monthly, periodKey: '2020-01' };
    const { runId } = await world.api('POST', '/api/v1/notifications/plans', order, operatorKey);
    await page.goto(`${world.server.url}/console/runs/${runId}`);
    await page.getByText('4 people would be told.').waitFor();
    await page.getByText('There is no sample:').waitFor();
    expect(await page.getByRole('main').getByRole('button').allInnerTexts()).toEqual([]);
  });

  test('home says how much of the quota is used', async () => {
    const page = await signedIn('/', readKey);
    await page.getByText(`${smtp.ledger.length} of 100 today`, { exact: true }).waitFor();
    expect(smtp.ledger.length).toBeGreaterThan(0);
    expect(await page.getByText('this month').count()).toBe(0);
    await expectToFitEverywhere(page);
  });

  test('in Romanian, and what is broken says so', async () => {
    const page = await signedIn('/runs');
    await page.getByLabel('Language').selectOption('ro');
    await page.getByRole('heading', { name: 'Buletine' }).waitFor();
    await page
      .getByText(`Buletin lunar, ${periodLabel(period, 'ro')}`)
      .first()
      .waitFor();
    await page.route('**/api/v1/notifications/runs**', (route) => route.abort());
    await page.goto(`${world.server.url}/console/runs?before=2999-01-01T00:00:00.000Z`);
    await page.getByText('Nu a putut fi arătat').waitFor();
    expect(world.complaints().length).toBeGreaterThan(0);
    await page.unroute('**/api/v1/notifications/runs**');
    await page.getByRole('button', { name: 'Încearcă din nou' }).click();
    await page.getByRole('table', { name: 'Buletine' }).waitFor();
  });
});
