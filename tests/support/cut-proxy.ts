import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A wire to PostgreSQL that breaks at the worst moment: at a COMMIT. Cut before it, the server never hears it and rolls
 * back; cut after it, the work is done and whoever asked for it never learns so.
 */
export interface CutProxy {
  /** The same database by way of this wire. */
  url: string;
  /** Breaks the next connection that commits, once. */
  cutNextCommit(when: CutMoment): void;
  /** From now on nothing gets through on the connections that are there, and they do not end. */
  goSilent(): void;
  /** How many it has broken. */
  readonly cuts: number;
  close(): Promise<void>;
}

export type CutMoment = 'before' | 'after';

/** The end of the message in which the client asks for it. */
const commit = Buffer.from('COMMIT\0');

export async function createCutProxy(databaseUrl: string): Promise<CutProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let armed: CutMoment | undefined;
  let cuts = 0;
  const silent = new Set<Socket>();

  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    const hangUp = () => {
      client.destroy();
      upstream.destroy();
    };
    let isAnswerLost = false;
    client.on('data', (chunk) => {
      if (silent.has(client)) return;
      const moment = chunk.includes(commit) ? armed : undefined;
      if (moment) {
        armed = undefined;
        cuts += 1;
      }
      if (moment === 'before') return hangUp();
      isAnswerLost = moment === 'after';
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      // The server has answered, so that it is done; the answer goes no further.
      if (isAnswerLost) hangUp();
      else client.write(chunk);
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', hangUp);
      socket.on('close', () => {
        sockets.delete(socket);
        hangUp();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cutNextCommit(when) {
      armed = when;
    },
    goSilent() {
      for (const socket of sockets) silent.add(socket);
    },
    get cuts() {
      return cuts;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
