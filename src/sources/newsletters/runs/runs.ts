import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { RunRow, RunStatus } from '../../../db/newsletters-schema.ts';
import type { Ids } from '../../../std/ids.ts';
import { Refusal } from '../../../std/refusal.ts';
import type { Chore } from '../../source.ts';
import { type RunProgress, readProgress } from './progress.ts';
import { type ItemsPage, type ListedItem, readItemPage } from './run-items.ts';
import { type CanaryOrder, readCanary, readRunOrder, type TriggerRequest } from './run-order.ts';
import { hasUndecided, lockRun, type RunUnderWay, runsUnderWay, setRun } from './run-rows.ts';
import { createRunWork, type RunWorkParts, runPauseMs } from './run-work.ts';
import { plannedSample } from './sample.ts';
import { applyPlan, candidateOrderOf, countEligible, dedupeKeyOf, insertRun } from './starting.ts';

/**
 * Runs: everybody who asked for a type of notification is told of one period, once. A run is a list that is made at one
 * moment; it is collected, composed and sent page by page, survives a death between any two of them, and can be planned first,
 * tried on a few, paused, and ended. A second click finds the first one's run; a forced run looks again and mails nobody twice.
 */
export interface Runs {
  /** The specification's trigger (002-P6). */
  trigger(request: TriggerRequest, who: Who): Promise<TriggerResponse>;
  /** The same as a dry run that is kept: to be read, and then applied as it is. */
  plan(request: TriggerRequest, who: Who): Promise<RunRow>;
  /** Once, and not after it has expired. */
  apply(runId: string, who: Who): Promise<RunRow>;
  pause(runId: string, why: Why): Promise<RunRow>;
  resume(runId: string, why: Why): Promise<RunRow>;
  cancel(runId: string, why: Why): Promise<RunRow>;
  /** Newest first, behind the last one of the page before. */
  list(page: {
    before?: Pick<RunRow, 'created_at' | 'run_id'> | undefined;
    limit: number;
  }): Promise<RunRow[]>;
  get(runId: string): Promise<RunRow>;
  /** Goes through its whole list: not for whoever looks every second. */
  progress(runId: string): Promise<RunProgress>;
  /** Whom it is for, and who not; by notification. */
  items(runId: string, page: ItemsPage): Promise<ListedItem[]>;
  /** What is begun and not at its end, newest first: for whoever looks every second. */
  underWay(): Promise<RunUnderWay[]>;
  /** One turn of everything that runs need. Answers whether more waits, or for how long nothing does. */
  runOnce(signal?: AbortSignal): Promise<'again' | 'pause' | number>;
  readonly chore: Chore;
}

interface Who {
  by: string;
  canary?: CanaryOrder | undefined;
}

interface Why {
  by: string;
  because: string;
}

export interface TriggerResponse {
  runId: string;
  notificationType: string;
  periodKey: string;
  dryRun: boolean;
  eligibleCount: number;
  collectJobEnqueued: boolean;
  /** Where the run was there already: which. */
  existingRunId?: string;
}

export interface RunsParts extends RunWorkParts {
  ids: Pick<Ids, 'uuid'>;
}

/** A plan is read and applied within a day; what it shows is older than that by then. */
const planLastsMs = 24 * 3_600_000;

