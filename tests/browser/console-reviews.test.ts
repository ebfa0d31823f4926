import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createFakeSmtp, type FakeSmtp } from '../support/fake-smtp/fake-smtp.ts';
import { hasChromium } from './browser.ts';
import { expectToFitEverywhere } from './console-world.ts';
import { createSourcesWorld, reasonByKeyboard, type SourcesWorld } from './sources-world.ts';

/** A review system that posts reviews, a mail server that refuses while the test says so, and an operator. */
describe.skipIf(!hasChromium)('code reviews in the console', () => {
  let smtp: FakeSmtp;
  let world: SourcesWorld;
  const path = '/api/v1/reviews';
  beforeAll(async () => {
    smtp = await createFakeSmtp();
    world = await createSourcesWorld({
      ...{ MAIL_PROVIDER: 'smtp', SMTP_URL: smtp.plainUrl, TOKEN_SECRET: 'a'.repeat(40) },
      EMAIL_FROM_ADDRESS: 'Reviews <reviews@example.org>',
      PLATFORM_BASE_URL: 'https://review.example.org',
    });
  });
  afterEach(() => world.leave());
  afterAll(async () => {
    await world?.close();
    await smtp?.close();
  });

  const planted = '<img src=x onerror="document.title=`planted`">';
  const submit = async (changelist: string, emails: string[], more: object = {}) =>
    (
      await world.api('POST', `${path}/jobs`, {
        ...{
          idempotency_key: changelist,
          changelist_id: changelist,
          review_version: 1,
          title: `Review of ${changelist}`,
        },
        recipients: emails.map((email) => ({ email })),
        findings: [{ severity: 'major', message: 'A loop that never ends.', file: 'src/a.ts', line: 7 }],
        ...more,
      })
    ).job;
  const stateOf = (jobId: string, wanted: string) =>
    world.until(async () => {
      const job = await world.api('GET', `${path}/jobs/${jobId}`);
      return job.state === wanted ? job : undefined;
    });

  test('a review that failed is found, its reasons are told, and it is tried again', async () => {
    smtp.lie({ rcpt: '550 5.7.1 We take nothing from you' });
    const failed = await submit('CL-1', ['ana@example.org', 'bob@example.org']);
    await world.until(async () => {
      const { dead_letters: letters } = await world.api('GET', `${path}/jobs/${failed.job_id}`);
      return letters.length === 2 || undefined;
    });
    smtp.lie({});
    const told = await submit('CL-2', ['ana@example.org']);
    await stateOf(told.job_id, 'succeeded');

    const page = await world.open('');
    await page.goto(`${world.server.url}/`);
    await page.getByRole('link', { name: '2 reviewers have not heard of a review' }).click();
    const letters = page.getByRole('table', { name: 'Reviewers who were not told' });
    expect(await letters.innerText()).toContain('The provider does not take it: an operator must decide.');
    await expectToFitEverywhere(page);
    await page.getByRole('link', { name: 'All reviews' }).click();
    const table = page.getByRole('table', { name: 'Code reviews' });
    await table.waitFor();
    expect(await table.getByRole('row').count()).toBe(3);
    await expectToFitEverywhere(page);
    await page.getByLabel('State').selectOption('failed');
    await page.waitForURL('**/reviews?state=failed');
    await page.getByText('Review of CL-2').waitFor({ state: 'detached' });
    // The first line, by the keyboard.
    await table.getByRole('row').nth(1).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Review of CL-1' }).waitFor();
    await page.getByText('A loop that never ends.').waitFor();
    await expectToFitEverywhere(page);

    await page.getByRole('button', { name: 'Try again: ana@example.org' }).click();
    await reasonByKeyboard(page, 'the account was made');
    await page.getByText('1 delivery is put back.').waitFor();
    await page.getByRole('button', { name: 'Try again for 1 person' }).click();
    await reasonByKeyboard(page, 'and the other one');
    await page.getByText('told to all').waitFor();
    expect(smtp.ledger.flatMap(({ to }) => to).sort()).toEqual([
      ...['ana@example.org', 'ana@example.org', 'bob@example.org'],
    ]);
    const { lines } = await world.api('GET', '/api/v1/audit');
    expect(lines.map(({ reason }: { reason: string }) => reason)).toEqual([
      ...['and the other one', 'the account was made'],
    ]);
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
  });

  test('words of strangers stay words, in every field of a review', async () => {
    const job = await submit(`CL ${planted}`, ['eve@example.org'], {
      ...{ title: `T ${planted}`, summary: `S ${planted}`, idempotency_key: `k ${planted}` },
      url: 'https://review.example.org/?q=%3Cimg%3E',
      findings: [{ severity: 'info', message: `M ${planted}`, file: `f ${planted}`, line: 1 }],
    });
    const page = await world.open(`/reviews/${job.job_id}`);
    await page.getByRole('heading', { name: `T ${planted}` }).waitFor();
    for (const text of [`S ${planted}`, `M ${planted}`, `f ${planted}`, `CL ${planted}`])
      expect(await page.getByText(text).first().isVisible(), text).toBe(true);
    await page.goto(`${world.server.url}/console/reviews`);
    await page.getByRole('link', { name: `T ${planted}` }).waitFor();
    expect(await page.title()).not.toBe('planted');
    expect(await page.locator('main img').count()).toBe(0);
  });

  test('what is not there is said, and a list that is empty says what would be in it', async () => {
    const page = await world.open('/reviews?changelist=none');
    await page.getByText('No review matches. Take away a filter.').waitFor();
    await page.goto(`${world.server.url}/console/reviews/00000000-0000-4000-8000-000000000000`);
    await page.getByText('There is no such review.').waitFor();
    // To a browser an answer like that is worth a complaint.
    expect(world.complaints()).toEqual([expect.stringContaining('404')]);
  });
});
