import { createBareLoop, readyMail } from './send/bare-loop.ts';
import { intentNumber } from './send/intent-number.ts';
import { startProviderServer } from './send/provider-server.ts';
import { createSender, type Sender } from './send/sender.ts';
import { median } from './support/median.ts';
import { rowsWanted } from './support/rows-wanted.ts';
import { type EmptyDatabases, withDatabases } from './support/with-databases.ts';

/**
 * How many deliveries a second go from waiting to recorded, beside a loop that only posts the same bodies to the same
 * server over as many connections. They take turns, so that whatever else the machine does meets them alike; the shares
 * say more than the figures. A round after which a delivery is not sent, or a mail has left twice, ends it with an error.
 */
const rows = rowsWanted({ usual: 5_000, least: 1 });
const rounds = 7;
const connections = 64; // What the Resend adapter opens by itself.
const intents = Array.from({ length: rows }, (_, index) => intentNumber(index));
/** The same in every round and for everybody, or the shares mean nothing. */
let bodyOctets: number | undefined;

const server = await startProviderServer();
try {
  await withDatabases(1, compare);
} finally {
  await server.close();
}

interface Measured {
  name: string;
  send(): Promise<void>;
  perSecond: number[];
  serverShares: number[];
}

interface MeasuredEngine extends Measured {
  sender: Sender;
  enqueuedPerSecond: number[];
}

async function compare(kinds: readonly EmptyDatabases[]): Promise<void> {
  const engines: MeasuredEngine[] = [];
  for (const { title, urls } of kinds) engines.push(await engineOn(title, urls[0] ?? ''));
  // The first round makes everything warm, and the mails for the bare loop. It is not counted.
  for (const engine of engines) await sendByEngine(engine, 0);
  const mails = (await engines[0]?.sender.mails()) ?? [];
  const loop = createBareLoop(server.url, mails.map(readyMail), connections);
  const bare: Measured = { name: 'bare loop', send: loop.send, perSecond: [], serverShares: [] };
  await sendAndCount(bare);
  for (const measured of [bare, ...engines]) {
    measured.perSecond = [];
    measured.serverShares = [];
  }
  for (let round = 1; round <= rounds; round++) {
    console.error(`round ${round} of ${rounds} …`);
    await sendAndCount(bare);
    for (const engine of engines) await sendByEngine(engine, round);
  }
  await loop.close();
  for (const { sender } of engines) await sender.close();
  print(bare, engines);
}

async function engineOn(title: string, databaseUrl: string): Promise<MeasuredEngine> {
  const sender = await createSender({ databaseUrl, providerUrl: server.url, connections });
  return {
    name: `engine on ${title}`,
    sender,
    send: () => sender.send(rows),
    perSecond: [],
    serverShares: [],
    enqueuedPerSecond: [],
  };
}

async function sendByEngine(engine: MeasuredEngine, round: number): Promise<void> {
  const { name, sender, enqueuedPerSecond } = engine;
  const asked = intents.map((intent) => ({ ...intent, occasion: `round ${round}` }));
  enqueuedPerSecond.push(await perSecond(() => sender.enqueue(asked)));
  await sendAndCount(engine);
  const { sent = 0, ...others } = await sender.tally();
  if (sent !== (round + 1) * rows || Object.keys(others).length > 0) {
    throw new Error(`${name}: of ${(round + 1) * rows} are ${sent} sent, and ${JSON.stringify(others)}`);
  }
}

/** Every mail must have arrived, and none twice. */
async function sendAndCount(measured: Measured): Promise<void> {
  await server.seen();
  measured.perSecond.push(await perSecond(measured.send));
  const seen = await server.seen();
  measured.serverShares.push(seen.busyShare);
  if (seen.requests !== rows || seen.keys !== rows) {
    throw new Error(`${measured.name}: ${seen.requests} requests with ${seen.keys} keys for ${rows} mails`);
  }
  bodyOctets ??= seen.bodyOctets;
  if (seen.bodyOctets !== bodyOctets) {
    throw new Error(`${measured.name}: bodies of ${seen.bodyOctets} octets, and others' of ${bodyOctets}`);
  }
}

async function perSecond(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (rows * 1000) / (performance.now() - startedAt);
}

function print(bare: Measured, engines: readonly MeasuredEngine[]): void {
  const base = median(bare.perSecond);
  const octets = Math.round((bodyOctets ?? 0) / rows);
  console.log(
    `\nMails a second: median (lowest to highest) of ${rounds} rounds of ${rows}, ${octets} octets each`,
  );
  for (const { name, perSecond, serverShares } of [bare, ...engines]) {
    const middle = median(perSecond);
    const span = `(${whole(Math.min(...perSecond))} to ${whole(Math.max(...perSecond))})`;
    const server = `server busy ${whole(median(serverShares) * 100)} %`;
    console.log(
      `  ${name.padEnd(22)} ${whole(middle).padStart(6)} ${span.padEnd(18)} × ${(middle / base).toFixed(2)}   ${server}`,
    );
  }
  for (const { name, enqueuedPerSecond } of engines) {
    console.log(`  ${name.padEnd(22)} ${whole(median(enqueuedPerSecond)).padStart(6)} enqueued a second`);
  }
}

function whole(number: number): string {
  return number.toFixed(0);
}
