import { Type } from 'typebox';
import { type RunRow, runItemStates } from '../../db/newsletters-schema.ts';
import { iso } from '../../outbox/delivery-json.ts';
import { notificationTypes } from '../../sources/newsletters/notification-type.ts';
import { runItemJson, runJson } from '../../sources/newsletters/runs/run-json.ts';
import type { CanaryOrder } from '../../sources/newsletters/runs/run-order.ts';
import type { Runs } from '../../sources/newsletters/runs/runs.ts';
import type { Clock } from '../../std/clock.ts';
import { speaker } from '../gate.ts';
import { keptByCost } from '../kept.ts';
import { defineRoute, type Route } from '../route.ts';
import { by, closed, limit, line, why as maySay, nothing, reason, time } from '../schemas.ts';
import { runAnswer, runItem, triggerAnswer } from './run-shapes.ts';

/** Runs of newsletters and alerts: the specification's trigger, and beside it plans, canaries, and a hand on the switch. */
export interface RunParts {
  /** Left out where there are no newsletters. */
  runs?: Runs | undefined;
  clock: Clock;
}

/** A page asks every two seconds, and who looks at the same run shares what was counted. */
const progressKeptMs = 1_000;

const triggerPath = '/api/v1/notifications/trigger';
const path = '/api/v1/notifications/runs';

const canary = Type.Object(
  {
    size: Type.Integer({ minimum: 1, maximum: 10_000, description: 'How many are mailed first.' }),
    bouncesMax: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_000,
        description: 'More bounces and complaints than this stop the run; 0 if left out.',
      }),
    ),
    waitMinutes: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 10_080,
        description: 'How long to listen before the others follow; 60 if left out.',
      }),
    ),
  },
  closed,
);

const asked = {
  notificationType: Type.Enum([...notificationTypes]),
  periodKey: Type.Optional(
    line(10, 'As `2026-10`, `2026-Q3` or `2025`; if left out, the last period that is over.'),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'At most so many recipients.' }),
  ),
  force: Type.Optional(
    Type.Boolean({
      description: 'Look again although there was a run; nobody is told the same period twice.',
    }),
  ),
};

const runId = Type.Object({ runId: Type.String({ format: 'uuid' }) }, closed);
const why = Type.Object({ reason, by: Type.Optional(by) }, closed);
const noRun = { 404: 'There is no such run.' };

