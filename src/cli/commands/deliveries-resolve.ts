import type { Command } from 'commander';
import type { OperatorVerb } from '../../outbox/operator.ts';
import { systemClock } from '../../std/clock.ts';
import { Refusal } from '../../std/refusal.ts';
import { addChoiceOptions, type ChoiceOptions, choiceOf } from '../choice.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { type Answer, perform, requireReason } from '../operator.ts';
import { printable } from '../printable.ts';

interface ResolveOptions extends ChoiceOptions {
  sent?: true;
  notSent?: true;
  close?: true;
  reason?: string;
  json?: true;
}

const statusByDefault = 'needs_review';

export function addResolve(deliveries: Command, context: Context): void {
  const { terminal } = context;
  const command = deliveries
    .command('resolve')
    .argument('[deliveries...]', "numbers, UUIDs or the provider's message ids")
    .description('Decide what nobody could find out: were the mails of deliveries in needs_review sent?')
    .option('--sent', 'they were sent: they count as told, and nothing more is sent')
    .option('--not-sent', 'they were not sent: the same mail is tried again, under the same key')
    .option('--close', 'nobody will know: nothing more is sent');
  addChoiceOptions(command, statusByDefault)
    .option('--reason <text>', 'why (required); it is kept in the story')
    .option(...jsonOption)
    .addHelpText(
      'after',
      example(
        'deliveries resolve 12 --sent --reason "found in the provider\'s log"',
        'deliveries resolve --not-sent --since 2026-07-01 --reason "their outage, none in their log"',
      ),
    )
    .action(async (references: string[], options: ResolveOptions) => {
      const verb = verbOf(options);
      const reason = requireReason(options.reason);
      const choice = choiceOf(references, options, { now: systemClock.now(), statusByDefault });
      await withEngine(async (engine) => {
        if (choice) {
          const { runBulk } = await import('../bulk.ts');
          const { effect, decision } = decisions[verb];
          return runBulk(
            engine,
            choice,
            { command: 'resolve', verb, decision, effect, reason, options },
            context,
          );
        }
        const answers = await perform(engine, references, { verb, reason });
        const told = answers.map((answer) => ({ answer, sentence: sentenceOf(answer, verb) }));
        if (options.json) {
          terminal.json({
            deliveries: told.map(({ answer: { reference, row, isDone }, sentence }) => ({
              reference,
              seq: row?.seq ?? null,
              isResolved: isDone,
              status: row?.status ?? null,
              sentence,
            })),
          });
        } else terminal.print(...told.map(({ sentence }) => sentence));
        if (answers.some(({ isDone }) => !isDone)) context.exitCode = 1;
      });
    });
}

function sentenceOf({ reference, row, isDone }: Answer, verb: ResolveVerb): string {
  if (!row) return `${printable(reference)}: there is no such delivery.`;
  return isDone
    ? `Delivery ${row.seq} is resolved: ${decisions[verb].consequence}`
    : `Delivery ${row.seq} is ${row.status}, not in needs_review: there is nothing to decide.`;
}

type ResolveVerb = Exclude<OperatorVerb, 'requeued'>;

const decisions: Record<ResolveVerb, { decision: string; effect: string; consequence: string }> = {
  resolved_sent: {
    decision: '--sent',
    effect: 'counted as sent, and nothing more is sent',
    consequence: 'it counts as sent, and nothing more is sent.',
  },
  resolved_not_sent: {
    decision: '--not-sent',
    effect: 'sent again, under the same key',
    consequence: 'it is sent again when a worker takes it, under the same key.',
  },
  resolved_closed: {
    decision: '--close',
    effect: 'closed as failed_permanent, with the doubt kept on them',
    consequence: 'it is closed as failed_permanent, with the doubt kept on it.',
  },
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
