import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { statusNames } from '../../src/domain/status.ts';
import { termInRegistration } from '../../src/sources/course-seats/term.ts';
import { systemClock } from '../../src/std/clock.ts';
import { hasChromium } from './browser.ts';
import { expectToFitEverywhere } from './console-world.ts';
import { createSourcesWorld, type SourcesWorld } from './sources-world.ts';

/** Home where a mail was told, one was stopped on purpose, and the section feed was never reached. */
describe.skipIf(!hasChromium)('home in the console', () => {
  const phone = { viewport: { width: 390, height: 844 } };
  let world: SourcesWorld;

  beforeAll(async () => {
    world = await createSourcesWorld({
      // Where nobody listens.
      ...{ SOC_BASE_URL: 'http://127.0.0.1:9/soc', SOC_CAMPUSES: 'NB' },
      SOC_TERMS: termInRegistration(systemClock.now()),
    });
    const tell = (to: string) =>
      world.api('POST', '/api/v1/intents', {
        ...{ to, occasion: 'notice', variables: { subject: 'Hello', text: 'It works.' } },
      });
    await world.api('POST', '/api/v1/suppressions', { addresses: ['eve@example.org'], because: 'she asked' });
    await tell('ana@example.org');
    await tell('eve@example.org');
    await world.until(async () => {
      const { deliveries } = await world.api('GET', '/api/v1/deliveries');
      const now = deliveries.map(({ status }: { status: string }) => status).sort();
      return now.join() === 'delivered,suppressed' || undefined;
    });
    await world.until(async () => {
      const { feeds } = await world.api('GET', '/api/v1/standing');
      return (feeds[0]?.askedAt != null && feeds[0].failures > 0) || undefined;
    });
  });
  afterEach(() => world.leave());
  afterAll(() => world?.close());

  /** The arrows along which a move passes: how many have, how thick they are, and what they say. */
  const arrowsOf = (page: Page, move: string) =>
    page.evaluate<{ passed: string; width: number; says: string }[]>(
      `[...document.querySelectorAll('svg.map [data-moves~="${move}"]')].map((arrow) => ({
        passed: arrow.dataset.passed,
        width: Number(arrow.querySelector('.line').getAttribute('stroke-width')),
        says: arrow.querySelector('title').textContent,
      }))`,
    );
  const map = (page: Page) => page.locator('svg.map');

  test('on a phone the whole map is seen, every station with its count, in letters that can be read', async () => {
    const page = await world.open('', phone);
    await map(page).waitFor();
    const stations = await page.evaluate<{ name: string; left: number; right: number; text: string }[]>(
      `[...document.querySelectorAll('svg.map [data-station]')].map((station) => {
        const { left, right } = station.getBoundingClientRect();
        return { name: station.dataset.station, left, right, text: station.textContent };
      })`,
    );
    expect(stations.map(({ name }) => name).sort()).toEqual([...statusNames].sort());
    for (const { left, right, name, text } of stations) {
      expect([name, left >= 0 && right <= 390]).toEqual([name, true]);
      expect(text).toMatch(/\d$/);
    }
    const scale = await page.evaluate<number>(`document.querySelector('svg.map').getScreenCTM().a`);
    expect(12 * scale).toBeGreaterThanOrEqual(11.5);
    await expectToFitEverywhere(page);
  });

  test.each([390, 1440])(
    'at %i pixels each arrow is as thick as what passed along it, and says so',
    async (width) => {
      const page = await world.open('', { viewport: { width, height: 900 } });
      await map(page).waitFor();
      await expect
        .poll(async () => (await arrowsOf(page, 'claimed>sending'))[0])
        .toMatchObject({ says: '1 delivery went from claimed to sending in the last hour.' });
      // Both end in the same box; only from one of them did anything come.
      await expect
        .poll(async () => (await arrowsOf(page, 'claimed>suppressed'))[0])
        .toMatchObject({ passed: '1' });
      const [fromClaimed] = await arrowsOf(page, 'claimed>suppressed');
      const [fromWaiting] = await arrowsOf(page, 'pending>suppressed');
      expect([fromClaimed?.passed, fromWaiting?.passed]).toEqual(['1', '0']);
      expect(fromClaimed?.width).toBeGreaterThan(fromWaiting?.width ?? Number.NaN);
      expect(fromWaiting?.says).toBe(
        'Nothing went from pending or failed_transient to skipped_unsubscribed, skipped_no_email, skipped_ineligible, expired, or suppressed in the last hour.',
      );
    },
  );

  test('each source is there with what it asked for and what arrived', async () => {
    const page = await world.open('');
    const row = page.getByRole('table', { name: 'Mail by source' }).locator('tbody tr');
    await row.waitFor();
    expect(await row.locator('td').allInnerTexts()).toEqual(['Mails in your own words', '1', '0', '2']);
    await row.getByRole('link', { name: '1' }).click();
    await page.waitForURL('**/deliveries?source=plain&status=delivered');
    await page.locator('tbody tr').filter({ hasText: 'ana@example.org' }).waitFor();
  });

  test('a chart has room for its last time, and a dot for a point without neighbours', async () => {
    const page = await world.open('', phone);
    const chart = page.getByRole('img', { name: 'From asked for to accepted, in seconds' });
    await chart.waitFor();
    const chartInPage = `document.querySelector('.chart.named')`;
    const room = await page.evaluate<number>(
      `${chartInPage}.querySelector('.uplot').getBoundingClientRect().right -
        ${chartInPage}.querySelector('.u-over').getBoundingClientRect().right`,
    );
    // Half of 00:00 in 12 pixels.
    expect(room).toBeGreaterThanOrEqual(17);
    const coloured = () =>
      page.evaluate<number>(`(() => {
        const canvas = ${chartInPage}.querySelector('canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let at = 0; at < data.length; at += 4) {
          const [red, green, blue, alpha] = data.subarray(at, at + 4);
          if (alpha > 200 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60) count += 1;
        }
        return count;
      })()`);
    await expect.poll(coloured).toBeGreaterThan(5);
  });

  test('a section feed that was never reached says since when it is asked for, and not that its list is old', async () => {
    const page = await world.open('');
    const feed = page.getByRole('region').or(page.locator('section')).filter({ hasText: 'Section feed' });
    await feed
      .getByText(
        /^\w+ \d{4}, NB.*: no list yet; first asked for .*(now|ago); the last (try|\d+ tries) failed \(it cannot be reached\)$/,
      )
      .waitFor();
    expect(await feed.innerText()).not.toContain('more than a minute');
    await page.goto(`${world.server.url}/console/seats`);
    await page.getByRole('table', { name: 'Poll health' }).getByText('first asked for').waitFor();
  });

  test('on a phone the menu is behind a button, and the keyboard gets in and out', async () => {
    const page = await world.open('', phone);
    await map(page).waitFor();
    const menu = page.getByRole('button', { name: 'Menu' });
    const link = page.getByRole('navigation').getByRole('link', { name: 'Audit' });
    expect(await link.isVisible()).toBe(false);
    await menu.focus();
    await page.keyboard.press('Enter');
    await link.waitFor();
    await page.keyboard.press('Escape');
    expect([await link.isVisible(), await menu.getAttribute('aria-expanded')]).toEqual([false, 'false']);
    await page.keyboard.press('Enter');
    await link.click();
    await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor();
    expect(await link.isVisible()).toBe(false);
  });

  test('lines of a chart have their names where they end, and their unit at the axis', async () => {
    const page = await world.open('');
    const chart = page.getByRole('img', { name: 'From asked for to accepted, in seconds' });
    await chart.waitFor();
    const names = chart.locator('.ends > span');
    expect(await names.allInnerTexts()).toEqual(['half', '99 of 100']);
    const [one, other] = await Promise.all([names.nth(0).boundingBox(), names.nth(1).boundingBox()]);
    // Both lines end in the same place, and neither name is on the other.
    expect(Math.abs((one?.y ?? 0) - (other?.y ?? 0))).toBeGreaterThanOrEqual(15);
    expect(await chart.locator('.u-legend').count()).toBe(0);
  });

  test.each([
    ['/needs-review', 'Nothing needs a decision', 'See what is being found out now', 'reconciling'],
    ['/dead-letters', 'No dead letters', 'See what failed and is being tried again', 'failed_transient'],
  ])('%s that is empty says why, and the one thing to do', async (path, says, next, status) => {
    const page = await world.open(path);
    await page.getByText(says).waitFor();
    expect(await page.getByText('Given up for good').or(page.getByText('Ask the provider')).count()).toBe(0);
    await expectToFitEverywhere(page);
    await page.getByRole('link', { name: next }).click();
    await page.waitForURL(`**/deliveries?status=${status}`);
  });
});
