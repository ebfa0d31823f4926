import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Catalog, SectionDetails } from '../../src/sources/course-seats/catalog/catalog.ts';
import { onBothDatabases } from '../support/world.ts';
import type { Api } from './api-world.ts';
import { createSeatsApiWorld, post, type SeatsApiWorld, term } from './seats-api-world.ts';

/** From the search to a section and back, and what the search leaves out or cannot know. */
onBothDatabases('the search for students', (dialect) => {
  let world: SeatsApiWorld;
  let api: Api;
  const look = async (path: string, server = api) =>
    (await server.ask('GET', path, { key: null })).text.replaceAll('&amp;', '&');
  const goesTo = async (path: string) => {
    const { status, headers } = await fetch(`${api.url}${path}`, { redirect: 'manual' });
    const location = headers.get('location');
    return [status, location && new URL(location, `${api.url}${path}`).href.slice(api.url.length)];
  };

  beforeAll(async () => {
    world = await createSeatsApiWorld(dialect, { isSample: true });
    await world.poll();
    api = await world.serveSeats();
  });
  afterAll(() => world.close());

  test('is kept on the way to a section, through its form, and back', async () => {
    const search = `?q=198%3A111&term=${term}&campus=NB&closed=1`;
    const path = `/seats/${term}/09214`;
    expect(await look(`/seats${search}`)).toContain(`href="seats/${term}/09214${search}"`);
    const page = await look(path + search);
    expect(page).toContain(`<a href="../../seats${search}">Search for another section</a>`);
    expect(page).toContain(`<form method="post" action="09214${search}"`);
    const asked = await post(api, path + search, { email: 'ana@example.org' });
    expect(asked.goesTo).toBe(`${path}/asked${search}`);
    const after = await look(`${path}/asked${search}`);
    expect(after).toContain(`<a href="../../../seats${search}">Search for another section</a>`);
    expect(after).toContain(`<a href="../09214${search}">`);
    // Whoever came from nowhere goes to the bare search.
    expect(await look(path)).toContain('<a href="../../seats">Search for another section</a>');
  });

  test('what came with the address is no markup', async () => {
    const text = await look(`/seats/${term}/09214?q=%22%3E%3Cscript%3E`);
    expect(text).toContain('seats?q=%22%3E%3Cscript%3E"');
    expect(text).not.toContain('<script');
  });

  describe('without open sections', () => {
    test('leaves them out, and says when nothing else was found', async () => {
      const all = await look('/seats?q=198:111');
      expect([all.includes('09214'), all.includes('09215')]).toEqual([true, true]);
      const closed = await look('/seats?q=198:111&closed=1');
      expect([closed.includes('09214'), closed.includes('09215')]).toEqual([true, false]);
      expect(closed).toContain('name="closed" value="1" checked>');
      expect(closed).toContain('1 section without a free seat');
      expect(await look('/seats?q=09215&closed=1')).toContain('All that was found is open');
      expect(await look('/seats?q=nothing&closed=1')).toContain('Nothing found');
    });
  });

  test('days have names that can be read', async () => {
    expect(await look('/seats?q=09214')).toContain(
      'Mon 10:20-11:40 BUS HIL 114<br>Thu 10:20-11:40 BUS HIL 114',
    );
    const { text } = await api.ask('GET', '/seats?q=09214', {
      key: null,
      headers: { 'accept-language': 'ro' },
    });
    expect(text).toContain('lun.<span lang="en"> 10:20-11:40 BUS HIL 114</span>');
  });

  test('courses of one code are told apart by the numbers of their sections', async () => {
    const numbers = /Section (\d+(?:–\d+)?) · Spring 2026/g;
    const shown = async () =>
      [...(await look('/seats?q=198:111')).matchAll(numbers)].map(([, which]) => which);
    expect(await shown()).toEqual([]);
    const { course_id: _, ...course } = await world.db.read
      .selectFrom('courses')
      .selectAll()
      .where('course_id', '=', world.courseId)
      .executeTakeFirstOrThrow();
    const { course_id } = await world.db.write
      .insertInto('courses')
      .values({ ...course, supplement_code: 'H' })
      .returning('course_id')
      .executeTakeFirstOrThrow();
    const move = (to: number) =>
      world.db.write
        .updateTable('sections')
        .set({ course_id: to, section_number: to === course_id ? 'H1' : '01' })
        .where('index_number', '=', '21000')
        .execute();
    const before = await world.db.read
      .selectFrom('sections')
      .select('course_id')
      .where('index_number', '=', '21000')
      .executeTakeFirstOrThrow();
    await move(course_id);
    const text = await look('/seats?q=198:111');
    await move(before.course_id);
    await world.db.write.deleteFrom('courses').where('course_id', '=', course_id).execute();
    expect(text).toContain('Section 05–06 · Spring 2026');
    expect(text).toContain('Section H1 · Spring 2026');
  });

  test.each([
    ['/seats/', '/seats'],
    [`/seats/${term}`, `/seats?term=${term}`],
  ])('an address that was cut short, %s, leads there', async (path, to) => {
    expect(await goesTo(path)).toEqual([303, to]);
  });

  test.each([
    ['/seats/confirm', 'This link leads to no watch'],
    ['/seats/nothing', 'There is no such section'],
  ])('and %s says on a page what is wrong', async (path, sentence) => {
    const { status, text } = await api.ask('GET', path, { key: null });
    expect([status, text.includes(`<h1>${sentence}</h1>`)]).toEqual([404, true]);
  });

  test('while the built-in inbox takes the mail, the search and the page after the form lead there', async () => {
    const path = `/seats/${term}/09214/asked`;
    const text = await look(path);
    expect(text).toContain('<a href="../../../console/inbox">Open the inbox</a>');
    expect(text).toContain('One mail confirms all that you have asked for.');
    expect(await look('/seats')).toContain('<a href="console/inbox">Open the inbox</a>');
    const provider = { ...world.parts.api.provider, name: 'smtp' };
    const server = await world.serveSeats({ api: { provider } });
    for (const each of [path, '/seats']) expect(await look(each, server)).not.toContain('inbox</a>');
  });

  test('on a sample campus it names the sections that move, and says how each stands', async () => {
    const link = (indexNumber: string) => `<a href="seats/${term}/${indexNumber}">${indexNumber}</a>`;
    const moving = () => ['09214', '99999'].map((indexNumber) => ({ termId: term, indexNumber }));
    const stands = async (status: SectionDetails['status'], language: string) => {
      const section: Catalog['section'] = async (termId, indexNumber) => {
        const found = await world.seats.catalog.section(termId, indexNumber);
        return found && { ...found, status };
      };
      const seats = { ...world.seats, moving, catalog: { ...world.seats.catalog, section } };
      const server = await world.serveSeats({ api: { seats } });
      const { text } = await server.ask('GET', '/seats', {
        key: null,
        headers: { 'accept-language': language },
      });
      return text;
    };
    expect(await stands('Closed', 'en')).toContain(
      `open and close every few minutes: ${link('09214')} (closed), ${link('99999')}.`,
    );
    expect(await stands('Open', 'en')).toContain(`${link('09214')} (open)`);
    expect(await stands('Open', 'ro')).toContain(`${link('09214')} (deschis`);
    expect(await stands('Closed', 'zh-CN')).toContain(`${link('09214')}（已满）`);
    expect(await look('/seats')).not.toContain('every few minutes');
  });

  test('without a catalog says whether it is still being read, or cannot be', async () => {
    const seats = { ...world.seats, catalog: { ...world.seats.catalog, terms: async () => [] } };
    const empty = async () => look('/seats', await world.serveSeats({ api: { seats } }));
    expect(await empty()).toContain('catalog is still being read');
    world.list.fails = true;
    await world.poll();
    world.list.fails = false;
    expect(await empty()).toContain('catalog cannot be read at present');
    await world.clock.advance(600_000);
    await world.poll();
    expect(await empty()).toContain('catalog is still being read');
  });
});
