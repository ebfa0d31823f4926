import { createServer, type Socket } from 'node:net';
import type { Provider } from '../../../src/providers/provider.ts';
import { createResend, type ResendParts } from '../../../src/providers/resend.ts';
import { createManualClock, type ManualClock } from '../../../src/std/clock.ts';
import { type FakeResend, type FakeResendOptions, startFakeResend } from './fake-resend.ts';

/** A fake Resend and our client of it, on one clock that the test moves. */
export interface ResendWorld {
  clock: ManualClock;
  fake: FakeResend;
  /** A client, closed with the world. */
  resend(more?: Partial<ResendParts>): Provider;
  /** A server of bytes, not of HTTP; answers its port. */
  listen(onConnection: (socket: Socket) => void): Promise<number>;
  close(): Promise<void>;
}

export async function createResendWorld(
  options: FakeResendOptions = {},
  standing: Partial<ResendParts> = {},
): Promise<ResendWorld> {
  const clock = createManualClock(Date.UTC(2026, 2, 14, 22));
  const fake = await startFakeResend({ clock, ...options });
  const closers: (() => unknown)[] = [];
  return {
    clock,
    fake,
    resend(more = {}) {
      const provider = createResend({ apiKey: 're_test', baseUrl: fake.url, clock, ...standing, ...more });
      closers.push(() => provider.close?.());
      return provider;
    },
    async listen(onConnection) {
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => {});
        onConnection(socket);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      closers.unshift(() => {
        for (const socket of sockets) socket.destroy();
        return new Promise((resolve) => server.close(resolve));
      });
      return (server.address() as { port: number }).port;
    },
    async close() {
      await fake.close();
      for (const close of closers) await close();
    },
  };
}
