import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type RunningSampleCampus,
  startSampleCampus,
} from '../../src/sources/course-seats/sample/sample-server.ts';
import { termInRegistration } from '../../src/sources/course-seats/term.ts';
import { systemClock } from '../../src/std/clock.ts';
import { hasChromium } from './browser.ts';
import { expectToFitEverywhere } from './console-world.ts';
import { createSourcesWorld, reasonByKeyboard, type SourcesWorld } from './sources-world.ts';

/** A campus whose seats open when the test says so, students who watch two of its sections, and an operator. */
describe.skipIf(!hasChromium)('course seats in the console', () => {
  const term = termInRegistration(systemClock.now());
  let campus: RunningSampleCampus;
  let world: SourcesWorld;
  let first = '';
  let second = '';

  beforeAll(async () => {
    campus = await startSampleCampus({
      ...{ clock: systemClock, termIds: [term], campusCodes: ['NB'], sections: 120, openingEveryMs: null },
    });
    [first = '', second = ''] = campus.campus.sections(term).map(({ index }) => index);
    for (const index of [first, second]) campus.switches.close(index);
    world = await createSourcesWorld({ SOC_BASE_URL: campus.url, SOC_TERMS: term, SOC_CAMPUSES: 'NB' });
    await poll();
    await world.until(async () => {
      const { courses } = await world.api('GET', `/api/v1/seats/courses?q=${first}`);
      return courses.length > 0 || undefined;
    });
    await watch(first, 'ana@example.org');
    await watch(first, 'bob@example.org');
    await watch(second, 'ana@example.org');
    await watch(second, 'eve@example.org', false);
  });
  afterEach(() => world.leave());
  afterAll(async () => {
    await world?.close();
    await campus?.close();
  });

  const poll = () => world.engine.seats?.poller.pollNow();
  async function watch(index: string, email: string, isConfirmed = true) {
    const path = '/api/v1/seats/subscriptions';
    const { token } = await world.api('POST', path, { term, campus: 'NB', index, email });
    if (isConfirmed) await world.api('POST', `${path}/${token}/confirm`);
  }

  test('who watches what is there, and an opening is seen with the deliveries that it led to', async () => {
    const page = await world.open('/seats');
    const watched = page.getByRole('table', { name: 'Watched sections' });
    await watched.waitFor();
    expect(await watched.getByRole('row').count()).toBe(3);
    const line = watched.getByRole('row').filter({ hasText: `index ${first}` });
    expect(await line.getByRole('cell').allInnerTexts()).toEqual([
      expect.stringContaining(`index ${first}`),
      expect.stringMatching(/^closed/),
      '2',
      '0',
    ]);
    await page.getByText('3 watches are told of openings, 1 not confirmed, 0 paused.').waitFor();
    const health = page.getByRole('table', { name: 'Poll health' });
    expect(await health.innerText()).toContain('fresh');
    await page.getByText('Nothing has opened or closed in this time.').waitFor();

    campus.switches.open(first);
    await poll();
    const newest = page.getByRole('table', { name: 'Openings and closings, newest first' });
    await newest.getByText('2 deliveries').waitFor();
    await page.getByRole('img', { name: 'Sections that opened and closed, a minute' }).waitFor();
    await expectToFitEverywhere(page);
    await page.getByLabel('Time').selectOption('week');
    await page.waitForURL('**/seats?span=week');
    await page.getByRole('img', { name: 'Sections that opened and closed, in 2 hours' }).waitFor();

    await newest.getByRole('row').nth(1).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/console/seats/${term}/${first}`);
    await page.getByText('2 told of it').waitFor();
    expect(await page.getByRole('main').innerText()).toMatch(/^open /m);
    expect(await page.getByRole('button', { name: 'Say that it is open' }).count()).toBe(0);
    await expectToFitEverywhere(page);
    await page.getByRole('link', { name: '2 deliveries' }).click();
    await page.getByText(/^Only those of the occasion \d+\./).waitFor();
    const deliveries = page.locator('tbody tr');
    await world.until(async () => ((await deliveries.count()) === 2 ? true : undefined));
    await page.reload();
    await world.until(async () => ((await deliveries.count()) === 2 ? true : undefined));
  });

  test('a section is found, and an operator says that it is open, with a reason', async () => {
    const page = await world.open('/seats');
    await page.getByLabel('Find a section by index, course or title').fill(second);
    await page.keyboard.press('Enter');
    const found = page.getByRole('table', { name: 'Sections that were found' });
    await found.getByRole('link').first().click();
    await page.getByText('1 not confirmed').waitFor();
    await page.getByRole('button', { name: 'Say that it is open' }).click();
    await reasonByKeyboard(page, 'the registrar has called');
    await page.getByText('said by an operator').waitFor();
    await page.getByRole('link', { name: '2 deliveries' }).waitFor();
    const { lines } = await world.api('GET', '/api/v1/audit');
    expect(lines).toMatchObject([{ reason: 'the registrar has called', answer: '201' }]);
    await page.getByRole('link', { name: 'All watched sections' }).click();
    await page.getByRole('link', { name: 'All openings and closings' }).click();
    await page.getByRole('heading', { name: 'Openings and closings, newest first' }).waitFor();
    await expectToFitEverywhere(page);
  });

  test('a feed that fails is seen to fail', async () => {
    campus.switches.set({ kind: 'server_error' });
    await poll();
    const page = await world.open('/seats');
    await page.getByText(/polls? in a row brought no list/).waitFor();
    await page.goto(`${world.server.url}/console/seats/${term}/99999`);
    await page.getByText('There is no such section.').waitFor();
    // To a browser an answer like that is worth a complaint.
    expect(world.complaints()).toEqual([expect.stringContaining('404')]);
  });
});
