import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createEngine, type Engine } from '../../src/engine.ts';
import { type RunningProcess, startProcess } from '../../src/main.ts';
import {
  type RunningSampleCampus,
  startSampleCampus,
} from '../../src/sources/course-seats/sample/sample-server.ts';
import { termInRegistration } from '../../src/sources/course-seats/term.ts';
import { systemClock } from '../../src/std/clock.ts';
import { createLog, silentLog } from '../../src/std/log.ts';
import { emptyDatabase } from '../support/world.ts';
import { type Chromium, hasChromium, startChromium, type Visit } from './browser.ts';
import { expectRoom, expectToFit } from './fit.ts';

/** A student with a browser, a campus whose seats open when the test says so, and the built-in inbox. */
describe.skipIf(!hasChromium)('course seats in a browser', () => {
  const termId = termInRegistration(systemClock.now());
  const logged: string[] = [];
  const tokens = new Set<string>();
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  let campus: RunningSampleCampus;
  let server: RunningProcess;
  /** Beside the server, on the same database: so that nobody waits for the next poll. */
  let engine: Engine;
  let chromium: Chromium;
  let visit: Visit | undefined;
  /** Sections that are closed until a test opens them. */
  let closed: string[] = [];
  const section = () => closed.shift() ?? '';

  beforeAll(async () => {
    database = await emptyDatabase('sqlite');
    campus = await startSampleCampus({
      ...{ clock: systemClock, termIds: [termId], campusCodes: ['NB'], sections: 120, openingEveryMs: null },
    });
    closed = campus.campus
      .sections(termId)
      .slice(0, 20)
      .map(({ index }) => index);
    for (const index of closed) campus.switches.close(index);
    const variables = { DATABASE_URL: database.url, PORT: '0', SOC_BASE_URL: campus.url };
    const config = readConfig({ ...variables, SOC_TERMS: termId, SOC_CAMPUSES: 'NB' }, '/no/such/file');
    server = await startProcess(config, {
      log: createLog({ level: 'debug', sink: { write: (line) => logged.push(line) } }),
    });
    engine = await createEngine(config, { log: silentLog, migrations: 'all' });
    chromium = await startChromium();
    await poll();
    await until(async () => {
      const { courses } = await api(`/api/v1/seats/courses?q=${closed[0]}`);
      return courses.length > 0 || undefined;
    });
  });
  afterEach(async () => {
    const complaints = visit?.complaints;
    await visit?.close();
    visit = undefined;
    expect(complaints).toEqual([]);
  });
  afterAll(async () => {
    await chromium?.close();
    await engine?.close();
    await server?.stop();
    await campus?.close();
    await database?.drop();
    expect(tokens.size).toBeGreaterThan(0);
    expect(logged.filter((line) => [...tokens].some((token) => line.includes(token)))).toEqual([]);
  });

  const poll = () => engine.seats?.poller.pollNow();

  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came; tests say what it must be.
  async function api(path: string): Promise<any> {
    return (await fetch(`${server.url}${path}`)).json();
  }

  async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
    for (let tries = 0; tries < 600; tries++) {
      const found = await look();
      if (found !== undefined) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('waited half a minute for what did not come');
  }

  /** The newest mail to somebody with these words in its subject. */
  const mailTo = (to: string, subject: RegExp) =>
    until(async () => {
      const { mails } = await api('/api/v1/inbox?limit=50');
      const found = mails.find(
        (one: { to: string; subject: string }) => one.to === to && subject.test(one.subject),
      );
      return found && (await api(`/api/v1/inbox/${found.messageId}`));
    });

  /** Where a link of a mail leads on this server. */
  function linkIn({ text }: { text: string }, kind: string): string {
    const [link = ''] = new RegExp(`https?://\\S*/${kind}/[\\w-]{44}`).exec(text) ?? [];
    tokens.add(link.slice(-44));
    return `${server.url}${new URL(link).pathname}`;
  }

  async function open(url: string, options: Parameters<Chromium['open']>[0] = {}): Promise<Page> {
    visit = await chromium.open({ locale: 'en-GB', ...options });
    await visit.page.goto(url);
    return visit.page;
  }

  const heading = (page: Page) => page.locator('h1').innerText();
  const said = (page: Page) => page.getByRole('status').innerText();
  const press = async (page: Page, name: string) => {
    await page.getByRole('button', { name, exact: true }).click();
    await page.waitForLoadState();
  };

  async function watch(page: Page, index: string, email: string): Promise<void> {
    await page.goto(`${server.url}/seats/${termId}/${index}`);
    await page.locator('#email').fill(email);
    await page.locator('form button.main').click();
    await page.waitForURL('**/asked');
  }

  test('search, watch, confirm, see the seat open, manage, unsubscribe', async () => {
    const index = section();
    const email = 'ana@example.org';
    const page = await open(`${server.url}/seats`);
    await page.getByLabel('Only sections without a free seat').check();
    await page.getByLabel('Course or index').fill(index);
    await press(page, 'Search');
    expect(await page.getByText('1 course found').isVisible()).toBe(true);
    expect(await page.getByText(/^Checked \d+ s ago\.$/).isVisible()).toBe(true);
    await page.getByRole('link', { name: `index ${index}` }).click();
    expect(await page.locator('.chip').first().innerText()).toContain('Closed');
    await page.getByLabel('Your e-mail address').fill(email);
    await press(page, 'Watch this section');
    expect(await heading(page)).toBe('Almost done: look into your inbox');
    expect(await page.locator('body').innerText()).toContain(index);

    // Programs that check mails follow its links; then its owner does.
    const confirmLink = linkIn(await mailTo(email, /./), 'confirm');
    expect((await fetch(confirmLink)).status).toBe(200);
    await page.goto(confirmLink);
    expect(await heading(page)).toBe('Watch this section?');
    await press(page, 'Yes, watch it');
    expect(await said(page)).toBe('Confirmed. You are watching this section.');
    await page.reload();
    expect(await page.locator('.chip').first().innerText()).toContain('Watching');

    campus.switches.open(index);
    await poll();
    const opened = await mailTo(email, /open|seat/i);
    expect(opened.text).toContain(`indexList=${index}`);
    await page.goto(linkIn(opened, 'manage'));
    await page.getByText('It is open right now').waitFor();
    expect(await page.getByText('1 mail so far.').isVisible()).toBe(true);

    await press(page, 'Pause');
    expect(await said(page)).toContain('Paused.');
    await press(page, 'Resume');
    await press(page, 'Until tomorrow');
    expect(await page.getByText(/^No mail before .* 08:00\.$/).isVisible()).toBe(true);
    await press(page, 'End the snooze');
    await page.getByLabel('From').fill('22:00');
    await page.getByLabel('To', { exact: true }).fill('07:30');
    await press(page, 'Save hours');
    expect(await page.getByText('Mail comes from 22:00 to 07:30.').isVisible()).toBe(true);
    await page.getByLabel('At most').fill('5');
    await press(page, 'Save');
    expect(await page.getByLabel('At most').inputValue()).toBe('5');
    // A form leaves nothing behind that Back or Reload would send again.
    await page.goBack();
    await page.reload();
    await press(page, 'Stop watching');
    expect(await said(page)).toBe('Stopped. No more mails about this section.');
    await press(page, 'Undo');
    expect(await page.locator('.chip').first().innerText()).toContain('Watching');

    await page.goto(linkIn(opened, 'unsubscribe'));
    await press(page, 'Stop these mails');
    await page.goto(linkIn(opened, 'manage'));
    expect(await page.locator('.chip').first().innerText()).toContain('Ended');
  });

  test('in Romanian, down to the mails', async () => {
    const index = section();
    const email = 'ion@example.org';
    const page = await open(`${server.url}/seats`, { locale: 'ro-RO' });
    await page.getByLabel('Curs sau index').fill(index);
    await press(page, 'Căutați');
    await page.getByRole('link', { name: `index ${index}` }).click();
    await page.getByLabel('Adresa dumneavoastră de e-mail').fill(email);
    await press(page, 'Urmăriți această secțiune');
    expect(await heading(page)).toBe('Aproape gata: verificați-vă e-mailul');
    await page.goto(linkIn(await mailTo(email, /./), 'confirm'));
    await press(page, 'Da, o urmăresc');
    expect(await said(page)).toBe('Confirmat. Urmăriți această secțiune.');
    expect(await page.locator('html').getAttribute('lang')).toBe('ro');
    campus.switches.open(index);
    await poll();
    const opened = await mailTo(email, /deschi|loc/i);
    await page.goto(linkIn(opened, 'manage'));
    await press(page, 'Opriți urmărirea');
    expect(await said(page)).toContain('Oprit.');
  });

  test('with the keyboard alone, and without scripts; a mistake is said where it was made', async () => {
    const index = section();
    const page = await open(`${server.url}/seats/${termId}/${index}`, { javaScriptEnabled: false });
    // Past what the browser itself would say.
    await page.locator('#email').fill('ana@example');
    await page.keyboard.press('Enter');
    await page.getByText('This is not a complete e-mail address').waitFor();
    expect(await page.locator('#email').inputValue()).toBe('ana@example');
    expect(await page.locator(':focus').getAttribute('id')).toBe('email');
    await page.keyboard.press('Tab');
    expect(await page.locator('summary:focus-visible').count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('cleo@example.org');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/asked');
    // To the browser a form that comes back is worth a complaint.
    expect(visit?.complaints.splice(0)).toEqual([expect.stringContaining('422')]);
  });

  test('what somebody else watches is not on the page, what they watch themselves is', async () => {
    const [first, second, other] = [section(), section(), section()];
    const page = await open(`${server.url}/seats`);
    await watch(page, first, 'dan@example.org');
    await watch(page, second, 'dan@example.org');
    await watch(page, other, 'eva@example.org');
    await page.goto(linkIn(await mailTo('dan@example.org', /./), 'confirm'));
    const asked = await page.locator('main').innerText();
    expect([first, second, other].map((index) => asked.includes(index))).toEqual([true, true, false]);
    await press(page, 'Yes, watch them');
    const list = await page.locator('section', { hasText: 'What else you watch' }).innerText();
    expect([first, second].filter((index) => list.includes(index))).toHaveLength(1);
    expect(list).not.toContain(other);
    await page.getByRole('button', { name: /^Pause: / }).click();
    await page.waitForURL('**/manage/*about=*');
    expect(await said(page)).toContain('Paused.');
    expect(await page.locator('.chip').first().innerText()).toContain('Watching');
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
      const [index, other] = [section(), section()];
      const email = `reader-${colorScheme}-${locale.toLowerCase()}@example.org`;
      const viewport = { width: 320, height: 640 };
      const page = await open(`${server.url}/seats`, { locale, colorScheme, viewport });
      await fits(page);
      const isOpen = campus.campus
        .sections(termId)
        .find((one) => campus.campus.isOpen(termId, one.index))?.index;
      for (const path of [
        ...[`/seats?q=${index}`, '/seats?q=01', '/seats?q=no+such+course+anywhere'],
        ...[`/seats/${termId}/${index}`, `/seats/${termId}/${isOpen}`],
      ]) {
        await page.goto(`${server.url}${path}`);
        await fits(page);
      }
      await watch(page, other, email);
      await watch(page, index, email);
      await fits(page);
      await page.goto(linkIn(await mailTo(email, /./), 'confirm'));
      await fits(page);
      await page.locator('button.main').click();
      await page.waitForURL('**/manage/**');
      await fits(page);
      await page.locator('form[action$="/stop"] button').first().click();
      await page.waitForURL('**says=stop');
      await fits(page);
      expect(await page.locator('html').getAttribute('lang')).toBe(locale);
    },
  );
});
