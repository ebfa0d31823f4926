import type { ReviewState } from '../../src/client/review-shapes.ts';
import type { Meaning } from '../../src/domain/meanings.ts';

/** Review jobs as pages speak of them. */
export const reviewsPath = '/api/v1/reviews';

export const reviewMeanings: Readonly<Record<ReviewState, Meaning>> = {
  queued: 'in hand',
  in_progress: 'in hand',
  retryable_failed: 'in hand',
  succeeded: 'good',
  failed: 'needs a person',
};
export const reviewStates = Object.keys(reviewMeanings) as ReviewState[];
