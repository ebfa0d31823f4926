import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { worldForAll } from '../support/world-for-each.ts';
import type { Answered } from './api-world.ts';
import { closeWithoutTokens, createUnsubscribeWorld, raw, stopped, waiting } from './unsubscribe-world.ts';

/** The link in every mail: what a mail program gets from it. */
const oneClick = 'List-Unsubscribe=One-Click';
const form = 'application/x-www-form-urlencoded';
const multipart = `--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n`;
const hasCurl = spawnSync('curl', ['--version']).status === 0;

onBothDatabases('the unsubscribe link', (dialect) => {
  const world = worldForAll(
    () => createUnsubscribeWorld(dialect),
    (world) => closeWithoutTokens(world),
  );

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
      const person = await world.somebody();
      const response = await fetch(`${world.api.url}${person.path}`, {
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
      const person = await world.somebody();
      const answer = await raw(world.api.url, [
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
      const person = await world.somebody();
      const { stdout } = await promisify(execFile)('curl', [
        '-sS',
        '-i',
        ...args,
        `${world.api.url}${person.path}`,
      ]);
      expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n$/);
      expect(await person.statuses()).toEqual(stopped);
    });

    test('is taken from anywhere where no key is set, through a proxy, with a foreign host and origin', async () => {
      const person = await world.somebody();
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
      const person = await world.somebody({ waiting: 2 });
      const first = world.clock.now();
      expectEmpty(await world.post(person.path));
      await world.clock.advance(1_000);
      const others = Array.from({ length: 45 }, () => world.post(person.path));
      for (const answer of await Promise.all(others)) expectEmpty(answer);
      expect(await person.wish()).toEqual({ at: first, via: 'one-click' });
      for (const seq of person.seqs) {
        const { events } = await world.queries.story(seq);
        expect(events.filter(({ event }) => event === 'unsubscribed')).toHaveLength(1);
      }
    });

    test('works where nothing waits, and after the deliveries were forgotten', async () => {
      const gone = await world.somebody({ waiting: 0 });
      expectEmpty(await world.post(gone.path));
      expect(await gone.wish()).toMatchObject({ via: 'one-click' });
      const forgotten = await world.somebody();
      await world.db.write
        .updateTable('deliveries')
        .set({ to_email: null })
        .where('recipient', '=', forgotten.recipient)
        .execute();
      expectEmpty(await world.post(forgotten.path));
      expect(await forgotten.wish()).toMatchObject({ via: 'one-click' });
    });

    test('a body larger than 16 KiB is refused, and nothing is done', async () => {
      const person = await world.somebody();
      const { status, json } = await world.api.ask('POST', person.path, {
        key: null,
        body: 'x'.repeat(16_385),
      });
      expect([status, json.error]).toEqual([413, 'The body is too large: at most 16 KiB are taken here.']);
      expect(await person.statuses()).toEqual(waiting);
    });
  });
});
