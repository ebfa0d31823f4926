import type { GoalName } from './report/goals.ts';
import { type MeasuredContender, report } from './report/result.ts';
import { intentNumber } from './send/intent-number.ts';
import { type ProviderServer, startProviderServer } from './send/provider-server.ts';
import { createSender, type Sender } from './send/sender.ts';
import { median } from './support/median.ts';
import { roundsWanted } from './support/rounds-wanted.ts';
import { rowsWanted } from './support/rows-wanted.ts';
import { withDatabases } from './support/with-databases.ts';

/**
 * Does a provider that takes 100 ms for an answer hold one process back? With n connections there are at most 10 n mails a second; the
 * engine, with all that it writes down, should follow that to 4,000. The widths take turns, on each database.
 */
const latencyMs = 100;
const widths = [64, 128, 256, 512];
/** Of the widest; the others have as many as keep them busy for as long. */
const rows = rowsWanted({ usual: 20_480, least: 512 });
const rounds = roundsWanted(5);

const server = await startProviderServer({ latencyMs });
try {
  await withDatabases(widths.length, async (kinds) => {
    const contenders: MeasuredContender[] = [];
    for (const { title, urls } of kinds) contenders.push(...(await compare(title, urls)));
    const groups = kinds.map(({ title }) => contenders.filter(({ group }) => group === title));
    const lowest = (numbers: number[]) => Math.min(...numbers);
    const speeds = groups.map((members) => members.map(({ perSecond }) => perSecond ?? Number.NaN));
    const growth = speeds.flatMap((list) =>
      list.slice(1).map((speed, place) => speed / (list[place] ?? Number.NaN)),
    );
    // Of both databases the one that is worse.
    const measured: Partial<Record<GoalName, number>> = {
      'latency/grows': lowest(growth),
      'latency/most': lowest(speeds.map((list) => list.at(-1) ?? Number.NaN)),
    };
    report({ bench: 'latency', rounds, rows, measured, contenders });
  });
} finally {
  await server.close();
}

async function compare(title: string, urls: readonly string[]): Promise<MeasuredContender[]> {
  const all: { width: number; sender: Sender; perSecond: number[] }[] = [];
  for (const [place, width] of widths.entries()) {
    const order = { databaseUrl: urls[place] ?? '', providerUrl: server.url, connections: width };
    all.push({ width, sender: await createSender(order), perSecond: [] });
  }
  // The first round makes everything warm, and lets the engine find out how wide it may go. It is not counted.
  for (let round = 0; round <= rounds; round++) {
    console.error(`${title}, round ${round} of ${rounds} …`);
    for (const { width, sender, perSecond } of all) {
      const figure = await send(sender, { width, round, server });
      if (round > 0) perSecond.push(figure);
    }
  }
  console.log(
    `\n${title}, answers after ${latencyMs} ms: mails a second, median (lowest to highest) of ${rounds} rounds`,
  );
  return all.map(({ width, perSecond }) => {
    const [middle, lowest, highest] = [median(perSecond), Math.min(...perSecond), Math.max(...perSecond)];
    const share = ((middle * latencyMs) / 1000 / width) * 100;
    console.log(
      `  ${String(width).padStart(4)} connections ${middle.toFixed(0).padStart(6)} (${lowest.toFixed(0)} to ${highest.toFixed(0)})   ${share.toFixed(0)} % of what they allow`,
    );
    const name = `${title}, ${width} connections`;
    return { name, group: title, perSecond: middle, lowest, highest, cpuMicros: null };
  });
}

interface Sending {
  width: number;
  round: number;
  server: ProviderServer;
}

/** Every mail must have arrived, and none twice. */
async function send(sender: Sender, { width, round, server }: Sending): Promise<number> {
  const count = Math.ceil((rows * width) / Math.max(...widths));
  const occasion = `round ${round}`;
  await sender.enqueue(Array.from({ length: count }, (_, index) => ({ ...intentNumber(index), occasion })));
  await server.seen();
  const startedAt = performance.now();
  await sender.send(count);
  const figure = (count * 1000) / (performance.now() - startedAt);
  const { requests, keys } = await server.seen();
  if (requests !== count || keys !== count)
    throw new Error(`${requests} requests with ${keys} keys for ${count} mails`);
  return figure;
}
