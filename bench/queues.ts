import { counted } from '../simulation/options.ts';
import { startRedis } from '../tests/support/redis-server.ts';
import { startWorkers, type Workers } from './queues/workers.ts';
import { intentNumber } from './send/intent-number.ts';
import { startProviderServer } from './send/provider-server.ts';
import { median } from './support/median.ts';
import { rowsWanted } from './support/rows-wanted.ts';
import { withDatabases } from './support/with-databases.ts';

/**
 * How many mails a second several workers send by PostgreSQL alone, and by PostgreSQL with BullMQ on Redis: whole processes, and a provider
 * whose limit nobody can reach. Both take turns, so that whatever else the machine does meets them alike; the ratio says more than the
 * figures. A round after which a mail is not recorded as sent, or has left twice, ends it with an error.
 */
const rows = rowsWanted({ usual: 3_000, least: 100 });
const rounds = 3;
const counts = [1, 2, 4];
/** Of the middle round. Below this, the queues cost more than they bring. */
const ratioLeast = 0.9;

const server = await startProviderServer();
const redis = await startRedis();
try {
  await withDatabases(2 * counts.length, async (kinds) => {
    const urls = kinds.find(({ title }) => title === 'PostgreSQL')?.urls;
    if (!urls) throw new Error('queues are for PostgreSQL, and there is none');
    console.log(`Mails a second: median (lowest to highest) of ${rounds} rounds of ${rows}`);
    for (const [place, count] of counts.entries()) await compare(count, urls.slice(2 * place));
  });
} finally {
  await redis.stop();
  await server.close();
}

interface Measured {
  workers: Workers;
  perSecond: number[];
}

async function compare(count: number, [alone = '', queued = '']: readonly string[]): Promise<void> {
  const common = { count, providerUrl: server.url };
  const kinds: Measured[] = [];
  try {
    // What the last ones have left in the queues is about another database.
    await redis.ask('FLUSHALL');
    for (const kind of [{ databaseUrl: alone }, { databaseUrl: queued, redisUrl: redis.url }])
      kinds.push({ workers: await startWorkers({ ...common, ...kind }), perSecond: [] });
    // The first round makes everything warm. It is not counted.
    for (let round = 0; round <= rounds; round++) {
      console.error(`${counted(count, 'worker')}, round ${round} of ${rounds} …`);
      for (const { workers, perSecond } of kinds) {
        const figure = await sendAndCount(workers, round);
        if (round > 0) perSecond.push(figure);
      }
    }
  } finally {
    for (const { workers } of kinds) await workers.close();
  }
  print(count, kinds[0]?.perSecond ?? [], kinds[1]?.perSecond ?? []);
}

/** From the first request to the last. Every mail must have arrived, and none twice. */
async function sendAndCount(workers: Workers, round: number): Promise<number> {
  await server.seen();
  const occasion = `round ${round}`;
  await workers.send(Array.from({ length: rows }, (_, index) => ({ ...intentNumber(index), occasion })));
  const { requests, keys, spanMs } = await server.seen();
  if (requests !== rows || keys !== rows)
    throw new Error(`${requests} requests with ${keys} keys for ${rows} mails`);
  return ((rows - 1) * 1000) / spanMs;
}

function print(count: number, alone: readonly number[], queued: readonly number[]): void {
  // Of each round by itself: two that follow one another meet the same machine.
  const ratio = median(queued.map((figure, round) => figure / (alone[round] ?? Number.NaN)));
  const isEnough = ratio >= ratioLeast;
  if (!isEnough) process.exitCode = 1;
  console.log(
    `  ${counted(count, 'worker').padEnd(9)}  PostgreSQL alone ${span(alone)}  with BullMQ ${span(queued)}  × ${ratio.toFixed(2)} ` +
      `${isEnough ? 'pass' : 'FAIL'} (at least ${ratioLeast})`,
  );
}

function span(numbers: readonly number[]): string {
  return `${median(numbers).toFixed(0)} (${Math.min(...numbers).toFixed(0)} to ${Math.max(...numbers).toFixed(0)})`;
}
