import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../std/clock.ts';
import { Refusal } from '../std/refusal.ts';
import { urlOf } from '../std/url-of.ts';

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
    throw explained(error, host, port);
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
    throw explained(error, host, port);
  }
  await new Promise((resolve) => probe.close(resolve));
}

function explained(error: unknown, host: string, port: number): unknown {
  switch ((error as NodeJS.ErrnoException)?.code) {
    case 'EADDRINUSE':
      return new Refusal(
        'port_in_use',
        `Port ${port} on ${host} is in use by another program. Stop that one, or set PORT to another port (PORT=0 takes a free one).`,
      );
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
