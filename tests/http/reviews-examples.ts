import type { CodeReviews } from '../../src/sources/code-reviews/code-reviews.ts';
import { createCodeReviews } from '../../src/sources/code-reviews/code-reviews.ts';
import { systemIds } from '../../src/std/ids.ts';
import { type Answered, type Api, type ApiWorld, type AskOptions, keys } from './api-world.ts';
import { broken } from './broken-database.ts';

/** The walk through the document, as far as it is about code reviews. */
const path = '/api/v1/reviews';
const unknownId = '00000000-0000-4000-8000-000000000000';

export function reviewsOf({ db, outbox, queries, clock, parts }: ApiWorld): CodeReviews {
  return createCodeReviews({
    ...{ db, outbox, queries, clock, log: parts.log, ids: systemIds },
    ...{ against: parts.api.consent.against, onSubmitted: () => {} },
  });
}

export const reviewBody = (more: object = {}) => ({
  ...{ idempotency_key: 'key-1', changelist_id: 'CL-1', review_version: 3, title: 'Subject of a review' },
  recipients: [{ email: 'ana@example.org' }, { email: 'bob@example.org', required: false }],
  ...{ summary: 'Text of it', url: 'https://review.example.org/1', locale: 'ro' },
  findings: [{ severity: 'major', message: 'Text of a finding', file: 'src/a.ts', line: 7 }],
  ...more,
});

export const reviewExamples: Record<string, [path: string, options?: AskOptions]> = {
  [`POST ${path}/jobs`]: [`${path}/jobs`, { body: reviewBody() }],
  [`GET ${path}/jobs`]: [`${path}/jobs`],
  [`GET ${path}/jobs/{jobId}`]: [`${path}/jobs/${unknownId}`],
  [`POST ${path}/jobs/{jobId}/retry`]: [`${path}/jobs/${unknownId}/retry`, { body: { reason: 'why' } }],
  [`GET ${path}/dead-letters`]: [`${path}/dead-letters`],
};

interface Walk {
  world: () => ApiWorld;
  api: () => Api;
}

/** Answers that need something of their own. */
export function reviewParticular({ world, api }: Walk): Record<string, () => Promise<Answered>> {
  let number = 0;
  const submit = (more: object = {}) => {
    number += 1;
    const body = reviewBody({ idempotency_key: `walk-${number}`, changelist_id: `CL-w${number}`, ...more });
    return api().ask('POST', `${path}/jobs`, { body });
  };
  const made = async () => (await submit()).json.job;
  const retry = async (body: object, key?: string) => {
    const job = await made();
    await giveUp(world(), job.recipients[0].delivery_seq);
    return api().ask('POST', `${path}/jobs/${job.job_id}/retry`, { body, ...(key && { key }) });
  };
  return {
    [`POST ${path}/jobs 201`]: () => submit(),
    [`POST ${path}/jobs 200`]: async () => {
      const { idempotency_key, changelist_id } = await made();
      return submit({ idempotency_key, changelist_id, title: 'Subject of another' });
    },
    [`POST ${path}/jobs 409`]: async () =>
      submit({ changelist_id: (await made()).changelist_id, review_version: 2 }),
    [`POST ${path}/jobs 422`]: () => submit({ recipients: [{ email: 'none' }, { email: 'nor this' }] }),
    [`GET ${path}/jobs 200`]: async () => {
      await made();
      await made();
      return api().ask('GET', `${path}/jobs?limit=1`);
    },
    [`GET ${path}/jobs 404`]: () => api().ask('GET', `${path}/jobs?before=${unknownId}`),
    [`GET ${path}/jobs/{jobId} 200`]: async () => api().ask('GET', `${path}/jobs/${(await made()).job_id}`),
    [`GET ${path}/jobs/{jobId} 404`]: () => api().ask('GET', `${path}/jobs/${unknownId}`),
    [`POST ${path}/jobs/{jobId}/retry 200`]: () => retry({ reason: 'it is mended', by: 'olga' }),
    [`POST ${path}/jobs/{jobId}/retry 404`]: () =>
      api().ask('POST', `${path}/jobs/${unknownId}/retry`, { body: { reason: 'why' } }),
    [`POST ${path}/jobs/{jobId}/retry 409`]: async () => {
      const { json } = await retry({ reason: 'it is mended' });
      await giveUp(world(), json.job.recipients[0].delivery_seq);
      return api().ask('POST', `${path}/jobs/${json.job.job_id}/retry`, {
        ...{ body: { reason: 'once more' }, key: keys.service[0] },
      });
    },
    [`POST ${path}/jobs/{jobId}/retry 422`]: () => retry({ reason: 'why', recipients: ['eve@example.org'] }),
    [`GET ${path}/dead-letters 200`]: async () => {
      await giveUp(world(), (await made()).recipients[0].delivery_seq);
      return api().ask('GET', `${path}/dead-letters?limit=1`);
    },
  };
}

/** As a worker would whose provider refuses it for good. */
export async function giveUp(
  { outbox, clock }: Pick<ApiWorld, 'outbox' | 'clock'>,
  seq: number,
): Promise<void> {
  await clock.advance(1_000);
  const order = { source: 'code-reviews', worker: 'w', limit: 100, leaseMs: 60_000, from: 'normal' } as const;
  const claimed = (await outbox.claim(order)).find((one) => one.seq === seq);
  if (!claimed) throw new Error('it was not to be claimed');
  const error = { code: 'mailbox_unknown', message: 'No such user ana@example.org', provider: 'smtp' };
  await outbox.record([{ seq, lease: claimed.lease, actor: 'w', event: 'unsendable', error }]);
}

/** A source whose database cannot be asked. */
export const brokenReviews = (reviews: CodeReviews): CodeReviews => ({
  ...reviews,
  ...{ submit: broken, get: broken, list: broken, retry: broken, deadLetters: broken },
});
