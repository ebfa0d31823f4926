import type { Call, CallOptions } from './call.ts';
import { each } from './each.ts';
import { pathOf } from './request.ts';
import type {
  DeadLetter,
  DeadLetterPage,
  DeadLetterQuery,
  Retried,
  ReviewJob,
  ReviewJobDetails,
  ReviewPage,
  ReviewQuery,
  ReviewResult,
  ReviewRetry,
  Submitted,
} from './review-shapes.ts';

/** Code reviews: every reviewer of a change hears of each version of its review once. */
export interface Reviews {
  /**
   * Posts a result. All tries have one idempotency key, so that a lost answer makes no second job. A version that is too old
   * (`stale_review_version`), or one that nobody asked to be told of again (`rerun_required`), is a `TidingsError`.
   */
  submit(result: ReviewResult, options?: CallOptions): Promise<Submitted>;
  get(jobId: string, options?: CallOptions): Promise<ReviewJobDetails>;
  /** Newest first. Needs a key that reads. */
  list(query?: ReviewQuery, options?: CallOptions): Promise<ReviewPage>;
  each(query?: ReviewQuery, options?: CallOptions): AsyncIterable<ReviewJob>;
  /** Puts those back who ended without having heard. Not asked again where an answer got lost: look at the job first. */
  retry(jobId: string, how: ReviewRetry, options?: CallOptions): Promise<Retried>;
  /** Who has not heard, why, and who can do something about it; newest first. Needs a key that reads. */
  deadLetters(query?: DeadLetterQuery, options?: CallOptions): Promise<DeadLetterPage>;
  eachDeadLetter(query?: DeadLetterQuery, options?: CallOptions): AsyncIterable<DeadLetter>;
}

const root = '/api/v1/reviews';

export function createReviews(call: Call, newId: () => string): Reviews {
  const get = <Answer>(path: string, options?: CallOptions, query = {}) =>
    call<Answer>({ method: 'GET', path, query, isRepeatable: true }, options);
  const list: Reviews['list'] = (query = {}, options) => get(`${root}/jobs`, options, query);
  const deadLetters: Reviews['deadLetters'] = (query = {}, options) =>
    get(`${root}/dead-letters`, options, query);
  return {
    submit: ({ idempotency_key = newId(), ...result }, options) => {
      const body = { idempotency_key, ...result };
      return call({ method: 'POST', path: `${root}/jobs`, body, isRepeatable: true }, options);
    },
    get: async (jobId, options) => get(root + pathOf`/jobs/${jobId}`, options),
    list,
    each: (query = {}, options) =>
      each(async (cursor: { before: string } | undefined) => {
        const { jobs, next } = await list({ ...query, ...cursor }, options);
        return { items: jobs, next };
      }),
    retry: async (jobId, how, options) => {
      const path = root + pathOf`/jobs/${jobId}/retry`;
      return call({ method: 'POST', path, body: how, isRepeatable: false }, options);
    },
    deadLetters,
    eachDeadLetter: (query = {}, options) =>
      each(async (cursor: { below: number } | undefined) => {
        const { dead_letters, next } = await deadLetters({ ...query, ...cursor }, options);
        return { items: dead_letters, next };
      }),
  };
}
