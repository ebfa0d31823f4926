import { execFile, spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { HtmlValidate } from 'html-validate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Consent } from '../../src/consent/consent.ts';
import { unsubscribePath } from '../../src/consent/unsubscribe.ts';
import { answerAfterMs } from '../../src/http/routes/unsubscribe.ts';
import { consentOf } from '../support/consent.ts';
import { type Recipient, recipientIn, unknownToken } from '../support/recipients.ts';
import { advanceUntil, onBothDatabases } from '../support/world.ts';
import { type Answered, type Api, type ApiWorld, createApiWorld } from './api-world.ts';
import { broken, databaseWith } from './broken-database.ts';

/** The link in every mail: what a mail program, a link scanner, a person and an attacker get from it. */
const oneClick = 'List-Unsubscribe=One-Click';
const form = 'application/x-www-form-urlencoded';
const multipart = `--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n`;
const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** Sent as it stands, because a client tidies what it is given. */
function raw(url: string, lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(lines.join('\r\n')));
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    socket.on('end', () => resolve(answer)).on('error', reject);
  });
}

const waiting = ['pending'];
const stopped = ['skipped_unsubscribed'];

onBothDatabases('the unsubscribe link', (dialect) => {
  let world: ApiWorld;
  let api: Api;
  let consent: Consent;
  const tokens: string[] = [];
  let people = 0;
  const somebody = async (more?: Parameters<typeof recipientIn>[3]): Promise<Recipient> => {
    people += 1;
    const recipient = await recipientIn(world, consent, `somebody-${people}`, more);
    tokens.push(recipient.token);
    return recipient;
  };

  beforeAll(async () => {
    world = await createApiWorld(dialect);
    consent = world.parts.api.consent;
    api = await world.serve();
  });
  afterAll(async () => {
    // Every token that a request here has carried, at the most talkative level.
    expect(tokens.length).toBeGreaterThan(20);
    expect(world.logged.length).toBeGreaterThan(tokens.length);
    expect(world.logged.filter((line) => tokens.some((token) => line.includes(token)))).toEqual([]);
    await world.close();
  });

  const post = (path: string, headers: Record<string, string> = {}, server = api) =>
    server.ask('POST', path, { key: null, headers });

  describe('one click in a mail program', () => {
    function expectEmpty({ status, headers, text }: Answered): void {
      expect([status, text]).toEqual([200, '']);
      expect(headers.get('content-length')).toBe('0');
      for (const name of ['location', 'set-cookie', 'content-type']) expect(headers.get(name)).toBeNull();
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }

    test.each([
      ['a form', oneClick, form],
      ['a form in another character set', oneClick, `${form}; charset=utf-8`],
      ['multipart', multipart, 'multipart/form-data; boundary=b'],
      ['multipart that breaks off', multipart.slice(0, 40), 'multipart/form-data; boundary=b'],
      ['multipart without a boundary', multipart, 'multipart/form-data'],
      ['nothing', undefined, undefined],
      ['nothing, as a form', undefined, form],
      ['JSON that breaks', '{"a":', 'application/json'],
      ['text', oneClick, 'text/plain'],
      ['octets', '\u0000\u0001', 'application/octet-stream'],
      ['a type that is none', oneClick, 'nonsense'],
      ['another word', 'List-Unsubscribe=No', form],
    ])('with %s for a body', async (_, body, type) => {
      const person = await somebody();
      const response = await fetch(`${api.url}${person.path}`, {
        method: 'POST',
        redirect: 'error',
        headers: type === undefined ? {} : { 'content-type': type },
        ...(body !== undefined && { body }),
      });
      expectEmpty({
        status: response.status,
        headers: response.headers,
        text: await response.text(),
        json: null,
      });
      expect(await person.statuses()).toEqual(stopped);
      expect(await person.wish()).toEqual({ at: world.clock.now(), via: 'one-click' });
    });

    test.each([
      [
        'a form with its length',
        ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 26', '', oneClick],
      ],
      ['a body without a type', ['Content-Length: 26', '', oneClick]],
      ['no length at all', ['', '']],
      [
        'chunks of multipart',
        [
          'Content-Type: multipart/form-data; boundary=b',
          'Transfer-Encoding: chunked',
          '',
          multipart.length.toString(16),
          multipart,
          '0',
          '',
          '',
        ],
      ],
      [
        'what it accepts, and its own name',
        [
          'User-Agent: Mozilla/5.0 (mail fetcher)',
          'Accept: */*',
          'Accept-Encoding: gzip, deflate, br',
          'From: unsubscribe@mail.example',
          `Content-Type: ${form}`,
          'Content-Length: 26',
          '',
          oneClick,
        ],
      ],
    ])('as the octets of a request: %s', async (_, rest) => {
      const person = await somebody();
      const answer = await raw(api.url, [
        `POST ${person.path} HTTP/1.1`,
        'Host: mail.example.org',
        'Connection: close',
        ...rest,
      ]);
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(answer).toMatch(/\r\ncontent-length: 0\r\n/i);
      expect(answer.endsWith('\r\n\r\n')).toBe(true);
      expect(await person.statuses()).toEqual(stopped);
    });

    test.skipIf(!hasCurl).each([
      ['-F', ['-F', oneClick]],
      ['-d', ['-d', oneClick]],
      ['-X POST', ['-X', 'POST']],
    ])('by curl %s', async (_, args) => {
      const person = await somebody();
      const { stdout } = await promisify(execFile)('curl', [
        '-sS',
        '-i',
        ...args,
        `${api.url}${person.path}`,
      ]);
      expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n$/);
      expect(await person.statuses()).toEqual(stopped);
    });

    test('is taken from anywhere where no key is set, through a proxy, with a foreign host and origin', async () => {
      const person = await somebody();
      const open = await world.serve({ api: { keys: { operator: [], read: [], service: [] } } });
      const answer = await raw(open.url, [
        `POST ${person.path} HTTP/1.1`,
        'Host: mail.example.org',
        'X-Forwarded-For: 203.0.113.7',
        'Origin: null',
        'Sec-Fetch-Site: cross-site',
        'Connection: close',
        'Content-Length: 0',
        '',
        '',
      ]);
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(await person.statuses()).toEqual(stopped);
    });

    test('46 times is the same as once', async () => {
      const person = await somebody({ waiting: 2 });
      const first = world.clock.now();
      expectEmpty(await post(person.path));
      await world.clock.advance(1_000);
      const others = Array.from({ length: 45 }, () => post(person.path));
      for (const answer of await Promise.all(others)) expectEmpty(answer);
      expect(await person.wish()).toEqual({ at: first, via: 'one-click' });
      for (const seq of person.seqs) {
        const { events } = await world.queries.story(seq);
        expect(events.filter(({ event }) => event === 'unsubscribed')).toHaveLength(1);
      }
    });

    test('works where nothing waits, and after the deliveries were forgotten', async () => {
      const gone = await somebody({ waiting: 0 });
      expectEmpty(await post(gone.path));
      expect(await gone.wish()).toMatchObject({ via: 'one-click' });
      const forgotten = await somebody();
      await world.db.write
        .updateTable('deliveries')
        .set({ to_email: null })
        .where('recipient', '=', forgotten.recipient)
        .execute();
      expectEmpty(await post(forgotten.path));
      expect(await forgotten.wish()).toMatchObject({ via: 'one-click' });
    });

    test('a body larger than 16 KiB is refused, and nothing is done', async () => {
      const person = await somebody();
      const { status, json } = await api.ask('POST', person.path, { key: null, body: 'x'.repeat(16_385) });
      expect([status, json.error]).toEqual([413, 'The body is too large: at most 16 KiB are taken here.']);
      expect(await person.statuses()).toEqual(waiting);
    });
  });

  describe('following the link', () => {
    test('shows a page, changes nothing and asks no database, with GET and HEAD', async () => {
      const person = await somebody();
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
      const person = await somebody();
      const leadsTo = async (path: string, base = api.url) => {
        const { text } = await api.ask('GET', path, { key: null });
        const [, action = ''] = /<form method="post" action="([^"]*)">/.exec(text) ?? [];
        return new URL(action, `${base}${path}`).href;
      };
      expect(await leadsTo(person.path)).toBe(`${api.url}${person.path}/stop`);
      expect(await leadsTo(`${person.path}/undo`)).toBe(`${api.url}${person.path}/stop`);
      // A proxy may have taken a part of the address away.
      const proxied = 'https://example.org/mail';
      expect(await leadsTo(person.path, proxied)).toBe(`${proxied}${person.path}/stop`);
    });

    test('with UNSUBSCRIBE_ON_GET a GET unsubscribes at once, and a HEAD still changes nothing', async () => {
      const literal = await world.serve({ api: { unsubscribeOnGet: true } });
      const person = await somebody();
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
      const person = await somebody({ waiting: 2 });
      const elsewhere = await recipientIn(world, consent, 'elsewhere', {
        source: 'other',
        address: person.address,
      });
      const press = async (step: string) => {
        const { status, text } = await post(`${person.path}/${step}`);
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
      const person = await somebody();
      for (const step of ['Stop', 'delete', '__proto__', 'constructor']) {
        const { status, text } = await post(`${person.path}/${step}`);
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
      const person = await somebody();
      const known = await api.ask(method, `${person.path}${rest}`, { key: null });
      // As long, in the right alphabet, with a number that is ours and a signature that is not.
      const forged = person.token.slice(0, 22) + unknownToken.slice(22);
      for (const token of [unknownToken, forged]) {
        const unknown = await api.ask(method, `${unsubscribePath}/${token}${rest}`, { key: null });
        expect(unknown.status).toBe(known.status);
        expect(unknown.text.replaceAll(token, person.token)).toBe(known.text);
        expect(headersOf(unknown)).toEqual(headersOf(known));
      }
      tokens.push(forged);
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
      const usual = await api.ask('GET', `${unsubscribePath}/${'A'.repeat(44)}`, { key: null });
      const { status, text, headers } = await api.ask('GET', `${unsubscribePath}/${given}`, { key: null });
      expect([status, text]).toEqual([200, usual.text]);
      expect(headers.get('set-cookie')).toBeNull();
      const posts = ['', '/stop', '/everything', '/undo'].map((rest) =>
        post(`${unsubscribePath}/${given}${rest}`),
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
        const answer = await raw(api.url, [
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
      const { suppressions, against, learn } = consent;
      const unsubscribe = { ...consent.unsubscribe, stop: wait, undo: wait, stopEverything: wait };
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
      const asking = post(path, {}, server).finally(() => {
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
        const person = await somebody();
        expect(await sleepOf(`${person.path}${rest}`)).toBe(answerAfterMs);
        expect(await sleepOf(`${unsubscribePath}/${unknownToken}${rest}`)).toBe(answerAfterMs);
      },
    );

    test('is counted from the start, and not made longer than it is', async () => {
      const { path } = await somebody();
      expect(await sleepOf(path, await slow(40))).toBe(answerAfterMs - 40);
      expect(await sleepOf(path, await slow(answerAfterMs + 1))).toBeUndefined();
    });
  });

  describe('without a database', () => {
    test('nothing is claimed, and a known link is answered like any other', async () => {
      const person = await somebody();
      const down = { ...databaseWith(world.db, broken), transaction: broken };
      const { log } = world.parts;
      const server = await world.serve({
        api: { consent: consentOf({ db: down, clock: world.clock, log }) },
      });
      const unknown = `${unsubscribePath}/${unknownToken}`;
      for (const path of [person.path, unknown]) {
        const { status, json, headers } = await post(path, {}, server);
        expect([status, json.code, headers.get('retry-after')]).toEqual([503, 'try_again', '60']);
        for (const step of ['stop', 'undo', 'everything']) {
          const page = await post(`${path}/${step}`, {}, server);
          expect([page.status, page.headers.get('retry-after')]).toEqual([503, '60']);
          expect(page.text).toContain('<h1>That did not work</h1>');
          expect(page.text).toContain(`action="${step}"`);
        }
      }
      expect(world.logged.filter((line) => line.includes('"unsubscribe.failed"'))).toHaveLength(8);
      expect(await person.statuses()).toEqual(waiting);
    });
  });

  describe('the pages', () => {
    const everyPage = async (headers: Record<string, string> = {}) => [
      await api.ask('GET', `${unsubscribePath}/${unknownToken}`, { key: null, headers }),
      await post(`${unsubscribePath}/${unknownToken}/stop`, headers),
      await post(`${unsubscribePath}/${unknownToken}/everything`, headers),
      await post(`${unsubscribePath}/${unknownToken}/undo`, headers),
    ];

    test('are kept, found, framed and told by nobody, and load nothing', async () => {
      for (const { headers, text } of await everyPage()) {
        expect(Object.fromEntries(headers)).toMatchObject({
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
          'x-robots-tag': 'noindex, nofollow',
          'x-frame-options': 'DENY',
          'content-security-policy':
            "default-src 'none';style-src 'unsafe-inline';base-uri 'none';form-action 'self';frame-ancestors 'none'",
          vary: 'Accept-Language',
        });
        expect(headers.get('set-cookie')).toBeNull();
        expect(text).toContain('<meta name="robots" content="noindex, nofollow">');
        expect(text).not.toMatch(/<script|src=|href=|url\(|https?:/);
      }
    });

    test.each([
      ['en', 'de, en;q=0.1', 'Stop these mails?'],
      ['ro', 'ro-RO,ro;q=0.9,en-US;q=0.8', 'Doriți să opriți aceste mesaje?'],
      ['zh-CN', 'zh-CN,zh;q=0.9', '要停止这些邮件吗？'],
    ])('are in the language of their reader: %s', async (lang, asked, heading) => {
      const pages = await everyPage({ 'accept-language': asked });
      expect(pages[0]?.text).toContain(`<h1>${heading}</h1>`);
      const validator = new HtmlValidate({ extends: ['html-validate:standard'] });
      for (const { text } of pages) {
        expect(text).toContain(`<html lang="${lang}">`);
        expect(text).not.toContain('undefined');
        expect(text.replaceAll('<!doctype', '')).not.toMatch(/[!！]/);
        const { results } = await validator.validateString(text);
        expect(results.flatMap(({ messages }) => messages.map(({ message }) => message))).toEqual([]);
      }
    });
  });
});
