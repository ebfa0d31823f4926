import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { ListKey } from '../term.ts';
import { createSampleCampus, type SampleCampus, type SampleCampusOptions } from './sample-campus.ts';
import { type Asked, createFaults, isInPart } from './sample-faults.ts';
import { createSampleSwitches, followOrder, type SampleSwitches } from './sample-switches.ts';

/**
 * The sample campus over HTTP, as the real feed answers: on this machine alone, on a free port. `/openSections.json` and
 * `/courses.json` want year, term and campus; `POST /_switch?open=04711` and its like are for whoever wants to see what happens.
 */
export interface RunningSampleCampus {
  /** What SOC_BASE_URL would be. */
  readonly url: string;
  readonly campus: SampleCampus;
  readonly switches: SampleSwitches;
  close(): Promise<void>;
}

export async function startSampleCampus(
  options: SampleCampusOptions & { port?: number },
): Promise<RunningSampleCampus> {
  const campus = createSampleCampus(options);
  const faults = createFaults();
  // A stale list is that of the moment at which it was switched on.
  let stale = new Map<string, string[]>();
  const keep = () => {
    const keys = campus.termIds.flatMap((termId) =>
      campus.campusCodes.map((campusCode) => ({ termId, campusCode })),
    );
    stale = new Map(keys.map((key) => [keyText(key), campus.openIndexes(key) ?? []]));
  };
  const switches = createSampleSwitches(campus, {
    ...faults,
    set(fault) {
      if (fault.kind === 'stale') keep();
      faults.set(fault);
    },
  });

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    stop: AbortSignal,
  ): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sample');
    if (pathname === '/_switch') return switchSomething(request, response, searchParams);
    const asked = askedOf(pathname);
    if (!asked) return page(response, pathname === '/' ? 200 : 404, welcome);
    if (request.method !== 'GET') return page(response, 405, 'Only GET.');
    const list = listAsked(searchParams);
    const fault = faults.take(asked);
    if (fault.slow) await options.clock.sleep(fault.slow.ms, stop);
    if (fault.too_many_requests) {
      const { retryAfterSeconds } = fault.too_many_requests;
      if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
      return page(response, 429, 'Too many requests.');
    }
    if (fault.server_error) return page(response, fault.server_error.status ?? 503, 'Out of order.');
    if (fault.html) return page(response, 200, 'The system is being looked after.');
    if (!list) return page(response, 400, 'Required parameters are year, term and campus.');
    const pieces = fault.empty ? ['[]'] : asked === 'courses' ? coursesText(list) : [listText(list)];
    if (fault.torn) return tear(response, pieces);
    await send(request, response, { pieces, ...headersOf(asked, list, options.clock.now()) });

    function listText(key: ListKey): string {
      const indexes = (fault.stale ? stale.get(keyText(key)) : campus.openIndexes(key)) ?? [];
      const { partial } = fault;
      return JSON.stringify(partial ? indexes.filter((index) => isInPart(index, partial.fraction)) : indexes);
    }
    function* coursesText(key: ListKey): Iterable<string> {
      let before = '[';
      for (const course of campus.courses(key)) {
        yield before + JSON.stringify(course);
        before = ',';
      }
      yield before === '[' ? '[]' : ']';
    }
  }

  function switchSomething(request: IncomingMessage, response: ServerResponse, order: URLSearchParams): void {
    const complaint = request.method === 'POST' ? followOrder(switches, order) : undefined;
    request.resume();
    response.writeHead(complaint ? 400 : 200, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify(complaint ? { error: complaint } : switches.state())}\n`);
  }

  const stopping = new AbortController();
  const server = createServer((request, response) => {
    answer(request, response, stopping.signal).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  // What nobody asks any more must not keep the process alive.
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    campus,
    switches,
    close() {
      stopping.abort();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const keyText = ({ termId, campusCode }: ListKey) => `${termId} ${campusCode}`;

const askedOf = (path: string): Asked | undefined =>
  path === '/openSections.json' ? 'openSections' : path === '/courses.json' ? 'courses' : undefined;

function listAsked(parameters: URLSearchParams): ListKey | undefined {
  const [year, term, campusCode] = ['year', 'term', 'campus'].map((name) => parameters.get(name) ?? '');
  return year && term && campusCode ? { termId: `${term}${year}`, campusCode } : undefined;
}

/** As long as the real one lets its answers be kept; its tags differ from campus to campus for the same list. */
const headersOf = (asked: Asked, list: ListKey, now: number) => ({
  maxAgeSeconds: asked === 'courses' ? 900 : 30,
  tagOf: `${keyText(list)} ${Math.floor(now / 1_000)}`,
});

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: { pieces: Iterable<string>; maxAgeSeconds: number; tagOf: string },
): Promise<void> {
  const isZipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  response.writeHead(200, {
    'content-type': 'application/json;charset=UTF-8',
    'cache-control': `max-age=${answer.maxAgeSeconds}`,
    etag: `"${createHash('sha1').update(answer.tagOf).digest('hex').slice(0, 16)}"`,
    ...(isZipped && { 'content-encoding': 'gzip' }),
  });
  const pieces = Readable.from(answer.pieces);
  await (isZipped ? pipeline(pieces, createGzip(), response) : pipeline(pieces, response));
}

/** Half of the first piece, and then nothing: whoever reads learns that there should have been more. */
function tear(response: ServerResponse, [first = '']: Iterable<string>): void {
  response.writeHead(200, { 'content-type': 'application/json;charset=UTF-8' });
  response.write(first.slice(0, Math.ceil(first.length / 2)), () => response.destroy());
}

function page(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/html;charset=utf-8' });
  response.end(`<!doctype html><html lang="en"><title>Sample campus</title><p>${text}</p></html>\n`);
}

const welcome = [
  'This is a sample campus: its courses are made up.',
  'It answers /openSections.json and /courses.json?year=…&amp;term=…&amp;campus=… as the real feed does.',
  'POST /_switch?open=04711 opens a section; close, oscillate and release do as they say.',
  'empty, partial=0.7, stale, 429=30, 5xx, html, slow=3000 and torn spoil its answers, with &amp;answers=3 the next three, until off.',
].join('<br>');
