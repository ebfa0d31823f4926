import type { RunRow } from '../../../db/newsletters-schema.ts';
import { iso } from '../../../outbox/delivery-json.ts';
import type { CanaryCounts } from './canary.ts';
import type { RunProgress } from './progress.ts';
import type { ListedItem } from './run-items.ts';

/** A run and its list for programs, over HTTP and on the command line: our words, times in ISO 8601. */
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
      progress: {
        ...progress,
        canary: progress.canary && canaryJson(progress.canary, run),
        countedAt: iso(progress.countedAt),
      },
    }),
  };
}

/** Silence has to last before it counts as good news: until then nobody else is mailed. */
function canaryJson({ accepted, open, stuck, bad, lastAcceptedAt }: CanaryCounts, run: RunRow) {
  const isListening = open === 0 && lastAcceptedAt !== null && run.status === 'running';
  const listensUntil = isListening ? iso(lastAcceptedAt + (run.canary_wait_ms ?? 0)) : null;
  return { accepted, open, stuck, bad, listensUntil };
}

export const runItemJson = (item: ListedItem) => ({
  notificationId: item.notification_id,
  userId: item.user_id,
  periodKey: item.period_key,
  state: item.state,
  reason: item.reason,
  tries: item.tries,
  deliverySeq: item.delivery_seq,
  deliveryStatus: item.delivery_status,
  deliveryError: item.delivery_error,
});
