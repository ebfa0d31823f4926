import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Nothing sticks out, whatever is pressed is large enough for a thumb, and axe finds nothing wrong. */
export async function expectToFit(page: Page): Promise<void> {
  const wide = await page.evaluate<string[]>(
    `[...document.querySelectorAll('html, main, main *')]
      .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0
        || one.getBoundingClientRect().right > innerWidth)
      .map((one) => one.outerHTML)`,
  );
  expect(wide).toEqual([]);
  const pressed = 'button, a.button, summary, select, input:not([type=hidden])';
  for (const one of await page.locator(pressed).all()) {
    const box = await one.boundingBox();
    // What is folded away has none.
    if (box) expect(box.height, await one.evaluate('node => node.outerHTML')).toBeGreaterThanOrEqual(48);
  }
  await page.evaluate(axe.source);
  const { violations, passes } = await page.evaluate<axe.AxeResults>('axe.run()');
  // Contrast was measured, and not left out.
  expect(passes.map(({ id }) => id)).toContain('color-contrast');
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
}
