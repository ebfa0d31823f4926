import { Type } from 'typebox';
import type { CodeReviews } from '../../sources/code-reviews/code-reviews.ts';
import { jobStates } from '../../sources/code-reviews/jobs/job-state.ts';
import type { SubmitRequest } from '../../sources/code-reviews/jobs/submission.ts';
import { speaker } from '../gate.ts';
import { defineRoute, type Route } from '../route.ts';
import { below, by, closed, limit, line, next, nothing, reason } from '../schemas.ts';
import {
  deadLetter,
  deadLetterJson,
  jobAnswer,
  jobDetails,
  jobJson,
  retryAnswer,
  retryJson,
  submitAnswer,
  submitBody,
  submitJson,
} from './review-shapes.ts';

/** Code reviews: a bot posts what it found, asks how far it is, and sees to what did not arrive. */
export interface ReviewParts {
  /** Left out where there are none. */
  reviews?: CodeReviews | undefined;
}

const path = '/api/v1/reviews';
const jobId = Type.Object({ jobId: Type.String({ format: 'uuid' }) }, closed);
const noJob = { 404: 'There is no such job.' };
const bodyOctetsMax = 4 * 1_048_576; // A thousand findings of the longest kind, in ASCII; in other scripts fewer.

export function reviewRoutes({ reviews }: ReviewParts): Route[] {
  if (!reviews) return [];
  return [
    submitRoute(reviews),
    listRoute(reviews),
    showRoute(reviews),
    retryRoute(reviews),
    deadLettersRoute(reviews),
  ];
}

function submitRoute(reviews: CodeReviews): Route {
  return defineRoute({
    method: 'POST',
    path: `${path}/jobs`,
    summary: 'Submit a review: every reviewer hears of this version of the change list, once',
    who: ['service'],
    query: nothing,
    body: submitBody,
    bodyOctetsMax,
    answers: {
      200: {
        when: 'Nothing new: this key was used before (`duplicate_idempotency`), or this version is known under another (`already_succeeded_same_version`, `already_running_same_version`, `already_failed_same_version`).',
        schema: submitAnswer,
      },
      201: { when: 'The job is made, and its mails wait to be sent.', schema: submitAnswer },
    },
    refusals: {
      409: 'The version is older than the latest (`stale_review_version`), or the latest has been told to all and this is no rerun (`rerun_required`).',
      422: 'Something in it cannot be used: a bad address, a link that is none. All of it is named.',
    },
    async handle({ body, caller, intentTraceId: traceId }) {
      const request = body as SubmitRequest;
      const answered = await reviews.submit(request, { by: speaker(undefined, caller), traceId });
      return { status: answered.answer === 'created' ? 201 : 200, body: submitJson(answered) };
    },
  });
}

function listRoute(reviews: CodeReviews): Route {
  return defineRoute({
    method: 'GET',
    path: `${path}/jobs`,
    summary: 'List review jobs, newest first',
    who: ['read'],
    query: Type.Object(
      {
        changelist_id: Type.Optional(line(200)),
        state: Type.Optional(Type.Enum([...jobStates])),
        limit: Type.Optional(limit(100, 20)),
        before: Type.Optional(
          Type.String({ format: 'uuid', description: 'Only older ones: the `before` of `next`.' }),
        ),
      },
      closed,
    ),
    answers: {
      200: {
        when: 'One page; `next` is null on the last. By state a page may be short although more follows: so much work and no more.',
        schema: Type.Object(
          {
            jobs: Type.Array(jobAnswer),
            next: Type.Union([Type.Object({ before: Type.String({ format: 'uuid' }) }, closed), Type.Null()]),
          },
          closed,
        ),
      },
    },
    refusals: { 404: 'There is no job that `before` could mean.' },
    async handle({ query: { changelist_id: changelistId, state, limit: most = 20, before } }) {
      const page = await reviews.list({ changelistId, state, before, limit: most });
      const rest = page.next === null ? null : { before: page.next };
      return { status: 200, body: { jobs: page.jobs.map(jobJson), next: rest } };
    },
  });
}

function showRoute(reviews: CodeReviews): Route {
  return defineRoute({
    method: 'GET',
    path: `${path}/jobs/:jobId`,
    summary: 'One review job: how it stands, and who has been told',
    // Whoever submits must be able to ask what became of it.
    who: ['read', 'service'],
    params: jobId,
    query: nothing,
    answers: { 200: { when: 'The job.', schema: jobAnswer } },
    refusals: noJob,
    async handle({ params }) {
      return { status: 200, body: await jobDetails(await reviews.get(params.jobId), reviews) };
    },
  });
}

function retryRoute(reviews: CodeReviews): Route {
  return defineRoute({
    method: 'POST',
    path: `${path}/jobs/:jobId/retry`,
    summary: 'Try again for those of a job who have not heard and by themselves never would',
    who: ['service'],
    isAuditedForOperators: true,
    params: jobId,
    query: nothing,
    body: Type.Object(
      {
        reason,
        by: Type.Optional(by),
        recipients: Type.Optional(
          Type.Array(line(320), { minItems: 1, maxItems: 500, description: 'Addresses; all if left out.' }),
        ),
      },
      closed,
    ),
    answers: { 200: { when: 'What came of it for each, and the job as it is now.', schema: retryAnswer } },
    refusals: {
      ...noJob,
      409: 'All of them were tried again before and ended in the same way: an operator must decide (`escalated`).',
      422: 'A recipient is none of this job’s (`recipient_unknown`).',
    },
    async handle({ params, body, caller }) {
      const { job, recipients } = await reviews.retry(params.jobId, {
        ...{ reason: body.reason, recipients: body.recipients, isOperator: caller.isOperator },
        // As it stands after "operator" in the story.
        by: speaker(body.by ?? 'of the API', caller),
      });
      return { status: 200, body: retryJson(job, recipients) };
    },
  });
}

function deadLettersRoute(reviews: CodeReviews): Route {
  return defineRoute({
    method: 'GET',
    path: `${path}/dead-letters`,
    summary:
      'List reviewers who have not heard and by themselves never will, and who can do something about it',
    who: ['read'],
    query: Type.Object({ below, limit: Type.Optional(limit(200, 50)) }, closed),
    answers: {
      200: {
        when: 'One page, newest first; `next` is null on the last.',
        schema: Type.Object({ dead_letters: Type.Array(deadLetter), next }, closed),
      },
    },
    async handle({ query: { limit: most = 50, below: under } }) {
      const page = await reviews.deadLetters({ limit: most, below: under });
      const rest = page.next === null ? null : { below: page.next };
      return { status: 200, body: { dead_letters: page.deadLetters.map(deadLetterJson), next: rest } };
    },
  });
}
