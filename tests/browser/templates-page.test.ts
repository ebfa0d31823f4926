import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium } from './browser.ts';
import { type ConsoleVisits, expectGoodPage, looks, startConsole } from './console-visit.ts';

const hostile = '<script>document.title="run"</script><img src=x onerror="document.title=1">';

/** Every mail as its readers see it, for who may look. */
describe.skipIf(!hasChromium)('the page of templates', () => {
  let visits: ConsoleVisits;
  beforeAll(async () => {
    visits = await startConsole();
  });
  afterAll(() => visits?.close());
  afterEach(() => visits.leave());

  const path = '/templates?template=verification&language=en&sample=whole';
  const mail = (page: Page) => page.frameLocator('iframe.mail').locator('body');
  /** In what is read, not in the line before it that mail programs show in a list. */
  const shown = (page: Page, text: string) => mail(page).locator('p').filter({ hasText: text }).first();
  const choice = (page: Page, label: string) =>
    page.locator('main label').filter({ hasText: label }).locator('select');
  const values = (page: Page) => page.getByLabel('Values, as JSON');
  const subject = (page: Page) => page.locator('.sample strong').innerText();

  test('without a choice it begins with the first, and the address says so', async () => {
    const page = await visits.open('/templates');
    await page.waitForURL(/template=plain&language=en&sample=\w+/);
    await mail(page).waitFor();
    expect(await page.getByText(/kB of html, .* of text/).count()).toBe(1);
    await page.goto(`${visits.api.url}/console/templates?template=newsletter-entity&language=ro&view=text`);
    await page.waitForURL(/template=newsletter-entity&language=ro&sample=[\w-]+&view=text/);
    await page.locator('.sample pre').waitFor();
  });

  test('template, language, sample and the way to look at it are in the address', async () => {
    const page = await visits.open(path);
    await mail(page).waitFor();
    const english = await subject(page);
    await choice(page, 'Language').selectOption('ro');
    await page.waitForURL(/language=ro&sample=whole/);
    await expect.poll(() => subject(page)).not.toBe(english);
    const romanian = await subject(page);
    await choice(page, 'Template').selectOption('newsletter-entity');
    await page.waitForURL(/template=newsletter-entity&language=ro&sample=/);
    await page.goBack();
    await page.waitForURL(/template=verification&language=ro/);
    await mail(page).waitFor();
    expect(await subject(page)).toBe(romanian);
    await page.getByRole('button', { name: 'Text' }).click();
    await page.waitForURL(/view=text/);
    expect(await page.locator('.sample pre').innerText()).toContain('https://');
    await page.reload();
    expect(await page.locator('.sample pre').innerText()).toContain('https://');
  });

  test('as wide as a phone, and as wide as a desk', async () => {
    const page = await visits.open(path);
    await mail(page).waitFor();
    const width = () => page.evaluate<number>(`document.querySelector('iframe.mail').clientWidth`);
    expect(await width()).toBe(373);
    await page.getByRole('button', { name: 'Desktop' }).press('Enter');
    await page.waitForURL(/view=desktop/);
    expect(await width()).toBeGreaterThanOrEqual(636);
  });

  test('values are changed, and the mail with them; what is wrong is said beside them', async () => {
    const page = await visits.open(path, { refused: /status of 400/ });
    await mail(page).waitFor();
    const before = await values(page).inputValue();
    await values(page).fill(before.replace(/"courseTitle": "[^"]*"/, '"courseTitle": "Basket Weaving"'));
    await shown(page, 'Basket Weaving').waitFor();
    const help = page.locator('.sample [role=status]');
    expect(await help.innerText()).toBe('These values are fine.');

    await values(page).fill(before.replace('"courseTitle"', '"courseTitel"'));
    await help.getByText('Did you mean courseTitle?').waitFor();
    expect(await help.innerText()).toContain('What you see is the mail before the last change.');
    expect(await values(page).getAttribute('aria-invalid')).toBe('true');
    expect(await mail(page).innerText()).toContain('Basket Weaving');

    await values(page).fill('{\n  "courseTitle": x\n}');
    await help.getByText('This is not JSON: it breaks at line 2, column 18.').waitFor();
    await values(page).fill('{ "courseTitle": "x"');
    await help.getByText('This is not JSON: it breaks at line 1, column 21.').waitFor();
    await values(page).fill('[]');
    await help.getByText('This is no JSON object.').waitFor();
    await page.getByRole('button', { name: 'Back to the sample' }).press('Enter');
    expect(await values(page).inputValue()).toBe(before);
    await help.getByText('These values are fine.').waitFor();
  });

  test('strangers’ words run nothing, neither in the frame nor beside it', async () => {
    const page = await visits.open(path);
    await mail(page).waitFor();
    const before = await values(page).inputValue();
    await values(page).fill(
      before.replace(/"courseTitle": "[^"]*"/, `"courseTitle": ${JSON.stringify(hostile)}`),
    );
    await shown(page, hostile).waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.locator('iframe.mail').getAttribute('sandbox')).toBe('');
    expect(await page.title()).not.toMatch(/^(1|run)$/);
  });

  test('what is not there says so, and leaves the choice open', async () => {
    const page = await visits.open('/templates?template=verification&language=en&sample=none');
    expect(await page.getByRole('alert').innerText()).toBe(
      'There is no such template, language or sample. Choose one above.',
    );
    await choice(page, 'Sample').selectOption('short');
    await mail(page).waitFor();
  });

  test('who only reads may look and try, and what is broken is tried again', async () => {
    const page = await visits.open('/audit', { role: 'read', refused: /status of 500/ });
    await page.route('**/api/v1/templates', (route) =>
      route.fulfill({ status: 500, json: { error: 'It broke.', code: 'unexpected', traceId: 't' } }),
    );
    await page.getByRole('link', { name: 'Templates' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('It broke.');
    await page.unroute('**/api/v1/templates');
    await page.getByRole('button', { name: 'Try again' }).click();
    await mail(page).waitFor();
    expect(await values(page).isEditable()).toBe(true);
  });

  test.each(looks)('it fits and is accessible: %d px, %s', async (width, colorScheme) => {
    const page = await visits.open(path, { width, colorScheme });
    await mail(page).waitFor();
    await expectGoodPage(page, width);
    for (const view of ['Desktop', 'Text']) {
      await page.getByRole('button', { name: view }).click();
      await expectGoodPage(page, width);
    }
  });
});
