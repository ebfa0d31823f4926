import type { Command } from 'commander';
import type { Settled } from '../../dispatch/reconcile.ts';
import { hindrancesOf } from '../../domain/hindrances.ts';
import type { Engine } from '../../engine.ts';
import { stateOf } from '../../outbox/rows.ts';
import { withChange } from '../change.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { untilInterrupted } from '../interrupted.ts';
import { printable } from '../printable.ts';
import type { Terminal } from '../terminal.ts';

interface RunOptions {
  all?: boolean;
  json?: boolean;
}

export function addReconcileRun(reconcile: Command, context: Context): void {
  const { terminal } = context;
  reconcile
    .command('run')
    .description(
      'Look into what is in doubt, now and once each, beside a running server or without one; nothing is sent on a guess',
    )
    .option('--all', 'also what waits for a later look, unless somebody holds it')
    .option(...jsonOption)
    .addHelpText('after', example('reconcile run', 'reconcile run --all'))
    .action(async ({ all = false, json = false }: RunOptions) => {
      await withChange(context, async (engine) => {
        const result = await walkAll(engine, all, json ? undefined : terminal);
        const { counts, isStopped, heldBack, elsewhere } = result;
        const later = counts.total === 0 ? await countWaiting(engine) : 0;
        if (heldBack.length > 0 || isStopped) context.exitCode = 1;
        if (json) return terminal.json({ ...counts, isStopped, heldBack, elsewhere, waiting: later });
        terminal.print(...summary(counts, { isStopped, heldBack, later, all }));
        terminal.print(...elsewhere.map((account) => tellElsewhere(account, engine.provider.account)));
      });
    });
}

interface Counts {
  total: number;
  sent: number;
  notSent: number;
  needsReview: number;
  stillInDoubt: number;
  /** Word came, or somebody else was quicker, while it was looked into. */
  otherwise: number;
}

async function walkAll(engine: Engine, isEarly: boolean, terminal: Terminal | undefined) {
  const { sweep, reconcile, clock } = engine;
  const counts: Counts = { total: 0, sent: 0, notSent: 0, needsReview: 0, stillInDoubt: 0, otherwise: 0 };
  const interrupted = untilInterrupted();
  const { signal } = interrupted;
  let above = 0;
  let heldBack: string[] = [];
  const heldBy = new Set<string>();
  let isDone = false;
  let isMore = false;
  let isAgain = false;

  /** What a worker that is gone was sending, and what is said to be sent, is in doubt only once somebody has seen it. */
  async function findDoubts(): Promise<number> {
    let total = 0;
    for (let isFound = true; isFound && !signal.aborted; ) {
      const { recovered, doubted, unproven } = await sweep.runOnce();
      total += recovered + doubted;
      isFound = recovered + doubted > 0 || unproven === 'more';
      isMore = unproven === 'later';
    }
    return total;
  }

  try {
    await findDoubts();
    while (!isDone && heldBack.length === 0 && !signal.aborted) {
      const { settled, next, waitMs } = await reconcile.walk({ above, isEarly: isEarly && !isAgain }, signal);
      for (const one of settled) {
        if (one.heldBy !== null && one.status === 'reconciling') heldBy.add(one.heldBy);
        counts.total += 1;
        counts[endOf(one)] += 1;
      }
      if (settled.length > 0) terminal?.progress(`${counts.total} looked into …`);
      above = next ?? above;
      isDone = next === null;
      if (waitMs !== null) {
        // The rate is waited for; a pause, or a provider that is down, may last.
        const reasons = await whyHeldBack(engine);
        heldBack = reasons ?? [];
        isDone = reasons === null;
        if (reasons?.length === 0) await clock.sleep(Math.max(1, waitMs), signal);
      }
      if (isDone && isMore && (await findDoubts()) > 0) {
        // From the first number on, and of those that have been looked into only what is due again.
        isDone = false;
        isAgain = true;
        above = 0;
      }
      // A synchronous driver would leave no moment at which a signal is heard.
      await clock.nextTurn();
    }
  } finally {
    interrupted.forget();
  }
  return { counts, heldBack, elsewhere: [...heldBy].sort(), isStopped: interrupted.is && !isDone };
}

function endOf({ event, status }: Settled): Exclude<keyof Counts, 'total'> {
  if ((event === 'still_unknown' || event === 'key_conflict') && status === 'reconciling')
    return 'stillInDoubt';
  if (event === 'undecidable' && status === 'needs_review') return 'needsReview';
  if (event === 'not_at_provider' && status === 'failed_transient') return 'notSent';
  return event === 'accepted' && status === 'sent' ? 'sent' : 'otherwise';
}

/** Null where nothing is in doubt; nothing, where only the rate holds it back. */
async function whyHeldBack({ db, clock, queries, provider }: Engine): Promise<string[] | null> {
  const { readSurroundings } = await import('../../dispatch/circumstances.ts');
  const [row] = await queries.search({ status: ['reconciling'], limit: 1 });
  if (!row) return null;
  const surroundings = await readSurroundings(db, clock, provider.account);
  const circumstances = await surroundings.around({ address: null });
  const delivery = { source: row.source, state: { ...stateOf(row), lockedBy: null } };
  // Of a source that is paused nothing leaves again, but it may be looked up.
  const pauses = circumstances.pauses.filter(({ scope }) => scope === '*');
  return hindrancesOf(delivery, { ...circumstances, pauses })
    .filter(({ kind }) => kind === 'pause' || kind === 'provider')
    .map(({ sentence, remedy }) => printable(remedy ? `${sentence} ${remedy.command}` : sentence));
}

async function countWaiting({ queries }: Engine): Promise<number> {
  return (await queries.counts())
    .filter(({ status }) => status === 'reconciling')
    .reduce((sum, { count }) => sum + count, 0);
}

function summary(
  counts: Counts,
  {
    isStopped,
    heldBack,
    later,
    all,
  }: { isStopped: boolean; heldBack: string[]; later: number; all: boolean },
): string[] {
  const { total, sent, notSent, needsReview, stillInDoubt, otherwise } = counts;
  const line = (count: number, words: string) => (count === 0 ? [] : [`${count} ${words}`]);
  return [
    ...(total === 0 && heldBack.length === 0 ? [nothingToDo(later, all)] : []),
    ...(total === 0 ? [] : [`Looked into ${total} ${total === 1 ? 'delivery' : 'deliveries'}:`]),
    ...line(sent, 'sent: the provider has them, and nothing went out twice.'),
    ...line(notSent, 'not sent: the provider does not have them, and they are tried again.'),
    ...line(needsReview, 'need a person: nobody can find out. See them: npx tidings reconcile list'),
    ...line(stillInDoubt, 'still in doubt: they are looked into again, by themselves.'),
    ...line(otherwise, 'settled otherwise meanwhile.'),
    ...heldBack.map((sentence) => `Held back: ${sentence}`),
    ...(isStopped ? ['Stopped between two batches. The same command goes on with the rest.'] : []),
  ];
}

function tellElsewhere(account: string, ours: string): string {
  return printable(
    `Some are held by the account ${account}, and this command asks ${ours}: run it with the settings of the server that sends by ${account}.`,
  );
}

function nothingToDo(later: number, all: boolean): string {
  if (later === 0)
    return 'Nothing is in doubt that could be looked into. What waits for a person: npx tidings reconcile list';
  const are = later === 1 ? '1 is' : `${later} are`;
  return all
    ? `${are} in doubt, and somebody is looking into it at this moment.`
    : `Nothing is due: ${are} in doubt and looked into later, by itself. Now: npx tidings reconcile run --all`;
}
