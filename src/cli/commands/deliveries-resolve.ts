import type { Command } from 'commander';
import type { OperatorVerb } from '../../outbox/operator.ts';
import { Refusal } from '../../std/refusal.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { perform } from '../operator.ts';
import { noDelivery } from './deliveries-show.ts';

interface ResolveOptions {
  sent?: true;
  notSent?: true;
  close?: true;
  reason?: string;
  json?: true;
}

export function addResolve(deliveries: Command, context: Context): void {
  const { terminal } = context;
  deliveries
    .command('resolve')
    .argument('<delivery>', "its number, its UUID, or the provider's message id")
    .description('Decide what nobody could find out: was the mail of a delivery in needs_review sent?')
    .option('--sent', 'it was sent: it counts as told, and nothing more is sent')
    .option('--not-sent', 'it was not sent: the same mail is tried again, under the same key')
    .option('--close', 'nobody will know: nothing more is sent')
    .option('--reason <text>', 'why (required); it is kept in the story')
    .option(...jsonOption)
    .addHelpText('after', example('deliveries resolve 12 --sent --reason "found in the provider\'s log"'))
    .action(async (reference: string, options: ResolveOptions) => {
      const verb = verbOf(options);
      await withEngine(async (engine) => {
        const [answer] = await perform(engine, [reference], { verb, reason: options.reason });
        if (!answer?.row) throw noDelivery(reference);
        const { row, isDone } = answer;
        const sentence = isDone
          ? `Delivery ${row.seq} is resolved: ${consequences[verb]}`
          : `Delivery ${row.seq} is ${row.status}, not in needs_review: there is nothing to decide.`;
        if (options.json) terminal.json({ seq: row.seq, isResolved: isDone, status: row.status, sentence });
        else terminal.print(sentence);
        if (!isDone) context.exitCode = 1;
      });
    });
}

type ResolveVerb = Exclude<OperatorVerb, 'requeued'>;

const consequences: Record<ResolveVerb, string> = {
  resolved_sent: 'it counts as sent, and nothing more is sent.',
  resolved_not_sent: 'it is sent again when a worker takes it, under the same key.',
  resolved_closed: 'it is closed as failed_permanent, with the doubt kept on it.',
};

function verbOf({ sent, notSent, close }: ResolveOptions): ResolveVerb {
  const chosen: ResolveVerb[] = [
    ...(sent ? (['resolved_sent'] as const) : []),
    ...(notSent ? (['resolved_not_sent'] as const) : []),
    ...(close ? (['resolved_closed'] as const) : []),
  ];
  const [verb] = chosen;
  if (verb === undefined || chosen.length > 1) {
    throw new Refusal('decision_required', 'Decide with exactly one of --sent, --not-sent and --close.');
  }
  return verb;
}
