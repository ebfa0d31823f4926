import type { Engine } from '../engine.ts';
import type { Config } from '../settings.ts';
import type { Log } from '../std/log.ts';
import { Refusal } from '../std/refusal.ts';
import type { AskedCommand } from './asked.ts';
import type { Terminal } from './terminal.ts';

/** What every command is given. */
export interface Context {
  readonly terminal: Terminal;
  /** What the shell is answered; a command sets it when it ran and something failed all the same. */
  exitCode: 0 | 1 | 2;
  /** What was typed. */
  asked: AskedCommand;
}

export const jsonOption = ['--json', 'print JSON, for programs'] as const;

/** An example under a command's help. */
export const example = (...lines: string[]) =>
  ['', lines.length > 1 ? 'Examples:' : 'Example:', ...lines.map((line) => `  $ npx tidings ${line}`)].join(
    '\n',
  );

export type EngineWork<T> = (engine: Engine, config: Config, log: Log) => Promise<T>;

/**
 * The engine for one command: nothing is sent from here, and tables are made only in an empty database. A SQLite file
 * that is not there is made only for a command that says so. Whoever changes something works through `change.ts`.
 */
export async function withEngine<T>(
  context: Context,
  work: EngineWork<T>,
  { mayMakeDatabase = false } = {},
): Promise<T> {
  const { readConfig } = await import('../config.ts');
  const config = readConfig();
  if (isInMemory(config)) {
    throw new Refusal(
      'database_in_memory',
      'DATABASE_URL=sqlite::memory: is seen by one process only, so this command would find nothing. Use a file.',
    );
  }
  const [{ requireDatabase }, { findServer }, { otherDatabase }] = await Promise.all([
    import('./missing-database.ts'),
    import('../http/server-there.ts'),
    import('./other-database.ts'),
  ]);
  const asking = findServer(config);
  if (!mayMakeDatabase) await requireDatabase(config.databaseUrl, asking);
  const [{ createEngine }, { createLog }] = await Promise.all([
    import('../engine.ts'),
    import('../std/log.ts'),
  ]);
  // What it has done a command says itself; what a server notes of the same is not said beside it.
  const level = config.logLevel === 'info' ? 'warn' : config.logLevel;
  const log = createLog({ level, isForPeople: process.stderr.isTTY === true });
  const engine = await createEngine(config, { log, migrations: 'empty database only' });
  try {
    const server = await asking;
    const isOther = server?.database !== undefined && server.database !== engine.databaseId;
    if (isOther && !context.asked.isForProgram) context.terminal.complain(otherDatabase(server));
    return await work(engine, config, log);
  } finally {
    await engine.close();
  }
}

export function isInMemory({ databaseUrl }: Pick<Config, 'databaseUrl'>): boolean {
  return /^sqlite:(\/\/)?:memory:$/.test(databaseUrl);
}
