import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/**
 * Takes every mail, as Resend would, and does nothing with it. It runs in a process of its own, so that what it costs is
 * not counted as the engine's, and tells what it has seen since it was last asked. It reads from a request what it needs and no more, because
 * Node's own server takes 90 µs of processor time for each, a third of what it is to measure.
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
let keys = new Set<string>();
let requests = 0;
let bodyOctets = 0;
let firstAt: number | undefined;
let lastAt = 0;
let cpu = process.cpuUsage();
let since = performance.now();

const server = createServer({ noDelay: true }, (socket) => {
  let unread: Buffer | undefined;
  socket.on('data', (chunk: Buffer) => {
    unread = unread ? Buffer.concat([unread, chunk]) : chunk;
    for (let size = sizeOf(unread); size > 0 && size <= unread.length; size = sizeOf(unread)) {
      take(socket, unread.subarray(0, size));
      unread = unread.subarray(size);
    }
    if (unread.length === 0) unread = undefined;
  });
  socket.on('error', () => {});
});

const endOfHead = Buffer.from('\r\n\r\n');

/** Octets of the first request, as far as its head is here. */
function sizeOf(unread: Buffer): number {
  const head = unread.indexOf(endOfHead);
  return head < 0 ? 0 : head + 4 + lengthOf(unread.toString('latin1', 0, head));
}

const lengthOf = (head: string) => Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);

function take(socket: Socket, request: Buffer): void {
  const head = request.toString('latin1', 0, request.indexOf(endOfHead));
  requests += 1;
  lastAt = performance.now();
  firstAt ??= lastAt;
  keys.add(/^idempotency-key: *(\S+)/im.exec(head)?.[1] ?? '');
  bodyOctets += lengthOf(head);
  const body = `{"id":"${randomUUID()}"}`;
  const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  if (latencyMs > 0) setTimeout(() => socket.write(answer), latencyMs);
  else socket.write(answer);
}

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
