import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { type RunningProcess, startProcess } from '../../src/main.ts';
import { createLog } from '../../src/std/log.ts';
import { emptyDatabase } from '../support/world.ts';
import { type Chromium, hasChromium, startChromium, type Visit } from './browser.ts';
import { expectRoom, expectToFit } from './fit.ts';

/** A mail is sent, taken from the inbox, and its link followed by somebody with a browser. */
describe.skipIf(!hasChromium)('the unsubscribe link in a browser', () => {
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  let server: RunningProcess;
  let chromium: Chromium;
  let visit: Visit | undefined;
  const logged: string[] = [];
  const tokens: string[] = [];

  beforeAll(async () => {
    database = await emptyDatabase('sqlite');
    server = await startProcess(readConfig({ DATABASE_URL: database.url, PORT: '0' }, '/no/such/file'), {
      log: createLog({ level: 'debug', sink: { write: (line) => logged.push(line) } }),
    });
    chromium = await startChromium();
  });
  afterEach(async () => {
    const complaints = visit?.complaints;
    await visit?.close();
    visit = undefined;
    await api('DELETE', '/api/v1/pauses/*');
    expect(complaints).toEqual([]);
  });
  afterAll(async () => {
    await chromium?.close();
    await server?.stop();
    await database?.drop();
    expect(tokens.length).toBeGreaterThan(0);
    expect(logged.filter((line) => tokens.some((token) => line.includes(token)))).toEqual([]);
  });

  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came; tests say what it must be.
  async function api(method: string, path: string, body?: object): Promise<any> {
    const response = await fetch(`${server.url}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return response.json();
  }

  async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
    for (let tries = 0; tries < 400; tries++) {
      const found = await look();
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error('waited ten seconds for what did not come');
  }

  const tell = (to: string, occasion: string, more: object = {}) =>
    api('POST', '/api/v1/intents', {
      ...{ occasion, to, variables: { subject: 'Hello', text: 'It works.' }, ...more },
    });
  const statusesOf = async (to: string): Promise<string[]> =>
    (await api('GET', `/api/v1/deliveries?address=${encodeURIComponent(to)}`)).deliveries
      .map(({ occasion, status }: { occasion: string; status: string }) => `${occasion}: ${status}`)
      .sort();

  /** Sends somebody a first mail, and lets a second wait; answers where the first one's link leads on this server. */
  async function linkFor(to: string): Promise<string> {
    await tell(to, 'first');
    const mail = await until(async () => {
      const { mails } = await api('GET', '/api/v1/inbox?limit=50');
      const found = mails.find((one: { to: string }) => one.to === to);
      return found && (await api('GET', `/api/v1/inbox/${found.messageId}`));
    });
    await until(async () => (await statusesOf(to)).includes('first: delivered') || undefined);
    await api('POST', '/api/v1/pauses', { scope: '*', reason: 'so that a mail waits' });
    await tell(to, 'second');
    const [link = ''] = /https?:\/\/\S*\/unsubscribe\/[\w-]{44}/.exec(mail.text) ?? [];
    expect(mail.headers['List-Unsubscribe']).toBe(`<${link}>`);
    tokens.push(link.slice(-44));
    return `${server.url}${new URL(link).pathname}`;
  }

  async function open(url: string, options: Parameters<Chromium['open']>[0] = {}): Promise<Page> {
    visit = await chromium.open({ locale: 'en-GB', ...options });
    await visit.page.goto(url);
    return visit.page;
  }

  const heading = (page: Page) => page.locator('h1').innerText();
  const press = async (page: Page, name: string, leadsTo: string) => {
    await page.getByRole('button', { name, exact: true }).click();
    await page.waitForURL(`**/${leadsTo}`);
  };

  test('one click stops what waits; undo lets it wait again, and it is sent', async () => {
    const to = 'ana@example.org';
    const page = await open(await linkFor(to));
    expect(await heading(page)).toBe('Stop these mails?');
    expect(await statusesOf(to)).toEqual(['first: delivered', 'second: pending']);
    await press(page, 'Stop these mails', 'stop');
    expect(await heading(page)).toBe('These mails are stopped');
    expect(await statusesOf(to)).toEqual(['first: delivered', 'second: skipped_unsubscribed']);
    await press(page, 'Undo', 'undo');
    expect(await heading(page)).toBe('Taken back');
    expect(await statusesOf(to)).toEqual(['first: delivered', 'second: pending']);
    await api('DELETE', '/api/v1/pauses/*');
    await until(async () => (await statusesOf(to)).includes('second: delivered') || undefined);
  });

  test('stop everything stops also what is for the same address under another name, and can be taken back', async () => {
    const to = 'bob@example.org';
    const page = await open(await linkFor(to));
    await tell(to, 'third', { recipient: 'bob-at-work' });
    await press(page, 'Stop these mails', 'stop');
    expect(await statusesOf(to)).toContain('third: pending');
    await press(page, 'Stop everything', 'everything');
    expect(await heading(page)).toBe('Everything is stopped');
    expect(await statusesOf(to)).toEqual([
      'first: delivered',
      'second: skipped_unsubscribed',
      'third: skipped_unsubscribed',
    ]);
    await press(page, 'Undo', 'undo');
    expect(await statusesOf(to)).toEqual(['first: delivered', 'second: pending', 'third: pending']);
    await press(page, 'Stop these mails', 'stop');
    expect(await statusesOf(to)).toContain('second: skipped_unsubscribed');
  });

  test.each([
    ['en-US', 'en', 'Stop these mails', 'Undo'],
    ['ro-RO', 'ro', 'Opriți aceste mesaje', 'Anulați oprirea'],
    ['zh-CN', 'zh-CN', '停止这些邮件', '撤销'],
  ])('in the reader’s language: %s', async (locale, lang, stop, undo) => {
    const to = `reader-${lang.toLowerCase()}@example.org`;
    const page = await open(await linkFor(to), { locale });
    expect(await page.locator('html').getAttribute('lang')).toBe(lang);
    await press(page, stop, 'stop');
    expect(await statusesOf(to)).toContain('second: skipped_unsubscribed');
    await press(page, undo, 'undo');
    expect(await page.locator('html').getAttribute('lang')).toBe(lang);
    expect(await statusesOf(to)).toContain('second: pending');
  });

  test('with the keyboard alone, and without scripts; where the focus is can be seen', async () => {
    const to = 'cleo@example.org';
    const page = await open(await linkFor(to), { javaScriptEnabled: false });
    const focused = page.locator('button:focus-visible');
    await page.keyboard.press('Tab');
    expect(await focused.innerText()).toBe('Stop these mails');
    const outline = 'getComputedStyle(document.activeElement).outline';
    expect(await page.evaluate<string>(outline)).toMatch(/^rgb\(26, 86, 168\) solid 3px$/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'These mails are stopped' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await focused.innerText()).toBe('Stop everything');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Space');
    await page.getByRole('heading', { name: 'Taken back' }).waitFor();
    expect(await statusesOf(to)).toContain('second: pending');
  });

  test('coming back to the address of a step asks again, and does nothing by itself', async () => {
    const to = 'dan@example.org';
    const url = await linkFor(to);
    const page = await open(url);
    await press(page, 'Stop these mails', 'stop');
    await press(page, 'Undo', 'undo');
    for (const step of ['stop', 'everything', 'undo']) {
      await page.goto(`${url}/${step}`);
      expect(await heading(page)).toBe('Stop these mails?');
    }
    expect(await statusesOf(to)).toContain('second: pending');
    await press(page, 'Stop these mails', 'stop');
    expect(page.url()).toBe(`${url}/stop`);
    expect(await statusesOf(to)).toContain('second: skipped_unsubscribed');
  });

  // Colours and structure are the same in every language, and only words are longer or shorter.
  test.each([
    ['en', 'light'],
    ['ro', 'light'],
    ['zh-CN', 'light'],
    ['en', 'dark'],
  ] as const)(
    'every page in %s, in the %s, is accessible and fits a phone of 320 px',
    async (locale, colorScheme) => {
      const fits = locale === 'en' ? expectToFit : expectRoom;
      const url = `${server.url}/api/v1/notifications/unsubscribe/${'x'.repeat(44)}`;
      const page = await open(url, { locale, colorScheme, viewport: { width: 320, height: 640 } });
      const background = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      expect(background).toBe(colorScheme === 'light' ? 'rgb(250, 248, 244)' : 'rgb(26, 25, 23)');
      await fits(page);
      for (const step of ['stop', 'everything']) {
        await page.locator(`form[action$="${step}"] button`).click();
        await page.waitForURL(`**/${step}`);
        await fits(page);
      }
      await page.locator('form[action$="undo"] button').click();
      await page.waitForURL('**/undo');
      await fits(page);
    },
  );
});
