import type { DialectName } from '../src/db/dialect.ts';
import { hasPostgres } from '../tests/support/world.ts';
import { type CrashResult, crash } from './crashtest/crash.ts';
import { takeImages } from './crashtest/images.ts';
import { readOptions } from './options.ts';

/**
 * Whole processes on a real file and a real server, killed without warning at random instants, while intents come in over
 * HTTP and mails go out to a provider that keeps its own books; at the end its books are compared with ours. Everything is
 * in a temporary folder and on free ports of this machine.
 */
const usage = `npm run crashtest -- [options]
  --kills N            so many on each database
  --database D         sqlite, postgres or both; what there is, if left out
  --processes N        so many on one database at a time
  --seed S             for what is drawn by lot; the instants themselves depend on the machine and do not come again
  --images N           no kills: so many crash-consistent copies of a SQLite database, each reopened and checked
  --json               results as lines of JSON; the last line is one`;
const values = readOptions(usage, {
  kills: { type: 'string', default: '50' },
  processes: { type: 'string', default: '4' },
  seed: { type: 'string', default: String(1 + Math.floor(Math.random() * 1e9)) },
  database: { type: 'string' },
  images: { type: 'string' },
  json: { type: 'boolean', default: false },
});
const databases = ['sqlite', 'postgres'] as const satisfies DialectName[];
const numbers = [values.kills, values.processes, values.seed, values.images ?? '1'].map(Number);
if (!numbers.every((number) => Number.isSafeInteger(number) && number >= 1)) {
  fail('--kills, --processes, --seed and --images need a whole number from 1.');
}
if (![undefined, 'both', ...databases].includes(values.database as DialectName)) {
  fail('--database needs sqlite, postgres or both.');
}
const seed = Number(values.seed);
const print = (line: string) => process.stdout.write(`${line}\n`);
const printJson = (value: object) => print(JSON.stringify(value));

if (values.images !== undefined) await runImages(Number(values.images));
else await runKills();

async function runKills(): Promise<void> {
  const order = { kills: Number(values.kills), processes: Number(values.processes), seed };
  const told: Promise<void>[] = [];
  for (const database of databases) {
    if (values.database !== undefined && values.database !== 'both' && values.database !== database) continue;
    if (database === 'postgres' && !hasPostgres) {
      tellMissing();
      continue;
    }
    const { killed, result } = crash({ ...order, database }, (line) => console.error(`${database}: ${line}`));
    told.push(result.then(tellResult).catch((error: unknown) => tellBroken(database, error)));
    // While one database waits for the leases of the dead, the other has the machine.
    await killed;
  }
  await Promise.all(told);
}

function tellBroken(database: DialectName, error: unknown): void {
  console.error(`${database}: the test itself broke.`, error);
  process.exitCode = 1;
}

function tellResult(result: CrashResult): void {
  const { wrong, remains, ...figures } = result;
  const { database, kills, inFlightKills, unheard, cutOff, intents, accepted, twice, lost, stuck, ms } =
    figures;
  if (values.json) printJson({ ...figures, wrong: wrong.length });
  else {
    print(
      `${database}: ${intents} intents, ${accepted} accepted, ${twice} twice, ${lost} lost, ${stuck} stuck; ` +
        `${kills} kills in ${Math.round(ms / 1000)} s, ${inFlightKills} of them while mail was on its way ` +
        `(${unheard} mails accepted with nobody left to hear it, ${cutOff} questions cut off); seed ${seed}`,
    );
  }
  if (wrong.length === 0) return;
  for (const line of wrong.slice(0, 20)) console.error(`${database}: ${line}`);
  if (wrong.length > 20) console.error(`${database}: and ${wrong.length - 20} more`);
  console.error(`${database}: outbox, provider's books and logs are kept in ${remains}`);
  process.exitCode = 1;
}

function tellMissing(): void {
  console.error(
    `postgres: not run. ${process.env.TIDINGS_POSTGRES_MISSING ?? 'Start this with npm run crashtest.'}`,
  );
  if (values.database !== undefined) process.exitCode = 1;
}

async function runImages(images: number): Promise<void> {
  const result = await takeImages({ images, seed }, (line) => console.error(`images: ${line}`));
  const { wrong, ...figures } = result;
  if (values.json) printJson({ ...figures, wrong: wrong.length });
  else {
    print(
      `${figures.images} images of a running database, ${figures.reopened} databases reopened from them, ` +
        `${figures.shortened} of these without the last commits, which nobody had been told of; ${figures.logs} logs, ` +
        `${figures.inCheckpoint} images in the middle of a checkpoint, ${figures.goneOn} gone on from; ${wrong.length} wrong; ` +
        `in ${Math.round(figures.ms / 1000)} s, seed ${seed}`,
    );
  }
  for (const line of wrong.slice(0, 20)) console.error(line);
  if (wrong.length > 0) process.exitCode = 1;
}

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}
