import type { Command } from 'commander';
import { type Context, example, jsonOption } from '../context.ts';
import { withoutCredentials } from '../redact.ts';

export function addMigrate(program: Command, { terminal }: Context): void {
  program
    .command('migrate')
    .description("Bring the database's tables up to date")
    .option(...jsonOption)
    .addHelpText('after', example('migrate'))
    .action(async ({ json }: { json?: true }) => {
      const [{ readConfig }, { openDatabase }, { migrate }, { createLog }, { systemClock }, { systemIds }] =
        await Promise.all([
          import('../../config.ts'),
          import('../../db/database.ts'),
          import('../../db/migrate.ts'),
          import('../../std/log.ts'),
          import('../../std/clock.ts'),
          import('../../std/ids.ts'),
        ]);
      const config = readConfig();
      const log = createLog({ level: config.logLevel, isForPeople: process.stderr.isTTY === true });
      const database = withoutCredentials(config.databaseUrl);
      const db = await openDatabase(config.databaseUrl, { clock: systemClock, log });
      try {
        const applied = await migrate(db, {
          clock: systemClock,
          ids: systemIds,
          onApplied: ({ name }) => {
            if (!json) terminal.print(`Applied ${name}.`);
          },
        });
        if (json) terminal.json({ database, applied: applied.map(({ name }) => name) });
        else if (applied.length === 0) terminal.print(`Nothing to do: ${database} is up to date.`);
      } finally {
        await db.close();
      }
    });
}
