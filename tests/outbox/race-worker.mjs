import { takeOrders } from '../support/crew-member.mjs';
import { load } from '../support/program.mjs';

/** One worker of the race: claims until nothing is left, and tells what it got. */
const { openDatabase } = await load('db/database');
const { createOutbox, readNamespace } = await load('outbox/outbox');
const { systemClock: clock } = await load('std/clock');
const { silentLog: log } = await load('std/log');

takeOrders(async ({ url, worker }) => {
  const db = await openDatabase(url, { clock, log });
  const listeners = { consent: async () => {}, source: () => undefined };
  const outbox = createOutbox({ db, clock, log, namespace: await readNamespace(db), listeners });
  return async () => {
    const claimed = [];
    for (;;) {
      const order = { source: 'plain', worker, limit: 50, leaseMs: 600_000, from: 'normal' };
      const batch = await outbox.claim(order);
      if (batch.length === 0) break;
      claimed.push(...batch.map(({ seq, lease }) => ({ seq, lease })));
    }
    await db.close();
    return claimed;
  };
});