export function createRuns(parts: RunsParts): Runs {
  const { db, clock, ids, log } = parts;
  let wakeChore = () => {};

  async function get(runId: string): Promise<RunRow> {
    const run = await db.read
      .selectFrom('notification_runs')
      .selectAll()
      .where('run_id', '=', runId)
      .executeTakeFirst();
    if (!run)
      throw new Refusal(
        'run_not_found',
        'There is no such run. `npx tidings runs list` shows those there are.',
      );
    return run;
  }

  /**
   * A change of mind, from the states in which it makes sense: asked for twice, it is answered with the run as it is. One that is
   * finished is composed as a whole, and its mails may be leaving for hours: until the last of them has, it can be stopped.
   */
  async function change(
    runId: string,
    to: RunStatus,
    from: readonly RunStatus[],
    { by, because }: Why,
  ): Promise<RunRow> {
    const before = await get(runId);
    if (before.status === to) return before;
    const isDone = await db.transaction(async (tx) => {
      const run = await lockRun(tx, db.dialect, runId, from);
      if (!run || (run.status === 'finished' && !(await hasUndecided(tx, runId)))) return false;
      const isPlan = run.status === 'planned';
      await setRun(
        tx,
        runId,
        {
          ...{ status: to, status_because: `${because} (${by})`, pass_after: isPlan ? null : 0 },
          // Whoever lets a halted run go on has seen what its first mails met.
          ...(run.status === 'halted' && to === 'running' && { canary_passed_at: clock.now() }),
          ...(to === 'cancelled' ? { dedupe_key: null, ended_at: clock.now() } : { ended_at: null }),
        },
        clock.now(),
      );
      return true;
    });
    const after = await get(runId);
    if (!isDone && after.status !== to) throw notFrom(after, to);
    log.info('newsletters.run_changed', { runId, status: to });
    wakeChore();
    return after;
  }

  const { runOnce, stages } = createRunWork(parts, {
    halt: (runId, because) => change(runId, 'halted', ['running'], { by: 'canary', because }),
  });

  return {
    async trigger(request, { by, canary }) {
      const runId = ids.uuid();
      const order = readRunOrder(request, clock.now());
      const among = await candidateOrderOf(order, parts);
      const { dryRun = false, force = false } = request;
      const answer = { runId, notificationType: order.type, periodKey: order.period.key, dryRun };
      const count = () => countEligible(db, among, order.limit);
      if (dryRun) return { ...answer, eligibleCount: await count(), collectJobEnqueued: false };
      const eligible = await db.transaction((tx) =>
        insertRun(
          tx,
          {
            ...{ runId, order, by, traceId: runId, status: 'running', isForced: force, planExpiresAt: null },
            dedupeKey: force ? null : dedupeKeyOf(order.type, order.period.key),
            canary: readCanary(canary),
          },
          among,
          parts,
        ),
      );
      if (eligible === undefined) {
        const existing = await runOf(db, dedupeKeyOf(order.type, order.period.key));
        return { ...answer, eligibleCount: await count(), collectJobEnqueued: false, ...existing };
      }
      log.info('newsletters.run_started', { runId, type: order.type, periodKey: order.period.key, eligible });
      wakeChore();
      return { ...answer, eligibleCount: eligible, collectJobEnqueued: true };
    },

    async plan(request, { by, canary }) {
      const runId = ids.uuid();
      const order = readRunOrder(request, clock.now());
      const among = await candidateOrderOf(order, parts);
      await db.transaction((tx) =>
        insertRun(
          tx,
          {
            ...{ runId, order, by, traceId: runId, status: 'planned', isForced: request.force ?? false },
            ...{ dedupeKey: null, canary: readCanary(canary), planExpiresAt: clock.now() + planLastsMs },
          },
          among,
          parts,
        ),
      );
      const sample = await plannedSample(runId, parts).catch((error: unknown) => {
        log.warn('newsletters.sample_failed', { runId, error });
        return null;
      });
      await db.transaction((tx) => setRun(tx, runId, { sample }, clock.now()));
      return get(runId);
    },

    async apply(runId, { by, canary }) {
      const few = readCanary(canary);
      const isDone = await db.transaction((tx) => applyPlan(tx, runId, { by, canary: few }, parts));
      const run = await get(runId);
      if (!isDone) throw cannotApply(run);
      log.info('newsletters.run_started', { runId, type: run.notification_type, periodKey: run.period_key });
      wakeChore();
      return run;
    },

    pause: (runId, why) => change(runId, 'paused', ['running', 'halted', 'finished'], why),
    resume: (runId, why) => change(runId, 'running', ['paused', 'halted'], why),
    cancel: (runId, why) =>
      change(runId, 'cancelled', ['planned', 'running', 'paused', 'halted', 'finished'], why),

    list({ before, limit }) {
      let found = db.read.selectFrom('notification_runs').selectAll();
      if (before)
        found = found.where(sql<boolean>`(created_at, run_id) < (${before.created_at}, ${before.run_id})`);
      return found.orderBy('created_at', 'desc').orderBy('run_id', 'desc').limit(limit).execute();
    },
    get,
    async progress(runId) {
      return readProgress(db, await get(runId), clock.now());
    },
    async items(runId, page) {
      await get(runId);
      return readItemPage(db, runId, page);
    },
    underWay: () => runsUnderWay(db),
    runOnce,
    chore: {
      ...{ name: 'newsletter-runs', pauseMs: runPauseMs, stages },
      once: runOnce,
      wokenBy(wake) {
        wakeChore = wake;
      },
    },
  };
}

function notFrom({ status }: RunRow, to: RunStatus): Refusal {
  return new Refusal('run_not_changed', `The run is ${status} and cannot become ${to} from there.`, {
    status,
  });
}

function cannotApply({ status }: RunRow): Refusal {
  const isOver = status === 'planned' || status === 'expired';
  const sentence = isOver
    ? 'The plan has expired: people have come and gone since. Make a new one.'
    : `A plan is applied once, and this one is ${status}. Make a new one.`;
  return new Refusal(isOver ? 'plan_expired' : 'plan_used', sentence, { status });
}

async function runOf(db: Database, dedupeKey: string): Promise<{ existingRunId?: string }> {
  const run = await db.read
    .selectFrom('notification_runs')
    .select('run_id')
    .where('dedupe_key', '=', dedupeKey)
    .executeTakeFirst();
  return run ? { existingRunId: run.run_id } : {};
}
