import type { RunItemState, RunStatus } from '../db/newsletters-schema.ts';
import type { SubscriptionStatus } from '../db/seats-schema.ts';
import type { Meaning } from '../domain/meanings.ts';
import type { JobState } from '../sources/code-reviews/jobs/job-state.ts';

/** What the states of sources mean to whoever looks, in the four meanings that a colour has; `domain/meanings.ts` has those of deliveries. */
export const runMeanings = {
  planned: 'in hand',
  'nobody to tell': 'stopped on purpose',
  expired: 'stopped on purpose',
  running: 'in hand',
  paused: 'stopped on purpose',
  halted: 'needs a person',
  cancelled: 'stopped on purpose',
  finished: 'good',
} as const satisfies Record<RunStanding, Meaning>;

export type RunStanding = RunStatus | 'nobody to tell';

/** A plan with nobody on its list is kept for the reasons that it gives, until it expires; it waits for nobody, and there is nothing to apply. */
export function runStanding(status: RunStatus, people: number): RunStanding {
  return status === 'planned' && people === 0 ? 'nobody to tell' : status;
}

export const runItemMeanings = {
  planned: 'in hand',
  collected: 'in hand',
  composed: 'good',
  left_out: 'stopped on purpose',
  excluded: 'stopped on purpose',
} as const satisfies Record<RunItemState, Meaning>;

export const jobMeanings = {
  queued: 'in hand',
  in_progress: 'in hand',
  retryable_failed: 'in hand',
  succeeded: 'good',
  failed: 'needs a person',
} as const satisfies Record<JobState, Meaning>;

export const watchMeanings = {
  pending: 'in hand',
  active: 'good',
  paused: 'stopped on purpose',
  suppressed: 'stopped on purpose',
  unsubscribed: 'stopped on purpose',
} as const satisfies Record<SubscriptionStatus, Meaning>;
