import { HtmlValidate } from 'html-validate';
import { describe, expect, test } from 'vitest';
import { locales } from '../../src/emails/words.ts';
import { onBothDatabases } from '../support/world.ts';
import { createSeatsApiWorld, noSeatLimits, post, term } from './seats-api-world.ts';
import { heading, seatsPagesForAll, sectionPath, unknownToken } from './seats-pages-world.ts';

/** What a student meets: the search, a section, and what all pages have in common. */
onBothDatabases('the pages for students', (dialect) => {
  const world = seatsPagesForAll(dialect);

  describe('the search', () => {
    test('asks, finds, and says how fresh it is', async () => {
      const empty = await world.get('/seats');
      expect([empty.status, heading(empty.text)]).toEqual([200, 'Find a section to watch']);
      expect(empty.text).toContain('<option value="12026" selected>Spring 2026</option>');
      await world.clock.advance(6_000);
      const { text } = await world.get('/seats?q=198:111');
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
      const { text } = await world.get('/seats?q=%22%3E%3Cscript%3E&term=&campus=NK');
      expect(text).toContain('value="&quot;&gt;&lt;script&gt;"');
      expect(text).toContain('<option value="NK" selected>');
      expect(text).toContain('<option value="" selected>All terms</option>');
      expect(text).toContain('Nothing found');
      expect(text).not.toContain('<script');
    });

    test('a parameter of a mail program does not matter', async () => {
      expect((await world.get('/seats?utm_source=mail')).status).toBe(200);
    });

    test('an old list, and one that is held back, are said to be so', async () => {
      const old = await createSeatsApiWorld(dialect, { isSample: true });
      const indexes = Array.from({ length: 100 }, (_, index) => String(30_000 + index));
      old.list.indexes = ['09215', ...indexes];
      const server = await old.serveSeats();
      const look = async () => (await world.get('/seats?q=198:111', {}, server)).text;
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
      const { status, text } = await world.get(sectionPath);
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
        const { text } = await world.get(`/seats/${term}/09215${rest}`);
        expect(text).toContain('It is open right now');
        expect(text).toContain(
          'href="https://sims.rutgers.edu/webreg/editSchedule.htm?login=cas&amp;semesterSelection=12026&amp;indexList=09215"',
        );
      }
    });

    test('one that is gone cannot be watched', async () => {
      const { text } = await world.get(`/seats/${term}/09216`);
      expect(text).toContain('no longer in the catalog');
      expect(text).not.toContain('<form');
      expect((await post(world.api, `/seats/${term}/09216`, { email: world.somebody() })).status).toBe(404);
    });

    test.each(['99999', '9214', '%3Cscript%3E', '09214%20', '../manage'])(
      'there is none at %s',
      async (index) => {
        const { status, text } = await world.get(`/seats/${term}/${index}`);
        expect(status).toBe(404);
        expect(text).not.toContain('<script');
      },
    );
  });

  describe('all pages', () => {
    const pages = async (): Promise<string[]> => {
      const email = world.somebody();
      const token = await world.confirmed(email);
      const pending = await world.watched(email, '09215');
      return [
        ...['/seats', '/seats?q=198', '/seats?q=nothing', sectionPath, `${sectionPath}/asked`],
        ...[`/seats/${term}/09215`, `/seats/${term}/99999`, `/seats/confirm/${pending}`],
        ...[`/seats/manage/${token}?says=pause`, `/seats/manage/${pending}`, `/seats/manage/${unknownToken}`],
      ];
    };

    test.each(locales)('are valid html in %s, load nothing and need no script', async (language) => {
      const validator = new HtmlValidate({ extends: ['html-validate:standard'] });
      for (const path of await pages()) {
        const { text, headers } = await world.get(path, { 'accept-language': language });
        const { results } = await validator.validateString(text);
        const problems = results.flatMap(({ messages }) => messages.map(({ message }) => message));
        expect([path, problems]).toEqual([path, []]);
        expect(text).toContain(`<html lang="${language}">`);
        expect(text).not.toMatch(/<script|src=|url\(/);
        expect(headers.get('vary')).toContain('Accept-Language');
      }
    });

    test('forbid whatever forms do not need, and those with a secret address keep it', async () => {
      for (const path of await pages()) {
        const { headers } = await world.get(path);
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
      const token = await world.confirmed();
      for (const path of ['/seats', `/seats/manage/${token}`]) {
        const from = (address: string) => world.get(path, { 'x-forwarded-for': address }, tight);
        expect((await from('203.0.113.7')).status).toBe(200);
        const { status, text, headers } = await from('203.0.113.7');
        expect([status, heading(text)]).toEqual([429, 'Too many requests']);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        expect((await from('203.0.113.8')).status).toBe(200);
      }
      const ask = () =>
        post(tight, sectionPath, { email: world.somebody() }, { 'x-forwarded-for': '203.0.113.9' });
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
        const { status, text, headers } = await world.get(path, {}, broken);
        expect([status, heading(text), headers.get('retry-after')]).toEqual([503, 'That did not work', '60']);
        expect(text).not.toContain('ECONNREFUSED');
      }
      const token = await world.confirmed();
      for (const path of [`/seats/confirm/${token}`, `/seats/manage/${token}/pause`])
        expect((await post(broken, path)).status).toBe(503);
      expect(world.logged.some((line) => line.includes('seats.page_failed'))).toBe(true);
    });
  });
});
