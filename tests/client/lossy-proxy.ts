import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A wire to a server that loses answers: the server has done what it was asked, and whoever asked never learns so. */
export interface LossyProxy {
  url: string;
  /** What came, in order; whether its answer was lost. */
  asked: AskedOfProxy[];
  /** The next so many answers do not arrive. */
  loseAnswers(count: number): void;
  close(): Promise<void>;
}

export interface AskedOfProxy {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** What the server answered. */
  status: number;
  isLost: boolean;
}

export async function startLossyProxy(serverUrl: string): Promise<LossyProxy> {
  const target = new URL(serverUrl);
  const asked: AskedOfProxy[] = [];
  let toLose = 0;

  const proxy = createServer(async (incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    const body = await textOf(incoming);
    const upstream = request({
      ...{ host: target.hostname, port: target.port, path, method, headers },
      agent: false,
    });
    upstream.end(body);
    const [answer] = (await once(upstream, 'response')) as [IncomingMessage];
    const text = await textOf(answer);
    const isLost = toLose > 0;
    if (isLost) toLose -= 1;
    asked.push({ ...{ method, path, headers, body, isLost }, status: answer.statusCode ?? 0 });
    if (isLost) incoming.socket.destroy();
    else outgoing.writeHead(answer.statusCode ?? 0, answer.headers).end(text);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');

  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    asked,
    loseAnswers(count) {
      toLose = count;
    },
    async close() {
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

async function textOf(stream: IncomingMessage): Promise<string> {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
