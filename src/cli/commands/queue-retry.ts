import type { Command } from 'commander';
import { Refusal } from '../../std/refusal.ts';
import { withChange } from '../change.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { printable } from '../printable.ts';
import { readJobsConfig, retryFailed } from '../queues.ts';

export function addQueueRetry(queue: Command, context: Context): void {
  const { terminal } = context;
  queue
    .command('retry')
    .argument('[job]', 'one, as npx tidings queue failed names it')
    .description('Put jobs that failed back to where they failed; what was done meanwhile is not done again')
    .option('--all', 'all of them')
    .option(...jsonOption)
    .addHelpText('after', example('queue retry send-12', 'queue retry --all'))
    .action(async (job: string | undefined, { all, json }: { all?: true; json?: true }) => {
      if ((job === undefined) === (all === undefined)) {
        throw new Refusal(
          job === undefined ? 'nothing_chosen' : 'named_and_chosen',
          'Say which: the job, as npx tidings queue failed names it, or --all; not both.',
        );
      }
      const config = await readJobsConfig();
      const jobs = await withChange(context, () => retryFailed(config, job));
      if (json) return terminal.json({ jobs: jobs.map(({ id, queue }) => ({ id, queue })) });
      if (jobs.length === 0) return terminal.print('No job has failed: there is nothing to put back.');
      terminal.print(
        ...jobs.map(({ id, queue }) => printable(`${id} is in the queue ${queue} again.`)),
        'A running worker takes it up within seconds. If it fails again, it is listed again.',
      );
    });
}
