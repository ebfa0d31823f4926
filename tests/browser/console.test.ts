import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { keys } from '../http/api-world.ts';
import { samplesOf } from '../http/console-examples.ts';
import { rowsIn } from '../support/rows.ts';
import { type Chromium, hasChromium, startChromium, type Visit } from './browser.ts';
import { type ConsoleWorld, createConsoleWorld, expectToFitEverywhere, giveReason } from './console-world.ts';

/** An operator at work: signs in, looks, finds, decides. */
describe.skipIf(!hasChromium)('the console in a browser', () => {
  let world: ConsoleWorld;
  let chromium: Chromium;
  let visit: Visit | undefined;

  beforeAll(async () => {
    chromium = await startChromium();
    world = await createConsoleWorld({ api: { samples: samplesOf() } });
    await rowsIn(world, [
      ...[1, 2, 3].map((number) => ({ status: 'failed_permanent' as const, number })),
      ...[4, 5, 6].map((number) => ({ status: 'needs_review' as const, number })),
      ...[7, 8].map((number) => ({ status: 'delivered' as const, number })),
      { status: 'pending', number: 9 },
    ]);
  });
  afterEach(async () => {
    const complaints = visit?.complaints;
    await visit?.close();
    visit = undefined;
    expect(complaints ?? []).toEqual([]);
  });
  afterAll(async () => {
    await chromium?.close();
    await world?.close();
  });

  const open = async (...[path, options]: [string, Parameters<ConsoleWorld['visit']>[2]?]) => {
    visit = await world.visit(chromium, path, options);
    return visit.page;
  };

  test('signing in by key: a wrong one is told so, a right one opens the page that was asked for', async () => {
    const page = await open('/dead-letters', { role: null });
    await page.getByLabel('Key').fill('wrong-0123456789abcdefghijklmnopqrst');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await expectToFitEverywhere(page);
    // What the browser says of an answer that is no 2xx is no fault of the page.
    visit?.complaints.splice(0);
    await page.getByLabel('Key').fill(keys.operator[0]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Dead letters', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  test('home has the map with its counts, and what needs a person', async () => {
    const page = await open('');
    await page.getByText('3 deliveries of which nobody knows').waitFor();
    await page.getByText('3 deliveries given up').waitFor();
    expect(await page.locator('.facts dd').allInnerTexts()).toEqual([
      'without a limit',
      'closed: mail leaves',
      'none is known (MAIL_QUOTA_PER_DAY, MAIL_QUOTA_PER_MONTH)',
    ]);
    await expectToFitEverywhere(page);
  });

  test('everything is paused and resumed, with a reason that everybody sees', async () => {
    const page = await open('');
    // Apart from whatever else has buttons there.
    const own = page.getByRole('region', { name: 'All mail' });
    await own.waitFor();
    expect(await own.getByRole('button').allInnerTexts()).toEqual(['Pause all mail']);
    await page.getByRole('button', { name: 'Pause all mail' }).click();
    await giveReason(page, 'Pause all mail', 'the provider is being moved');
    await page.getByText('the provider is being moved').first().waitFor();
    expect((await world.parts.api.pauses.list()).map(({ scope }) => scope)).toEqual(['*']);
    await page.getByRole('button', { name: 'Let mail leave again' }).click();
    await page.getByText('What waits begins to leave within seconds').waitFor();
    await expectToFitEverywhere(page);
    await giveReason(page, 'Let mail leave again', 'it has been moved');
    await page.getByRole('button', { name: 'Pause all mail' }).waitFor();
    expect(await world.parts.api.pauses.list()).toEqual([]);
    await page.goto(`${world.api.url}/console/audit`);
    await page.getByText('it has been moved').waitFor();
    await page.getByText('the provider is being moved').waitFor();
  });

  test('deliveries are found by address, and opened by the keyboard alone', async () => {
    const page = await open('/deliveries');
    await page.locator('tbody tr').first().waitFor();
    await expectToFitEverywhere(page);
    const [row] = await world.queries.search({ status: ['delivered'], limit: 1 });
    await page.getByRole('searchbox').fill(row?.to_email ?? row?.recipient ?? '');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    expect(page.url()).toContain('q=');
    await page.locator('tbody tr').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Story' }).waitFor();
    await expectToFitEverywhere(page);
    await page.goBack();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
  });

  test('a number finds the delivery that has it, and says so where none has', async () => {
    const [row] = await world.queries.search({ status: ['delivered'], limit: 1 });
    const page = await open(`/deliveries?q=${row?.seq}`);
    const lines = page.locator('tbody tr');
    await lines.filter({ hasText: row?.to_email ?? '?' }).waitFor();
    expect([await lines.count(), await page.getByText('No delivery').count()]).toEqual([1, 0]);
    await page.getByRole('searchbox').fill('987654321');
    await page.keyboard.press('Enter');
    await page
      .getByText('No delivery here has this number, and no occasion begins with it. Is a filter set?')
      .waitFor();
    expect([await lines.count(), await page.getByText('look for less').count()]).toEqual([0, 0]);
    await page.getByRole('searchbox').fill('nobody@example.net');
    await page.keyboard.press('Enter');
    await page.getByText('No delivery here went to this address.').waitFor();
    await page.getByRole('searchbox').fill('no-such-occasion');
    await page.keyboard.press('Enter');
    await page.getByText('look for less of it').waitFor();
  });

  test('by the keyboard: keys begin at the first line, a page that opens has the focus, and Back finds the line again', async () => {
    const page = await open('/deliveries');
    const lines = page.locator('tbody tr');
    await lines.nth(2).waitFor();
    const focused = () =>
      page.evaluate<string>(
        `document.activeElement.tagName + ' ' + [...document.querySelectorAll('tbody tr')].indexOf(document.activeElement)`,
      );
    for (const key of ['j', 'k', 'ArrowDown', 'ArrowUp']) {
      await page.evaluate('document.activeElement.blur()');
      await page.keyboard.press(key);
      expect([key, await focused()]).toEqual([key, 'TR 0']);
    }
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('TR 2');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Story' }).waitFor();
    expect(await focused()).toBe('MAIN -1');
    await page.goBack();
    await expect.poll(focused).toBe('TR 2');
    await page.goForward();
    await page.getByRole('heading', { name: 'Story' }).waitFor();
    expect(await focused()).toBe('MAIN -1');
  });

  test('a dead letter is found and sent again, and the audit log says who and why', async () => {
    const page = await open('/dead-letters');
    await page.getByRole('checkbox', { name: 'Choose all on this page' }).waitFor();
    await expectToFitEverywhere(page);
    // The space bar chooses the line that has the focus.
    await page.locator('tbody tr').first().focus();
    await page.keyboard.press('Space');
    const box = page.getByRole('checkbox', { name: /^Choose \d/ }).first();
    expect(await box.isChecked()).toBe(true);
    await page.getByRole('button', { name: /Send again/ }).click();
    await giveReason(page, 'Send again', 'the address was mended');
    await page.getByText('Done for 1 delivery.').waitFor();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByText('the address was mended').first().waitFor();
    await page.getByText('operator key 1').first().waitFor();
    await expectToFitEverywhere(page);
  });

  test.each([
    ['It was sent', 'sent'],
    ['It was not sent', 'failed_transient'],
    ['Nobody will know', 'failed_permanent'],
  ])('a doubt is resolved as %s', async (button, status) => {
    const page = await open('/needs-review');
    await page.locator('tbody tr a').first().click();
    await page.getByRole('button', { name: button, exact: true }).click();
    await giveReason(page, button, 'looked it up by hand');
    const seq = Number(page.url().split('/').at(-1));
    await expect.poll(async () => (await world.queries.find(String(seq)))?.status).toBe(status);
    await page.getByText('looked it up by hand').first().waitFor();
  });

  test('what ended before a mail was written is not said to get one', async () => {
    const skipped = { status: 'skipped_unsubscribed', number: 10, more: { round: 0 } } as const;
    const [seq] = await rowsIn(world, [skipped]);
    const page = await open(`/deliveries/${seq}`);
    await page.getByText('No mail was written: it was stopped before the first attempt.').waitFor();
    await page.getByText('unless the recipient takes back the unsubscribe within a day').waitFor();
    expect(await page.getByText('There is no mail yet').count()).toBe(0);
  });

  test('who may only read sees no verb', async () => {
    const page = await open('/dead-letters', { role: 'read' });
    await page.locator('tbody tr').first().waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: /Send again/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByText('A read key looks').waitFor();
    expect(await page.getByRole('button', { name: 'Pause all mail' }).count()).toBe(0);
  });

  test('in Romanian, by the reader’s browser and by choice', async () => {
    const page = await open('/needs-review', { locale: 'ro-RO' });
    await page.getByRole('heading', { name: 'De decis' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('ro');
    await page.getByRole('combobox').first().selectOption('en');
    await page.getByRole('heading', { name: 'Needs review' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Needs review' }).waitFor();
  });

  test('the first minute: each button says what it has done, and the kill is accounted for', async () => {
    const page = await open('');
    for (const [button, said] of [
      ['Open a seat', 'Section 00525, INTRO CALCULUS, has a free seat.'],
      ['Send the monthly newsletter', '24 citizens are being told how their town did in October 2026.'],
      ['Post a review', '4 reviewers are being told of cl-1000, Count each seat once.'],
    ] as const) {
      await page.getByRole('button', { name: button }).click();
      await page.getByText(said).waitFor();
    }
    await page.getByRole('button', { name: 'Kill the worker in mid-send' }).click();
    await page
      .getByText(
        'Process 7 was killed (SIGKILL) with 3 mails on the wire; 7 had been accepted before, and 37 had not left yet. Another is being started.',
      )
      .waitFor();
    const account = page.locator('.account');
    await account
      .getByText('48 asked for: 9 accepted, 38 still under way, 1 not to be told. 0 twice so far.')
      .waitFor();
    await account
      .getByText('Not settled yet: the 38 under way, and 2 of the accepted, whose answer')
      .waitFor();
    // Nobody can know that while something is open.
    expect(await account.innerText()).not.toContain('lost');
    await expectToFitEverywhere(page);
  });

  test('a page that is not there says so', async () => {
    const page = await open('/no/such/page');
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  });

  test('every page has its heading as its title, and a delivery its reader', async () => {
    const page = await open('');
    await expect.poll(() => page.title()).toBe('Home · Tidings');
    await page.getByRole('link', { name: 'Audit' }).click();
    await expect.poll(() => page.title()).toBe('Audit · Tidings');
    const [row] = await world.queries.search({ status: ['delivered'], limit: 1 });
    await page.goto(`${world.api.url}/console/deliveries/${row?.seq}`);
    await expect.poll(() => page.title()).toBe(`${row?.to_email} · Tidings`);
  });

  test.each([
    ['/deliveries/999999', 'There is no such delivery.', 'Deliveries', '/deliveries'],
    // Both what nobody has, and what nobody could have.
    ['/inbox/capture-999999', 'There is no such mail.', 'Inbox', '/inbox'],
    ['/inbox/%00', 'There is no such mail.', 'Inbox', '/inbox'],
    ['/runs/none', 'There is no such run.', 'All runs', '/runs'],
    ['/reviews/none', 'There is no such review.', 'All reviews', '/reviews'],
  ])('%s, which is not there, says so and leads to those that are', async (path, says, list, to) => {
    const page = await open(path);
    await page.getByRole('heading', { name: says, level: 1 }).waitFor();
    expect(await page.title()).toBe(`${says} · Tidings`);
    const main = page.getByRole('main');
    expect(await main.getByRole('link', { name: list }).getAttribute('href')).toBe(`/console${to}`);
    expect(await main.getByRole('button').count()).toBe(0);
    await expectToFitEverywhere(page);
    // To a browser an answer like that is worth a complaint.
    visit?.complaints.splice(0);
  });
});
