import { arrow } from '../domain/lifecycle.ts';
import { meanings } from '../domain/meanings.ts';
import { type Status, statusNames } from '../domain/status.ts';
import type { Engine } from '../engine.ts';
import { type Choice, type ChosenGroup, countChosen, readChosen } from '../outbox/choose.ts';
import type { OperatorVerb } from '../outbox/operator.ts';
import { type ChoiceOptions, wordsOf } from './choice.ts';
import type { Context } from './context.ts';
import { untilInterrupted } from './interrupted.ts';
import { operatorName } from './operator.ts';
import { printable, shellWord } from './printable.ts';
import { type Column, table } from './table.ts';
import type { Terminal } from './terminal.ts';

/**
 * An operator's word on many deliveries at once. Without `--yes` they are only counted, and shown by what they have in
 * common; with it they are taken a batch at a time, each batch a transaction, so that an interruption leaves whole batches
 * behind it and the same command goes on where it was.
 */
export interface BulkOrder {
  command: 'requeue' | 'resolve';
  verb: OperatorVerb;
  /** The decision as an option, where the command has one. */
  decision: string | null;
  /** The option that says why. */
  why: '--reason' | '--because';
  /** As in "12 deliveries would be put back to be sent". */
  effect: string;
  reason: string;
  options: ChoiceOptions & { json?: true };
}

const batchSize = 200;
const examplesMax = 3;

export async function runBulk(
  engine: Engine,
  choice: Choice,
  order: BulkOrder,
  context: Context,
): Promise<void> {
  const groups = await countChosen(engine.db, choice);
  const { limit = Number.MAX_SAFE_INTEGER, json, yes } = order.options;
  const left = groups.flatMap((group) => leftAlone(group, order.verb));
  const total = Math.min(limit, countOf(groups) - countOf(left));
  const { terminal } = context;
  if (groups.length === 0 && !json) {
    const others = await countChosen(engine.db, { ...choice, status: statusNames });
    return terminal.print(...tellNoMatch(choice, others, order.verb));
  }
  if (!yes) {
    const examples = await examplesOf(engine, choice, order.verb, groups);
    if (json) {
      const command = total === 0 ? null : commandOf(order);
      return terminal.json({ isDryRun: true, total, left, groups: groups.map(groupJson), examples, command });
    }
    return terminal.print(...tellDryRun({ total, left, groups, examples }, order, terminal));
  }
  const result = await performAll(engine, choice, { ...order, groups, total }, terminal);
  result.notDone.push(...left);
  if (result.notDone.length > 0 || result.done < total) context.exitCode = 1;
  if (json) return terminal.json({ isDryRun: false, total, ...result });
  terminal.print(...tellResult(result, total, order));
}

interface Left {
  status: Status | null;
  count: number;
  why: string;
}

interface BulkResult {
  done: number;
  notDone: Left[];
  isStopped: boolean;
}

async function performAll(
  { db, outbox, clock }: Engine,
  choice: Choice,
  { verb, reason, groups, total, options }: BulkOrder & { groups: ChosenGroup[]; total: number },
  terminal: Terminal,
): Promise<BulkResult> {
  const upTo = Math.max(0, ...groups.map(({ highest }) => highest));
  const left = new Map<string, Left>();
  const interrupted = untilInterrupted();
  let [done, seen, above] = [0, 0, 0];
  try {
    while (seen < total && !interrupted.is) {
      const limit = Math.min(batchSize, total - seen);
      const seqs = await readChosen(db, choice, { verb, above, upTo, limit });
      if (seqs.length === 0) break;
      const answers = await outbox.perform(seqs, { verb, reason, operator: operatorName() });
      for (const { changed, status, why: reason } of answers) {
        if (changed) {
          done += 1;
          continue;
        }
        const why = reason === 'forgotten' ? emptied : whyLeft(status);
        const key = `${status} ${why}`;
        left.set(key, { status, why, count: (left.get(key)?.count ?? 0) + 1 });
      }
      seen += seqs.length;
      above = seqs.at(-1) ?? upTo;
      if (!options.json && total > batchSize) terminal.progress(`${seen} of ${total} …`, seen / total);
      // A synchronous driver would leave no moment at which a signal is heard.
      await clock.nextTurn();
    }
  } finally {
    interrupted.forget();
  }
  return { done, notDone: [...left.values()], isStopped: interrupted.is && seen < total };
}

/** Why the table has no way for them, in the plural. */
function whyLeft(status: Status | null): string {
  switch (status) {
    case null:
      return 'are gone';
    case 'pending':
    case 'failed_transient':
      return 'wait to be sent already';
    case 'claimed':
    case 'sending':
      return 'are in the hands of a worker';
    case 'sent':
    case 'delivered':
      return 'were sent, and are never repeated';
    case 'reconciling':
      return 'may have been sent; that is being settled';
    case 'needs_review':
      return 'may have been sent, and must be resolved first';
    case 'failed_permanent':
      return 'were closed in doubt: they may have been sent';
    case 'suppressed':
    case 'skipped_unsubscribed':
    case 'skipped_no_email':
    case 'skipped_ineligible':
    case 'expired':
      return `are ${status}: there is nothing to decide`;
  }
}

const emptied = 'were emptied by retention (MAIL_RETENTION_DAYS): nothing is left to send';

