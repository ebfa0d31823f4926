import { setFlagsFromString } from 'node:v8';
import { type Command, Option } from 'commander';
import type { RunningProcess } from '../../main.ts';
import type { WorkerMessage } from '../../samples/worker-process.ts';
import type { Config } from '../../settings.ts';
import { systemClock, unlessEnded } from '../../std/clock.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { withoutCredentials } from '../redact.ts';
import { isProduction, isQuietOnScreen, tellStarted } from '../serve-words.ts';

interface ServeOptions {
  json?: true;
  samples?: true;
  /** Where the pages are. */
  asSampleWorker?: string;
}

export function addServe(program: Command, { terminal }: Context): void {
  program
    .command('serve')
    .description('Start the server and the worker, until it is stopped')
    .option(
      '--samples',
      'play the first minute, with sample people, where nothing is configured and the database is empty',
    )
    .addOption(new Option('--as-sample-worker <url>').hideHelp())
    .option(...jsonOption)
    .addHelpText('after', example('serve', 'serve --json 2>tidings.log'))
    .action(async ({ json, samples, asSampleWorker }: ServeOptions) => {
      const signalled = Promise.race([nextSignal(), ...(asSampleWorker ? [lineCut()] : [])]);
      // Mails are large and soon forgotten. Left to itself V8 keeps four times what is in use before it tidies up, on a machine with
      // much memory: 320 MB while a newsletter is composed, against 210 with this, for the same processor time.
      setFlagsFromString('--heap-growing-percent=50');
      const [{ readConfig, readSettings }, { startProcess }, { createLog }, { isFromEmpty }] =
        await Promise.all([
          import('../../config.ts'),
          import('../../main.ts'),
          import('../../std/log.ts'),
          import('../../db/migrate.ts'),
        ]);
      const config = asSampleWorker ? asWorkerOf(asSampleWorker, readConfig()) : readConfig();
      const isForPeople = process.stderr.isTTY === true;
      const isQuiet = isForPeople && isQuietOnScreen(config, readSettings());
      const log = createLog({ level: isQuiet ? 'warn' : config.logLevel, isForPeople });
      let isNew = false;
      const running = await startProcess(config, {
        log,
        onMigrated: (applied) => {
          isNew = isFromEmpty(applied);
          // In production an empty one is mostly a path that was mistyped.
          const level = isNew && isProduction(config) ? 'warn' : 'info';
          log[level]('database.migrated', { count: applied.length, to: applied.at(-1)?.name });
        },
        worker: samples && [process.execPath, ...process.execArgv, ...workerArgs()],
      });
      if (asSampleWorker) hearOrders(running);
      const database = withoutCredentials(config.databaseUrl);
      if (json) {
        const { provider, role, environment } = config;
        const redis = config.jobsEnabled ? withoutCredentials(config.redisUrl) : null;
        terminal.json({ url: running.url, database, redis, provider, role, environment, pid: process.pid });
      } else {
        terminal.print(
          ...tellStarted(
            { config, running, isNew, isQuiet, settings: readSettings(), now: systemClock.now() },
            terminal.paint,
          ),
        );
      }
      const signal = await signalled;
      // The terminal has written ^C at the beginning of this line.
      if (!json && signal === 'SIGINT' && terminal.isForPeople) terminal.print('');
      if (!json) terminal.print(`${signal}: finishing what is in flight …`);
      await running.stop();
      if (!json) terminal.print('Stopped.');
      // Nothing of ours is left; what a library has forgotten to end, with a Redis that hangs, must not keep the process.
      unlessEnded(lingerMs, () => process.exit());
    });
}

const lingerMs = 2_000;

/** The inbox takes some time to answer, as a real provider does: only then is there a moment at which a mail is on the wire. */
const asWorkerOf = (url: string, config: Config): Config => ({
  ...{ ...config, role: 'worker', port: 0, inboxDelayMs: 200 },
  platformBaseUrl: config.platformBaseUrl || url,
});

const workerArgs = () => [process.argv[1] ?? '', 'serve', '--json', '--as-sample-worker'];

/** Whoever started this worker to be killed says which seats are open, and stops it by being gone. */
function hearOrders({ byHand }: Pick<RunningProcess, 'byHand'>): void {
  process.on('message', (message: WorkerMessage) => {
    if ('open' in message) byHand?.open(message.open);
    else byHand?.release(message.release);
  });
  process.send?.('started');
}

function lineCut(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => process.once('disconnect', () => resolve('SIGHUP')));
}

/** npm passes on the Ctrl-C that the terminal has sent to the whole group already: one key, two signals. */
const echoMs = 1_000;

/** Resolves with the first signal; a second one, that is no echo of the first, ends the process where it stands. */
function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first: { signal: NodeJS.Signals; at: number } | undefined;
    const onSignal = (signal: NodeJS.Signals) => {
      if (!first) {
        first = { signal, at: systemClock.monotonic() };
        resolve(signal);
      } else if (signal !== first.signal || systemClock.monotonic() - first.at > echoMs) {
        process.exit(1);
      }
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}
