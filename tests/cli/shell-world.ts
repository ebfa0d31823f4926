import type { DialectName } from '../../src/db/dialect.ts';
import { createWorld, type World } from '../support/world.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';

/** A database, and the command line beside it. */
export interface ShellWorld extends World {
  shell: CommandLine;
}

export async function createShellWorld(dialect: DialectName = 'sqlite'): Promise<ShellWorld> {
  const shell = createCommandLine();
  const world = await createWorld(dialect);
  return {
    ...{ ...world, shell },
    async close() {
      await shell.close();
      await world.close();
    },
  };
}
