import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Takes every mail, as Resend would, and does nothing with it. It runs in a process of its own, so that what it costs is
 * not counted as the engine's, and tells what it has seen since it was last asked.
 */
export interface Seen {
  requests: number;
  /** Different idempotency keys among them: fewer than requests, and a mail went out twice. */
  keys: number;
  bodyOctets: number;
  /** Between the first request and the last. */
  spanMs: number;
  /** The part of one processor that it was busy. */
  busyShare: number;
  cpuMs: number;
}

const latencyMs = Number(process.argv[2] ?? 0);
let keys = new Set<unknown>();
let requests = 0;
let bodyOctets = 0;
let firstAt: number | undefined;
let lastAt = 0;
let cpu = process.cpuUsage();
let since = performance.now();

const server = createServer((request, response) => {
  requests += 1;
  lastAt = performance.now();
  firstAt ??= lastAt;
  keys.add(request.headers['idempotency-key']);
  request.on('data', (chunk: Buffer) => {
    bodyOctets += chunk.length;
  });
  const end = () => {
    const answer = `{"id":"${randomUUID()}"}`;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
    response.end(answer);
  };
  request.on('end', latencyMs > 0 ? () => setTimeout(end, latencyMs) : end);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.on('message', () => {
  const { user, system } = process.cpuUsage(cpu);
  const cpuMs = (user + system) / 1000;
  const busyShare = cpuMs / (performance.now() - since);
  const spanMs = lastAt - (firstAt ?? lastAt);
  process.send?.({ requests, keys: keys.size, bodyOctets, spanMs, busyShare, cpuMs } satisfies Seen);
  firstAt = undefined;
  keys = new Set();
  requests = 0;
  bodyOctets = 0;
  cpu = process.cpuUsage();
  since = performance.now();
});
// Whoever started it is gone.
process.on('disconnect', () => process.exit());
