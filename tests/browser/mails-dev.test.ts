import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type CommandLine, createCommandLine, type Running } from '../cli/command-line.ts';
import { axeSource } from './axe.ts';
import { type Chromium, hasChromium, startChromium, type Visit } from './browser.ts';

const program = fileURLToPath(new URL('../../scripts/email-dev.mjs', import.meta.url));
const tsconfig = fileURLToPath(new URL('../../tsconfig.json', import.meta.url));
const boundMs = 120_000;

describe.skipIf(!hasChromium)('the page of npm run email:dev', { timeout: boundMs }, () => {
  let shell: CommandLine;
  let server: Running;
  let url: string;
  let chromium: Chromium;
  let visit: Visit | undefined;

  beforeAll(async () => {
    shell = createCommandLine();
    server = shell.start([], { program, boundMs, env: { PORT: '0', TSX_TSCONFIG_PATH: tsconfig } });
    [, url = ''] = await server.until(/Mails at (\S+)/);
    chromium = await startChromium();
  }, boundMs);
  afterEach(async () => {
    // Whoever leaves the page hangs up on what it listened to.
    const complaints = visit?.complaints.filter((one) => !/^failed: .*\/events$/.test(one));
    expect(complaints).toEqual([]);
    await visit?.close();
  });
  afterAll(async () => {
    await chromium?.close();
    server?.signal('SIGINT');
    await server?.ended;
    await shell?.close();
  });

  async function open(options: Parameters<Chromium['open']>[0] = {}): Promise<Page> {
    visit = await chromium.open({ viewport: { width: 1280, height: 800 }, ...options });
    await visit.page.goto(`${url}/?template=newsletter-entity&locale=en&sample=monthly`);
    return visit.page;
  }
  const chosen = (page: Page) => page.locator('nav [aria-current]').getAttribute('aria-label');
  const frame = (page: Page) => page.frameLocator('iframe').locator('body');

  test('shows the mail in a frame of its width, in the light and in the dark', async () => {
    const page = await open();
    expect(await frame(page).innerText()).toContain('Largest expenses');
    expect(await page.locator('pre').first().innerText()).toContain('Income: 12.84M RON');
    const seen = () =>
      page.frames()[1]?.evaluate<unknown[]>('[innerWidth, getComputedStyle(document.body).backgroundColor]');
    expect(await seen()).toEqual([600, 'rgb(251, 250, 247)']);
    await page.getByRole('link', { name: '320' }).click();
    await page.waitForURL(/width=320/);
    await page.getByRole('link', { name: 'dark' }).click();
    await page.waitForURL(/scheme=dark&width=320/);
    await frame(page).waitFor();
    expect(await seen()).toEqual([320, 'rgb(25, 24, 22)']);
  });

  test('is worked with the keys alone', async () => {
    const page = await open();
    expect(await chosen(page)).toBe('newsletter-entity, monthly, en');
    const press = async (key: string, leadsTo: RegExp) => {
      await page.keyboard.press(key);
      await page.waitForURL(leadsTo);
    };
    await press('j', /locale=ro&sample=monthly/);
    expect(await frame(page).innerText()).toContain('Cele mai mari cheltuieli');
    await press('d', /scheme=dark/);
    await press('w', /width=320/);
    await press('j', /sample=quarterly/);
    expect(page.url()).toMatch(/scheme=dark/);
    await press('k', /sample=monthly/);
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').innerText()).toBe('To the mail');
  });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 400],
  ] as const)('is accessible, and fits: %s, %d px', async (colorScheme, width) => {
    const page = await open({ colorScheme, viewport: { width, height: 800 } });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await page.addInitScript(axeSource);
    await page.reload();
    const { violations } = await page.evaluate<axe.AxeResults>(
      `axe.run(document, { resultTypes: ['violations'], iframes: false })`,
    );
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual(
      [],
    );
  });
});
