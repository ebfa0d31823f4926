import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSeededRandom } from '../../src/std/random.ts';

/**
 * A provider for very many mails: it knows keys for ever and counts who was mailed, and keeps no mail. Some of its answers take their
 * time, before or after the mail is taken, so that a kill finds calls on their way.
 */
export interface CountingProvider {
  readonly env: Readonly<Record<string, string>>;
  /** How many different mails each address has. */
  readonly accepted: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

const slowChance = 0.02;
const slowMs = 150;

export async function startCountingProvider(order: {
  seed: number;
  ratePerSecond: number;
}): Promise<CountingProvider> {
  const random = createSeededRandom(order.seed);
  const ids = new Map<string, string>();
  const accepted = new Map<string, number>();

  function take(key: string, body: string): string {
    const known = ids.get(key);
    if (known !== undefined) return known;
    const id = randomUUID();
    ids.set(key, id);
    const { to } = JSON.parse(body) as { to: string | string[] };
    for (const address of [to].flat()) accepted.set(address, (accepted.get(address) ?? 0) + 1);
    return id;
  }

  const later = (work: () => void) => (random.next() < slowChance ? setTimeout(work, slowMs) : work());
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      if (request.method !== 'POST') return void response.end('{"data":[]}');
      later(() => {
        const id = take(String(request.headers['idempotency-key']), Buffer.concat(chunks).toString('utf8'));
        later(() => response.end(JSON.stringify({ id })));
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    accepted,
    env: {
      ...{ HOST: '127.0.0.1', MAIL_PROVIDER: 'resend', RESEND_API_KEY: 're_crashtest_0123456789abcdef' },
      ...{ RESEND_BASE_URL: `http://127.0.0.1:${port}`, RESEND_MAX_RPS: String(order.ratePerSecond) },
      ...{ EMAIL_FROM_ADDRESS: 'crash@example.org', PLATFORM_BASE_URL: 'http://127.0.0.1:1' },
      TOKEN_SECRET: 'a-secret-for-the-crash-test-alone-0123456789',
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
