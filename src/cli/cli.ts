import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { packageFolder } from '../std/package-folder.ts';
import { askedOf, nothingAsked } from './asked.ts';
import { addAudit } from './commands/audit.ts';
import { addBudget } from './commands/budget.ts';
import { addDeliveries } from './commands/deliveries.ts';
import { addDoctor } from './commands/doctor.ts';
import { addInbox } from './commands/inbox.ts';
import { addMigrate } from './commands/migrate.ts';
import { addNotifications } from './commands/notifications.ts';
import { addPause, addResume } from './commands/pause.ts';
import { addQueue } from './commands/queue.ts';
import { addReconcile } from './commands/reconcile.ts';
import { addReviews } from './commands/reviews.ts';
import { addRuns } from './commands/runs.ts';
import { addSeats } from './commands/seats.ts';
import { addSend } from './commands/send.ts';
import { addSendTest } from './commands/send-test.ts';
import { addServe } from './commands/serve.ts';
import { addSuppressions } from './commands/suppressions.ts';
import { addApply, addPlan, addTrigger } from './commands/trigger.ts';
import { addUsers } from './commands/users.ts';
import type { Context } from './context.ts';
import { complain } from './failure.ts';
import { createTerminal } from './terminal.ts';

/**
 * The command line. Answers the shell with 0, with 1 when something failed (broken infrastructure, a bug, a mail that
 * was given up), or with 2 when the user must do something else. Engine, server and drivers are loaded by the commands
 * that need them, so that help is quick.
 */
export async function run(argv: readonly string[]): Promise<number> {
  const options = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const terminal = createTerminal({ mayPaint: !options.includes('--no-color') });
  const context: Context = { terminal, exitCode: 0, asked: nothingAsked };
  const program = createProgram(context);
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    context.exitCode = await complain(error, { terminal, program, argv });
  }
  terminal.settle();
  if (terminal.failure) {
    terminal.complain(`The output could not be written: ${terminal.failure.message}.`);
    return 1;
  }
  return context.exitCode;
}

export function createProgram(context: Context): Command {
  const program = new Command('tidings')
    .description('Tells each person each thing by e-mail once, and can prove it.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .option('--no-color', 'print without colours, as with NO_COLOR=1; with any command')
    .hook('preAction', (_, command) => {
      context.asked = askedOf(command);
    })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.terminal.print(text.trimEnd()),
      writeErr: (text) => context.terminal.complain(text.trimEnd()),
      outputError: () => {}, // Mistakes are told in one place, `complain`.
    })
    .addHelpText(
      'after',
      [
        '',
        'The first minute:',
        '  $ npm start',
        '  $ npx tidings send --to you@example.org --subject Hello --text "It works."',
        '  $ npx tidings inbox',
        '',
        'Settings come from the environment and from .env; npx tidings doctor shows them.',
      ].join('\n'),
    );
  for (const add of [
    ...[addServe, addMigrate, addDoctor, addSend, addDeliveries, addReconcile, addQueue, addPause, addResume],
    ...[
      addSuppressions,
      addSeats,
      addTrigger,
      addPlan,
      addApply,
      addRuns,
      addBudget,
      addUsers,
      addNotifications,
      addReviews,
    ],
    ...[addAudit, addInbox, addSendTest],
  ])
    add(program, context);
  return program;
}

function readVersion(): string {
  const text = readFileSync(new URL('package.json', packageFolder), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
