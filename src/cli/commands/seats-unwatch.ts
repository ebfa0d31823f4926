import type { Command } from 'commander';
import { Refusal } from '../../std/refusal.ts';
import { wholeNumber } from '../arguments.ts';
import { withChange } from '../change.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { operatorName, requireReason } from '../operator.ts';
import { requireSeats } from '../seats-arguments.ts';

interface UnwatchOptions {
  because?: string;
  json?: true;
}

export function addSeatsUnwatch(seats: Command, context: Context): void {
  const { terminal } = context;
  seats
    .command('unwatch')
    .argument('<watch>', 'its number, as seats watches lists it', wholeNumber(Number.MAX_SAFE_INTEGER))
    .description(
      'End a watch for its owner, who may take that back for a day with the link in any of its mails',
    )
    .option('--because <reason>', "why; it is kept among the watch's events (required)")
    .option(...jsonOption)
    .addHelpText('after', example('seats unwatch 12 --because "she asked on the phone"'))
    .action(async (subscriptionId: number, options: UnwatchOptions) => {
      const because = requireReason(options.because, "it is kept among the watch's events", '--because');
      await withChange(context, async (engine) => {
        const { subscriptions } = requireSeats(engine);
        const by = `operator ${operatorName()}`;
        const outcome = await subscriptions.stop(subscriptionId, { by, because });
        if (outcome === 'unknown') {
          throw new Refusal(
            'watch_not_found',
            `There is no watch ${subscriptionId}. Their numbers: npx tidings seats watches --email ana@example.org`,
          );
        }
        if (options.json) return terminal.json({ subscriptionId, isDone: outcome === 'changed' });
        terminal.print(
          outcome === 'changed'
            ? `Watch ${subscriptionId} has ended, and nothing more is sent for it. Its owner may take that back for a day, with the link in any of its mails.`
            : `Nothing was done: watch ${subscriptionId} had ended already.`,
        );
      });
    });
}
