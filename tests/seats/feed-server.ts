import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Feed, ListAnswer } from '../../src/sources/course-seats/feed/feed.ts';
import { createHttpFeed, type FeedLimits } from '../../src/sources/course-seats/feed/http-feed.ts';
import { type Clock, systemClock } from '../../src/std/clock.ts';

export const list = { termId: '12026', campusCode: 'NB' };
export const never = new AbortController().signal;
const ends: (() => Promise<unknown>)[] = [];

/** The last that was begun ends first. */
export function atEnd(end: () => Promise<unknown>): void {
  ends.push(end);
}

/** For after each test: servers and feeds are closed. */
export async function endFeeds(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that does as it is told, and the feed that asks it. */
export async function feedOf(
  answer: Answer,
  more: { limits?: Partial<FeedLimits>; clock?: Clock; path?: string } = {},
): Promise<Feed> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { limits = {}, clock = systemClock, path = '/soc/api' } = more;
  const feed = createHttpFeed({ baseUrl: `http://127.0.0.1:${port}${path}`, clock, limits });
  atEnd(async () => {
    server.closeAllConnections();
    server.close();
  });
  atEnd(() => feed.close());
  return feed;
}

export const json =
  (value: unknown): Answer =>
  (_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
  };

export const sections = async (answer: Answer, limits: Partial<FeedLimits> = {}): Promise<ListAnswer> =>
  (await feedOf(answer, { limits })).openSections(list, never);
