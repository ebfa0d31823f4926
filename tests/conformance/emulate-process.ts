import { type AddressInfo, Server } from 'node:net';
import { createEmulator } from 'emulate';

/**
 * `emulate` in a process of its own, so that whoever started it can end it for certain. It would listen on every address of
 * the machine and does not tell its port: it gets a free one of the loopback here, and says which.
 */
const listen = Server.prototype.listen;
Server.prototype.listen = function (this: Server) {
  return Reflect.apply(listen, this, [
    { port: 0, host: '127.0.0.1' },
    () => process.send?.((this.address() as AddressInfo).port),
  ]);
} as typeof listen;
process.once('disconnect', () => process.exit());

await createEmulator({ service: 'resend', port: 0 });
