import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ReviewResult } from '../../src/client/client.ts';
import { createPauses } from '../../src/dispatch/pauses.ts';
import { type Listening, listen } from '../../src/http/listen.ts';
import { createServer } from '../../src/http/server.ts';
import { systemClock } from '../../src/std/clock.ts';
import { keys } from '../http/api-world.ts';
import { ana, bob, createReviewWorld, type ReviewWorld } from '../reviews/review-world.ts';
import { advanceUntil, onBothDatabases } from '../support/world.ts';
import { fakeServer, refusal } from './fake-server.ts';
import { type LossyClient, lossyClient } from './lossy-client.ts';

const result = (more: Partial<ReviewResult> = {}): ReviewResult => ({
  ...{ idempotency_key: 'ci-1', changelist_id: 'shop#7', review_version: 3, title: 'Pay by card' },
  recipients: [{ email: 'Ana@Example.org' }, { email: bob, required: false }],
  url: 'https://review.example.org/7',
  findings: [{ severity: 'major', message: 'The amount is a float', file: 'src/pay.ts', line: 12 }],
  ...more,
});

describe('the idempotency key', () => {
  const submitted = { answer: 'created', job: {}, differences: [] };

  test('is made once where none is given, and the same for every try', async () => {
    const server = fakeServer([
      'ECONNRESET',
      [502, ''],
      [429, refusal('slow'), { 'retry-after': '1' }],
      [201, submitted],
    ]);
    const { idempotency_key: _, ...keyless } = result();
    expect(await advanceUntil(server.clock, server.client.reviews.submit(keyless))).toEqual(submitted);
    expect(server.asked).toHaveLength(4);
    const [first] = server.asked;
    expect(first?.body).toEqual({ ...keyless, idempotency_key: 'made-up-id-1' });
    for (const { body, headers } of server.asked)
      expect({ body, headers }).toEqual({ body: first?.body, headers: first?.headers });
  });

  test('is another for every call, and the caller’s own where there is one', async () => {
    const server = fakeServer([
      [201, submitted],
      [201, submitted],
      [201, submitted],
    ]);
    const { idempotency_key: _, ...keyless } = result();
    await server.client.reviews.submit(keyless);
    await server.client.reviews.submit({ ...keyless, idempotency_key: undefined });
    await server.client.reviews.submit(result());
    const used = server.asked.map(({ body }) => (body as { idempotency_key: string }).idempotency_key);
    expect(new Set(used).size).toBe(3);
    expect(used[2]).toBe('ci-1');
  });
});

