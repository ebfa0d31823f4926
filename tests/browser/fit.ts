import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { axeSource } from './axe.ts';

/** Nothing sticks out, whatever is pressed is large enough for a thumb, and axe finds nothing wrong. */
export async function expectToFit(page: Page): Promise<void> {
  const wide = await page.evaluate<string[]>(
    `[...document.querySelectorAll('html, main, main *')]
      .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0
        || one.getBoundingClientRect().right > innerWidth)
      .map((one) => one.outerHTML)`,
  );
  expect(wide).toEqual([]);
  // What is folded away has no height. A box inside its label is pressed anywhere on that.
  const small = await page.evaluate<string[]>(
    `[...document.querySelectorAll('button, a.button, summary, select, input:not([type=hidden])')]
      .filter((one) => one.checkVisibility() && (one.closest('label') ?? one).getBoundingClientRect().height < 48)
      .map((one) => one.outerHTML)`,
  );
  expect(small).toEqual([]);
  await page.evaluate(axeSource);
  const { violations, passes } = await page.evaluate<axe.AxeResults>(
    `axe.run({ resultTypes: ['violations'] })`,
  );
  // Contrast was measured, and not left out.
  expect(passes.map(({ id }) => id)).toContain('color-contrast');
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
}
