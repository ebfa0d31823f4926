import { HtmlValidate } from 'html-validate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerEveryMs } from '../../src/http/routes/seats-watch.ts';
import { onBothDatabases } from '../support/world.ts';
import type { Api } from './api-world.ts';
import {
  createSeatsApiWorld,
  noSeatLimits,
  post,
  type SeatsApiWorld,
  term,
  unlisted,
} from './seats-api-world.ts';

/** What a student meets: the search, the form, the page after it, and what all pages have in common. */
const sectionPath = `/seats/${term}/09214`;
const unknownToken = 'Z'.repeat(44);
const noKeys = { operator: [], read: [], service: [] };

onBothDatabases('the pages for students', (dialect) => {
  let world: SeatsApiWorld;
  let api: Api;
  let people = 0;
  const somebody = () => {
    people += 1;
    return `student-${people}@example.org`;
  };
  const get = (path: string, headers: Record<string, string> = {}, server = api) =>
    server.ask('GET', path, { key: null, headers });
  const heading = (text: string) => /<h1>(.*?)<\/h1>/.exec(text)?.[1];
  const watched = async (email = somebody(), index = '09214'): Promise<string> => {
    expect((await post(api, `/seats/${term}/${index}`, { email })).status).toBe(303);
    return world.tokenOf(index);
  };
  const confirmed = async (email?: string, index?: string): Promise<string> => {
    const token = await watched(email, index);
    expect((await post(api, `/seats/confirm/${token}`)).status).toBe(303);
    return token;
  };

  beforeAll(async () => {
    world = await createSeatsApiWorld(dialect);
    await world.poll();
    api = await world.serveSeats();
  });
  afterAll(async () => {
    const tokens = await world.tokens();
    expect(tokens.length).toBeGreaterThan(10);
    expect(world.logged.filter((line) => tokens.some((token) => line.includes(token)))).toEqual([]);
    await world.close();
  });

  describe('the search', () => {
    test('asks, finds, and says how fresh it is', async () => {
      const empty = await get('/seats');
      expect([empty.status, heading(empty.text)]).toEqual([200, 'Find a section to watch']);
      expect(empty.text).toContain('<option value="12026" selected>Spring 2026</option>');
      await world.clock.advance(6_000);
      const { text } = await get('/seats?q=198:111');
      expect(text).toContain('1 course found');
      expect(text).toContain('INTRO &lt;COMPUTER&gt; SCI &amp; &quot;MORE&quot;');
      expect(text).toContain('2 sections, 1 open');
      expect(text).toContain('Checked 6 s ago.');
      expect(text).toContain(`href="seats/${term}/09214?q=198%3A111&amp;term=${term}&amp;campus="`);
      expect(text).toContain('Needs special permission</span>: Department staff');
      expect(text).toContain('Only for</span>: MAJ: 198 (Computer Science)');
      expect(text).toContain('Times to be announced');
      expect(text).not.toContain('09216');
    });

    test('what was asked for stands in the form again, and nothing of it is markup', async () => {
      const { text } = await get('/seats?q=%22%3E%3Cscript%3E&term=&campus=NK');
      expect(text).toContain('value="&quot;&gt;&lt;script&gt;"');
      expect(text).toContain('<option value="NK" selected>');
      expect(text).toContain('<option value="" selected>All terms</option>');
      expect(text).toContain('Nothing found');
      expect(text).not.toContain('<script');
    });

    test('a parameter of a mail program does not matter', async () => {
      expect((await get('/seats?utm_source=mail')).status).toBe(200);
    });

    test('an old list, and one that is held back, are said to be so', async () => {
      const old = await createSeatsApiWorld(dialect, { isSample: true });
      const indexes = Array.from({ length: 100 }, (_, index) => String(30_000 + index));
      old.list.indexes = ['09215', ...indexes];
      const server = await old.serveSeats();
      const look = async () => (await get('/seats?q=198:111', {}, server)).text;
      expect(await look()).toContain('It is checked every 15 seconds as soon as somebody watches');
      expect(await look()).toContain('This is a sample campus');
      await old.poll();
      await old.clock.advance(90_000);
      expect(await look()).toContain('Last checked 90 s ago. That is longer ago than usual');
      old.list.indexes = ['09215'];
      await old.poll();
      await old.clock.advance(2_000);
      expect(await look()).toContain('list is incomplete just now');
      await old.close();
    });
  });

  describe('a section', () => {
    test('has all that there is to know, escaped, and a form', async () => {
      const { status, text } = await get(sectionPath);
      expect(status).toBe(200);
      expect(heading(text)).toBe(
        '<span class="code">01:198:111 </span>INTRO &lt;COMPUTER&gt; SCI &amp; &quot;MORE&quot;',
      );
      for (const part of ['Section 05', 'Closed', '09214', 'SMITH', '04:547:111 (09300)', 'Department staff'])
        expect(text).toContain(part);
      expect(text).toContain('Bring &lt;b&gt;paper&lt;/b&gt;');
      expect(text).toContain('<form method="post" action="09214"');
      expect(text).not.toContain('Go to registration');
    });

    test('8.12: one that is open is said to be, with the way to register', async () => {
      for (const rest of ['', '/asked']) {
        const { text } = await get(`/seats/${term}/09215${rest}`);
        expect(text).toContain('It is open right now');
        expect(text).toContain(
          'href="https://sims.rutgers.edu/webreg/editSchedule.htm?login=cas&amp;semesterSelection=12026&amp;indexList=09215"',
        );
      }
    });

    test('one that is gone cannot be watched', async () => {
      const { text } = await get(`/seats/${term}/09216`);
      expect(text).toContain('no longer in the catalog');
      expect(text).not.toContain('<form');
      expect((await post(api, `/seats/${term}/09216`, { email: somebody() })).status).toBe(404);
    });

    test.each(['99999', '9214', '%3Cscript%3E', '09214%20', '../manage'])(
      'there is none at %s',
      async (index) => {
        const { status, text } = await get(`/seats/${term}/${index}`);
        expect(status).toBe(404);
        expect(text).not.toContain('<script');
      },
    );
  });

  describe('the form', () => {
    test('asks for a watch in the language of the reader, and leads to a page without the address', async () => {
      const email = somebody();
      const asked = await post(api, sectionPath, { email }, { 'accept-language': 'ro' });
      expect([asked.status, asked.goesTo, asked.text]).toEqual([303, `${sectionPath}/asked`, '']);
      const token = await world.tokenOf();
      expect(await world.seats.subscriptions.find(token)).toMatchObject({ status: 'pending', locale: 'ro' });
      const { text } = await get(`${sectionPath}/asked`);
      expect(heading(text)).toBe('Almost done: look into your inbox');
      expect(text).toContain('01:198:111');
      expect(text).not.toContain('@example');
      expect(text).not.toContain(token);
    });

    test('says the same to whoever watches already: nobody learns who watches what', async () => {
      const email = somebody();
      const first = await post(api, sectionPath, { email });
      const token = await world.tokenOf();
      await post(api, `/seats/confirm/${token}`);
      const again = await post(api, sectionPath, { email });
      expect([again.status, again.goesTo, again.text]).toEqual([first.status, first.goesTo, first.text]);
      expect(await world.tokenOf()).toBe(token);
    });

    test('says the same where the address has no room left, and its owner can still add something', async () => {
      const email = somebody();
      const token = await confirmed(email);
      const order = { termId: term, campusCode: 'NB', email, caller: 'a stranger' };
      const asked = unlisted.slice(0, 11).map((indexNumber) => ({ ...order, indexNumber }));
      const kinds: string[] = [];
      for (const one of asked) kinds.push((await world.seats.subscriptions.create(one)).kind);
      expect(kinds.slice(-2)).toEqual(['created', 'rate_limited']);
      const other = sectionPath.replace('09214', '09215');
      const [watched, not] = [await post(api, sectionPath, { email }), await post(api, other, { email })];
      expect([watched.status, watched.text]).toEqual([not.status, not.text]);
      expect([watched.goesTo, not.goesTo]).toEqual([`${sectionPath}/asked`, `${other}/asked`]);
      expect([...watched.headers.keys()].sort()).toEqual([...not.headers.keys()].sort());
      // What the stranger asked for is theirs to confirm or to stop; then there is room again.
      const siblings = await world.seats.subscriptions.siblings(token);
      expect(siblings.map(({ status }) => status)).toEqual(['active', ...Array(10).fill('pending')]);
      await world.seats.subscriptions.cancel(siblings[1]?.token ?? '');
      expect((await post(api, other, { email })).status).toBe(303);
      expect(await world.seats.subscriptions.siblings(token)).toHaveLength(11);
    });

    test('is answered at the same moments whatever was found', async () => {
      const slept: number[] = [];
      let now = 0;
      const clock = {
        ...world.parts.clock,
        monotonic: () => now,
        sleep: async (ms: number) => void slept.push(ms),
      };
      for (const tookMs of [1, 13, answerEveryMs, answerEveryMs + 50]) {
        const create: typeof world.seats.subscriptions.create = async (order) => {
          now += tookMs;
          return world.seats.subscriptions.create(order);
        };
        const seats = { ...world.seats, subscriptions: { ...world.seats.subscriptions, create } };
        const server = await world.serveSeats({ api: { seats }, server: { clock } });
        expect((await post(server, sectionPath, { email: somebody() })).status).toBe(303);
      }
      expect(slept).toEqual([answerEveryMs - 1, answerEveryMs - 13, 0, answerEveryMs - 50]);
    });

    test('keeps hours that cross midnight', async () => {
      await post(api, sectionPath, { email: somebody(), from: '22:00', to: '07:30' });
      const watch = await world.seats.subscriptions.find(await world.tokenOf());
      expect(watch?.preferences.deliveryWindow).toEqual({ startMinutes: 1320, endMinutes: 450 });
    });

    test.each([
      ['no address', { email: 'nobody' }, 'This is not a complete e-mail address'],
      ['an empty one', {}, 'This is not a complete e-mail address'],
      ['half of the hours', { email: 'ana@example.org', from: '08:00' }, 'Fill in both times'],
      ['hours that are none', { email: 'ana@example.org', from: '25:00', to: '08:00' }, 'Fill in both times'],
    ])('comes back with what was filled in and what is wrong: %s', async (_, fields, sentence) => {
      const { status, text } = await post(api, sectionPath, fields as Record<string, string>);
      expect(status).toBe(422);
      expect(text).toContain(sentence);
      expect(text).toContain('aria-invalid="true"');
      for (const value of Object.values(fields)) expect(text).toContain(`value="${value}"`);
    });

    test('what was filled in is no markup', async () => {
      const { text } = await post(api, sectionPath, { email: '"><script>alert(1)</script>' });
      expect(text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
    });

    test('of another site is refused', async () => {
      const fields = { email: somebody() };
      for (const headers of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'https://elsewhere.example' },
        { origin: 'null' },
      ]) {
        const { status, text } = await post(api, sectionPath, fields, headers);
        expect([headers, status, heading(text)]).toEqual([headers, 403, 'This came from another website']);
      }
    });

    test('of our own is taken, also behind a proxy that has another name', async () => {
      for (const headers of [
        { 'sec-fetch-site': 'same-origin', origin: 'https://seats.example.org' },
        { origin: api.url },
        { origin: 'https://seats.example.org', 'x-forwarded-host': 'seats.example.org' },
      ]) {
        expect((await post(api, sectionPath, { email: somebody() }, headers)).status).toBe(303);
      }
    });

    test('is answered only on this machine where no key is set', async () => {
      const open = await world.serveSeats({ api: { keys: noKeys } });
      const own = { origin: open.url, 'sec-fetch-site': 'same-origin' };
      const direct = await fetch(`${open.url}${sectionPath}`, {
        ...{ method: 'POST', redirect: 'manual', headers: own, body: `email=${somebody()}` },
      });
      expect(direct.status).toBe(303);
      expect((await post(open, sectionPath, { email: somebody() }, own)).status).toBe(403);
      expect((await get('/seats', { 'x-forwarded-for': '203.0.113.7' }, open)).status).toBe(403);
    });

    test('a body larger than 16 KiB is refused', async () => {
      expect((await post(api, sectionPath, { email: 'x'.repeat(17_000) })).status).toBe(413);
    });

    test('where addresses are taken as they come, the page says that it begins at once', async () => {
      const believing = { ...world.seats, verifiesAddresses: false };
      const server = await world.serveSeats({ api: { seats: believing } });
      const { text } = await get(`${sectionPath}/asked`, {}, server);
      expect(heading(text)).toBe('You are watching');
    });
  });

  describe('all pages', () => {
    const pages = async (): Promise<string[]> => {
      const email = somebody();
      const token = await confirmed(email);
      const pending = await watched(email, '09215');
      return [
        ...['/seats', '/seats?q=198', '/seats?q=nothing', sectionPath, `${sectionPath}/asked`],
        ...[`/seats/${term}/09215`, `/seats/${term}/99999`, `/seats/confirm/${pending}`],
        ...[`/seats/manage/${token}?says=pause`, `/seats/manage/${pending}`, `/seats/manage/${unknownToken}`],
      ];
    };

    test.each(['en', 'ro', 'zh-CN'])(
      'are valid html in %s, load nothing and need no script',
      async (language) => {
        const validator = new HtmlValidate({ extends: ['html-validate:standard'] });
        for (const path of await pages()) {
          const { text, headers } = await get(path, { 'accept-language': language });
          const { results } = await validator.validateString(text);
          const problems = results.flatMap(({ messages }) => messages.map(({ message }) => message));
          expect([path, problems]).toEqual([path, []]);
          expect(text).toContain(`<html lang="${language}">`);
          expect(text).not.toMatch(/<script|src=|url\(/);
          expect(headers.get('vary')).toContain('Accept-Language');
        }
      },
    );

    test('forbid whatever forms do not need, and those with a secret address keep it', async () => {
      for (const path of await pages()) {
        const { headers } = await get(path);
        const isPrivate = /confirm|manage/.test(path);
        expect(headers.get('content-security-policy')).toBe(
          "default-src 'none';style-src 'unsafe-inline';base-uri 'none';form-action 'self';frame-ancestors 'none'",
        );
        expect(headers.get('cache-control')).toBe('no-store');
        expect(headers.get('set-cookie')).toBeNull();
        expect([path, headers.get('referrer-policy')]).toEqual([
          path,
          isPrivate ? 'no-referrer' : 'same-origin',
        ]);
        expect([path, headers.get('x-robots-tag')]).toEqual([path, isPrivate ? 'noindex, nofollow' : null]);
      }
    });

    test('ask for patience where one network asks too often, and only of it', async () => {
      const one = { looks: 1, watches: 1, links: 1 };
      const tight = await world.serveSeats({ api: { seatLimits: one } });
      const token = await confirmed();
      for (const path of ['/seats', `/seats/manage/${token}`]) {
        const from = (address: string) => get(path, { 'x-forwarded-for': address }, tight);
        expect((await from('203.0.113.7')).status).toBe(200);
        const { status, text, headers } = await from('203.0.113.7');
        expect([status, heading(text)]).toEqual([429, 'Too many requests']);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        expect((await from('203.0.113.8')).status).toBe(200);
      }
      const ask = () => post(tight, sectionPath, { email: somebody() }, { 'x-forwarded-for': '203.0.113.9' });
      expect([(await ask()).status, (await ask()).status]).toEqual([303, 429]);
    });

    test('say that it is our fault where the database cannot be asked', async () => {
      const fails = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:5432'));
      const { seats } = world;
      const broken = await world.serveSeats({
        api: {
          seats: {
            ...seats,
            catalog: { search: fails, section: fails, terms: fails },
            subscriptions: { ...seats.subscriptions, find: fails, confirm: fails, pause: fails },
          },
          seatLimits: noSeatLimits,
        },
      });
      for (const path of ['/seats', sectionPath, `/seats/manage/${unknownToken}`]) {
        const { status, text, headers } = await get(path, {}, broken);
        expect([status, heading(text), headers.get('retry-after')]).toEqual([503, 'That did not work', '60']);
        expect(text).not.toContain('ECONNREFUSED');
      }
      const token = await confirmed();
      for (const path of [`/seats/confirm/${token}`, `/seats/manage/${token}/pause`])
        expect((await post(broken, path)).status).toBe(503);
      expect(world.logged.some((line) => line.includes('seats.page_failed'))).toBe(true);
    });
  });
});
