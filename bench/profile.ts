import type { Profiled, ProfileOrder } from './profile/profiled-process.ts';
import { type PartName, parts } from './profile/shares.ts';
import { type ProfileResult, report } from './report/result.ts';
import { startProviderServer } from './send/provider-server.ts';
import { startChild } from './support/child.ts';
import { rowsWanted } from './support/rows-wanted.ts';
import { withDatabases } from './support/with-databases.ts';

/** Where the microseconds of a mail go, from claimable to recorded, by whose code it is: what a flame graph shows, added up. */
const rows = rowsWanted({ usual: 10_000, least: 1_000 });
const names: readonly PartName[] = [...(Object.keys(parts) as PartName[]), 'Node itself'];

const server = await startProviderServer();
try {
  await withDatabases(1, async (kinds) => {
    const profiles: ProfileResult[] = [];
    for (const { title, urls } of kinds) {
      console.error(`${title}: ${rows} deliveries, twice to warm up …`);
      const child = startChild(new URL('profile/profiled-process.ts', import.meta.url), { hasMap: true });
      const order: ProfileOrder = { databaseUrl: urls[0] ?? '', providerUrl: server.url, rows };
      const micros = new Map(await child.ask<Profiled>(order));
      await child.close();
      profiles.push({ database: title, micros: names.map((name) => [name, micros.get(name) ?? 0]) });
      const sum = [...micros.values()].reduce((all, each) => all + each, 0);
      console.log(`\n${title}: ${sum.toFixed(0)} µs a mail`);
      for (const name of names) {
        const own = micros.get(name) ?? 0;
        console.log(
          `  ${own.toFixed(0).padStart(5)} µs  ${((own / sum) * 100).toFixed(0).padStart(3)} %  ${name}`,
        );
      }
    }
    report({ bench: 'profile', rounds: 1, rows, measured: {}, profiles });
  });
} finally {
  await server.close();
}