export function runRoutes({ runs, clock }: RunParts): Route[] {
  if (!runs) return [];
  const counted = keptByCost(progressKeptMs, clock, (name) => runs.progress(name.split(' ')[0] ?? ''));
  return [
    defineRoute({
      method: 'POST',
      path: triggerPath,
      summary: 'Tell everybody who asked for a type of notification of one period',
      who: ['trigger'],
      wrongKey: 'Invalid API key', // 002-P6-02
      query: nothing,
      body: Type.Object(
        {
          ...asked,
          dryRun: Type.Optional(Type.Boolean({ description: 'Count them, and do nothing.' })),
          canary: Type.Optional(canary),
          ...maySay,
        },
        closed,
      ),
      answers: {
        200: {
          when: 'The run was started, counted, or was there already (`collectJobEnqueued: false`).',
          schema: triggerAnswer,
        },
      },
      async handle({ body: { canary: few, by, reason: _, ...request }, caller }) {
        const who = { by: speaker(by, caller), canary: canaryOf(few) };
        return { status: 200, body: await runs.trigger(request, who) };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/notifications/plans',
      summary: 'Plan a run: who would get it, who not and why, and what they would read; kept for a day',
      who: ['trigger'],
      query: nothing,
      body: Type.Object({ ...asked, ...maySay, canary: Type.Optional(canary) }, closed),
      answers: { 201: { when: 'The plan.', schema: runAnswer } },
      async handle({ body: { canary: few, by, reason: _, ...request }, caller }) {
        const run = await runs.plan(request, { by: speaker(by, caller), canary: canaryOf(few) });
        return { status: 201, body: runJson(run, await runs.progress(run.run_id)) };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/notifications/plans/:runId/apply',
      summary: 'Do what was planned, once: exactly those, each looked at again',
      who: ['trigger'],
      params: runId,
      query: nothing,
      body: Type.Object({ ...maySay, canary: Type.Optional(canary) }, closed),
      answers: { 200: { when: 'The run has begun.', schema: runAnswer } },
      refusals: { 404: 'There is no such plan.', 409: 'The plan has expired, or was applied before.' },
      async handle({ params, body: { by, canary: few }, caller }) {
        const run = await runs.apply(params.runId, { by: speaker(by, caller), canary: canaryOf(few) });
        return { status: 200, body: runJson(run, await runs.progress(run.run_id)) };
      },
    }),
    defineRoute({
      method: 'GET',
      path,
      summary: 'List runs and plans, newest first',
      who: ['read', 'trigger'],
      query: Type.Object(
        {
          limit: Type.Optional(limit(100, 20)),
          before: Type.Optional(time('Only older ones: the `before` of `next`.')),
          beforeRun: Type.Optional(
            Type.String({
              format: 'uuid',
              description: 'Beside it, for runs of the same moment: the `beforeRun` of `next`.',
            }),
          ),
        },
        closed,
      ),
      answers: {
        200: {
          when: 'A page.',
          schema: Type.Object(
            {
              runs: Type.Array(runAnswer),
              next: Type.Union([
                Type.Object(
                  {
                    before: Type.String({ format: 'date-time' }),
                    beforeRun: Type.String({ format: 'uuid' }),
                  },
                  closed,
                ),
                Type.Null(),
              ]),
            },
            closed,
          ),
        },
      },
      async handle({ query: { limit: most = 20, before, beforeRun = '' } }) {
        const page = await runs.list({
          limit: most,
          before: before === undefined ? undefined : { created_at: Date.parse(before), run_id: beforeRun },
        });
        const last = page.length === most ? page.at(-1) : undefined;
        const body = {
          runs: page.map((run) => runJson(run)),
          next: last ? { before: iso(last.created_at), beforeRun: last.run_id } : null,
        };
        return { status: 200, body };
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/:runId`,
      summary: 'One run or plan, how far it is, and what the first of them reads',
      who: ['read', 'trigger'],
      params: runId,
      query: nothing,
      answers: { 200: { when: 'The run.', schema: runAnswer } },
      refusals: noRun,
      async handle({ params }) {
        const run = await runs.get(params.runId);
        // Counting goes through its whole list. What has just been paused, resumed or applied is not shown as it was before.
        return { status: 200, body: runJson(run, await counted(`${run.run_id} ${run.status}`)) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/:runId/items`,
      summary: 'Whom a run is for and who not, with the reasons',
      who: ['read', 'trigger'],
      params: runId,
      query: Type.Object(
        {
          limit: Type.Optional(limit(1_000, 100)),
          after: Type.Optional(line(64, 'Only what follows: the `after` of `next`.')),
          state: Type.Optional(Type.Enum([...runItemStates])),
        },
        closed,
      ),
      answers: {
        200: {
          when: 'A page.',
          schema: Type.Object(
            {
              items: Type.Array(runItem),
              next: Type.Union([Type.Object({ after: Type.String() }, closed), Type.Null()]),
            },
            closed,
          ),
        },
      },
      refusals: noRun,
      async handle({ params, query: { limit: most = 100, after = '', state } }) {
        const page = await runs.items(params.runId, {
          after,
          limit: most,
          ...(state && { state }),
        });
        const last = page.length === most ? page.at(-1) : undefined;
        const next = last ? { after: last.notification_id } : null;
        return { status: 200, body: { items: page.map(runItemJson), next } };
      },
    }),
    ...(['pause', 'resume', 'cancel'] as const).map((verb) => changeRoute(runs, verb)),
  ];
}

const summaries = {
  pause: 'Hold a run back: what waits stays where it is, what is on the wire finishes',
  resume: 'Go on with a run that was paused or that halted itself',
  cancel: 'End a run for good: what was not sent is not sent',
} as const;

function changeRoute(runs: Runs, verb: keyof typeof summaries): Route {
  return defineRoute({
    method: 'POST',
    path: `${path}/:runId/${verb}`,
    summary: summaries[verb],
    who: ['trigger'],
    params: runId,
    query: nothing,
    body: why,
    answers: { 200: { when: 'The run as it is now.', schema: runAnswer } },
    refusals: { ...noRun, 409: 'It is in a state from which that cannot be done.' },
    async handle({ params, body, caller }) {
      const run: RunRow = await runs[verb](params.runId, {
        because: body.reason,
        by: speaker(body.by, caller),
      });
      return { status: 200, body: runJson(run, await runs.progress(run.run_id)) };
    },
  });
}

const minuteMs = 60_000;

function canaryOf(
  few: { size: number; bouncesMax?: number; waitMinutes?: number } | undefined,
): CanaryOrder | undefined {
  if (few === undefined) return undefined;
  const { size, bouncesMax = 0, waitMinutes = 60 } = few;
  return { size, bouncesMax, waitMs: Math.round(waitMinutes * minuteMs) };
}
