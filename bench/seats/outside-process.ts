import { subscribe } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type RunningSampleCampus,
  startSampleCampus,
} from '../../src/sources/course-seats/sample/sample-server.ts';
import { systemClock } from '../../src/std/clock.ts';
import { answerParent } from '../support/child.ts';
import type { OutsideOrder, Told } from './outside.ts';

/**
 * What is outside of the engine, in a process of its own and with one clock for all of it: the sample campus over HTTP, and a
 * provider's socket that takes every mail.
 */
let campus: RunningSampleCampus;
/** Of each term, sections that open one by one: the next as soon as a list with the one before it has left. */
const waiting = new Map<string, string[]>();
const opened = new Map<string, string>();
const shownAt = new Map<string, number>();
const told: Told[] = [];

const provider = createServer(async (request, response) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const arrivedAt = performance.now();
  const mail = JSON.parse(Buffer.concat(pieces).toString()) as { to: string[] };
  // `<term>-<index>@…`
  const name = (mail.to[0] ?? '').split('@')[0] ?? '';
  told.push({ name, ms: arrivedAt - (shownAt.get(name) ?? Number.NaN) });
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(`{"id":"mail-${told.length}"}`);
});

/** The last octets of an answer are with the system: so early, and not when they are read, an opening counts as seen. */
subscribe('http.server.response.finish', (message) => {
  const { request } = message as { request: IncomingMessage };
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://campus');
  if (pathname !== '/openSections.json') return;
  const termId = `${searchParams.get('term')}${searchParams.get('year')}`;
  const before = opened.get(termId);
  if (before) shownAt.set(`${termId}-${before}`, performance.now());
  const next = waiting.get(termId)?.shift();
  if (next) campus.campus.open(next);
  opened.set(termId, next ?? '');
});

answerParent(async (order: OutsideOrder) => {
  switch (order.kind) {
    case 'start': {
      campus = await startSampleCampus({ ...order.campus, clock: systemClock });
      await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
      const closed = campus.campus.termIds.map((termId) => {
        const sections = campus.campus.sections(termId).filter(({ isOpen }) => !isOpen);
        return [termId, sections.map(({ index }) => index)] as const;
      });
      return {
        feedUrl: campus.url,
        providerUrl: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
        closed: Object.fromEntries(closed),
      };
    }
    case 'switch':
      for (const index of order.open) campus.campus.open(index);
      for (const index of order.close) campus.campus.close(index);
      return;
    case 'open one by one':
      for (const [termId, indexes] of Object.entries(order.byTerm)) waiting.set(termId, indexes);
      return;
    case 'told':
      return told;
  }
});
