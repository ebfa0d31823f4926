import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rowIn } from '../support/rows.ts';
import { worldForAll } from '../support/world-for-each.ts';
import { hasChromium } from './browser.ts';
import { expectGoodPage, looks, startConsole } from './console-visit.ts';

/** A file from the disk: what would come of it, and then the same done. */
describe.skipIf(!hasChromium)('the page that imports suppressions', () => {
  const visits = worldForAll(
    () => startConsole(),
    (visits) => visits?.close(),
  );
  afterEach(() => visits.leave());
  beforeEach(async () => {
    await visits.world.db.write.deleteFrom('suppressions').execute();
  });

  const path = '/suppressions/import';
  const choose = (page: Page, text: string, name = 'list.csv') =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text, 'utf8') });
  const listed = async () => (await visits.api.ask('GET', '/api/v1/suppressions')).json.suppressions;
  const file =
    'name,email,reason\nx,person-1@example.org,bounced\n<b>y</b>,nobody,x\nz,ana@example.org,complained\n';

  test('a dry run with every bad line by its number comes first, and a reason before anything is done', async () => {
    await rowIn(visits.world, 'pending', 1);
    const page = await visits.open('/suppressions');
    await page.getByRole('link', { name: 'Import a list' }).click();
    await page.waitForURL(/suppressions\/import$/);
    await choose(page, file);
    await page.getByRole('heading', { name: 'What would come of it' }).waitFor();
    expect(await page.locator('main ul').innerText()).toBe(
      [
        ...['3 lines read', '2 addresses would be new on the list', '1 delivery that waits would be stopped'],
        ...['1 line that cannot be read, and would be left out', 'Columns that are not read: name'],
      ].join('\n'),
    );
    expect(await page.locator('tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/^3\tThe address has no @/),
    ]);
    expect(await listed()).toEqual([]);

    await page.getByRole('button', { name: 'Add 2 addresses' }).press('Enter');
    const dialog = page.getByRole('dialog');
    expect(await dialog.innerText()).toContain(
      'Nothing is mailed to 2 addresses any more, and 1 delivery that waits is stopped.',
    );
    await page.getByLabel(/^Why/).fill('from the old service');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'What came of it' }).waitFor();
    expect(await page.locator('main ul').innerText()).toContain('2 addresses are new on the list');
    expect(await page.getByRole('button', { name: /^Add/ }).count()).toBe(0);
    expect((await listed()).map(({ address }: { address: string }) => address).sort()).toEqual([
      ...['ana@example.org', 'person-1@example.org'],
    ]);
    const [line] = (await visits.api.ask('GET', '/api/v1/audit?limit=1')).json.lines;
    expect(line).toMatchObject({ reason: 'from the old service', answer: '200' });
  });

  test('the same again has nothing new, and no button', async () => {
    await visits.api.ask('POST', '/api/v1/suppressions', {
      body: { addresses: ['ana@example.org'], because: 'x' },
    });
    const page = await visits.open(path);
    await choose(page, 'ana@example.org\n');
    await page.getByText('Nothing in it is new').waitFor();
    expect(await page.getByRole('button', { name: /^Add/ }).count()).toBe(0);
  });

  test('what is no list is refused with a sentence, and what is too large is not sent', async () => {
    const page = await visits.open(path, { refused: /status of 400/ });
    await choose(page, 'name,town\nx,y\n');
    expect(await page.getByRole('alert').innerText()).toContain('call the one with the addresses so');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await choose(page, 'x'.repeat(5_000_000));
    await page.getByText(/The file has 5 MB, and here 4 MB is the most/).waitFor();
    expect(asked.filter((url) => url.includes('/import/'))).toEqual([]);
  });

  test.each(looks)('it fits and is accessible: %d px, %s', async (width, colorScheme) => {
    const page = await visits.open(path, { width, colorScheme });
    await expectGoodPage(page, width);
    await choose(page, file);
    await page.getByRole('heading', { name: 'What would come of it' }).waitFor();
    await expectGoodPage(page, width);
  });

  test('in Romanian', async () => {
    const page = await visits.open(path, { language: 'ro-RO', width: 390 });
    await choose(page, file);
    await page.getByRole('heading', { name: 'Ce ar urma' }).waitFor();
    expect(await page.locator('main ul').innerText()).toContain('2 adrese ar fi noi pe listă');
    await expectGoodPage(page, 390);
  });
});
