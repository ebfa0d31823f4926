import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { Feed, ListAnswer } from '../../src/sources/course-seats/feed/feed.ts';
import { createManualClock } from '../../src/std/clock.ts';
import { type Answer, endFeeds, feedOf, json, list, never, sections } from './feed-server.ts';

afterEach(endFeeds);

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
