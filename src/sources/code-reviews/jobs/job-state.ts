import { type Status, statuses } from '../../../domain/status.ts';

/**
 * How a job stands: a function of its deliveries, asked whenever somebody asks and stored nowhere, so that it can never say anything
 * else than they do. Optional recipients do not hold it back.
 */
export const jobStates = ['queued', 'in_progress', 'retryable_failed', 'succeeded', 'failed'] as const;
export type JobState = (typeof jobStates)[number];

export interface RecipientState {
  isRequired: boolean;
  status: Status;
  /** `notified_at`. */
  sentAt: number | null;
  claims: number;
}

export function jobState(recipients: readonly RecipientState[]): JobState {
  const required = recipients.filter(({ isRequired }) => isRequired);
  const untold = required.filter(({ sentAt }) => sentAt === null);
  // A job has at least one required recipient; without any there would be nobody to be told.
  if (required.length > 0 && untold.length === 0) return 'succeeded';
  if (untold.some(({ status }) => statuses[status].isFinal)) return 'failed';
  if (untold.some(({ status }) => status === 'failed_transient' || status === 'needs_review'))
    return 'retryable_failed';
  const isUntouched = recipients.every(({ claims, sentAt }) => claims === 0 && sentAt === null);
  return isUntouched ? 'queued' : 'in_progress';
}
