import { Type } from 'typebox';
import { locales } from '../../emails/words.ts';
import { iso } from '../../outbox/delivery-json.ts';
import type { CodeReviews } from '../../sources/code-reviews/code-reviews.ts';
import { errorClasses, steps } from '../../sources/code-reviews/dead-letters/cause.ts';
import type { DeadLetter } from '../../sources/code-reviews/dead-letters/dead-letters.ts';
import type { Retried } from '../../sources/code-reviews/dead-letters/retry.ts';
import { retryOutcomes } from '../../sources/code-reviews/dead-letters/retry.ts';
import {
  findingsOf,
  type JobRecipient,
  type JobStanding,
  type ReviewJob,
} from '../../sources/code-reviews/jobs/job-rows.ts';
import { jobStates } from '../../sources/code-reviews/jobs/job-state.ts';
import { findingsMax, recipientsMax } from '../../sources/code-reviews/jobs/submission.ts';
import { type SubmitAnswer, submitAnswers } from '../../sources/code-reviews/jobs/submit.ts';
import { reviewWord } from '../../sources/code-reviews/words.ts';
import { closed, line, status, textPattern } from '../schemas.ts';

/** A review as it is submitted, and jobs, dead letters and second tries as they are answered. Names are those of spec 003. */

const text = (charactersMax: number, description?: string) =>
  Type.String({ maxLength: charactersMax, pattern: textPattern, ...(description && { description }) });
const someText = (charactersMax: number, description?: string) =>
  Type.String({
    ...{ minLength: 1, maxLength: charactersMax, pattern: textPattern },
    ...(description && { description }),
  });

const severities = ['critical', 'major', 'minor', 'info'] as const;

const finding = Type.Object(
  {
    severity: Type.Enum([...severities]),
    message: someText(2_000),
    file: Type.Optional(text(500)),
    line: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000_000 })),
  },
  closed,
);

export const submitBody = Type.Object(
  {
    idempotency_key: line(200, 'The same for every try of one submission; a second one makes no second job.'),
    changelist_id: line(200, 'What is under review, as the review system names it.'),
    review_version: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    rerun: Type.Optional(
      Type.Boolean({ description: 'Tell of a newer version although the last one has been told to all.' }),
    ),
    recipients: Type.Array(
      Type.Object(
        {
          email: Type.String({ minLength: 1, maxLength: 320 }),
          required: Type.Optional(
            Type.Boolean({ description: 'Whether the job waits for them; true if left out.' }),
          ),
        },
        closed,
      ),
      { minItems: 1, maxItems: recipientsMax },
    ),
    title: someText(300),
    url: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048, pattern: textPattern })),
    summary: Type.Optional(text(10_000)),
    findings: Type.Optional(Type.Array(finding, { maxItems: findingsMax })),
    locale: Type.Optional(Type.Enum([...locales], { description: '`en` if left out.' })),
  },
  closed,
);

const textOrNull = Type.Union([Type.String(), Type.Null()]);
const timeOrNull = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);
const time = Type.String({ format: 'date-time' });

const recipient = Type.Object(
  {
    email: Type.String({ description: 'In lower case.' }),
    required: Type.Boolean(),
    status: Type.Enum(['sent', 'failed', 'unsent']),
    stage: status,
    notification_id: textOrNull,
    notified_at: timeOrNull,
    attempts: Type.Integer(),
    last_error: Type.Union([Type.Object({ code: Type.String(), message: textOrNull }, closed), Type.Null()]),
    delivery_id: Type.String(),
    delivery_seq: Type.Integer(),
  },
  closed,
);

export const deadLetter = Type.Object(
  {
    job_id: Type.String({ format: 'uuid' }),
    changelist_id: Type.String(),
    review_version: Type.Integer(),
    email: Type.String(),
    required: Type.Boolean(),
    delivery_seq: Type.Integer(),
    error_class: Type.Enum([...errorClasses]),
    step: Type.Enum([...steps], { description: 'Where on its way it ended.' }),
    stage: status,
    code: Type.String(),
    first_failed_at: time,
    last_failed_at: time,
    failures: Type.Integer(),
    notified_at: timeOrNull,
    asks: Type.Enum(['caller', 'operator'], { description: 'Who can do something about it.' }),
    escalated: Type.Boolean({ description: 'It was tried again and ended in the same way.' }),
    context: Type.Object(
      { message: textOrNull, provider: textOrNull, attempts: Type.Integer(), rounds: Type.Integer() },
      closed,
    ),
  },
  closed,
);

