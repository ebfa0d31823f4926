import { openDatabase } from '../../src/db/database.ts';
import { createOutbox, readNamespace } from '../../src/outbox/outbox.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';

/** One worker of the race: waits for the start, then claims until nothing is left, and prints what it got. */
const [url, name] = process.argv.slice(2) as [string, string];
const db = await openDatabase(url, { clock: systemClock, log: silentLog });
const listeners = { consent: async () => {}, source: () => undefined };
const outbox = createOutbox({
  db,
  clock: systemClock,
  log: silentLog,
  namespace: await readNamespace(db),
  listeners,
});

process.send?.('ready');
await new Promise((resolve) => process.once('message', resolve));
const claimed: { seq: number; lease: number }[] = [];
for (;;) {
  const batch = await outbox.claim({
    source: 'plain',
    worker: name,
    limit: 50,
    leaseMs: 600_000,
    from: 'normal',
  });
  if (batch.length === 0) break;
  claimed.push(...batch.map(({ seq, lease }) => ({ seq, lease })));
}
await db.close();
process.send?.(claimed, () => process.disconnect());
