import { Type } from 'typebox';
import { closed, status } from '../schemas.ts';

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

/** Where there is a canary that has not passed: what its mails have met so far. */
const canaryProgress = Type.Union([
  Type.Object(
    {
      accepted: Type.Integer(),
      open: Type.Integer({ description: 'Not composed, not accepted, or being settled.' }),
      stuck: Type.Integer({ description: 'Their figures were asked for again and again.' }),
      bad: Type.Integer({ description: 'Bounced, complained about, or refused for good.' }),
      listensUntil: timeOrNull,
    },
    closed,
  ),
  Type.Null(),
]);

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
        {
          ...{ items: counts, reasons: counts, deliveries: counts },
          ...{ done: Type.Integer(), total: Type.Integer(), canary: canaryProgress },
          countedAt: Type.String({
            format: 'date-time',
            description: 'What takes long to count is counted less often: at least twice a minute.',
          }),
        },
        closed,
      ),
    ),
  },
  closed,
);

export const runItem = Type.Object(
  {
    notificationId: Type.String(),
    userId: Type.String(),
    periodKey: Type.String(),
    state: Type.String(),
    reason: orNull(Type.String()),
    tries: Type.Integer(),
    deliverySeq: orNull(Type.Integer()),
    deliveryStatus: Type.Union([status, Type.Null()]),
    deliveryError: orNull(Type.String()),
  },
  closed,
);
