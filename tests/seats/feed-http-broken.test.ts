import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpFeed } from '../../src/sources/course-seats/feed/http-feed.ts';
import { systemClock } from '../../src/std/clock.ts';
import { type Answer, atEnd, endFeeds, feedOf, list, never, sections } from './feed-server.ts';

afterEach(endFeeds);

describe('what is not a list is an answer that says so', () => {
  const status =
    (code: number, headers: Record<string, string> = {}): Answer =>
    (_request, response) => {
      response.writeHead(code, headers).end('["00001"]');
    };

  it.each([
    ['429 with Retry-After', status(429, { 'retry-after': '90' }), 'http_429', { retryAfterMs: 90_000 }],
    ['503 without', status(503), 'http_503', {}],
    ['a garbled Retry-After', status(503, { 'retry-after': 'soon' }), 'http_503', {}],
    ['a page of HTML with 400', status(400, { 'content-type': 'text/html' }), 'http_400', {}],
    ['a redirect', status(302, { location: 'http://127.0.0.1:1/' }), 'http_302', {}],
    ['nothing changed, for which nobody asked', status(304), 'http_304', {}],
  ])('%s', async (_name, answer, code, more) => {
    const failed = await sections(answer);
    expect(failed).toEqual({
      ...{
        kind: 'failed',
        status: Number(code.slice(5)),
        code,
        message: expect.stringContaining(code.slice(5)),
      },
      ...more,
    });
  });

  const body =
    (text: string | Buffer, headers: Record<string, string> = {}): Answer =>
    (_request, response) => {
      response.writeHead(200, headers).end(text);
    };

  it.each([
    [
      'HTML with 200',
      body('<html>', { 'content-type': 'text/html;charset=utf-8' }),
      'not_json',
      'page of HTML',
    ],
    [
      'HTML that says it is JSON',
      body(' <!DOCTYPE html>', { 'content-type': 'application/json' }),
      'not_json',
      '<!DOCTYPE',
    ],
    ['half a list', body('["00001","000'), 'not_json', 'ends with'],
    ['nothing at all', body(''), 'not_json', 'empty'],
    ['an object', body('{"a":["00001"]}'), 'not_a_list', 'an object'],
    ['null', body('null'), 'not_a_list', 'null'],
    ['a number in it', body('["00001",12345]'), 'not_a_list', 'entry 1 of 2'],
    ['an index of four digits', body('["0001"]'), 'not_a_list', '"0001"'],
    ['an index with a line end', body('["00001\\n"]'), 'not_a_list', 'entry 0'],
    ['digits that are not ours', body('["٠٠٠٠١"]'), 'not_a_list', 'entry 0'],
    ['a list in a list', body('[["00001"]]'), 'not_a_list', 'entry 0'],
    ['octets that are not UTF-8', body(Buffer.from([0x5b, 0xff, 0x5d])), 'not_json', 'UTF-8'],
    ['another packing', body('x', { 'content-encoding': 'br' }), 'unknown_encoding', 'br'],
    ['packing that is none', body('["00001"]', { 'content-encoding': 'gzip' }), 'truncated', 'Z_DATA_ERROR'],
    [
      'half a packed list',
      body(gzipSync(JSON.stringify(Array(5000).fill('00001'))).subarray(0, -20), {
        'content-encoding': 'gzip',
      }),
      'truncated',
      'Z_BUF_ERROR',
    ],
  ])('%s', async (_name, answer, code, words) => {
    const failed = await sections(answer);
    expect(failed).toMatchObject({ kind: 'failed', code, message: expect.stringContaining(words) });
  });

  it('one that is too large, packed to almost nothing', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20));
    expect(bomb.length).toBeLessThan(60_000);
    const failed = await sections((_request, response) => {
      response.setHeader('content-encoding', 'gzip').end(bomb);
    });
    expect(failed).toMatchObject({ kind: 'failed', code: 'too_large' });
  });

  it('one that is too large by itself, and never ends', async () => {
    const failed = await sections((_request, response) => {
      const piece = Buffer.alloc(65_536, 0x20);
      const write = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on('drain', write);
      write();
    });
    expect(failed).toMatchObject({ kind: 'failed', code: 'too_large' });
  });

  it.each(['before its head', 'within its body', 'within its chunks'])(
    'one that breaks off %s',
    async (where) => {
      const failed = await sections((request, response) => {
        if (where === 'before its head') request.socket.destroy();
        else {
          if (where === 'within its body') response.setHeader('content-length', 100);
          response.write('["00001"', () => request.socket.destroy());
        }
      });
      expect(failed).toMatchObject({ kind: 'failed', status: null, code: 'truncated' });
    },
  );

  it('words that are not HTTP', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.end('SSH-2.0-OpenSSH_9.2p1\r\n');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const feed = createHttpFeed({ baseUrl: `http://127.0.0.1:${port}`, clock: systemClock });
    atEnd(async () => server.close());
    atEnd(() => feed.close());
    expect(await feed.openSections(list, never)).toMatchObject({
      ...{ kind: 'failed', status: null, code: 'broken' },
      message: expect.stringContaining('HTTP'),
    });
  });

  it('a server that is not there', async () => {
    const feed = createHttpFeed({ baseUrl: 'http://127.0.0.1:1/api', clock: systemClock });
    atEnd(() => feed.close());
    expect(await feed.openSections(list, never)).toMatchObject({
      ...{ kind: 'failed', status: null, code: 'unreachable' },
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('a term that is none, without a question', async () => {
    const feed = await feedOf(() => expect.unreachable());
    const failed = await feed.openSections({ termId: '22026', campusCode: 'NB' }, never);
    expect(failed).toMatchObject({ kind: 'failed', code: 'unknown_term' });
  });
});
