import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rowIn } from '../support/rows.ts';
import { worldForAll } from '../support/world-for-each.ts';
import { hasChromium } from './browser.ts';
import { expectGoodPage, looks, startConsole } from './console-visit.ts';

const hostile = '<img src=x onerror="document.title=1">';

/** The list of suppressions as an operator works with it. */
describe.skipIf(!hasChromium)('the page of suppressions', () => {
  const visits = worldForAll(
    () => startConsole(),
    (visits) => visits?.close(),
  );
  afterEach(() => visits.leave());
  beforeEach(async () => {
    await visits.world.db.write.deleteFrom('suppressions').execute();
  });

  const add = (count: number, more: object = {}) =>
    visits.api.ask('POST', '/api/v1/suppressions', {
      body: {
        addresses: Array.from({ length: count }, (_, number) => `person-${100 + number}@example.org`),
        because: 'they asked',
        ...more,
      },
    });
  const listed = async () =>
    (await visits.api.ask('GET', '/api/v1/suppressions?withLifted=true')).json.suppressions;
  const rows = (page: Page) => page.locator('tbody tr');
  const said = (page: Page) => page.locator('p[role=status]').innerText();

  test('an empty list says what would be here, and what to do', async () => {
    const page = await visits.open('/suppressions');
    expect(await page.getByText('No address is suppressed.').innerText()).toContain('bring a list');
    await expectGoodPage(page, 1440);
  });

  test('one is put on the list by the keyboard alone, with a reason and what follows from it', async () => {
    await rowIn(visits.world, 'pending', 1);
    const page = await visits.open('/suppressions');
    await page.getByRole('button', { name: 'Add an address' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    expect(await dialog.innerText()).toContain('Nothing is mailed to it any more');
    await page.keyboard.type('Person-1@example.org');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('she asked on the phone');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await said(page)).toBe(
      'Person-1@example.org is on the list now. 1 delivery that waited is stopped.',
    );
    await rows(page).first().waitFor();
    expect(await rows(page).first().innerText()).toMatch(
      /person-1@example\.org\s+■ an operator said so\s+she asked on the phone/,
    );
    expect(await listed()).toMatchObject([
      { address: 'person-1@example.org', note: 'she asked on the phone' },
    ]);
  });

  test('what the server refuses is said in the dialog, which stays', async () => {
    const page = await visits.open('/suppressions', { refused: /status of 400/ });
    await page.getByRole('button', { name: 'Add an address' }).click();
    await page.getByLabel('Address', { exact: true }).fill('x@localhost');
    await page.getByLabel(/^Why/).fill('x');
    await page.getByRole('button', { name: 'Do not mail it' }).click();
    expect(await page.getByRole('alert').innerText()).not.toBe('');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await listed()).toEqual([]);
  });

  test('one is lifted, after what that means has been said; the line is kept for who asks', async () => {
    await add(2);
    const page = await visits.open('/suppressions');
    await page.getByRole('button', { name: 'Lift person-100@example.org' }).click();
    expect(await page.getByRole('dialog').innerText()).toContain('What was stopped stays stopped');
    await page.getByLabel(/^Why/).fill('the mailbox is back');
    await page.getByRole('button', { name: 'Mail it again' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await said(page)).toBe('The line of person-100@example.org is lifted.');
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByLabel('With those that were lifted').check();
    await page.waitForURL(/withLifted=true/);
    await page.getByText(/lifted by the API \(operator key 1\): the mailbox is back/).waitFor();
    expect(await rows(page).count()).toBe(2);
    const audit = (await visits.api.ask('GET', '/api/v1/audit?limit=1')).json.lines[0];
    expect(audit).toMatchObject({ reason: 'the mailbox is back', answer: '200' });
  });

  test('who stopped all mails themselves is lifted only with other words, and by their own line', async () => {
    await visits.api.ask('POST', '/api/v1/suppressions/import', {
      body: { entries: [{ address: 'own@example.org', reason: 'unsubscribed' }] },
    });
    const page = await visits.open('/suppressions');
    await page.getByRole('button', { name: /own@example\.org/ }).click();
    expect(await page.getByRole('dialog').innerText()).toContain('lift this only if they ask for it');
    await page.getByLabel(/^Why/).fill('she asked');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await listed()).toMatchObject([{ liftedBecause: 'she asked' }]);
  });

  test('found by the whole address, by its beginning and by filter, each with an address to share', async () => {
    // A source is offered as soon as there is a delivery of it.
    await rowIn(visits.world, 'sent', 7);
    await add(120);
    await add(3, { scope: 'plain', because: 'other' });
    const page = await visits.open('/suppressions?q=person-1');
    await rows(page).first().waitFor();
    const first = await rows(page).first().innerText();
    expect(first).toContain('person-100@example.org');
    await page.getByRole('link', { name: 'More' }).click();
    await page.waitForURL(/after=/);
    await expect.poll(() => rows(page).first().innerText()).not.toContain('person-100@');
    await page.goBack();
    await expect.poll(() => rows(page).first().innerText()).toContain('person-100@');

    await page.getByRole('searchbox').fill('person-101@example.org');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=person-101%40example\.org/);
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.locator('main form select').nth(1).selectOption('plain');
    await page.waitForURL(/scope=plain/);
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.reload();
    await rows(page).first().waitFor();
    expect([await rows(page).count(), await page.getByRole('searchbox').inputValue()]).toEqual([
      ...[1, 'person-101@example.org'],
    ]);
    await page.getByRole('searchbox').fill('person-999@example.org');
    await page.keyboard.press('Enter');
    await page.getByText('This address is not on the list.').waitFor();
    await page.getByRole('link', { name: 'Addresses that begin with this' }).click();
    await page.waitForURL(/as=beginning/);
    await page.getByText('No line matches.').waitFor();
  });

  test('the list is downloaded as an import reads it', async () => {
    await add(3);
    const page = await visits.open('/suppressions');
    const coming = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download the list' }).click();
    const download = await coming;
    expect(download.suggestedFilename()).toBe('suppressions.csv');
    const text = readFileSync(await download.path(), 'utf8');
    expect(text.split('\r\n')).toHaveLength(5);
    expect(text).toContain('person-102@example.org,*,operator,they asked,');
  });

  test('who only reads sees the list and no verb, and finds no import', async () => {
    await add(1);
    const page = await visits.open('/suppressions', { role: 'read' });
    await rows(page).first().waitFor();
    expect(await page.locator('main').getByRole('button').allInnerTexts()).toEqual(['Find']);
    expect(await page.getByRole('link', { name: 'Import a list' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Download the list' }).count()).toBe(1);
    await page.goto(`${visits.api.url}/console/suppressions/import`);
    expect(await page.locator('main h1').innerText()).toBe('There is no such page');
  });

  test('what is broken says so, and is tried again', async () => {
    const page = await visits.open('/audit', { refused: /status of 500|failed: / });
    await page.route('**/api/v1/suppressions', (route) =>
      route.fulfill({ status: 500, json: { error: 'It broke.', code: 'unexpected', traceId: 't' } }),
    );
    await page.getByRole('link', { name: 'Suppressions' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('It broke.');
    await page.unroute('**/api/v1/suppressions');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No address is suppressed.').waitFor();
  });

  test('strangers’ words are text', async () => {
    await visits.api.ask('POST', '/api/v1/suppressions/import', {
      body: { entries: [{ address: 'ana@example.org', note: hostile }] },
    });
    const page = await visits.open(`/suppressions?q=${encodeURIComponent('ana')}`);
    await page.getByText(hostile).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.title()).not.toBe('1');
  });

  test.each(looks)('it fits and is accessible: %d px, %s', async (width, colorScheme) => {
    await add(5, { because: `a long note ${'that goes on and on '.repeat(8)}` });
    await visits.api.ask('POST', '/api/v1/suppressions', {
      body: { addresses: [`${'a'.repeat(60)}@${'department.'.repeat(6)}example.org`], because: 'x' },
    });
    const page = await visits.open('/suppressions', { width, colorScheme });
    await rows(page).first().waitFor();
    await expectGoodPage(page, width);
    await page.getByRole('button', { name: 'Add an address' }).click();
    await expectGoodPage(page, width);
  });
});
