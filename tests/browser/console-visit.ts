import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { systemClock } from '../../src/std/clock.ts';
import type { Api } from '../http/api-world.ts';
import { axeSource } from './axe.ts';
import { type Chromium, startChromium, type Visit } from './browser.ts';
import { type ConsoleWorld, createConsoleWorld } from './console-world.ts';

/** Pages of the console one after another, each opened by somebody who has signed in, and each looked at when it is left. */
export interface ConsoleVisits {
  world: ConsoleWorld;
  api: Api;
  open(path: string, options?: VisitOptions): Promise<Page>;
  /** Fails for whatever the page should never have done. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

interface VisitOptions {
  role?: 'operator' | 'read';
  width?: number;
  colorScheme?: 'light' | 'dark';
  language?: string;
  /** Answers that the page is meant to get: a browser notes every refusal as an error. */
  refused?: RegExp;
}

export async function startConsole(): Promise<ConsoleVisits> {
  const world = await createConsoleWorld({ server: { clock: systemClock } });
  const chromium: Chromium = await startChromium();
  let visit: Visit | undefined;
  let refused: RegExp | undefined;

  async function leave(): Promise<void> {
    const complaints = visit?.complaints ?? [];
    await visit?.close();
    visit = undefined;
    // Who leaves a page hangs up on what it asked; an answer that was wanted and did not come is told on the page.
    const grave = complaints.filter((one) => !/^failed: .*\/api\/v1\//.test(one) && !refused?.test(one));
    expect(grave).toEqual([]);
  }

  return {
    ...{ world, api: world.api, leave },
    async open(path, { role = 'operator', width = 1440, colorScheme, language = 'en-GB', ...more } = {}) {
      await leave();
      refused = more.refused;
      visit = await world.visit(chromium, path, {
        ...{ role, locale: language, viewport: { width, height: 900 }, acceptDownloads: true },
        ...(colorScheme && { colorScheme }),
      });
      await visit.page.locator('main h1').waitFor();
      return visit.page;
    },
    async close() {
      await leave();
      await chromium.close();
      await world.close();
    },
  };
}

/** Nothing sticks out sideways but what scrolls by itself, and axe finds nothing wrong. */
export async function expectGoodPage(page: Page, width: number): Promise<void> {
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  const wide = await page.evaluate<string[]>(
    `[...document.querySelectorAll('main *, dialog *')]
      .filter((one) => !one.closest('.scroll, .wide') && one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1)
      .map((one) => one.outerHTML.slice(0, 200))`,
  );
  expect(wide).toEqual([]);
  await page.evaluate(axeSource);
  const { violations, passes } = await page.evaluate<axe.AxeResults>(
    `axe.run(document, { resultTypes: ['violations'], iframes: false })`,
  );
  expect(passes.map(({ id }) => id)).toContain('color-contrast');
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
}

/** Each width and each theme; room does not depend on colours, nor they on it. */
export const looks = [
  [390, 'light'],
  [1440, 'dark'],
] as const;
