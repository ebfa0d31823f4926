import type { FlatOrder, Part } from './flat/sending-process.ts';
import type { GoalName } from './report/goals.ts';
import { report } from './report/result.ts';
import { startProviderServer } from './send/provider-server.ts';
import { startChild } from './support/child.ts';
import { median } from './support/median.ts';
import { rowsWanted } from './support/rows-wanted.ts';
import { withDatabases } from './support/with-databases.ts';

/**
 * Does a delivery cost more when a million have gone before, and does the process grow? One process, which puts and sends a million, a
 * few thousand at a time, and tells of each part what a mail of it cost to send. The first part is not counted: it warms up.
 */
const total = rowsWanted({ usual: 1_000_000, least: 1_000 });
const part = Math.min(5_000, Math.ceil(total / 20));
/** Of so many parts at either end, the median. */
const ends = 5;

const server = await startProviderServer();
try {
  await withDatabases(1, async (kinds) => {
    const measured: Partial<Record<GoalName, number>> = {};
    for (const { title, urls } of kinds) {
      console.error(`${title}: ${total} deliveries …`);
      const child = startChild(new URL('flat/sending-process.ts', import.meta.url));
      const order: FlatOrder = { databaseUrl: urls[0] ?? '', providerUrl: server.url, total, part };
      const parts = await child.ask<Part[]>(order);
      await child.close();
      const { requests, keys } = await server.seen();
      if (requests !== total + part || keys !== total + part)
        throw new Error(`${requests} requests with ${keys} keys for ${total + part} mails`);
      const suffix = title === 'SQLite' ? 'sqlite' : 'postgres';
      const [first, last] = [parts.slice(0, ends), parts.slice(-ends)].map(costOf) as [number, number];
      measured[`flat/cpu-${suffix}`] = last / first;
      measured[`flat/memory-${suffix}`] = Math.max(...parts.map(({ rssMb }) => rssMb));
      console.log(`\n${title}: processor time of one mail in µs, and resident memory in MB, after so many`);
      for (const share of [0, 0.01, 0.1, 0.5, 1]) print(parts, Math.round(share * (parts.length - 1)));
    }
    report({ bench: 'flat', rounds: 1, rows: total, measured });
  });
} finally {
  await server.close();
}

function costOf(parts: readonly Part[]): number {
  return median(parts.map(({ cpuMicros }) => cpuMicros));
}

function print(parts: readonly Part[], at: number): void {
  const here = parts[at];
  if (!here) return;
  const around = costOf(parts.slice(Math.max(0, at - 2), at + 3));
  console.log(
    `  ${String((at + 1) * part).padStart(8)}   ${around.toFixed(0).padStart(5)}   ${here.rssMb.toFixed(0).padStart(4)}`,
  );
}
