import { beforeAll, describe, expect, test } from 'vitest';
import { unsubscribePath } from '../../src/consent/unsubscribe.ts';
import { answerAfterMs } from '../../src/http/routes/unsubscribe.ts';
import { consentOf } from '../support/consent.ts';
import { recipientIn, unknownToken } from '../support/recipients.ts';
import { advanceUntil, onBothDatabases } from '../support/world.ts';
import { worldForAll } from '../support/world-for-each.ts';
import type { Answered, Api } from './api-world.ts';
import { broken, databaseWith } from './broken-database.ts';
import { closeWithoutTokens, createUnsubscribeWorld, raw, stopped, waiting } from './unsubscribe-world.ts';

/** The link in every mail: what a link scanner, a person and an attacker get from it. */
onBothDatabases('the unsubscribe link', (dialect) => {
  const world = worldForAll(
    () => createUnsubscribeWorld(dialect),
    (world) => closeWithoutTokens(world),
  );

  describe('following the link', () => {
    test('shows a page, changes nothing and asks no database, with GET and HEAD', async () => {
      const person = await world.somebody();
      const blind = await world.serve({
        api: { consent: consentOf({ db: databaseWith(world.db, broken), clock: world.clock }) },
      });
      for (const path of [person.path, `${person.path}/stop`, `${person.path}?utm_source=mail`]) {
        const { status, text, headers } = await blind.ask('GET', path, { key: null });
        expect(status).toBe(200);
        expect(text).toContain('<h1>Stop these mails?</h1>');
        expect(text.match(/<button/g)).toHaveLength(1);
        const head = await blind.ask('HEAD', path, { key: null });
        expect([head.status, head.text, head.headers.get('content-length')]).toEqual([
          200,
          '',
          headers.get('content-length'),
        ]);
      }
      expect(await person.statuses()).toEqual(waiting);
      expect(await person.wish()).toEqual({ at: null, via: null });
    });

    test('the button leads to the step, whatever the address was', async () => {
      const person = await world.somebody();
      const leadsTo = async (path: string, base = world.api.url) => {
        const { text } = await world.api.ask('GET', path, { key: null });
        const [, action = ''] = /<form method="post" action="([^"]*)">/.exec(text) ?? [];
        return new URL(action, `${base}${path}`).href;
      };
      expect(await leadsTo(person.path)).toBe(`${world.api.url}${person.path}/stop`);
      expect(await leadsTo(`${person.path}/undo`)).toBe(`${world.api.url}${person.path}/stop`);
      // A proxy may have taken a part of the address away.
      const proxied = 'https://example.org/mail';
      expect(await leadsTo(person.path, proxied)).toBe(`${proxied}${person.path}/stop`);
    });

    test('with UNSUBSCRIBE_ON_GET a GET unsubscribes at once, and a HEAD still changes nothing', async () => {
      const literal = await world.serve({ api: { unsubscribeOnGet: true } });
      const person = await world.somebody();
      await literal.ask('HEAD', person.path, { key: null });
      await literal.ask('GET', `${person.path}/stop`, { key: null });
      expect(await person.statuses()).toEqual(waiting);
      const known = await literal.ask('GET', person.path, { key: null });
      expect(known.text).toContain('<h1>These mails are stopped</h1>');
      expect(known.text).toContain(`action="${person.token}/undo"`);
      expect(await person.statuses()).toEqual(stopped);
      expect(await person.wish()).toMatchObject({ via: 'link' });
      const unknown = await literal.ask('GET', `${unsubscribePath}/${unknownToken}`, { key: null });
      expect(unknown.text.replaceAll(unknownToken, person.token)).toBe(known.text);
    });
  });

  describe('the buttons', () => {
    test('stop, undo, and stop everything, each with the page that says so', async () => {
      const person = await world.somebody({ waiting: 2 });
      const elsewhere = await recipientIn(world, world.consent, 'elsewhere', {
        source: 'other',
        address: person.address,
      });
      const press = async (step: string) => {
        const { status, text } = await world.post(`${person.path}/${step}`);
        return [status, /<h1>(.*)<\/h1>/.exec(text)?.[1], text.match(/action="[^"]*"/g)];
      };
      expect(await press('stop')).toEqual([
        200,
        'These mails are stopped',
        ['action="undo"', 'action="everything"'],
      ]);
      expect(await person.statuses()).toEqual([...stopped, ...stopped]);
      expect(await person.wish()).toMatchObject({ via: 'page' });
      expect(await press('undo')).toEqual([200, 'Taken back', ['action="stop"']]);
      expect(await person.statuses()).toEqual([...waiting, ...waiting]);
      expect(await elsewhere.statuses()).toEqual(waiting);
      expect(await press('everything')).toEqual([200, 'Everything is stopped', ['action="undo"']]);
      expect(await person.statuses()).toEqual([...stopped, ...stopped]);
      expect(await elsewhere.statuses()).toEqual(stopped);
      await press('undo');
      expect([...(await person.statuses()), ...(await elsewhere.statuses())]).toEqual([
        ...waiting,
        ...waiting,
        ...waiting,
      ]);
    });

    test('there are no others', async () => {
      const person = await world.somebody();
      for (const step of ['Stop', 'delete', '__proto__', 'constructor']) {
        const { status, text } = await world.post(`${person.path}/${step}`);
        expect(status).toBe(400);
        expect(text).not.toContain(person.token);
      }
      expect(await person.statuses()).toEqual(waiting);
    });
  });

  describe('a link that nobody gave out', () => {
    const varying = ['date', 'x-request-id', 'keep-alive', 'connection'];
    const headersOf = ({ headers }: Answered) =>
      [...headers]
        .filter(([name]) => !varying.includes(name))
        .sort(([one], [other]) => (one < other ? -1 : 1));

    test.each([
      ['GET', ''],
      ['HEAD', ''],
      ['POST', ''],
      ['GET', '/stop'],
      ['POST', '/stop'],
      ['POST', '/everything'],
      ['POST', '/undo'],
    ])('gets the same octets and headers from %s …%s', async (method, rest) => {
      const person = await world.somebody();
      const known = await world.api.ask(method, `${person.path}${rest}`, { key: null });
      // As long, in the right alphabet, with a number that is ours and a signature that is not.
      const forged = person.token.slice(0, 22) + unknownToken.slice(22);
      for (const token of [unknownToken, forged]) {
        const unknown = await world.api.ask(method, `${unsubscribePath}/${token}${rest}`, { key: null });
        expect(unknown.status).toBe(known.status);
        expect(unknown.text.replaceAll(token, person.token)).toBe(known.text);
        expect(headersOf(unknown)).toEqual(headersOf(known));
      }
      world.tokens.push(forged);
    });

    test.each([
      ['too short', 'abc'],
      ['too long', 'a'.repeat(201)],
      ['markup', encodeURIComponent('"><script>alert(1)</script>')],
      ['an address', encodeURIComponent('javascript:alert(1)//')],
      ['a path', '..%2f..%2f..%2fetc%2fpasswd'],
      ['a line break', '%0d%0aSet-Cookie:%20a=b'],
      ['nothing', '%00'],
      ['SQL', encodeURIComponent("' OR 1=1 --")],
      ['other letters', encodeURIComponent('ă'.repeat(44))],
    ])('nothing of it is repeated: %s', async (_, given) => {
      const usual = await world.api.ask('GET', `${unsubscribePath}/${'A'.repeat(44)}`, { key: null });
      const { status, text, headers } = await world.api.ask('GET', `${unsubscribePath}/${given}`, {
        key: null,
      });
      expect([status, text]).toEqual([200, usual.text]);
      expect(headers.get('set-cookie')).toBeNull();
      const posts = ['', '/stop', '/everything', '/undo'].map((rest) =>
        world.post(`${unsubscribePath}/${given}${rest}`),
      );
      expect((await Promise.all(posts)).map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
    });

    test.each([
      ['ten thousand characters', 'a'.repeat(10_000), 414],
      ['what cannot be decoded', '%E0%A4', 400],
      ['a way up', '../../deliveries', 404],
      ['a way up, encoded', '%2e%2e/%2e%2e/deliveries', 404],
      ['a slash at its end', `${unknownToken}/`, 400],
    ])('is refused where it cannot be one: %s', async (_, given, status) => {
      for (const method of ['GET', 'POST']) {
        const answer = await raw(world.api.url, [
          `${method} ${unsubscribePath}/${given} HTTP/1.1`,
          'Host: localhost',
          'Connection: close',
          'Content-Length: 0',
          '',
          '',
        ]);
        expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
        expect(answer).toMatch(/cache-control: no-store/i);
        expect(answer).not.toContain(given);
      }
    });
  });

  describe('the time of an answer', () => {
    const slow = (ms: number): Promise<Api> => {
      const wait = () => world.clock.advance(ms);
      const { suppressions, against, learn } = world.consent;
      const unsubscribe = { ...world.consent.unsubscribe, stop: wait, undo: wait, stopEverything: wait };
      const slowly = { suppressions, against, learn, unsubscribe };
      return world.serve({ api: { consent: slowly }, server: { clock: world.clock } });
    };
    let patient: Api;
    beforeAll(async () => {
      patient = await world.serve({ server: { clock: world.clock } });
    });

    /** How long it still sleeps when the database has answered. */
    async function sleepOf(path: string, server = patient): Promise<number | undefined> {
      let isAnswered = false;
      const asking = world.post(path, {}, server).finally(() => {
        isAnswered = true;
      });
      let sleepMs: number | undefined;
      while (!isAnswered && sleepMs === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 2));
        sleepMs = world.clock.nextWakeMs();
      }
      await advanceUntil(world.clock, asking);
      return sleepMs;
    }

    test.each(['', '/stop', '/undo', '/everything'])(
      'is the same with and without a commit: POST …%s',
      async (rest) => {
        const person = await world.somebody();
        expect(await sleepOf(`${person.path}${rest}`)).toBe(answerAfterMs);
        expect(await sleepOf(`${unsubscribePath}/${unknownToken}${rest}`)).toBe(answerAfterMs);
      },
    );

    test('is counted from the start, and not made longer than it is', async () => {
      const { path } = await world.somebody();
      expect(await sleepOf(path, await slow(40))).toBe(answerAfterMs - 40);
      expect(await sleepOf(path, await slow(answerAfterMs + 1))).toBeUndefined();
    });
  });

  describe('without a database', () => {
    const away = () => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));

    test('nothing is claimed, and a known link is answered like any other', async () => {
      const person = await world.somebody();
      const down = { ...databaseWith(world.db, away), transaction: away };
      const { log } = world.parts;
      const server = await world.serve({
        api: { consent: consentOf({ db: down, clock: world.clock, log }) },
      });
      const unknown = `${unsubscribePath}/${unknownToken}`;
      for (const path of [person.path, unknown]) {
        const { status, json, headers } = await world.post(path, {}, server);
        expect([status, json.code, headers.get('retry-after')]).toEqual([503, 'try_again', '60']);
        for (const step of ['stop', 'undo', 'everything']) {
          const page = await world.post(`${path}/${step}`, {}, server);
          expect([page.status, page.headers.get('retry-after')]).toEqual([503, '60']);
          expect(page.text).toContain('<h1>That did not work</h1>');
          expect(page.text).toContain(`action="${step}"`);
        }
      }
      const told = world.logged.filter((line) => line.includes('"unsubscribe.failed"'));
      expect(told).toHaveLength(8);
      // Whoever reads it is to mend the database; a stack would lead to our code.
      expect(told.filter((line) => !line.includes('"problem":"connect"') || line.includes('stack'))).toEqual(
        [],
      );
      expect(await person.statuses()).toEqual(waiting);
    });
  });
});
