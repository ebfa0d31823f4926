// `npm run email:dev`: every template in every language beside its text and its sample's props, on http://localhost:3001 (002-V-01; PORT
// for another; where it is taken, the next free one). What is changed in src/emails shows at once. Only this machine is answered; Ctrl-C
// ends it and leaves nothing.
import { watchMails } from './email-dev/mails.mjs';
import { serveMails } from './email-dev/server.mjs';
import { prepare } from './prepare.mjs';
import { createGuard, endGuards } from './servers/guard.mjs';
import { stopWithNpm } from './servers/stop-with-npm.mjs';

const port = portOf(process.env.PORT || '3001');
prepare();
stopWithNpm();
let server;
let isStopping = false;
const mails = watchMails(createGuard());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(0));
await mails.made();
try {
  server = await serveOnFree(port);
  console.log(`Mails at ${server.url} (Ctrl-C stops)`);
} catch (error) {
  console.error(
    error.code === 'EADDRINUSE'
      ? `Port ${port} is taken, and so are those after it. Choose another: PORT=3002 npm run email:dev`
      : `Cannot listen on port ${port}: ${error.message}`,
  );
  await stop(2);
}

/** PORT may be the server's own, as both read it: then the next one that is free will do. */
async function serveOnFree(first) {
  const last = Math.min(first + 20, 65_535);
  for (let at = first; ; at++) {
    try {
      const serving = await serveMails(mails, at);
      if (at > first) console.log(`Port ${first} is taken; this is the next free one.`);
      return serving;
    } catch (error) {
      if (error.code !== 'EADDRINUSE' || at >= last) throw error;
    }
  }
}

/** A Ctrl-C arrives twice: from the terminal, and passed on by npm. */
async function stop(code) {
  if (isStopping) return;
  isStopping = true;
  mails.stop();
  server?.close();
  await endGuards();
  process.exit(code);
}

function portOf(text) {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  console.error(`PORT ${JSON.stringify(text)} is no port. Give a number from 0 to 65535.`);
  process.exit(2);
}
