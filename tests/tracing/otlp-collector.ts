import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { systemClock } from '../../src/std/clock.ts';
import { bytesIn, type Message, messagesIn, numberIn, readMessage } from './protobuf.ts';

/** A collector on loopback: it takes OTLP over HTTP as protocol buffers, and keeps what came, as bytes and as spans. */
export interface Collector {
  url: string;
  requests: { path: string; headers: IncomingHttpHeaders; body: Buffer }[];
  readonly spans: readonly CollectedSpan[];
  /** How it answers; truthfully unless it is told otherwise. */
  answer: (response: ServerResponse) => void;
  /** Waits until there are spans with these names in this trace, each as often as it is named. */
  until(traceId: string, names: readonly string[]): Promise<CollectedSpan[]>;
  close(): Promise<void>;
}

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentId: string;
  name: string;
  kind: number;
  startAt: bigint;
  endAt: bigint;
  attributes: Record<string, unknown>;
  hasFailed: boolean;
  resource: Record<string, unknown>;
}

export async function startCollector(): Promise<Collector> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      collector.requests.push({ path: request.url ?? '', headers: request.headers, body });
      collector.answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Read when somebody asks: what a collector does with spans takes no time of whoever sends them.
  const read: CollectedSpan[] = [];
  let requestsRead = 0;
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    get spans() {
      const fresh = collector.requests.slice(requestsRead);
      requestsRead += fresh.length;
      read.push(...fresh.flatMap(({ body }) => spansIn(body)));
      return read;
    },
    answer: takes,
    async until(traceId, names) {
      const found = () => collector.spans.filter((span) => span.traceId === traceId);
      const missing = () => {
        const left = found().map(({ name }) => name);
        return names.filter(
          (name) => !left.includes(name) || left.splice(left.indexOf(name), 1).length === 0,
        );
      };
      for (let tries = 0; tries < 1_000 && missing().length > 0; tries++) await systemClock.sleep(20);
      expect(missing()).toEqual([]);
      return found();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return collector;
}

const takes = (response: ServerResponse) => {
  response.setHeader('content-type', 'application/x-protobuf').end();
};

/** ExportTraceServiceRequest, by the numbers of its fields in opentelemetry-proto. */
function spansIn(body: Buffer): CollectedSpan[] {
  return messagesIn(readMessage(body), 1).flatMap((ofResource) => {
    const resource = Object.assign({}, ...messagesIn(ofResource, 1).map((each) => attributesIn(each, 1)));
    return messagesIn(ofResource, 2)
      .flatMap((ofScope) => messagesIn(ofScope, 2))
      .map((span) => ({ ...spanOf(span), resource }));
  });
}

function spanOf(span: Message): Omit<CollectedSpan, 'resource'> {
  return {
    traceId: bytesIn(span, 1).toString('hex'),
    spanId: bytesIn(span, 2).toString('hex'),
    parentId: bytesIn(span, 4).toString('hex'),
    name: bytesIn(span, 5).toString(),
    kind: Number(numberIn(span, 6)),
    startAt: numberIn(span, 7),
    endAt: numberIn(span, 8),
    attributes: attributesIn(span, 9),
    hasFailed: messagesIn(span, 15).some((status) => numberIn(status, 3) === 2n),
  };
}

function attributesIn(message: Message, field: number): Record<string, unknown> {
  const pairs = messagesIn(message, field).map((pair) => {
    const [value = new Map()] = messagesIn(pair, 2);
    return [bytesIn(pair, 1).toString(), plainValue(value)];
  });
  return Object.fromEntries(pairs);
}

function plainValue(value: Message): unknown {
  if (value.has(1)) return bytesIn(value, 1).toString();
  if (value.has(2)) return numberIn(value, 2) === 1n;
  if (value.has(3)) return Number(numberIn(value, 3));
  throw new TypeError(`an attribute that is no text, number or boolean: ${[...value.keys()]}`);
}
