import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { type RunningProcess, startProcess } from '../../src/main.ts';
import { silentLog } from '../../src/std/log.ts';
import { linkSettings } from '../support/consent.ts';
import { emptyDatabase } from '../support/world.ts';
import { type Chromium, hasChromium, startChromium, type Visit } from './browser.ts';
import { expectToFitEverywhere } from './console-world.ts';

const keys = { OPERATOR_API_KEY: 'o'.repeat(40), READ_API_KEY: 'r'.repeat(40) };

/** Somebody who tries the engine out: mails arrive, links are checked, and things go wrong because they are told to. */
describe.skipIf(!hasChromium)('the inbox in a browser', { timeout: 60_000 }, () => {
  const started: { server: RunningProcess; drop(): Promise<void> }[] = [];
  let url: string;
  let chromium: Chromium;
  let visit: Visit | undefined;

  async function start(settings: Readonly<Record<string, string>> = {}): Promise<string> {
    const database = await emptyDatabase('sqlite');
    const config = { DATABASE_URL: database.url, PORT: '0', SOC_BASE_URL: 'off', ...settings };
    const server = await startProcess(readConfig(config, '/no/such/file'), { log: silentLog });
    started.push({ server, drop: database.drop });
    return server.url;
  }
  beforeAll(async () => {
    url = await start();
    chromium = await startChromium();
  });
  afterEach(async () => {
    const complaints = realComplaints(visit?.complaints ?? []);
    await visit?.close();
    visit = undefined;
    expect(complaints).toEqual([]);
  });
  afterAll(async () => {
    await chromium?.close();
    for (const { server, drop } of started) {
      await server.stop();
      await drop();
    }
  });

  async function open(path: string, options: Parameters<Chromium['open']>[0] = {}): Promise<Page> {
    visit = await chromium.open({ locale: 'en-GB', viewport: { width: 1440, height: 900 }, ...options });
    await visit.page.goto(`${path.startsWith('http') ? '' : url}${path}`);
    return visit.page;
  }

  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came; tests say what it must be.
  async function api(method: string, path: string, body?: object): Promise<any> {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return response.json();
  }
  const tell = (to: string, occasion: string, subject = 'Hello', text = 'It works.') =>
    api('POST', '/api/v1/intents', { occasion, to, variables: { subject, text } });
  const line = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
  const mailsTo = async (to: string) =>
    (await api('GET', `/api/v1/inbox?to=${encodeURIComponent(to)}`)).mails.length;

  test('mail appears as it arrives, and a moment later it is delivered', async () => {
    const page = await open('/console/inbox');
    await page.getByText('No mail is here yet.').waitFor();
    await expectToFitEverywhere(page);
    await tell('ana@example.org', 'first');
    await line(page, 'ana@example.org').waitFor();
    await line(page, 'ana@example.org').getByText('delivered').waitFor();
  });

  test('by keyboard: from the list into a mail, through its parts, to its delivery', async () => {
    await tell('bob@example.org', 'first', 'A subject of its own');
    const page = await open('/console/inbox');
    await line(page, 'bob@example.org').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'A subject of its own' }).waitFor();
    const frame = page.locator('iframe.mail');
    expect(await frame.getAttribute('sandbox')).toBe('');
    await page.frameLocator('iframe.mail').getByText('It works.').first().waitFor();
    await page.getByRole('tab', { name: 'As it looks' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tabpanel').getByText('It works.').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText('List-Unsubscribe-Post: List-Unsubscribe=One-Click').waitFor();
    await page.keyboard.press('ArrowRight');
    expect(new URL(page.url()).search).toBe('?part=links');
    await page.getByText('our own page; it is there').waitFor();
    await page.reload();
    await page.getByText('our own page; it is there').waitFor();
    await page.getByRole('link', { name: /The story of delivery/ }).click();
    await page.getByRole('heading', { name: 'bob@example.org' }).waitFor();
  });

  test('one click unsubscribes with the real request', async () => {
    const to = 'cleo@example.org';
    await tell(to, 'first');
    const page = await open(`/console/inbox?to=${to}`);
    await page.getByRole('link', { name: 'Hello' }).click();
    await page.getByRole('button', { name: 'Unsubscribe with one click' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('it can be taken back for 24 hours').waitFor();
    const request = page.waitForRequest(
      (one) => one.method() === 'POST' && one.url().includes('/unsubscribe/'),
    );
    await dialog.getByRole('button', { name: 'Unsubscribe with one click' }).click();
    expect((await request).postData()).toBe('List-Unsubscribe=One-Click');
    await page.getByText('Done: the server answered 200.').waitFor();
    await tell(to, 'second');
    await expect
      .poll(async () => (await api('GET', `/api/v1/deliveries?address=${to}`)).deliveries[0].status)
      .toBe('skipped_unsubscribed');
    expect(await mailsTo(to)).toBe(1);
  });

  test('a switch is on the line of its name, and words do not touch their field', async () => {
    const page = await open('/console/inbox');
    await page.getByText('Let something go wrong').click();
    await page.getByRole('switch').first().waitFor();
    for (const width of [390, 800, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      const below = await page.evaluate<string[]>(
        `[...document.querySelectorAll('ul.switches .row')]
          .filter((row) => row.lastChild.getBoundingClientRect().top >= row.firstChild.getBoundingClientRect().bottom)
          .map((row) => row.textContent)`,
      );
      expect([width, below]).toEqual([width, []]);
    }
    const gaps = await page.evaluate<number[]>(
      `[...document.querySelectorAll('details.chaos form label')].map((label) => {
        const words = document.createRange();
        words.selectNode(label.firstChild);
        return label.lastChild.getBoundingClientRect().top - words.getBoundingClientRect().bottom;
      })`,
    );
    expect(gaps.length).toBe(2);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(3);
  });

  test('chaos on and off, by keyboard: a bounce is watched, and then all is well again', async () => {
    const page = await open('/console/inbox');
    await page.getByText('Let something go wrong').focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Why, if you like').fill('we try it out');
    const bounce = page.getByRole('switch', { name: 'Let every mail bounce' });
    await page.getByText('The address is suppressed until somebody lifts that.').first().waitFor();
    await bounce.focus();
    await page.keyboard.press('Space');
    await page.getByText(/^▲ Every mail bounces until .*\(the API\)\.$/).waitFor();
    expect(await bounce.getAttribute('aria-checked')).toBe('true');
    await page.getByRole('link', { name: 'Home' }).click();
    await page
      .getByText('The built-in inbox does something wrong on purpose: Let every mail bounce.')
      .waitFor();
    expect(await page.getByText('is taking mail').count()).toBe(0);
    await page.getByRole('link', { name: 'See the switches' }).click();
    await page.getByText('Let something go wrong').click();
    await page.getByLabel('Why, if you like').fill('we try it out');
    await tell('dan@example.org', 'bounces');
    await line(page, 'dan@example.org').getByText('suppressed').waitFor();
    await bounce.focus();
    await page.keyboard.press('Space');
    await page.getByText(/^▲ Every mail bounces until/).waitFor({ state: 'detached' });
    await tell('eva@example.org', 'arrives');
    await line(page, 'eva@example.org').getByText('delivered').waitFor();
    await page.goto(`${url}/console/audit`);
    await page.getByText('DELETE /api/v1/inbox/switches/:name').first().waitFor();
    await page.getByText('{"name":"bounce","minutes":10}').waitFor();
    expect(await page.getByText('we try it out').count()).toBe(2);
  });

  test('chaos: an answer that is lost leaves a doubt, and one mail', async () => {
    const page = await open('/console/inbox');
    await page.getByText('Let something go wrong').click();
    await page.getByRole('combobox', { name: 'For' }).selectOption('1 minute');
    // Without reports, one of which would settle it before anybody has looked.
    const wrong = [
      ['Take the mail and lose the answer', 'Mails are taken, and the answers are lost'],
      ['Report nothing', 'Nothing is reported'],
    ] as const;
    for (const [name, does] of wrong) {
      await page.getByRole('switch', { name }).click();
      await page.getByText(new RegExp(`^▲ ${does} until`)).waitFor();
    }
    await tell('fay@example.org', 'in doubt');
    await line(page, 'fay@example.org').getByText('reconciling').waitFor();
    await line(page, 'fay@example.org').getByText('sent').waitFor();
    for (const [name, does] of wrong) {
      await page.getByRole('switch', { name }).click();
      await page.getByText(new RegExp(`^▲ ${does} until`)).waitFor({ state: 'detached' });
    }
    expect(await mailsTo('fay@example.org')).toBe(1);
    await line(page, 'fay@example.org').getByRole('link').click();
    await page.getByRole('link', { name: /The story of delivery/ }).click();
    await page
      .getByText(/We don't know yet whether it was accepted/)
      .first()
      .waitFor();
  });

  test('found by how it begins, with an address that can be shared', async () => {
    await tell('gil@example.org', 'first', 'Needle in the hay');
    await tell('hal@example.org', 'first', 'Other');
    const page = await open('/console/inbox');
    await line(page, 'hal@example.org').waitFor();
    await page.getByLabel('The subject begins with').fill('needle');
    await page.keyboard.press('Enter');
    await line(page, 'hal@example.org').waitFor({ state: 'detached' });
    await line(page, 'gil@example.org').waitFor();
    expect(page.url()).toContain('/console/inbox?subject=needle');
    await page.reload();
    await line(page, 'gil@example.org').waitFor();
    expect(await page.getByLabel('The subject begins with').inputValue()).toBe('needle');
    await page.getByLabel('The address begins with').fill('nobody');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('No mail begins so.').waitFor();
    await page.goBack();
    await line(page, 'gil@example.org').waitFor();
  });

  test('a hostile mail runs nothing, and leads nowhere', async () => {
    const attack = `<img src=x onerror="window.hurt=1"><script>window.hurt=1</script> javascript:hurt()`;
    await tell('ivy@example.org', '<b onmouseover=hurt()>', attack, attack);
    const page = await open('/console/inbox?to=ivy');
    await line(page, 'ivy@example.org').getByRole('link').click();
    await page.locator('iframe.mail').waitFor();
    for (const name of ['Text', 'Headers', /^Links/]) await page.getByRole('tab', { name }).click();
    expect(await page.evaluate('window.hurt')).toBeUndefined();
    expect(await page.locator('main img, main script').count()).toBe(0);
  });

  test('cleared, after it was said what that means', async () => {
    const page = await open('/console/inbox');
    await page.getByRole('button', { name: 'Clear the list' }).click();
    await page.getByRole('dialog').getByText('No mail is deleted').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await mailsTo('ana')).toBe(1);
    await page.getByRole('button', { name: 'Clear the list' }).click();
    await page.getByRole('dialog').getByLabel('Why, if you like').fill('the trial is over');
    await page.getByRole('dialog').getByRole('button', { name: 'Clear the list' }).click();
    await page.getByText('No mail is here yet.').waitFor();
    const { lines } = await api('GET', '/api/v1/audit?limit=1');
    expect(lines).toMatchObject([{ verb: 'POST /api/v1/inbox/clear', reason: 'the trial is over' }]);
    expect(await mailsTo('ana')).toBe(0);
  });

  test.each(['en-GB', 'ro-RO'])(
    'fits a phone and a wide screen, by day and by night, in %s',
    async (locale) => {
      const to = `${'long-name-'.repeat(5)}${locale}@example.org`;
      await tell(to, 'first', `${'A long subject of many words '.repeat(6)}`);
      const page = await open('/console/inbox', { locale });
      await line(page, to).waitFor();
      await page.locator('details.chaos > summary').click();
      await page.getByRole('switch').nth(8).click();
      await page.locator('.notice').waitFor();
      await expectToFitEverywhere(page);
      await page.getByRole('switch').nth(8).click();
      await line(page, to).getByRole('link').click();
      await page.locator('iframe.mail').waitFor();
      await expectToFitEverywhere(page);
      await page.getByRole('tab').nth(3).click();
      await page.locator('td.mono').first().waitFor();
      await expectToFitEverywhere(page);
    },
  );

  test('who has a read key looks, and sees no verbs', async () => {
    url = await start(keys);
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${keys.OPERATOR_API_KEY}` };
    const variables = { subject: 'Hello', text: 'It works.' };
    const body = JSON.stringify({ occasion: 'first', to: 'ana@example.org', variables });
    await fetch(`${url}/api/v1/intents`, { method: 'POST', headers, body });
    const page = await open('/console/inbox');
    await page.getByLabel('Key').fill(keys.READ_API_KEY);
    await page.keyboard.press('Enter');
    await line(page, 'ana@example.org').waitFor();
    await page.getByText('Let something go wrong').click();
    await page.getByText('Take the mail and lose the answer').waitFor();
    expect(await page.getByRole('switch').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Clear the list' }).count()).toBe(0);
    await line(page, 'ana@example.org').getByRole('link').click();
    await page.getByRole('tab', { name: 'Links (1)' }).waitFor();
    expect(await page.getByRole('button', { name: 'Unsubscribe with one click' }).count()).toBe(0);
  });

  test('where a real provider sends, it says so', async () => {
    url = await start({
      ...{ ...linkSettings, MAIL_PROVIDER: 'smtp', SMTP_URL: 'smtp://127.0.0.1:1' },
      EMAIL_FROM_ADDRESS: 'us@example.org',
    });
    const page = await open('/console/inbox');
    await page.getByText('there is no inbox to look into').waitFor();
    expect(await page.getByRole('link', { name: 'Inbox' }).count()).toBe(0);
    await expectToFitEverywhere(page);
    // The browser itself notes what was answered with 404.
    visit?.complaints.splice(0, Infinity, ...(visit?.complaints ?? []).filter((one) => !/404/.test(one)));
  });
});

/** What a page asks for again and again is broken off when it is left: that is no failure. */
const realComplaints = (complaints: readonly string[]) =>
  complaints.filter((one) => !/^failed: .*\/api\/v1\//.test(one));
