import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { samplesIn } from '../../src/emails/samples.ts';
import { fullest, mailOf, templates, variablesOf, withValue } from '../emails/mails.ts';
import { axeSource } from './axe.ts';
import { type Chromium, hasChromium, startChromium } from './browser.ts';

/** Every sample as a browser draws it, on a phone and beside a list of mails, in the light and in the dark. */
describe.skipIf(!hasChromium)('mails in a browser', () => {
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await startChromium();
  });
  afterAll(() => chromium?.close());

  test.each(templates)(
    '$name fits and is accessible, in every language, in the light and in the dark',
    async (template) => {
      const { page, complaints, close } = await chromium.open();
      await page.evaluate(axeSource);
      for (const locale of template.locales) {
        for (const props of samplesIn(template, locale).values()) {
          await page.setContent((await mailOf({ template: template.name, locale, props })).html);
          await page.emulateMedia({ colorScheme: 'light' });
          await expectAccessible(page, { rules });
          await expectToFit(page);
          // All but the colours is the same in the dark.
          await page.emulateMedia({ colorScheme: 'dark' });
          await expectAccessible(page, { runOnly: ['color-contrast'] });
        }
      }
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test.each(templates)('$name fits with the longest words that it takes', async (template) => {
    const { page, complaints, close } = await chromium.open();
    for (const sign of ['W', '\u05e9']) {
      const words = variablesOf(template.schema).filter(({ format }) => format === 'tidings-line');
      const props = words.reduce(
        (all, { path, charactersMax }) => withValue(all, path, sign.repeat(Math.min(charactersMax, 300))),
        fullest(template),
      );
      await page.setContent((await mailOf({ template: template.name, locale: 'en', props })).html);
      await expectToFit(page);
    }
    expect(complaints).toEqual([]);
    await close();
  });

  test('a bar is as long as it says, and is seen in the light and in the dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, close } = await chromium.open({ viewport: { width: 600, height: 640 }, colorScheme });
      const newsletter = templates.find(({ name }) => name === 'newsletter-entity');
      const props = { ...newsletter?.samples['ro-monthly'] };
      await page.setContent((await mailOf({ template: 'newsletter-entity', locale: 'ro', props })).html);
      const bars = await page.evaluate<{ share: number; height: number; colours: string[] }[]>(
        `[...document.querySelectorAll('td.bar')].map((bar) => {
          const row = bar.parentElement;
          const track = row.querySelector('td.track');
          return {
            share: Math.round(100 * bar.offsetWidth / row.offsetWidth),
            height: bar.offsetHeight,
            colours: [bar, track, document.body].flatMap((one) => one ? [getComputedStyle(one).backgroundColor] : []),
          };
        })`,
      );
      expect(bars.map(({ share }) => share)).toEqual([100, 75, 100, 72, 55, 38, 31]);
      for (const { height, colours } of bars) {
        expect(height).toBe(8);
        expect(new Set(colours).size).toBe(colours.length);
      }
      await close();
    }
  });
});

async function expectToFit(page: Page): Promise<void> {
  for (const width of [600, 320]) {
    await page.setViewportSize({ width, height: 640 });
    const wide = await page.evaluate<string[]>(
      `[...document.querySelectorAll('html, body, body *')]
        .filter((one) => one.getBoundingClientRect().right > innerWidth || one.getBoundingClientRect().left < 0)
        .map((one) => one.outerHTML.slice(0, 300))`,
    );
    expect(wide).toEqual([]);
  }
}

/** In a mail program it is no page of its own: where a page has its landmarks and its heading is not its business. */
const rules = {
  ...{ region: { enabled: false }, 'landmark-one-main': { enabled: false } },
  'page-has-heading-one': { enabled: false },
};

async function expectAccessible(page: Page, options: axe.RunOptions): Promise<void> {
  const { violations, passes } = await page.evaluate<axe.AxeResults>(
    `axe.run(${JSON.stringify({ resultTypes: ['violations'], ...options })})`,
  );
  expect(passes.map(({ id }) => id)).toContain('color-contrast');
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
}