onBothDatabases('reviews by the client', (dialect) => {
  let world: ReviewWorld;
  let listening: Listening;
  let lossy: LossyClient;
  beforeEach(async () => {
    world = await createReviewWorld(dialect);
    const { db, clock, log, outbox, queries, consent, provider, webhooks, reviews } = world;
    const server = await createServer({
      ...{ db, clock: { ...clock, sleep: systemClock.sleep }, log, isStopping: () => false },
      api: {
        ...{ outbox, queries, consent, provider, webhooks, reviews, keys, environment: 'test' },
        ...{ sources: [reviews.source], pauses: createPauses(db, clock), unsubscribeOnGet: false },
      },
    });
    listening = await listen(server, { host: '127.0.0.1', port: 0 }, systemClock);
    lossy = await lossyClient(listening.url, keys.service[0]);
  });
  afterEach(async () => {
    await lossy.close();
    await listening.close();
    await world.close();
  });

  test('answers that are lost make nothing twice, in the tables and at the provider', async () => {
    const { answer, job, differences } = await lossy.lose(3, () => lossy.client.reviews.submit(result()));
    expect({ answer, differences }).toEqual({ answer: 'duplicate_idempotency', differences: [] });
    expect(lossy.wire.asked.map(({ status }) => status)).toEqual([201, 200, 200, 200]);
    expect(new Set(lossy.wire.asked.map(({ body }) => body)).size).toBe(1);
    expect((await world.rows()).map(({ recipient }) => recipient)).toEqual([ana, bob]);
    await world.turn();
    expect(world.provider.ledger).toHaveLength(2);
    expect(await lossy.client.reviews.get(job.job_id)).toMatchObject({ state: 'succeeded' });
  });

  test('many at once with one key are one job', async () => {
    lossy.wire.loseAnswers(7);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => lossy.client.reviews.submit(result())),
    );
    expect(new Set(answers.map(({ job }) => job.job_id)).size).toBe(1);
    expect(await world.rows()).toHaveLength(2);
  });

  test('what is known is answered, with what this submission says otherwise', async () => {
    const { reviews } = lossy.client;
    const { answer, job } = await reviews.submit(result());
    expect(answer).toBe('created');
    expect(job).toMatchObject({ state: 'queued', findings_count: 1, previous_version: null, rerun: false });
    const other = { idempotency_key: 'ci-2', title: 'Pay by credit card' };
    expect(await reviews.submit(result(other))).toMatchObject({
      ...{ answer: 'already_running_same_version', job: { job_id: job.job_id }, differences: ['title'] },
    });
    await world.turn();
    expect(await reviews.submit(result({ idempotency_key: 'ci-3' }))).toMatchObject({
      ...{ answer: 'already_succeeded_same_version', differences: [] },
    });
  });

  test('what is refused is an error with a code and what to do', async () => {
    const { reviews } = lossy.client;
    await reviews.submit(result());
    await world.turn();
    const next = { idempotency_key: 'ci-4', review_version: 4 };
    await expect(reviews.submit(result(next))).rejects.toMatchObject({
      ...{ name: 'TidingsError', status: 409, code: 'rerun_required', tries: 1, isInDoubt: false },
      sentence: expect.stringMatching(/rerun/),
    });
    const rerun = await reviews.submit(result({ ...next, rerun: true }));
    expect(rerun).toMatchObject({ answer: 'created', job: { previous_version: 3, rerun: true } });
    const stale = reviews.submit(result({ idempotency_key: 'ci-0', review_version: 2 }));
    await expect(stale).rejects.toMatchObject({ status: 409, code: 'stale_review_version' });
    const bad = reviews.submit(
      result({ idempotency_key: 'ci-5', review_version: 5, recipients: [{ email: 'a@b@c' }] }),
    );
    await expect(bad).rejects.toMatchObject({
      ...{ status: 422, code: 'invalid_review' },
      details: { problems: [{ field: 'recipients[0].email' }] },
    });
  });

  test('jobs are listed page by page, and shown with their findings', async () => {
    const { reviews } = lossy.client;
    for (const number of [1, 2, 3])
      await reviews.submit(result({ idempotency_key: `ci-${number}`, changelist_id: `shop#${number}` }));
    const reading = lossy.with({ apiKey: keys.read[0] }).reviews;
    const found = [];
    for await (const job of reading.each({ state: 'queued', limit: 2 })) found.push(job.changelist_id);
    expect(found.sort()).toEqual(['shop#1', 'shop#2', 'shop#3']);
    const { jobs, next } = await reading.list({ changelist_id: 'shop#2' });
    expect({ count: jobs.length, next }).toEqual({ count: 1, next: null });
    expect(await reviews.get(jobs[0]?.job_id ?? '')).toMatchObject({ findings: result().findings });
    await expect(reviews.list()).rejects.toMatchObject({ status: 403, code: 'role_required' });
    const nobody = reviews.get('00000000-0000-4000-8000-000000000000');
    await expect(nobody).rejects.toMatchObject({ status: 404, code: 'job_not_found' });
  });

  test('who has not heard is a dead letter; a second try has a reason, and is asked for once', async () => {
    world.provider.answer(({ mail, key }) =>
      mail.to === bob
        ? { kind: 'accepted', messageId: `id-${key}` }
        : { kind: 'refused_for_good', error: { code: 'validation_error', message: 'Invalid `to` field.' } },
    );
    const { reviews } = lossy.client;
    const { job } = await reviews.submit(result());
    await world.turn();
    expect(await reviews.get(job.job_id)).toMatchObject({
      state: 'failed',
      recipients: [
        { email: ana, status: 'failed', stage: 'failed_permanent', notified_at: null },
        { email: bob, status: 'sent', required: false },
      ],
      dead_letters: [{ email: ana, error_class: 'permanent_recipient', asks: 'caller' }],
    });
    const reading = lossy.with({ apiKey: keys.read[0] }).reviews;
    const letters = [];
    for await (const letter of reading.eachDeadLetter()) letters.push(letter);
    expect(letters).toMatchObject([
      {
        job_id: job.job_id,
        email: ana,
        error_class: 'permanent_recipient',
        asks: 'caller',
        escalated: false,
      },
    ]);
    expect((await reading.deadLetters({ limit: 1 })).dead_letters).toHaveLength(1);

    const how = { reason: 'the mailbox is there now', by: 'ana', recipients: [ana] };
    const lost = lossy.lose(1, () => reviews.retry(job.job_id, how));
    await expect(lost).rejects.toMatchObject({ code: 'unreachable', isInDoubt: true, tries: 1 });
    expect(await reviews.retry(job.job_id, how)).toMatchObject({
      recipients: [{ email: ana, requeued: false, outcome: 'in_progress' }],
    });
    const stranger = reviews.retry(job.job_id, { ...how, recipients: ['nobody@example.org'] });
    await expect(stranger).rejects.toMatchObject({ status: 422, code: 'recipient_unknown' });
  });
});
