import { Type } from 'typebox';
import type { RunItemRow, RunRow } from '../../db/newsletters-schema.ts';
import { iso } from '../../outbox/delivery-json.ts';
import type { RunProgress } from '../../sources/newsletters/runs/progress.ts';
import { closed } from '../schemas.ts';

/** A run, its list and the trigger's answer, as they are answered. */

/** 002-P4-07 */
export const triggerAnswer = Type.Object(
  {
    runId: Type.String({ format: 'uuid' }),
    notificationType: Type.String(),
    periodKey: Type.String(),
    dryRun: Type.Boolean(),
    eligibleCount: Type.Integer(),
    collectJobEnqueued: Type.Boolean(),
    existingRunId: Type.Optional(
      Type.String({ format: 'uuid', description: 'Where the run was there already: which.' }),
    ),
  },
  closed,
);

const orNull = (schema: ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>) =>
  Type.Union([schema, Type.Null()]);
const timeOrNull = orNull(Type.String({ format: 'date-time' }));
const counts = Type.Record(Type.String(), Type.Integer());

export const runAnswer = Type.Object(
  {
    runId: Type.String({ format: 'uuid' }),
    notificationType: Type.String(),
    periodKey: Type.String(),
    status: Type.Enum(['planned', 'expired', 'running', 'paused', 'halted', 'cancelled', 'finished']),
    because: orNull(Type.String()),
    isForced: Type.Boolean(),
    limit: orNull(Type.Integer()),
    eligibleCount: Type.Integer(),
    canary: Type.Union([
      Type.Object(
        {
          size: Type.Integer(),
          bouncesMax: Type.Integer(),
          waitMinutes: Type.Number(),
          passedAt: timeOrNull,
        },
        closed,
      ),
      Type.Null(),
    ]),
    createdBy: Type.String(),
    createdAt: Type.String({ format: 'date-time' }),
    planExpiresAt: timeOrNull,
    appliedAt: timeOrNull,
    endedAt: timeOrNull,
    sample: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
    progress: Type.Optional(
      Type.Object(
        { items: counts, reasons: counts, deliveries: counts, done: Type.Integer(), total: Type.Integer() },
        closed,
      ),
    ),
  },
  closed,
);

export function runJson(run: RunRow, progress?: RunProgress) {
  const { canary_size: size } = run;
  return {
    runId: run.run_id,
    notificationType: run.notification_type,
    periodKey: run.period_key,
    status: run.status,
    because: run.status_because,
    isForced: run.is_forced === 1,
    limit: run.limit_to,
    eligibleCount: run.eligible_count,
    canary:
      size === null
        ? null
        : {
            ...{ size, bouncesMax: run.canary_bounces_max ?? 0 },
            waitMinutes: (run.canary_wait_ms ?? 0) / 60_000,
            passedAt: iso(run.canary_passed_at),
          },
    createdBy: run.created_by,
    createdAt: iso(run.created_at),
    planExpiresAt: iso(run.plan_expires_at),
    appliedAt: iso(run.applied_at),
    endedAt: iso(run.ended_at),
    ...(progress && {
      sample: run.sample === null ? null : (JSON.parse(run.sample) as Record<string, unknown>),
      progress,
    }),
  };
}

export const runItem = Type.Object(
  {
    notificationId: Type.String(),
    userId: Type.String(),
    periodKey: Type.String(),
    state: Type.String(),
    reason: orNull(Type.String()),
    tries: Type.Integer(),
    deliverySeq: orNull(Type.Integer()),
  },
  closed,
);

export const runItemJson = (item: RunItemRow) => ({
  notificationId: item.notification_id,
  userId: item.user_id,
  periodKey: item.period_key,
  state: item.state,
  reason: item.reason,
  tries: item.tries,
  deliverySeq: item.delivery_seq,
});
