import { createServer, type Socket } from 'node:net';

/** Servers of bytes, not of HTTP, for what no server of HTTP does. */
export interface ByteServers {
  /** Answers its port. */
  listen(onConnection: (socket: Socket) => void): Promise<number>;
  close(): Promise<void>;
}

export function createByteServers(): ByteServers {
  const closers: (() => Promise<unknown>)[] = [];
  return {
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
      for (const close of closers) await close();
    },
  };
}
