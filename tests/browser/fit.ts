import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { axeSource } from './axe.ts';

/**
 * Nothing sticks out, whatever is pressed is large enough, and axe finds nothing wrong. For a thumb by default; who works with a mouse all
 * day gets more on a screen.
 */
export async function expectToFit(page: Page, leastPx = 48): Promise<void> {
  await expectRoom(page, leastPx);
  await expectNoBarrier(page);
}

export async function expectRoom(page: Page, leastPx = 48): Promise<void> {
  // What is in a drawing has no width of its own to scroll in, but an edge that can stick out.
  const wide = () =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('html, main, main *')]
      .filter((one) => !one.closest('.scroll, .wide') || one.matches('.scroll, .wide') && one.getBoundingClientRect().right > innerWidth)
      .filter((one) => one.matches('.scroll, .wide') || !one.matches('input, svg *') && one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0
        || one.getBoundingClientRect().right > innerWidth)
      .map((one) => one.outerHTML)`,
    );
  // A chart is drawn anew a few frames after the window has become another.
  await expect.poll(wide, { timeout: 5_000 }).toEqual([]);
  // What is folded away has no height. A box inside its label is pressed anywhere on that.
  const small = await page.evaluate<string[]>(
    `[...document.querySelectorAll('button, a.button, summary, select, input:not([type=hidden])')]
      .filter((one) => one.checkVisibility() && (one.closest('label') ?? one).getBoundingClientRect().height < ${leastPx})
      .map((one) => one.outerHTML)`,
  );
  expect(small).toEqual([]);
}

export async function expectNoBarrier(page: Page): Promise<void> {
  await page.evaluate(axeSource);
  // Only frames of this origin answer axe. A mail's has none, and runs nothing: it is asked about by itself, as a mail.
  const { violations, passes } = await page.evaluate<axe.AxeResults>(
    `axe.run({ iframes: false, resultTypes: ['violations'] })`,
  );
  // Contrast was measured, and not left out.
  expect(passes.map(({ id }) => id)).toContain('color-contrast');
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
}
