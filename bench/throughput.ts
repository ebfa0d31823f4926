import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../tests/support/redis-server.ts';
import { control, engines, peers } from './peers/contenders.ts';
import { type Measured, measure, open, type Surroundings, titleOf } from './peers/measure.ts';
import { reportThroughput } from './peers/report-throughput.ts';
import { startProviderServer } from './send/provider-server.ts';
import { roundsWanted } from './support/rounds-wanted.ts';
import { rowsWanted } from './support/rows-wanted.ts';
import { watchPostgres } from './support/server-cpu.ts';
import { withDatabases } from './support/with-databases.ts';

/**
 * How many mails a second go from claimable to recorded, beside what people would use instead: a queue with a send in it. The job is the
 * same for everybody: one POST of the same body to a provider on loopback, and a record that outlives a power cut (where it does not, the
 * name says so). They take turns, round by round, each in a process of its own that is warm; each round begins with the control, a loop
 * that only posts. What the peers save themselves: their mails are ready made in memory, and only an id goes through their queues.
 */
const rows = rowsWanted({ usual: 5_000, least: 100 });
const rounds = roundsWanted(7);
const connections = 64; // What the Resend adapter opens by itself.

const everybody = [...engines, control, ...peers];
const folder = mkdtempSync(join(tmpdir(), 'tidings-bench-'));
const server = process.env.TIDINGS_TEST_POSTGRES_URL;
if (!server) throw new Error('the peers are for PostgreSQL, and there is none');
const provider = await startProviderServer();
// As Redis is by itself where it keeps anything at all: a power cut takes the last second.
const others = { appendonly: 'yes', appendfsync: 'everysec', dir: folder };
const redis = await startRedis({ others });
const postgres = await watchPostgres(server);
const all: Measured[] = [];
try {
  await withDatabases(everybody.length, async (kinds) => {
    const around: Surroundings = { rows, provider, postgres, redisMs, octets: { each: undefined } };
    for (const [place, entry] of everybody.entries()) {
      console.error(`warming up: ${titleOf(entry)} …`);
      const databaseUrl = kinds.find(({ title }) => title === entry.database)?.urls[place] ?? '';
      const urls = { databaseUrl, redisUrl: redis.url, providerUrl: provider.url };
      // The first is the engine, which writes down what it has sent for all others.
      const order = { ...urls, rows, connections, mailsFile: join(folder, 'mails.json') };
      const measured = await open(entry, order);
      all.push(measured);
      await measure(measured, 0, around);
    }
    for (let round = 1; round <= rounds; round++) {
      console.error(`round ${round} of ${rounds} …`);
      const inTurn = all.toSorted((a, b) => Number(b.entry === control) - Number(a.entry === control));
      for (const measured of inTurn) await measure(measured, round, around);
    }
    for (const { process } of all) await process.ask({ verb: 'close' });
  });
} finally {
  for (const { process } of all) await process.close();
  await postgres.close();
  await redis.stop();
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
}

reportThroughput(all, { rows });

async function redisMs(): Promise<number> {
  const said = await redis.ask('INFO', 'cpu');
  const seconds = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(said)?.[1] ?? 0);
  return (seconds('used_cpu_sys') + seconds('used_cpu_user')) * 1000;
}
