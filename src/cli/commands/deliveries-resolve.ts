import type { Command } from 'commander';
import type { Engine } from '../../engine.ts';
import type { OperatorVerb } from '../../outbox/operator.ts';
import { systemClock } from '../../std/clock.ts';
import { Refusal } from '../../std/refusal.ts';
import { withChange } from '../change.ts';
import { addChoiceOptions, type ChoiceOptions, choiceOf } from '../choice.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { type Answer, perform, requireReason } from '../operator.ts';
import { printable } from '../printable.ts';

interface ResolveOptions extends ChoiceOptions {
  as?: string;
  because?: string;
  json?: true;
}

const statusByDefault = 'needs_review';

export function addResolve(deliveries: Command, context: Context): void {
  const { terminal } = context;
  const command = deliveries
    .command('resolve')
    .argument('[deliveries...]', "numbers, UUIDs or the provider's message ids")
    .description('Decide what nobody could find out: were the mails of deliveries in needs_review sent?')
    .option(
      '--as <decision>',
      'sent: they count as told, and nothing more is sent; not-sent: the same mail is tried again, under the same key; closed: nobody will know, and nothing more is sent',
    )
    .option('--reason, --because <text>', 'why (required); it is kept in the story');
  addChoiceOptions(command, statusByDefault)
    .option(...jsonOption)
    .addHelpText(
      'after',
      example(
        'deliveries resolve 12 --as sent --because "found in the provider\'s log"',
        'deliveries resolve --as not-sent --since 2026-07-01 --because "their outage, none in their log"',
      ),
    )
    .action(async (references: string[], options: ResolveOptions) => {
      const decision = decisionOf(options.as);
      const { verb, effect } = decisions[decision];
      const reason = requireReason(options.because, undefined, '--because');
      const choice = choiceOf(references, options, { now: systemClock.now(), statusByDefault });
      const isDryRun = choice !== null && !options.yes;
      const work = async (engine: Engine) => {
        if (choice) {
          const { runBulk } = await import('../bulk.ts');
          const words = { command: 'resolve', decision: `--as ${decision}`, why: '--because' } as const;
          return runBulk(engine, choice, { ...words, verb, effect, reason, options }, context);
        }
        const answers = await perform(engine, references, { verb, reason });
        const told = answers.map((answer) => ({ answer, sentence: sentenceOf(answer, decision) }));
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
      };
      await withChange(context, work, { isDryRun });
    });
}

function sentenceOf({ reference, row, isDone }: Answer, decision: Decision): string {
  if (!row) return `${printable(reference)}: there is no such delivery.`;
  return isDone
    ? `Delivery ${row.seq} is resolved: ${decisions[decision].consequence}`
    : `Delivery ${row.seq} is ${row.status}, not in needs_review: there is nothing to decide.`;
}

const decisions = {
  sent: {
    verb: 'resolved_sent',
    effect: 'counted as sent, and nothing more is sent',
    consequence: 'it counts as sent, and nothing more is sent.',
  },
  'not-sent': {
    verb: 'resolved_not_sent',
    effect: 'sent again, under the same key',
    consequence: 'it is sent again when a worker takes it, under the same key.',
  },
  closed: {
    verb: 'resolved_closed',
    effect: 'closed as failed_permanent, with the doubt kept on them',
    consequence: 'it is closed as failed_permanent, with the doubt kept on it.',
  },
} as const satisfies Record<string, { verb: OperatorVerb; effect: string; consequence: string }>;

type Decision = keyof typeof decisions;

function decisionOf(text: string | undefined): Decision {
  const known = (Object.keys(decisions) as Decision[]).find((decision) => decision === text);
  if (known) return known;
  throw new Refusal('decision_required', 'Decide with --as sent, --as not-sent or --as closed.');
}