/** Those of a group that this word does not move. */
function leftAlone({ status, count, inDoubt, forgotten }: ChosenGroup, verb: OperatorVerb): Left[] {
  const canMove = verb === 'requeued' ? arrow(status, 'requeued') !== undefined : status === 'needs_review';
  if (!canMove) return [{ status, count, why: whyLeft(status) }];
  if (verb !== 'requeued') return [];
  return [
    { status, count: inDoubt, why: whyLeft('failed_permanent') },
    { status, count: forgotten, why: emptied },
  ].filter((left) => left.count > 0);
}

const countOf = (counted: readonly { count: number }[]) => counted.reduce((sum, { count }) => sum + count, 0);

/** Nothing in the statuses that were meant; but the other filters may have hit something, and that helps to go on. */
function tellNoMatch(choice: Choice, others: readonly ChosenGroup[], verb: OperatorVerb): string[] {
  const total = countOf(others);
  if (total === 0)
    return ['No delivery matches. Leave out a filter, or see what there is: npx tidings deliveries list'];
  const left = others.flatMap((group) => leftAlone(group, verb));
  const movable = new Map<Status, number>();
  for (const group of others) {
    const count = group.count - countOf(leftAlone(group, verb));
    if (count > 0) movable.set(group.status, (movable.get(group.status) ?? 0) + count);
  }
  return [
    `No delivery matches with status ${choice.status.join(' or ')}. In other statuses ${deliveries(total)} ${total === 1 ? 'matches' : 'match'}:`,
    ...[...movable].map(([status, count]) => `${count} ${status}: choose them with --status ${status}`),
    ...summed(left).map(({ status, count, why }) => `${count} ${status}: they ${why}.`),
  ];
}

/** Of several sources and errors, one line a reason. */
function summed(left: readonly Left[]): Left[] {
  const byReason = new Map<string, Left>();
  for (const each of left) {
    const key = `${each.status} ${each.why}`;
    byReason.set(key, { ...each, count: each.count + (byReason.get(key)?.count ?? 0) });
  }
  return [...byReason.values()];
}

interface Example {
  seq: number;
  to: string;
  occasion: string;
}

async function examplesOf(
  { db, queries }: Engine,
  choice: Choice,
  verb: OperatorVerb,
  groups: readonly ChosenGroup[],
) {
  const upTo = Math.max(0, ...groups.map(({ highest }) => highest));
  const examples: Example[] = [];
  for (const seq of await readChosen(db, choice, { verb, above: 0, upTo, limit: examplesMax })) {
    const row = await queries.find(String(seq));
    if (row)
      examples.push({ seq, to: row.to_email ?? row.recipient, occasion: `${row.source}: ${row.occasion}` });
  }
  return examples;
}

const groupColumns: Column<ChosenGroup>[] = [
  { title: 'COUNT', cell: ({ count }) => String(count), isNumber: true },
  { title: 'STATUS', cell: ({ status }) => status, meaning: ({ status }) => meanings[status] },
  { title: 'SOURCE', cell: ({ source }) => printable(source), canShrink: true },
  { title: 'LAST ERROR', cell: ({ error }) => printable(error ?? 'none') },
];

const exampleColumns: Column<Example>[] = [
  { title: 'FOR EXAMPLE', cell: ({ to }) => printable(to), canShrink: true },
  { title: 'OCCASION', cell: ({ occasion }) => printable(occasion), canShrink: true },
  { title: 'NUMBER', cell: ({ seq }) => String(seq), isNumber: true },
];

function tellDryRun(
  {
    total,
    left,
    groups,
    examples,
  }: {
    total: number;
    left: readonly Left[];
    groups: readonly ChosenGroup[];
    examples: readonly Example[];
  },
  order: BulkOrder,
  { paint, columns: columnsMax }: Terminal,
): string[] {
  const options = { columnsMax, paint };
  return [
    `Dry run: ${deliveries(total)} would be ${order.effect}. Nothing has been changed.`,
    ...summed(left).map(({ count, why }) => `${count} would be left alone: they ${why}.`),
    '',
    ...table(groups, groupColumns, options),
    ...(total === 0
      ? []
      : ['', ...table(examples, exampleColumns, options), '', `Do it: ${commandOf(order)}`]),
  ];
}

function commandOf({ command, decision, why, reason, options }: BulkOrder): string {
  const chosen = wordsOf(options);
  const words = [...(decision === null ? [] : [decision]), ...(chosen === '' ? [] : [chosen])];
  return `npx tidings deliveries ${command} ${words.join(' ')} ${why} ${shellWord(reason)} --yes`;
}

function tellResult(
  { done, notDone, isStopped }: BulkResult,
  total: number,
  { effect }: BulkOrder,
): string[] {
  return [
    `${done} of ${deliveries(total)} ${done === 1 ? 'is' : 'are'} ${effect}.`,
    ...summed(notDone).map(
      ({ count, why }) => `${count} ${count === 1 ? 'is' : 'are'} left alone: they ${why}.`,
    ),
    ...(isStopped ? ['Stopped between two batches. The same command goes on with the rest.'] : []),
  ];
}

const deliveries = (count: number) => `${count} ${count === 1 ? 'delivery' : 'deliveries'}`;

function groupJson({ status, source, error, count, inDoubt, forgotten }: ChosenGroup) {
  return { status, source, error, count, inDoubt, forgotten };
}
