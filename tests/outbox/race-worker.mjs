import { load } from '../support/program.mjs';

/** One worker of the race: waits for the start, then claims until nothing is left, and prints what it got. */
const [url, worker] = process.argv.slice(2);
const { openDatabase } = await load('db/database');
const { createOutbox, readNamespace } = await load('outbox/outbox');
const { systemClock: clock } = await load('std/clock');
const { silentLog: log } = await load('std/log');
const db = await openDatabase(url, { clock, log });
const listeners = { consent: async () => {}, source: () => undefined };
const outbox = createOutbox({ db, clock, log, namespace: await readNamespace(db), listeners });

process.send('ready');
await new Promise((resolve) => process.once('message', resolve));
const claimed = [];
for (;;) {
  const order = { source: 'plain', worker, limit: 50, leaseMs: 600_000, from: 'normal' };
  const batch = await outbox.claim(order);
  if (batch.length === 0) break;
  claimed.push(...batch.map(({ seq, lease }) => ({ seq, lease })));
}
await db.close();
process.send(claimed, () => process.disconnect());
