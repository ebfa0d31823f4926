import { type Command, Option } from 'commander';
import type { CodeReviews } from '../../sources/code-reviews/code-reviews.ts';
import { type JobState, jobStates } from '../../sources/code-reviews/jobs/job-state.ts';
import { ago } from '../../std/duration.ts';
import { limitOption } from '../arguments.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { printable, shellWord } from '../printable.ts';
import { tellDeadLetters, tellJob, tellRecipients } from '../review-words.ts';
import { jobMeanings } from '../state-meanings.ts';
import { type Column, printTable } from '../table.ts';

const limitByDefault = 20;

interface ListOptions {
  changelist?: string;
  state?: JobState;
  before?: string;
  limit: number;
  json?: true;
}

export function addList(reviews: Command, context: Context): void {
  const { terminal } = context;
  reviews
    .command('list')
    .description('Review jobs, newest first')
    .option('--changelist <id>', 'only of this change list')
    .addOption(new Option('--state <state>', 'only in this state').choices(jobStates))
    .option(...limitOption(100, limitByDefault))
    .option('--before <job>', 'only older ones: the next page')
    .option(...jsonOption)
    .addHelpText('after', example('reviews list --state failed', 'reviews list --changelist CL-17'))
    .action(async (options: ListOptions) => {
      const { changelist: changelistId, state, before, limit, json } = options;
      await withEngine(context, async (engine) => {
        const { jobs, next } = await engine.reviews.list({ changelistId, state, before, limit });
        if (json) {
          const { jobJson } = await import('../../http/routes/review-shapes.ts');
          return terminal.json({ jobs: jobs.map(jobJson), next: next && { before: next } });
        }
        if (jobs.length === 0 && next === null)
          return terminal.print(
            'No such job. Submit a review with: npx tidings reviews submit --file result.json',
          );
        if (jobs.length === 0)
          return terminal.print(`None among the newest. Older ones: ${nextPage(options, next)}`);
        printTable(terminal, jobs, columnsOf(engine.clock.now()));
        if (next !== null) terminal.print(`More: ${nextPage(options, next)}`);
      });
    });
}

type Job = Awaited<ReturnType<CodeReviews['list']>>['jobs'][number];

function columnsOf(now: number): Column<Job>[] {
  return [
    { title: 'CHANGE LIST', cell: ({ row }) => printable(row.changelist_id), canShrink: true },
    { title: 'VERSION', cell: ({ row }) => String(row.review_version), isNumber: true },
    { title: 'STATE', cell: ({ state }) => state, meaning: ({ state }) => jobMeanings[state] },
    {
      title: 'TOLD',
      cell: ({ recipients }) =>
        `${recipients.filter(({ sentAt }) => sentAt !== null).length} of ${recipients.length}`,
    },
    { title: 'AGE', cell: ({ row }) => ago(now - row.created_at) },
    { title: 'JOB', cell: ({ row }) => row.job_id },
  ];
}

function nextPage({ changelist, state, limit }: ListOptions, before: string | null): string {
  const words = [
    ...(changelist === undefined ? [] : ['--changelist', changelist]),
    ...(state === undefined ? [] : ['--state', state]),
    ...(limit === limitByDefault ? [] : ['--limit', String(limit)]),
    ...(before === null ? [] : ['--before', before]),
  ];
  return `npx tidings reviews list ${words.map(shellWord).join(' ')}`;
}

export function addShow(reviews: Command, context: Context): void {
  const { terminal } = context;
  reviews
    .command('show')
    .argument('<job>', 'its id')
    .description('How a review job stands, and who has been told')
    .option(...jsonOption)
    .addHelpText('after', example('reviews show 6b1f0c3e-4f0a-4d57-9d0f-0c2f4e9a1b22'))
    .action(async (jobId: string, { json }: { json?: true }) => {
      await withEngine(context, async (engine) => {
        const job = await engine.reviews.get(jobId);
        const { jobDetails } = await import('../../http/routes/review-shapes.ts');
        const told = await jobDetails(job, engine.reviews);
        if (json) return terminal.json(told);
        terminal.print(
          ...tellJob(told, terminal.paint),
          ...tellRecipients(told),
          ...tellDeadLetters(told.dead_letters),
        );
        if (told.forgotten_at !== null)
          terminal.print(
            `  Its summary and findings were deleted at ${told.forgotten_at}, as MAIL_RETENTION_DAYS says.`,
          );
        if (job.recipients.some(({ sentAt }) => sentAt === null))
          terminal.print('  Why: npx tidings deliveries explain <delivery>');
      });
    });
}
