import type { RunRow } from '../../../db/newsletters-schema.ts';
import type { Stage, StageJob } from '../../source.ts';
import type { BudgetData } from '../budget/budget-data.ts';
import { createRunCache } from '../budget/run-cache.ts';
import { countCanary, isCanary, judgeCanary } from './canary.ts';
import { type CollectParts, collectPage } from './collect.ts';
import { type ComposeParts, composeLongestMs, composePage, type Places, pagesToCompose } from './compose.ts';
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
/** How long a part of the work may take that a queue has named. */
const stageMs = 10_000;
/** Pages of mails that are named ahead: some seconds of work for a few processes. */
const pagesAhead = 32;

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
    if (run.status !== 'planned' && run.pass_after === null) {
      const collected = await collectPage(run, parts);
      const { composed, waiting } = await compose(run, composeMs);
      if (collected + composed > 0) return 'again';
      if (waiting > 0 && !isCanary(run)) return pauseMs;
    }
    return look(run);
  }

  async function compose(run: RunRow, longestMs: number, places?: Places) {
    const done = await composePage(run, { ...parts, budget: figuresOf(run.run_id), longestMs }, places);
    if (done.composed > 0) onComposed();
    return done;
  }

  /** What is to be done about a run as a whole, where no line of it can be taken further now. */
  async function look(run: RunRow): Promise<'again' | number> {
    if (run.status === 'planned') return expire(run);
    if (run.pass_after !== null) {
      await passPage(run, parts);
      if (run.status === 'running') onComposed();
      return 'again';
    }
    return isCanary(run) ? watchCanary(run) : finish(run);
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
    const limits = { ...run, waitMs: run.canary_wait_ms ?? 0 };
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

  async function atWork(): Promise<RunRow[]> {
    const runs = await runsAtWork(db);
    for (const runId of figures.keys()) if (!runs.some((run) => run.run_id === runId)) figures.delete(runId);
    return runs;
  }

  async function runOnce(signal?: AbortSignal): Promise<'again' | 'pause' | number> {
    const runs = await atWork();
    if (runs.length === 0 || !(await isLeader())) return 'pause';
    let isMore = false;
    for (const run of runs) {
      if (signal?.aborted) return 'pause';
      // Each gets a page in turn, and its share of the time: a small run need not wait for a large one.
      if ((await work(run, composeLongestMs / runs.length)) === 'again') isMore = true;
    }
    return isMore ? 'again' : 'pause';
  }

  const runOf = async ({ runId }: StageJob['data']) =>
    (await runsAtWork(db)).find(({ run_id }) => run_id === runId);

  /** Everything about a run but its words. */
  const collecting: Stage = {
    name: 'collect',
    async waiting() {
      return (await atWork()).map(({ run_id: runId, notification_type, period_key, dedupe_key }) => ({
        // 002-P5-03, 002-P5-04, with dashes (8.14).
        id: dedupe_key ?? `collect-${notification_type}-${period_key}-${runId}`,
        data: { runId },
      }));
    },
    async perform(job, signal) {
      const until = clock.monotonic() + stageMs;
      for (let run = await runOf(job); run && !signal.aborted; run = await runOf(job)) {
        const isList = run.status !== 'planned' && run.pass_after === null;
        const collected = isList ? await collectPage(run, parts) : 0;
        if (collected === 0 && (await look(run)) !== 'again') return;
        if (clock.monotonic() >= until) return;
      }
    },
  };

  const composing: Stage = {
    name: 'compose',
    async waiting() {
      const runs = (await atWork()).filter((run) => run.status === 'running' && run.pass_after === null);
      const jobs: StageJob[] = [];
      for (const run of runs) {
        const runId = run.run_id;
        const pages = await pagesToCompose(run, parts, Math.ceil(pagesAhead / runs.length));
        jobs.push(
          ...pages.map(({ first, end }) => ({
            id: `compose-${runId}-${first}`,
            data: { runId, first, end },
          })),
        );
      }
      return jobs;
    },
    async perform(job) {
      const run = await runOf(job);
      const places = { first: Number(job.first), end: Number(job.end) };
      if (run?.status === 'running' && run.pass_after === null) await compose(run, stageMs, places);
    },
  };

  return { runOnce, stages: [collecting, composing] };
}
