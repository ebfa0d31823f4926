import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../std/clock.ts';
import { Refusal } from '../std/refusal.ts';
import { urlOf } from '../std/url-of.ts';
import { findServer } from './server-there.ts';

export interface Listening {
  /** With the real port and a host that a browser can open. */
  url: string;
  close(): Promise<void>;
}

/** What is being answered at a stop may finish within this; then its connection is cut. */
const closeWithinMs = 3_000;

export async function listen(
  server: FastifyInstance,
  { host, port }: { host: string; port: number },
  clock: Clock,
): Promise<Listening> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    await server.close();
    throw await explained(error, host, port);
  }
  const address = server.server.address() as AddressInfo;
  return {
    url: urlOf(host, address.port),
    async close() {
      const bound = new AbortController();
      const cut = clock.sleep(closeWithinMs, bound.signal).then(() => server.server.closeAllConnections());
      await server.close();
      bound.abort();
      await cut;
    },
  };
}

/** Asked before the database is migrated: a program that cannot start must not have changed what another one uses. */
export async function requireFreePort({ host, port }: { host: string; port: number }): Promise<void> {
  const probe = createServer();
  try {
    await once(probe.listen({ host, port }), 'listening');
  } catch (error) {
    throw await explained(error, host, port);
  }
  await new Promise((resolve) => probe.close(resolve));
}

async function explained(error: unknown, host: string, port: number): Promise<unknown> {
  switch ((error as NodeJS.ErrnoException)?.code) {
    case 'EADDRINUSE':
      return new Refusal('port_in_use', await inUse(host, port));
    case 'EACCES':
      return new Refusal(
        'port_forbidden',
        `This user may not listen on port ${port}. Set PORT to 1024 or above, and put a proxy before it if it must be ${port}.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Refusal(
        'host_unavailable',
        `This machine has no address ${host} to listen on. Set HOST to 127.0.0.1, or to one of its own addresses.`,
      );
    default:
      return error;
  }
}

/** Mostly it is the one that was started in another terminal. Others answer `ok` there, too; a figure of a database only a Tidings has. */
async function inUse(host: string, port: number): Promise<string> {
  const there = await findServer({ host, port });
  const orElse = 'set PORT to another port (PORT=0 takes a free one)';
  return there?.database === undefined
    ? `Port ${port} on ${host} is in use by another program. Stop that one, or ${orElse}.`
    : `A Tidings already serves there: open ${there.url}. For a second one, ${orElse}.`;
}
