import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { systemClock } from '../../src/std/clock.ts';
import { type Api, type ApiWorld, createApiWorld, keys } from '../http/api-world.ts';
import type { Chromium, Visit } from './browser.ts';
import { expectNoBarrier, expectRoom } from './fit.ts';

/** The console in a browser, on a real server with rows as a test wants them. */
export interface ConsoleWorld extends ApiWorld {
  api: Api;
  /** As who has this key, at a page of the console. */
  visit(chromium: Chromium, path: string, options?: VisitOptions): Promise<Visit>;
}

export interface VisitOptions extends BrowserContextOptions {
  role?: 'operator' | 'read' | null;
}

export async function createConsoleWorld(changes?: Parameters<ApiWorld['serve']>[0]): Promise<ConsoleWorld> {
  const world = await createApiWorld();
  // What is live goes by the time of the browser.
  const api = await world.serve({ ...changes, server: { clock: systemClock, ...changes?.server } });
  return {
    ...{ ...world, api },
    async visit(chromium, path, { role = 'operator', ...options } = {}) {
      const visit = await chromium.open({ locale: 'en-GB', ...options });
      if (role !== null) {
        const { headers } = await api.ask('POST', '/api/v1/session', {
          ...{ key: null, body: { key: keys[role][0] } },
          headers: { 'sec-fetch-site': 'same-origin' },
        });
        const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';');
        const [name = '', value = ''] = cookie.split('=');
        await visit.page
          .context()
          .addCookies([{ name, value, url: api.url, httpOnly: true, sameSite: 'Strict' }]);
      }
      await visit.page.goto(`${api.url}/console${path}`);
      return visit;
    },
  };
}

/** The height that WCAG asks for at AA, and more. */
const leastPx = 28;

/** As people have it: a phone and a wide screen, by day and by night. Colours do not depend on the width: each is asked about once. */
export async function expectToFitEverywhere(page: Page): Promise<void> {
  for (const width of [390, 1440])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await expectRoom(page, leastPx);
      if ((width === 390) === (colorScheme === 'light')) await expectNoBarrier(page);
    }
  await page.emulateMedia({ colorScheme: 'light' });
}

export async function giveReason(page: Page, button: string, reason: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill(reason);
  await dialog.getByRole('button', { name: button }).click();
  await expect.poll(() => dialog.count()).toBe(0);
}
