import { arrow } from '../domain/lifecycle.ts';
import type { Status } from '../domain/status.ts';
import type { Engine } from '../engine.ts';
import { type Choice, type ChosenGroup, countChosen, readChosen } from '../outbox/choose.ts';
import type { OperatorVerb } from '../outbox/operator.ts';
import { type ChoiceOptions, wordsOf } from './choice.ts';
import type { Context } from './context.ts';
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
  const total = Math.min(
    limit,
    groups.reduce((sum, { count }) => sum + count, 0),
  );
  const { terminal } = context;
  if (!yes) {
    const examples = await examplesOf(engine, choice, groups);
    if (json) {
      const command = commandOf(order);
      return terminal.json({ isDryRun: true, total, groups: groups.map(groupJson), examples, command });
    }
    return terminal.print(...tellDryRun({ total, groups, examples }, order, terminal));
  }
  const result = await performAll(engine, choice, { ...order, groups, total }, terminal);
  if (result.done < total || result.isStopped) context.exitCode = 1;
  if (json) return terminal.json({ isDryRun: false, total, ...result });
  terminal.print(...tellResult(result, total, order));
}

interface BulkResult {
  done: number;
  notDone: { status: Status | null; count: number; why: string }[];
  isStopped: boolean;
}

async function performAll(
  { db, outbox, clock }: Engine,
  choice: Choice,
  { verb, reason, groups, total, options }: BulkOrder & { groups: ChosenGroup[]; total: number },
  terminal: Terminal,
): Promise<BulkResult> {
  const upTo = Math.max(0, ...groups.map(({ highest }) => highest));
  const left = new Map<Status | null, number>();
  const interrupted = untilInterrupted();
  let [done, seen, above] = [0, 0, 0];
  try {
    while (seen < total && !interrupted.is) {
      const limit = Math.min(batchSize, total - seen);
      const seqs = await readChosen(db, choice, { above, upTo, limit });
      if (seqs.length === 0) break;
      const answers = await outbox.perform(seqs, { verb, reason, operator: operatorName() });
      for (const { changed, status } of answers) {
        if (changed) done += 1;
        else left.set(status, (left.get(status) ?? 0) + 1);
      }
      seen += seqs.length;
      above = seqs.at(-1) ?? upTo;
      if (!options.json && total > batchSize) terminal.progress(`${seen} of ${total} …`);
      // A synchronous driver would leave no moment at which a signal is heard.
      await clock.nextTurn();
    }
  } finally {
    interrupted.forget();
  }
  const notDone = [...left].map(([status, count]) => ({ status, count, why: whyLeft(status) }));
  return { done, notDone, isStopped: interrupted.is && seen < total };
}

/** Ctrl-C is heard between two batches; a second one ends the process where it stands. */
function untilInterrupted() {
  const state = { is: false, forget: () => void process.off('SIGINT', onSignal) };
  function onSignal() {
    if (state.is) process.exit(1);
    state.is = true;
  }
  process.on('SIGINT', onSignal);
  return state;
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
    default:
      return `are ${status}: there is nothing to decide`;
  }
}

/** Those of a group that the life-cycle table does not move at this word. */
function leftAlone({ status, count, inDoubt }: ChosenGroup, verb: OperatorVerb) {
  const canMove = verb === 'requeued' ? arrow(status, 'requeued') !== undefined : status === 'needs_review';
  const left = !canMove ? count : verb === 'requeued' ? inDoubt : 0;
  return left === 0 ? [] : [{ count: left, why: whyLeft(status) }];
}

interface Example {
  seq: number;
  to: string;
  occasion: string;
}

async function examplesOf({ db, queries }: Engine, choice: Choice, groups: readonly ChosenGroup[]) {
  const upTo = Math.max(0, ...groups.map(({ highest }) => highest));
  const examples: Example[] = [];
  for (const seq of await readChosen(db, choice, { above: 0, upTo, limit: examplesMax })) {
    const row = await queries.find(String(seq));
    if (row)
      examples.push({ seq, to: row.to_email ?? row.recipient, occasion: `${row.source}: ${row.occasion}` });
  }
  return examples;
}

const groupColumns: Column<ChosenGroup>[] = [
  { title: 'COUNT', cell: ({ count }) => String(count), isNumber: true },
  { title: 'STATUS', cell: ({ status }) => status },
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
    groups,
    examples,
  }: { total: number; groups: readonly ChosenGroup[]; examples: readonly Example[] },
  order: BulkOrder,
  { paint, columns: columnsMax }: Terminal,
): string[] {
  if (total === 0)
    return ['No delivery matches. Leave out a filter, or see what there is: npx tidings deliveries list'];
  const options = { columnsMax, paintTitle: paint.dim };
  const left = groups.flatMap((group) => leftAlone(group, order.verb));
  const leftCount = left.reduce((sum, { count }) => sum + count, 0);
  return [
    `Dry run: ${deliveries(Math.max(0, total - leftCount))} would be ${order.effect}. Nothing has been changed.`,
    ...left.map(({ count, why }) => `${count} would be left alone: they ${why}.`),
    '',
    ...table(groups, groupColumns, options),
    '',
    ...table(examples, exampleColumns, options),
    '',
    `Do it: ${commandOf(order)}`,
  ];
}

function commandOf({ command, decision, reason, options }: BulkOrder): string {
  const chosen = wordsOf(options);
  const words = [...(decision === null ? [] : [decision]), ...(chosen === '' ? [] : [chosen])];
  return `npx tidings deliveries ${command} ${words.join(' ')} --reason ${shellWord(reason)} --yes`;
}

function tellResult(
  { done, notDone, isStopped }: BulkResult,
  total: number,
  { effect }: BulkOrder,
): string[] {
  if (total === 0) return ['No delivery matches: nothing to do.'];
  return [
    `${done} of ${deliveries(total)} ${done === 1 ? 'is' : 'are'} ${effect}.`,
    ...notDone.map(({ count, why }) => `${count} ${count === 1 ? 'is' : 'are'} left alone: they ${why}.`),
    ...(isStopped ? ['Stopped between two batches. The same command goes on with the rest.'] : []),
  ];
}

const deliveries = (count: number) => `${count} ${count === 1 ? 'delivery' : 'deliveries'}`;

function groupJson({ status, source, error, count, inDoubt }: ChosenGroup) {
  return { status, source, error, count, inDoubt };
}
