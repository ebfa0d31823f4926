import type { Command } from 'commander';
import type { DeadJobEntry } from '../../runners/dead-jobs.ts';
import { limitOption } from '../arguments.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { counted } from '../counted.ts';
import { printable } from '../printable.ts';
import { rowsOf } from '../queue-words.ts';
import { listFailed, readJobsConfig } from '../queues.ts';
import { type Column, printTable } from '../table.ts';

const limitMax = 1_000;

export function addQueueFailed(queue: Command, { terminal }: Context): void {
  queue
    .command('failed')
    .description('List the jobs that failed, oldest first: of which queue, of which rows, why and how often')
    .option(...limitOption(limitMax, 50))
    .option(...jsonOption)
    .addHelpText('after', example('queue failed'))
    .action(async ({ limit, json }: { limit: number; json?: true }) => {
      const { jobs, total } = await listFailed(await readJobsConfig(), limit);
      if (json) return terminal.json({ jobs, total });
      if (jobs.length === 0) return terminal.print('No job has failed.');
      printTable(terminal, jobs, columns);
      const more = total - jobs.length;
      if (more > 0)
        terminal.print(`${counted(more, 'job', 'jobs')} more: --limit ${Math.min(total, limitMax)}`);
      terminal.print(
        'No delivery hangs on them: what is due is named again by itself. When the cause is mended: npx tidings queue retry --all',
      );
    });
}

const columns: Column<DeadJobEntry>[] = [
  { title: 'JOB', cell: ({ id }) => printable(id) },
  { title: 'QUEUE', cell: ({ queue }) => printable(queue) },
  { title: 'WORK', cell: ({ job }) => printable(job) },
  { title: 'ROWS', cell: rowsOf, canShrink: true },
  {
    ...{ title: 'WHY', canShrink: true },
    cell: ({ error }) => printable(error),
    meaning: () => 'needs a person',
  },
  { title: 'TIMES', cell: ({ times }) => String(times), isNumber: true },
  { title: 'FIRST', cell: ({ firstAt }) => printable(firstAt) },
  { title: 'LAST', cell: ({ lastAt }) => printable(lastAt) },
];
