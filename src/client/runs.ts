import type { Call, CallOptions } from './call.ts';
import { each } from './each.ts';
import { pathOf } from './request.ts';
import type {
  Canary,
  PlanOrder,
  Run,
  RunDetails,
  RunItem,
  RunItemPage,
  RunItemQuery,
  RunPage,
  Triggered,
  TriggerOrder,
  Why,
} from './run-shapes.ts';
import { TidingsError } from './tidings-error.ts';

/** Telling everybody who asked of one period. Needs the key of triggers, or an operator's. */
export interface RunStarts {
  /** A second click finds the first one's run. With `force` each makes a run, and a lost answer is not asked for again. */
  trigger(order: TriggerOrder, options?: CallOptions): Promise<Triggered>;
  /** Who would get it, who not and why, and what they would read; kept for a day. */
  plan(order: PlanOrder, options?: CallOptions): Promise<RunDetails>;
  /** Does what was planned, once. */
  apply(
    runId: string,
    how?: { by?: string; reason?: string; canary?: Canary },
    options?: CallOptions,
  ): Promise<RunDetails>;
  runs: Runs;
}

export interface Runs {
  /** Newest first. */
  list(query?: { before?: string; limit?: number }, options?: CallOptions): Promise<RunPage>;
  each(options?: CallOptions): AsyncIterable<Run>;
  get(runId: string, options?: CallOptions): Promise<RunDetails>;
  items(runId: string, query?: RunItemQuery, options?: CallOptions): Promise<RunItemPage>;
  eachItem(runId: string, query?: RunItemQuery, options?: CallOptions): AsyncIterable<RunItem>;
  pause(runId: string, why: Why, options?: CallOptions): Promise<RunDetails>;
  resume(runId: string, why: Why, options?: CallOptions): Promise<RunDetails>;
  cancel(runId: string, why: Why, options?: CallOptions): Promise<RunDetails>;
}

const root = '/api/v1/notifications';

export function createRunStarts(call: Call): RunStarts {
  const runs = createRuns(call);
  return {
    runs,
    trigger: (order, options) => {
      const isRepeatable = order.force !== true || order.dryRun === true;
      return call({ method: 'POST', path: `${root}/trigger`, body: order, isRepeatable }, options);
    },
    // Each makes a plan of its own.
    plan: (order, options) =>
      call({ method: 'POST', path: `${root}/plans`, body: order, isRepeatable: false }, options),
    async apply(runId, how = {}, options) {
      const path = root + pathOf`/plans/${runId}/apply`;
      try {
        return await call({ method: 'POST', path, body: how, isRepeatable: true }, options);
      } catch (error) {
        // A plan is applied once, and the answer that said so got lost.
        const isOurs = error instanceof TidingsError && error.code === 'plan_used' && error.isInDoubt;
        const run = isOurs ? await runs.get(runId, options) : undefined;
        if (run && run.appliedAt !== null) return run;
        throw error;
      }
    },
  };
}

function createRuns(call: Call): Runs {
  const get = <Answer>(path: string, options?: CallOptions, query = {}) =>
    call<Answer>({ method: 'GET', path, query, isRepeatable: true }, options);
  const list: Runs['list'] = (query = {}, options) => get(`${root}/runs`, options, query);
  const items: Runs['items'] = async (runId, query = {}, options) =>
    get(root + pathOf`/runs/${runId}/items`, options, query);
  // Asked for twice, it is answered with the run as it is.
  const change = async (runId: string, verb: string, why: Why, options?: CallOptions) =>
    call<RunDetails>(
      { method: 'POST', path: root + pathOf`/runs/${runId}/${verb}`, body: why, isRepeatable: true },
      options,
    );
  return {
    list,
    each: (options) =>
      each(async (cursor: { before: string } | undefined) => {
        const { runs, next } = await list(cursor ?? {}, options);
        return { items: runs, next };
      }),
    get: async (runId, options) => get(root + pathOf`/runs/${runId}`, options),
    items,
    eachItem: (runId, query = {}, options) =>
      each((cursor: { after: string } | undefined) => items(runId, { ...query, ...cursor }, options)),
    pause: (runId, why, options) => change(runId, 'pause', why, options),
    resume: (runId, why, options) => change(runId, 'resume', why, options),
    cancel: (runId, why, options) => change(runId, 'cancel', why, options),
  };
}
