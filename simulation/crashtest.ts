import type { DialectName } from '../src/db/dialect.ts';
import { hasPostgres } from '../tests/support/world.ts';
import { type CrashResult, crash } from './crashtest/crash.ts';
import { takeImages } from './crashtest/images.ts';
import { crashNewsletter } from './crashtest/newsletter-run.ts';
import { readCrashOptions } from './crashtest/options.ts';
import { tellDeployment } from './deployment/tell.ts';
import { counted } from './options.ts';

/**
 * Whole processes on a real file and a real server, killed without warning at random instants, while intents come in over
 * HTTP and mails go out to a provider that keeps its own books; at the end its books are compared with ours. Everything is
 * in a temporary folder and on free ports of this machine.
 */
const options = readCrashOptions();
const { kills, processes, seed, database: asked, images, newsletter, isJson } = options;
const databases = ['sqlite', 'postgres'] as const satisfies DialectName[];
const print = (line: string) => process.stdout.write(`${line}\n`);
const printJson = (value: object) => print(JSON.stringify(value));

if (options.isDeployment) await tellDeployment(options);
else if (images !== undefined) await runImages(images);
else if (newsletter !== undefined) await runNewsletter(newsletter);
else await runKills();

async function runKills(): Promise<void> {
  const order = { kills, processes, seed };
  const told: Promise<void>[] = [];
  for (const database of databases) {
    if (asked !== undefined && asked !== 'both' && asked !== database) continue;
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

async function runNewsletter(people: number): Promise<void> {
  for (const database of databases) {
    if (asked !== undefined && asked !== 'both' && asked !== database) continue;
    if (database === 'postgres' && !hasPostgres) {
      tellMissing();
      continue;
    }
    const order = { database, people, kills, processes, seed };
    const result = await crashNewsletter(order, (line) => console.error(`${database}: ${line}`));
    const { wrong, accepted, twice, lost, stuck, memoryMb, composedMs, ms } = result;
    if (isJson) printJson({ ...result, wrong: wrong.length });
    else {
      print(
        `${database}: ${counted(people, 'follower')}, ${accepted} accepted, ${twice} twice, ${lost} lost, ${stuck} stuck; ` +
          `${counted(kills, 'kill')}, all composed after ${Math.round(composedMs / 1000)} s, all settled after ${Math.round(ms / 1000)} s; ` +
          `${memoryMb} MB at most in a process; seed ${seed}`,
      );
    }
    for (const line of wrong.slice(0, 20)) console.error(`${database}: ${line}`);
    if (wrong.length > 0) process.exitCode = 1;
  }
}

function tellBroken(database: DialectName, error: unknown): void {
  console.error(`${database}: the test itself broke.`, error);
  process.exitCode = 1;
}

function tellResult(result: CrashResult): void {
  const { wrong, remains, ...figures } = result;
  const { database, kills, inFlightKills, unheard, cutOff, intents, accepted, twice, lost, stuck, ms } =
    figures;
  if (isJson) printJson({ ...figures, wrong: wrong.length });
  else {
    print(
      `${database}: ${counted(intents, 'intent')}, ${accepted} accepted, ${twice} twice, ${lost} lost, ${stuck} stuck; ` +
        `${counted(kills, 'kill')} in ${Math.round(ms / 1000)} s, ${inFlightKills} of them while mail was on its way ` +
        `(${counted(unheard, 'mail')} accepted with nobody left to hear it, ${counted(cutOff, 'question')} cut off); seed ${seed}`,
    );
  }
  if (inFlightKills === 0) {
    console.error(
      `${database}: no kill came while mail was on its way, so this shows little. Run it again with more of them: --kills 50`,
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
  if (asked !== undefined) process.exitCode = 1;
}

async function runImages(images: number): Promise<void> {
  const result = await takeImages({ images, seed }, (line) => console.error(`images: ${line}`));
  const { wrong, ...figures } = result;
  if (isJson) printJson({ ...figures, wrong: wrong.length });
  else {
    print(
      `${counted(figures.images, 'image')} of a running database, ${counted(figures.reopened, 'database')} reopened from them, ` +
        `${figures.shortened} of these without the last commits, which nobody had been told of; ${counted(figures.logs, 'log')}, ` +
        `${counted(figures.inCheckpoint, 'image')} in the middle of a checkpoint, ${figures.goneOn} gone on from; ${wrong.length} wrong; ` +
        `in ${Math.round(figures.ms / 1000)} s, seed ${seed}`,
    );
  }
  for (const line of wrong.slice(0, 20)) console.error(line);
  if (wrong.length > 0) process.exitCode = 1;
}
