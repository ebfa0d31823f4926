import { describe, expect, test } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { post } from './seats-api-world.ts';
import { heading, noKeys, seatsPagesForAll, unknownToken } from './seats-pages-world.ts';

/** The links in mails to students: the token is the proof, and following a link changes nothing. */
onBothDatabases('links in mails to students', (dialect) => {
  const world = seatsPagesForAll(dialect);

  describe('the link in the first mail', () => {
    test('shows one button and changes nothing, however often it is followed', async () => {
      const token = await world.watched();
      for (const method of ['GET', 'HEAD', 'GET']) {
        expect((await world.api.ask(method, `/seats/confirm/${token}`, { key: null })).status).toBe(200);
      }
      expect(await world.statusOf(token)).toBe('pending');
      const { text } = await world.get(`/seats/confirm/${token}`);
      expect(text.match(/<button/g)).toHaveLength(1);
      expect(text).toContain(`<form method="post" action="${token}">`);
    });

    test('lists all that waits for its owner, because the button confirms it together', async () => {
      const email = world.somebody();
      const token = await world.watched(email);
      expect((await world.get(`/seats/confirm/${token}`)).text).toContain('Watch this section?');
      const other = await world.watched(email, '09215');
      await world.watched(world.somebody(), '21000');
      const { text } = await world.get(`/seats/confirm/${token}`);
      expect(text).toContain('Watch these sections?');
      expect(['09214', '09215', '21000'].map((index) => text.includes(index))).toEqual([true, true, false]);
      expect(text.match(/<button/g)).toHaveLength(1);
      expect(text).not.toContain(other);
      await post(world.api, `/seats/confirm/${token}`);
      expect(await world.statusOf(other)).toBe('active');
    });

    test('the button confirms, and leads to the watch; the link then leads there too', async () => {
      const token = await world.watched();
      const { status, goesTo } = await post(world.api, `/seats/confirm/${token}`);
      expect([status, goesTo]).toEqual([303, `/seats/manage/${token}?says=confirm`]);
      expect(await world.statusOf(token)).toBe('active');
      const { text } = await world.get(goesTo ?? '');
      expect(text).toContain('Confirmed. You are watching this section.');
      const again = await fetch(`${world.api.url}/seats/confirm/${token}`, { redirect: 'manual' });
      expect([again.status, again.headers.get('location')]).toEqual([303, `../manage/${token}`]);
    });
  });

  describe('a link that nobody gave out', () => {
    test.each([
      ['GET', '/seats/confirm/', ''],
      ['POST', '/seats/confirm/', ''],
      ['GET', '/seats/manage/', ''],
      ['POST', '/seats/manage/', '/pause'],
      ['POST', '/seats/manage/', '/undo'],
    ])('gets one page, whatever is wrong with it: %s %s…%s', async (method, before, after) => {
      const token = await world.confirmed();
      const forged = token.slice(0, 22) + unknownToken.slice(22);
      const pages = [];
      for (const wrong of [unknownToken, forged, 'short', '%3Cscript%3E', '..%2f..%2fetc']) {
        const { status, text, headers } = await world.api.ask(method, `${before}${wrong}${after}`, {
          key: null,
        });
        expect([wrong, status, headers.get('x-robots-tag')]).toEqual([wrong, 404, 'noindex, nofollow']);
        pages.push(text);
      }
      expect(heading(pages[0] ?? '')).toBe('This link leads to no watch');
      expect(new Set(pages).size).toBe(1);
    });

    test('links work from anywhere, also where no key is set', async () => {
      const token = await world.confirmed();
      const open = await world.serveSeats({ api: { keys: noKeys } });
      const far = { 'x-forwarded-for': '203.0.113.7', origin: 'null', 'sec-fetch-site': 'cross-site' };
      expect((await world.get(`/seats/manage/${token}`, far, open)).status).toBe(200);
      expect((await post(open, `/seats/manage/${token}/pause`, {}, far)).status).toBe(303);
    });
  });
});
