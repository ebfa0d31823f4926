import { createIntents, enqueueBatches, enqueueSingly } from './enqueue/intents.ts';
import type { GoalName } from './report/goals.ts';
import { type MeasuredContender, report } from './report/result.ts';
import { createSender, type Sender } from './send/sender.ts';
import { median } from './support/median.ts';
import { roundsWanted } from './support/rounds-wanted.ts';
import { rowsWanted } from './support/rows-wanted.ts';
import { withDatabases } from './support/with-databases.ts';

/**
 * How many intents a second one process puts into the outbox: a thousand in a call, as an import does, and one in a call, as a web server
 * does, each awaited by whoever asked and 16 of them asking at once. Singly it is beside graphile-worker's add_job with the same
 * variables as payload, on the same server, from this process too, over a pool of 10 as ours is. They take turns.
 */
const rows = rowsWanted({ usual: 50_000, least: 1_000 });
const singles = Math.ceil(rows / 10);
const rounds = roundsWanted(5);
const asking = 16;

interface AddJob {
  add(payload: object): Promise<void>;
  count(): Promise<number>;
  close(): Promise<void>;
}

await withDatabases(2, async (kinds) => {
  const measured: Partial<Record<GoalName, number>> = {};
  const contenders: MeasuredContender[] = [];
  const tell = (name: string, perSecond: number[]) => {
    const [middle, lowest, highest] = [median(perSecond), Math.min(...perSecond), Math.max(...perSecond)];
    contenders.push({ name, group: 'enqueue', perSecond: middle, lowest, highest, cpuMicros: null });
    console.log(`  ${name.padEnd(44)} ${whole(middle).padStart(7)} (${whole(lowest)} to ${whole(highest)})`);
    return middle;
  };
  console.log(
    `Enqueued a second: median (lowest to highest) of ${rounds} rounds, ${rows} in batches, ${singles} singly`,
  );
  for (const { title, urls } of kinds) {
    const sender = await createSender({
      databaseUrl: urls[0] ?? '',
      providerUrl: 'http://127.0.0.1:9',
      connections: 1,
    });
    const peer = title === 'PostgreSQL' ? await openAddJob(urls[1] ?? '') : undefined;
    const [batches, single, addJob]: [number[], number[], number[]] = [[], [], []];
    // The first round makes everything warm. It is not counted.
    for (let round = 0; round <= rounds; round++) {
      const figures = await roundOf(sender, peer, round);
      if (round === 0) continue;
      batches.push(figures.batches);
      single.push(figures.single);
      addJob.push(figures.addJob);
    }
    await check(sender, peer);
    const suffix = title === 'SQLite' ? 'sqlite' : 'postgres';
    measured[`enqueue/batch-${suffix}`] = tell(`batches of 1,000, ${title}`, batches);
    const ours = tell(`singly, ${title}`, single);
    if (peer) measured['enqueue/single'] = ours / tell("singly, graphile-worker's add_job", addJob);
    await sender.close();
    await peer?.close();
  }
  report({ bench: 'enqueue', rounds, rows, measured, contenders });
});

async function roundOf(sender: Sender, peer: AddJob | undefined, round: number) {
  const many = createIntents(`batches ${round}`, rows);
  const few = createIntents(`singly ${round}`, singles);
  const add = ({ recipient, variables }: (typeof few)[number]) => peer?.add({ recipient, ...variables });
  return {
    batches: await enqueueBatches(many, (intents) => sender.enqueue(intents)),
    single: await enqueueSingly(few, asking, (intent) => sender.enqueue([intent])),
    addJob: peer ? await enqueueSingly(few, asking, add) : Number.NaN,
  };
}

/** Everything is there once. */
async function check(sender: Sender, peer: AddJob | undefined): Promise<void> {
  const { pending = 0 } = await sender.tally();
  const wanted = (rounds + 1) * (rows + singles);
  if (Number(pending) !== wanted) throw new Error(`${pending} wait, of ${wanted}`);
  const jobs = await peer?.count();
  if (jobs !== undefined && jobs !== (rounds + 1) * singles) throw new Error(`${jobs} jobs were added`);
}

/** A peer is no dependency of the program: it is loaded by its name. */
async function openAddJob(databaseUrl: string): Promise<AddJob> {
  const file: string = './peers/add-job.mjs';
  const { createAddJob } = (await import(file)) as { createAddJob(databaseUrl: string): Promise<AddJob> };
  return createAddJob(databaseUrl);
}

function whole(number: number): string {
  return number.toFixed(0);
}
