import type { Command } from 'commander';
import type { CodeReviews } from '../../sources/code-reviews/code-reviews.ts';
import { ago } from '../../std/duration.ts';
import { belowOption, limitOption } from '../arguments.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { printable } from '../printable.ts';
import { type Column, printTable } from '../table.ts';

const limitByDefault = 50;

interface ListOptions {
  limit: number;
  below?: number;
  json?: true;
}

export function addDeadLetters(reviews: Command, context: Context): void {
  const { terminal } = context;
  reviews
    .command('dead-letters')
    .description(
      'Reviewers who have not heard and by themselves never will, and who can do something about it',
    )
    .option(...limitOption(200, limitByDefault))
    .option(...belowOption)
    .option(...jsonOption)
    .addHelpText('after', example('reviews dead-letters'))
    .action(async ({ limit, below, json }: ListOptions) => {
      await withEngine(context, async (engine) => {
        const { deadLetters, next } = await engine.reviews.deadLetters({ limit, below });
        if (json) {
          const { deadLetterJson } = await import('../../http/routes/review-shapes.ts');
          return terminal.json({
            dead_letters: deadLetters.map(deadLetterJson),
            next: next && { below: next },
          });
        }
        if (deadLetters.length === 0 && next === null)
          return terminal.print('No dead letters: whoever could be told has been told, or will be.');
        printTable(terminal, deadLetters, columnsOf(engine.clock.now()));
        const words = limit === limitByDefault ? '' : ` --limit ${limit}`;
        if (next !== null) terminal.print(`More: npx tidings reviews dead-letters${words} --below ${next}`);
        if (deadLetters.length > 0)
          terminal.print(
            '',
            'When the cause is gone, tell them after all: npx tidings reviews retry <job> --because "…"',
          );
      });
    });
}

type Letter = Awaited<ReturnType<CodeReviews['deadLetters']>>['deadLetters'][number];

function columnsOf(now: number): Column<Letter>[] {
  return [
    { title: 'RECIPIENT', cell: (one) => printable(one.recipient), canShrink: true },
    { title: 'CHANGE LIST', cell: (one) => printable(one.changelistId), canShrink: true },
    { title: 'VERSION', cell: (one) => String(one.version), isNumber: true },
    {
      ...{ title: 'ERROR', canShrink: true },
      cell: (one) => `${one.errorClass} (${printable(one.code)})`,
      meaning: () => 'needs a person',
    },
    { title: 'UP TO', cell: (one) => (one.isEscalated ? `${one.asks}, escalated` : one.asks) },
    { title: 'LAST', cell: (one) => ago(now - one.lastFailedAt) },
    { title: 'DELIVERY', cell: (one) => String(one.deliverySeq), isNumber: true },
    { title: 'JOB', cell: (one) => one.jobId },
  ];
}
