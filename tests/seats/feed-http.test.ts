import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createSocketServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { Feed, ListAnswer } from '../../src/sources/course-seats/feed/feed.ts';
import { createHttpFeed, type FeedLimits } from '../../src/sources/course-seats/feed/http-feed.ts';
import { type Clock, createManualClock, systemClock } from '../../src/std/clock.ts';

const list = { termId: '12026', campusCode: 'NB' };
const never = new AbortController().signal;
const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that does as it is told, and the feed that asks it. */
async function feedOf(
  answer: Answer,
  more: { limits?: Partial<FeedLimits>; clock?: Clock; path?: string } = {},
): Promise<Feed> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { limits = {}, clock = systemClock, path = '/soc/api' } = more;
  const feed = createHttpFeed({ baseUrl: `http://127.0.0.1:${port}${path}`, clock, limits });
  ends.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  ends.push(() => feed.close());
  return feed;
}

const json =
  (value: unknown): Answer =>
  (_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
  };

const sections = async (answer: Answer, limits: Partial<FeedLimits> = {}): Promise<ListAnswer> =>
  (await feedOf(answer, { limits })).openSections(list, never);

describe('a list', () => {
  it('is asked for by year, term and campus, and its indexes come distinct and sorted', async () => {
    const asked: string[] = [];
    const feed = await feedOf((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      json(['09214', '00001', '13780', '09214'])(request, response);
    });
    const answer = await feed.openSections(list, never);
    expect(asked).toEqual(['GET /soc/api/openSections.json?year=2026&term=1&campus=NB']);
    const sourceHash = createHash('sha1').update('00001,09214,13780').digest('hex');
    expect(answer).toEqual({ kind: 'list', indexes: ['00001', '09214', '13780'], sourceHash });
  });

  it('has the same hash in whichever order it comes', async () => {
    const feed = await feedOf((request, response) => {
      const isFirst = request.url?.includes('campus=NB') ?? false;
      json(isFirst ? ['00001', '00002'] : ['00002', '00001'])(request, response);
    });
    const one = await feed.openSections(list, never);
    const other = await feed.openSections({ ...list, campusCode: 'ONLINE_NB' }, never);
    expect(one).toEqual(other);
    expect(one.kind).toBe('list');
  });

  it('is asked for on a connection of its own: one that is kept is closed between two polls', async () => {
    const sockets = new Set<unknown>();
    const feed = await feedOf((request, response) => {
      sockets.add(request.socket);
      json(['00001'])(request, response);
    });
    for (let time = 0; time < 3; time++) await feed.openSections(list, never);
    expect(sockets.size).toBe(3);
  });

  it('may be empty', async () => {
    expect(await sections(json([]))).toMatchObject({ kind: 'list', indexes: [] });
  });

  it('may come packed, and is asked for so', async () => {
    const answer = await sections((request, response) => {
      expect(request.headers['accept-encoding']).toBe('gzip');
      response.setHeader('content-encoding', 'gzip').end(gzipSync('["00001"]'));
    });
    expect(answer).toMatchObject({ kind: 'list', indexes: ['00001'] });
  });

  it('is asked for below whatever path the feed has', async () => {
    const feed = await feedOf((request, response) => json([request.url?.slice(1, 6)])(request, response), {
      path: '/12345/',
    });
    expect(await feed.openSections(list, never)).toMatchObject({ indexes: ['12345'] });
  });
});

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
    const server = createSocketServer((socket) => {
      socket.on('error', () => {});
      socket.end('SSH-2.0-OpenSSH_9.2p1\r\n');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const feed = createHttpFeed({ baseUrl: `http://127.0.0.1:${port}`, clock: systemClock });
    ends.push(async () => server.close());
    ends.push(() => feed.close());
    expect(await feed.openSections(list, never)).toMatchObject({
      ...{ kind: 'failed', status: null, code: 'broken' },
      message: expect.stringContaining('HTTP'),
    });
  });

  it('a server that is not there', async () => {
    const feed = createHttpFeed({ baseUrl: 'http://127.0.0.1:1/api', clock: systemClock });
    ends.push(() => feed.close());
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

describe('time', () => {
  /** Moves the clock once the server has got so far. */
  async function stuck(answer: Answer, ms: number): Promise<ListAnswer> {
    const clock = createManualClock();
    let isThere = () => {};
    const there = new Promise<void>((resolve) => {
      isThere = resolve;
    });
    const feed = await feedOf(
      (request, response) => {
        answer(request, response);
        isThere();
      },
      { clock },
    );
    const answered = feed.openSections(list, never);
    await there;
    await clock.advance(ms);
    return answered;
  }

  it.each<[string, Answer]>([
    ['says nothing', () => {}],
    ['stops after its head', (_request, response) => response.writeHead(200).flushHeaders()],
    ['stops in the middle', (_request, response) => response.write('["00001"')],
  ])('a server that %s is given up after ten seconds', async (_name, answer) => {
    expect(await stuck(answer, 10_000)).toMatchObject({ kind: 'failed', code: 'timed_out' });
  });

  it('whoever stops is answered at once', async () => {
    const stopping = new AbortController();
    const feed = await feedOf(() => stopping.abort());
    expect(await feed.openSections(list, stopping.signal)).toMatchObject({ code: 'stopped' });
    expect(await feed.openSections(list, stopping.signal)).toMatchObject({ code: 'stopped' });
  });

  it('closing ends what is under way, and may be asked twice', async () => {
    let close: Promise<void> | undefined;
    const feed: Feed = await feedOf(() => {
      close = feed.close();
    });
    expect(await feed.openSections(list, never)).toMatchObject({ kind: 'failed', code: 'stopped' });
    await close;
    await feed.close();
    expect(await feed.openSections(list, never)).toMatchObject({ kind: 'failed', code: 'stopped' });
  });
});

describe('a catalog', () => {
  const read = async (feed: Feed): Promise<string> => {
    const answer = await feed.courses(list, never);
    if (answer.kind === 'failed') throw new Error(answer.code);
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.pieces) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  };

  it('comes piece by piece, unpacked', async () => {
    const text = JSON.stringify(Array.from({ length: 50_000 }, (_, number) => ({ number })));
    const asked: (string | undefined)[] = [];
    const feed = await feedOf((request, response) => {
      asked.push(request.url);
      response.setHeader('content-encoding', 'gzip').end(gzipSync(text));
    });
    expect(await read(feed)).toBe(text);
    expect(asked).toEqual(['/soc/api/courses.json?year=2026&term=1&campus=NB']);
  });

  it('is not read faster than whoever reads it', async () => {
    let written = 0;
    const feed = await feedOf((_request, response) => {
      const piece = Buffer.alloc(65_536, 0x20);
      const write = () => {
        while (!response.destroyed && response.write(piece)) written += piece.length;
      };
      response.on('drain', write);
      write();
    });
    const answer = await feed.courses(list, never);
    if (answer.kind === 'failed') throw new Error(answer.code);
    const pieces = answer.pieces[Symbol.asyncIterator]();
    await pieces.next();
    // Until the sockets on both sides are full, the server may go on.
    for (let before = -1; before !== written; ) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(written).toBeLessThan(20_000_000);
    await pieces.return?.();
  });

  it('that is none is refused before it begins', async () => {
    const feed = await feedOf((_request, response) => {
      response.writeHead(400, { 'content-type': 'text/html' }).end('<html>');
    });
    expect(await feed.courses(list, never)).toMatchObject({ kind: 'failed', code: 'http_400' });
  });

  it('that breaks off says so where it is read', async () => {
    const feed = await feedOf((request, response) => {
      response.write('[{"a":1},', () => request.socket.destroy());
    });
    await expect(read(feed)).rejects.toMatchObject({ code: 'truncated' });
  });

  it('that is too large says so, too', async () => {
    const feed = await feedOf(json('x'.repeat(2000)), { limits: { catalogOctetsMax: 1000 } });
    await expect(read(feed)).rejects.toMatchObject({ code: 'too_large' });
  });

  it('that stalls is given up, and a slow reader is not', async () => {
    const clock = createManualClock();
    const feed = await feedOf((_request, response) => response.write('[1,'), { clock });
    const answer = await feed.courses(list, never);
    if (answer.kind === 'failed') throw new Error(answer.code);
    const pieces = answer.pieces[Symbol.asyncIterator]();
    expect(Buffer.from((await pieces.next()).value).toString()).toBe('[1,');
    await clock.advance(120_000);
    const next = expect(pieces.next()).rejects.toMatchObject({ code: 'stalled' });
    await clock.advance(30_000);
    await next;
  });
});
