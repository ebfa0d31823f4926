import type { Command } from 'commander';
import { withChange } from '../change.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { operatorName, requireReason } from '../operator.ts';
import { printable } from '../printable.ts';
import { tellJob } from '../review-words.ts';

interface RetryOptions {
  to?: string[];
  reason?: string;
  json?: true;
}

export function addRetry(reviews: Command, context: Context): void {
  const { terminal } = context;
  reviews
    .command('retry')
    .argument('<job>', 'its id')
    .description('Try again for those of a job who have not heard and by themselves never would')
    .option('--to <address>', 'only these; may be given several times', (value, all: string[] = []) => [
      ...all,
      value,
    ])
    .option('--because, --reason <text>', 'why (required); it is kept in the story of each delivery')
    .option(...jsonOption)
    .addHelpText(
      'after',
      example('reviews retry 6b1f0c3e-4f0a-4d57-9d0f-0c2f4e9a1b22 --because "the mailbox is back"'),
    )
    .action(async (jobId: string, { to, reason: given, json }: RetryOptions) => {
      const reason = requireReason(given, "it is kept in each delivery's story", '--because');
      await withChange(context, async ({ reviews }) => {
        const order = { reason, by: operatorName(), recipients: to, isOperator: true };
        const { job, recipients } = await reviews.retry(jobId, order);
        const { jobJson, retryJson } = await import('../../http/routes/review-shapes.ts');
        if (recipients.some(({ isRequeued }) => !isRequeued)) context.exitCode = 1;
        if (json) return terminal.json(retryJson(job, recipients));
        if (recipients.length === 0) terminal.print('Nobody of this job waits for another try.');
        terminal.print(
          ...recipients.map(({ recipient, sentence }) => `${printable(recipient)}: ${sentence}`),
          ...tellJob(jobJson(job), terminal.paint),
        );
      });
    });
}
