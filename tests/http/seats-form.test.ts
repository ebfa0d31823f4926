import { describe, expect, test } from 'vitest';
import { answerEveryMs } from '../../src/http/routes/seats-watch.ts';
import { onBothDatabases } from '../support/world.ts';
import { post, term, unlisted } from './seats-api-world.ts';
import { heading, noKeys, seatsPagesForAll, sectionPath } from './seats-pages-world.ts';

/** The form by which a student asks for a watch, and the page after it. */
onBothDatabases('the pages for students', (dialect) => {
  const world = seatsPagesForAll(dialect);

  describe('the form', () => {
    test('asks for a watch in the language of the reader, and leads to a page without the address', async () => {
      const email = world.somebody();
      const asked = await post(world.api, sectionPath, { email }, { 'accept-language': 'ro' });
      expect([asked.status, asked.goesTo, asked.text]).toEqual([303, `${sectionPath}/asked`, '']);
      const token = await world.tokenOf();
      expect(await world.seats.subscriptions.find(token)).toMatchObject({ status: 'pending', locale: 'ro' });
      const { text } = await world.get(`${sectionPath}/asked`);
      expect(heading(text)).toBe('Almost done: look into your inbox');
      // The link leads to a page, and only its button confirms.
      expect(text).toContain('Open the link in the mail that we sent you and press “Yes, watch it”');
      expect(text).toContain('01:198:111');
      expect(text).not.toContain('@example');
      expect(text).not.toContain(token);
    });

    test('says the same to whoever watches already: nobody learns who watches what', async () => {
      const email = world.somebody();
      const first = await post(world.api, sectionPath, { email });
      const token = await world.tokenOf();
      await post(world.api, `/seats/confirm/${token}`);
      const again = await post(world.api, sectionPath, { email });
      expect([again.status, again.goesTo, again.text]).toEqual([first.status, first.goesTo, first.text]);
      expect(await world.tokenOf()).toBe(token);
    });

    test('says the same where the address has no room left, and its owner can still add something', async () => {
      const email = world.somebody();
      const token = await world.confirmed(email);
      const order = { termId: term, campusCode: 'NB', email, caller: 'a stranger' };
      const asked = unlisted.slice(0, 11).map((indexNumber) => ({ ...order, indexNumber }));
      const kinds: string[] = [];
      for (const one of asked) kinds.push((await world.seats.subscriptions.create(one)).kind);
      expect(kinds.slice(-2)).toEqual(['created', 'rate_limited']);
      const other = sectionPath.replace('09214', '09215');
      const [watched, not] = [
        await post(world.api, sectionPath, { email }),
        await post(world.api, other, { email }),
      ];
      expect([watched.status, watched.text]).toEqual([not.status, not.text]);
      expect([watched.goesTo, not.goesTo]).toEqual([`${sectionPath}/asked`, `${other}/asked`]);
      expect([...watched.headers.keys()].sort()).toEqual([...not.headers.keys()].sort());
      // What the stranger asked for is theirs to confirm or to stop; then there is room again.
      const siblings = await world.seats.subscriptions.siblings(token);
      expect(siblings.map(({ status }) => status)).toEqual(['active', ...Array(10).fill('pending')]);
      await world.seats.subscriptions.cancel(siblings[1]?.token ?? '');
      expect((await post(world.api, other, { email })).status).toBe(303);
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
        expect((await post(server, sectionPath, { email: world.somebody() })).status).toBe(303);
      }
      expect(slept).toEqual([answerEveryMs - 1, answerEveryMs - 13, 0, answerEveryMs - 50]);
    });

    test('keeps hours that cross midnight', async () => {
      await post(world.api, sectionPath, { email: world.somebody(), from: '22:00', to: '07:30' });
      const watch = await world.seats.subscriptions.find(await world.tokenOf());
      expect(watch?.preferences.deliveryWindow).toEqual({ startMinutes: 1320, endMinutes: 450 });
    });

    test.each([
      ['no address', { email: 'nobody' }, 'This is not a complete e-mail address'],
      ['an empty one', {}, 'This is not a complete e-mail address'],
      ['half of the hours', { email: 'ana@example.org', from: '08:00' }, 'Fill in both times'],
      ['hours that are none', { email: 'ana@example.org', from: '25:00', to: '08:00' }, 'Fill in both times'],
    ])('comes back with what was filled in and what is wrong: %s', async (_, fields, sentence) => {
      const { status, text } = await post(world.api, sectionPath, fields as Record<string, string>);
      expect(status).toBe(422);
      expect(text).toContain(sentence);
      expect(text).toContain('aria-invalid="true"');
      for (const value of Object.values(fields)) expect(text).toContain(`value="${value}"`);
    });

    test('what was filled in is no markup', async () => {
      const { text } = await post(world.api, sectionPath, { email: '"><script>alert(1)</script>' });
      expect(text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
    });

    test('of another site is refused', async () => {
      const fields = { email: world.somebody() };
      for (const headers of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'https://elsewhere.example' },
        { origin: 'null' },
      ]) {
        const { status, text } = await post(world.api, sectionPath, fields, headers);
        expect([headers, status, heading(text)]).toEqual([headers, 403, 'This came from another website']);
      }
    });

    test('of our own is taken, also behind a proxy that has another name', async () => {
      for (const headers of [
        { 'sec-fetch-site': 'same-origin', origin: 'https://seats.example.org' },
        { origin: world.api.url },
        { origin: 'https://seats.example.org', 'x-forwarded-host': 'seats.example.org' },
      ]) {
        expect((await post(world.api, sectionPath, { email: world.somebody() }, headers)).status).toBe(303);
      }
    });

    test('is answered only on this machine where no key is set', async () => {
      const open = await world.serveSeats({ api: { keys: noKeys } });
      const own = { origin: open.url, 'sec-fetch-site': 'same-origin' };
      const direct = await fetch(`${open.url}${sectionPath}`, {
        ...{ method: 'POST', redirect: 'manual', headers: own, body: `email=${world.somebody()}` },
      });
      expect(direct.status).toBe(303);
      expect((await post(open, sectionPath, { email: world.somebody() }, own)).status).toBe(403);
      expect((await world.get('/seats', { 'x-forwarded-for': '203.0.113.7' }, open)).status).toBe(403);
    });

    test('a body larger than 16 KiB is refused', async () => {
      expect((await post(world.api, sectionPath, { email: 'x'.repeat(17_000) })).status).toBe(413);
    });

    test('where addresses are taken as they come, the page says that it begins at once', async () => {
      const believing = { ...world.seats, verifiesAddresses: false };
      const server = await world.serveSeats({ api: { seats: believing } });
      const { text } = await world.get(`${sectionPath}/asked`, {}, server);
      expect(heading(text)).toBe('You are watching');
    });
  });
});
