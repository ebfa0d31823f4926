import type { Command } from 'commander';
import type { DeliveryRow } from '../../db/schema.ts';
import { parseAddress } from '../../domain/address.ts';
import type { Status } from '../../domain/status.ts';
import type { Engine } from '../../engine.ts';
import { systemClock } from '../../std/clock.ts';
import { ago } from '../../std/duration.ts';
import { withChange } from '../change.ts';
import { addChoiceOptions, type ChoiceOptions, choiceOf } from '../choice.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { type Answer, perform, requireReason } from '../operator.ts';
import { printable, shellWord } from '../printable.ts';

interface RequeueOptions extends ChoiceOptions {
  reason?: string;
  json?: true;
}

/** The dead letters: what is requeued in bulk was mostly refused for a reason that has been mended. */
const statusByDefault = 'failed_permanent';

export function addRequeue(deliveries: Command, context: Context): void {
  const { terminal } = context;
  const command = deliveries
    .command('requeue')
    .argument('[deliveries...]', "numbers, UUIDs or the provider's message ids")
    .description('Put deliveries that were given up, skipped or put off back to be sent');
  addChoiceOptions(command, statusByDefault)
    .option('--because, --reason <text>', 'why (required); it is kept in the story')
    .option(...jsonOption)
    .addHelpText(
      'after',
      example(
        'deliveries requeue 12 13 --reason "the mailbox is back"',
        'deliveries requeue --error validation_error --since 2h --reason "the domain is verified now"',
      ),
    )
    .action(async (references: string[], options: RequeueOptions) => {
      const reason = requireReason(options.reason);
      const choice = choiceOf(references, options, { now: systemClock.now(), statusByDefault });
      const isDryRun = choice !== null && !options.yes;
      const work = async (engine: Engine) => {
        if (choice) {
          const { runBulk } = await import('../bulk.ts');
          const effect = 'put back to be sent';
          const order = {
            command: 'requeue',
            verb: 'requeued',
            decision: null,
            why: '--reason',
            effect,
            reason,
            options,
          } as const;
          return runBulk(engine, choice, order, context);
        }
        const answers = await perform(engine, references, { verb: 'requeued', reason });
        const stopped = await stoppedAgain(engine, answers);
        const told = answers.map((answer) => ({
          answer,
          sentence: stopped.get(answer.row?.seq ?? 0) ?? sentenceOf(answer, engine.clock.now()),
        }));
        if (options.json) {
          terminal.json({
            deliveries: told.map(({ answer: { reference, row, isDone }, sentence }) => ({
              reference,
              seq: row?.seq ?? null,
              isRequeued: isDone,
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

/** Put back, and of no use before somebody is on no list: what to say of these. */
async function stoppedAgain(
  { db, consent }: Engine,
  answers: readonly Answer[],
): Promise<ReadonlyMap<number, string>> {
  const addressed = answers.flatMap(({ row, isDone }) => {
    const parsed = parseAddress(row?.to_email);
    return row && isDone && parsed.ok ? [{ ...row, to: parsed.address }] : [];
  });
  if (addressed.length === 0) return new Map();
  // What was put back stays so: where nobody can be asked, nothing more is said.
  const against = await db.transaction((tx) => consent.against(addressed, tx)).catch(() => new Map());
  return new Map(
    addressed.flatMap(({ seq, to }): [number, string][] => {
      const objection = against.get(seq);
      if (objection === undefined) return [];
      const list = `npx tidings suppressions list --address ${shellWord(to)}`;
      // Whoever has left a newsletter did so as its user, of whom the list of addresses knows nothing.
      const [why, see] =
        objection === 'unsubscribed'
          ? ['they have left', `npx tidings deliveries explain ${seq}, and ${list}`]
          : ['no mail goes to its address', list];
      return [
        [seq, `Delivery ${seq} is requeued, and will be stopped again: ${why}. What to do first: ${see}`],
      ];
    }),
  );
}

function sentenceOf(answer: Answer, now: number): string {
  const { reference, row, isDone } = answer;
  if (!row) return `${printable(reference)}: there is no such delivery.`;
  const name = `Delivery ${row.seq}`;
  if (isDone) return `${name} is requeued: it is ${row.status} again and sent when a worker takes it.`;
  if (answer.why === 'forgotten')
    return `${name} is not requeued: its content was deleted, as MAIL_RETENTION_DAYS says, so there is nothing left to send.`;
  return `${name} is not requeued: ${refusals[row.status](row, now)}`;
}

const inHand = ({ locked_by: worker }: DeliveryRow) =>
  `it is in progress${worker === null ? '' : `, ${printable(worker)} has it in hand`}.`;
const mayExist = ({ seq }: DeliveryRow) =>
  `it was closed in doubt, so a mail may exist, and sending it again could tell them twice. See: npx tidings deliveries show ${seq}`;

/** Why the table has no way from this status back to waiting. */
const refusals: Record<Status, (row: DeliveryRow, now: number) => string> = {
  pending: () => 'it waits to be sent already.',
  failed_transient: () => 'it is tried again by itself.',
  claimed: inHand,
  sending: inHand,
  sent: ({ sent_at: at }, now) =>
    `it was sent${at === null ? '' : ` ${ago(now - at)}`}, and is never repeated.`,
  delivered: ({ sent_at: at }, now) =>
    `it was sent${at === null ? '' : ` ${ago(now - at)}`} and has arrived, and is never repeated.`,
  reconciling: () => 'a mail may exist; that is being settled, and nothing is sent until then.',
  needs_review: ({ seq }) =>
    `a mail may exist, so it must be resolved first. Decide with: npx tidings deliveries resolve ${seq} --help`,
  failed_permanent: mayExist,
  suppressed: mayExist,
  skipped_unsubscribed: mayExist,
  skipped_no_email: mayExist,
  skipped_ineligible: mayExist,
  expired: mayExist,
};