export const jobAnswer = Type.Object(
  {
    job_id: Type.String({ format: 'uuid' }),
    idempotency_key: Type.String(),
    changelist_id: Type.String(),
    review_version: Type.Integer(),
    previous_version: Type.Union([Type.Integer(), Type.Null()]),
    rerun: Type.Boolean(),
    state: Type.Enum([...jobStates]),
    title: Type.String(),
    url: textOrNull,
    summary: textOrNull,
    locale: textOrNull,
    findings_count: Type.Integer(),
    findings: Type.Optional(Type.Array(finding, { description: 'Of one job that is asked for by its id.' })),
    recipients: Type.Array(recipient),
    dead_letters: Type.Optional(
      Type.Array(deadLetter, {
        description:
          'Of one job that is asked for by its id: who of it has not heard and never will, and whom that asks.',
      }),
    ),
    created_by: Type.String(),
    created_at: time,
    trace_id: Type.String(),
    forgotten_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When `summary` and `findings` were deleted, as `MAIL_RETENTION_DAYS` says.',
    }),
  },
  closed,
);

export function jobJson({ row, recipients, state }: JobStanding) {
  return {
    job_id: row.job_id,
    idempotency_key: row.idempotency_key,
    changelist_id: row.changelist_id,
    review_version: row.review_version,
    previous_version: row.previous_version,
    rerun: row.is_rerun === 1,
    state,
    title: row.title,
    url: row.url,
    summary: row.summary,
    locale: row.locale,
    findings_count: row.findings_count,
    recipients: recipients.map(recipientJson),
    created_by: row.created_by,
    created_at: iso(row.created_at),
    trace_id: row.trace_id,
    forgotten_at: iso(row.forgotten_at),
  };
}

/** As one job is shown that is asked for by its id. */
export const jobDetails = async (job: ReviewJob, reviews: Pick<CodeReviews, 'deadLettersOf'>) => ({
  ...jobJson(job),
  findings: findingsOf(job),
  dead_letters: (await reviews.deadLettersOf(job)).map(deadLetterJson),
});

function recipientJson({ status: stage, sentAt, lastError, ...one }: JobRecipient) {
  return {
    email: one.recipient,
    required: one.isRequired,
    status: reviewWord({ status: stage, wasAccepted: sentAt !== null }),
    stage,
    notification_id: one.notificationId,
    notified_at: iso(sentAt),
    attempts: one.attempts,
    last_error: lastError && { code: lastError.code, message: lastError.message ?? null },
    delivery_id: one.deliveryId,
    delivery_seq: one.deliverySeq,
  };
}

export const submitAnswer = Type.Object(
  {
    answer: Type.Enum([...submitAnswers]),
    job: jobAnswer,
    differences: Type.Array(Type.String(), {
      description:
        'Fields in which this request differs from the job that answers it; nothing of them was done.',
    }),
  },
  closed,
);

export const submitJson = ({ answer, job, differences }: SubmitAnswer) => ({
  ...{ answer, job: jobJson(job), differences: [...differences] },
});

export const retryAnswer = Type.Object(
  {
    job: jobAnswer,
    recipients: Type.Array(
      Type.Object(
        {
          email: Type.String(),
          requeued: Type.Boolean(),
          outcome: Type.Enum(retryOutcomes),
          stage: status,
          sentence: Type.String(),
        },
        closed,
      ),
    ),
  },
  closed,
);

export const retryJson = (job: ReviewJob, recipients: readonly Retried[]) => ({
  job: jobJson(job),
  recipients: recipients.map(({ recipient: email, isRequeued: requeued, outcome, stage, sentence }) => ({
    ...{ email, requeued, outcome, stage, sentence },
  })),
});

export const deadLetterJson = (one: DeadLetter) => ({
  job_id: one.jobId,
  changelist_id: one.changelistId,
  review_version: one.version,
  email: one.recipient,
  required: one.isRequired,
  delivery_seq: one.deliverySeq,
  error_class: one.errorClass,
  step: one.step,
  stage: one.stage,
  code: one.code,
  first_failed_at: iso(one.firstFailedAt),
  last_failed_at: iso(one.lastFailedAt),
  failures: one.failures,
  notified_at: iso(one.notifiedAt),
  asks: one.asks,
  escalated: one.isEscalated,
  context: one.context,
});
