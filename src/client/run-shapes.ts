import type { DeliveryStatus } from './delivery-shapes.ts';
import type { NotificationType } from './notification-shapes.ts';

/** Runs of newsletters and alerts as they are asked for and answered. */
export interface RunOrder {
  notificationType: NotificationType;
  /** `2026-10`, `2026-Q3` or `2025`; if left out, the last period that is over. */
  periodKey?: string | undefined;
  /** At most so many recipients. */
  limit?: number | undefined;
  /** Look again although there was a run; nobody is told the same period twice. */
  force?: boolean | undefined;
  canary?: Canary | undefined;
  /** Who says so, for the story. */
  by?: string | undefined;
  /** Why; for the audit log. */
  reason?: string | undefined;
}

export interface TriggerOrder extends RunOrder {
  /** Count them, and do nothing. */
  dryRun?: boolean | undefined;
}

export type PlanOrder = RunOrder;

/** A few first: more bounces than that stop the run, otherwise the others follow. */
export interface Canary {
  size: number;
  bouncesMax?: number | undefined;
  waitMinutes?: number | undefined;
}

export interface Triggered {
  runId: string;
  notificationType: string;
  periodKey: string;
  dryRun: boolean;
  eligibleCount: number;
  /** False where the run was there already. After a retry it may be false although this call started it. */
  collectJobEnqueued: boolean;
  /** Where the run was there already: which. */
  existingRunId?: string;
}

export type RunStatus = 'planned' | 'expired' | 'running' | 'paused' | 'halted' | 'cancelled' | 'finished';

export interface Run {
  runId: string;
  notificationType: string;
  periodKey: string;
  status: RunStatus;
  because: string | null;
  isForced: boolean;
  limit: number | null;
  eligibleCount: number;
  canary: { size: number; bouncesMax: number; waitMinutes: number; passedAt: string | null } | null;
  createdBy: string;
  createdAt: string;
  planExpiresAt: string | null;
  appliedAt: string | null;
  endedAt: string | null;
}

/** One run on its own also says how far it is, and what the first of them reads. */
export interface RunDetails extends Run {
  sample: Record<string, unknown> | null;
  progress: RunProgress;
}

export interface RunProgress {
  items: Record<string, number>;
  reasons: Record<string, number>;
  deliveries: Record<string, number>;
  done: number;
  total: number;
  /** What the first mails met; null without a canary, and where it has passed. */
  canary: CanaryProgress | null;
  /** What takes long to count is counted less often. */
  countedAt: string;
}

export interface CanaryProgress {
  accepted: number;
  /** Not composed, not accepted, or being settled. */
  open: number;
  /** Their figures were asked for again and again. */
  stuck: number;
  /** Bounced, complained about, or refused for good. */
  bad: number;
  /** Where all of them are accepted: how long bounces are waited for. */
  listensUntil: string | null;
}

export interface RunPage {
  runs: Run[];
  next: { before: string } | null;
}

export type RunItemState = 'planned' | 'collected' | 'composed' | 'left_out' | 'excluded';

/** One whom a run is for, or who is left out, and why. */
export interface RunItem {
  notificationId: string;
  userId: string;
  periodKey: string;
  state: string;
  reason: string | null;
  tries: number;
  deliverySeq: number | null;
  deliveryStatus: DeliveryStatus | null;
  deliveryError: string | null;
}

export interface RunItemQuery {
  state?: RunItemState | undefined;
  after?: string | undefined;
  limit?: number | undefined;
}

export interface RunItemPage {
  items: RunItem[];
  next: { after: string } | null;
}

export interface Why {
  reason: string;
  by?: string | undefined;
}
