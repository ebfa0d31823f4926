import type { RunRow } from '../../../db/newsletters-schema.ts';
import type { BudgetData } from '../budget/budget-data.ts';
import { createRunCache } from '../budget/run-cache.ts';
import { countCanary, isCanary, judgeCanary } from './canary.ts';
import { type CollectParts, collectPage } from './collect.ts';
import { type ComposeParts, composeLongestMs, composePage } from './compose.ts';
import { passPage } from './pass.ts';
import { lockRun, runsAtWork, setRun } from './run-rows.ts';

/**
 * What runs need done, a page at a time: collected, composed, watched, held back, let go, ended. Nothing is remembered between two
 * pages but what the database says, so any process may do the next one, and only one does.
 */
export interface RunWorkParts extends CollectParts, Omit<ComposeParts, 'outbox'> {
  outbox: CollectParts['outbox'] & ComposeParts['outbox'];
  /** Only one process works at runs; a courtesy and not the protection. */
  isLeader: () => Promise<boolean>;
  /** Mails were let go. */
  onComposed: () => void;
}

export const runPauseMs = 1_000;
const pauseMs = runPauseMs;
/** More entities than there are in the country, at about a kilobyte each. */
const figuresMax = 5_000;

export function createRunWork(
  parts: RunWorkParts,
  { halt }: { halt: (runId: string, because: string) => Promise<unknown> },
) {
  const { db, clock, log, isLeader, onComposed } = parts;
  /** Figures are asked for once a run: those who follow the same entity are spread over its pages. */
  const figures = new Map<string, BudgetData>();

  function figuresOf(runId: string): BudgetData {
    const known = figures.get(runId) ?? createRunCache(parts.budget, { entriesMax: figuresMax });
    figures.set(runId, known);
    return known;
  }

  /** One page for a run that is at work. Answers whether it got further, or how long it has to wait. */
  async function work(run: RunRow, composeMs: number): Promise<'again' | number> {
    if (run.status === 'planned') return expire(run);
    if (run.pass_after !== null) {
      await passPage(run, parts);
      if (run.status === 'running') onComposed();
      return 'again';
    }
    const collected = await collectPage(run, parts);
    const composing = { ...parts, budget: figuresOf(run.run_id), longestMs: composeMs };
    const { composed, waiting } = await composePage(run, composing);
    if (composed > 0) onComposed();
    if (collected + composed > 0) return 'again';
    if (isCanary(run)) return watchCanary(run);
    return waiting > 0 ? pauseMs : finish(run);
  }

  async function expire({ run_id: runId, plan_expires_at }: RunRow): Promise<'again' | number> {
    const leftMs = (plan_expires_at ?? 0) - clock.now();
    if (leftMs > 0) return leftMs;
    await db.transaction(async (tx) => {
      if (await lockRun(tx, db.dialect, runId, ['planned']))
        await setRun(tx, runId, { status: 'expired', ended_at: clock.now() }, clock.now());
    });
    return 'again';
  }

  async function watchCanary(run: RunRow): Promise<'again' | number> {
    const { canary_size } = run;
    const limits = { canary_size, bouncesMax: run.canary_bounces_max ?? 0, waitMs: run.canary_wait_ms ?? 0 };
    const verdict = await db.transaction(async (tx) => {
      if (!(await lockRun(tx, db.dialect, run.run_id, ['running']))) return undefined;
      const judged = judgeCanary(await countCanary(tx, run), limits, clock.now());
      if (judged.kind === 'passed')
        await setRun(tx, run.run_id, { canary_passed_at: clock.now() }, clock.now());
      return judged;
    });
    if (verdict?.kind === 'wait') return verdict.waitMs;
    if (verdict?.kind === 'halt') {
      log.warn('newsletters.run_halted', { runId: run.run_id });
      await halt(run.run_id, verdict.because);
    }
    return 'again';
  }

  /** Where every line has come to its end. Those whose figures are still waited for keep it running. */
  async function finish({ run_id: runId }: RunRow): Promise<'again' | number> {
    const isDone = await db.transaction(async (tx) => {
      const run = await lockRun(tx, db.dialect, runId, ['running']);
      if (!run || run.pass_after !== null) return false;
      const open = await tx
        .selectFrom('notification_run_items')
        .select('notification_id')
        .where('run_id', '=', runId)
        .where('state', 'in', ['planned', 'collected'])
        .limit(1)
        .executeTakeFirst();
      if (open) return false;
      await setRun(tx, runId, { status: 'finished', ended_at: clock.now() }, clock.now());
      return true;
    });
    if (!isDone) return pauseMs;
    figures.delete(runId);
    log.info('newsletters.run_finished', { runId });
    return 'again';
  }

  async function runOnce(signal?: AbortSignal): Promise<'again' | 'pause' | number> {
    const runs = await runsAtWork(db);
    for (const runId of figures.keys()) if (!runs.some((run) => run.run_id === runId)) figures.delete(runId);
    if (runs.length === 0 || !(await isLeader())) return 'pause';
    let isMore = false;
    for (const run of runs) {
      if (signal?.aborted) return 'pause';
      // Each gets a page in turn, and its share of the time: a small run need not wait for a large one.
      if ((await work(run, composeLongestMs / runs.length)) === 'again') isMore = true;
    }
    return isMore ? 'again' : 'pause';
  }

  return { runOnce };
}
