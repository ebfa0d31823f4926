import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Status, statuses, statusNames } from '../../src/domain/status.ts';
import { createReviewMetrics } from '../../src/http/review-metrics.ts';
import { jobStates } from '../../src/sources/code-reviews/jobs/job-state.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import { onBothDatabases } from '../support/world.ts';
import { createReviewWorld, type ReviewWorld, to } from './review-world.ts';

onBothDatabases('how many jobs are in each state', (dialect) => {
  let world: ReviewWorld;
  beforeEach(async () => {
    world = await createReviewWorld(dialect);
  });
  afterEach(() => world.close());

  async function counted(): Promise<Record<string, number>> {
    const [jobs] = await createReviewMetrics(world)();
    return Object.fromEntries(jobs?.samples.map(({ labels, value }) => [labels?.state, value]) ?? []);
  }

  /** A row as it may be, in whatever status. */
  const asIf = (status: Status, { claims, sentAt }: { claims: number; sentAt: number | null }) => ({
    ...{ status, claims, sent_at: statuses[status].mailExists === 'yes' ? 1 : sentAt },
    due_at: statuses[status].isDue ? 1 : null,
    locked_by: status === 'claimed' || status === 'sending' ? 'w' : null,
    first_possible_accept_at: ['sending', 'reconciling', 'needs_review'].includes(status) ? 1 : null,
  });

  it('is what each of them says of itself, whoever of it is where', async () => {
    const random = createSeededRandom(7);
    const below = (count: number) => Math.floor(random.next() * count);
    for (let number = 0; number < 60; number++) {
      const recipients = to(...Array.from({ length: 1 + below(3) }, (_, place) => `r${place}@example.org`));
      const { job } = await world.submit({
        ...{ idempotency_key: `key-${number}`, changelist_id: `CL-${number}` },
        recipients: recipients.map((one, place) => ({ ...one, required: place === 0 || below(2) === 0 })),
      });
      // Of some nobody has been taken up yet.
      const isUntouched = below(4) === 0;
      for (const { deliverySeq } of job.recipients) {
        const status = isUntouched ? 'pending' : (statusNames[below(statusNames.length)] ?? 'pending');
        const facts = {
          claims: isUntouched ? 0 : below(2),
          sentAt: isUntouched || below(2) === 0 ? null : 1,
        };
        await world.db.write
          .updateTable('deliveries')
          .set(asIf(status, facts))
          .where('seq', '=', deliverySeq)
          .execute();
      }
    }
    const expected = Object.fromEntries(jobStates.map((state) => [state, 0]));
    for (let before: string | undefined, isMore = true; isMore; ) {
      const page = await world.reviews.list({ before, limit: 100 });
      for (const { state } of page.jobs) expected[state] = (expected[state] ?? 0) + 1;
      isMore = page.next !== null;
      before = page.next ?? undefined;
    }
    expect(
      Object.values(expected).every((count) => count > 0),
      'all of them occur',
    ).toBe(true);
    expect(await counted()).toEqual(expected);
  });

  it('does not forget an old trouble for many new successes', async () => {
    const { job } = await world.submit({ changelist_id: 'CL-old', idempotency_key: 'key-old' });
    const [{ row }] = [job];
    await world.db.write
      .updateTable('deliveries')
      .set(asIf('failed_permanent', { claims: 1, sentAt: null }))
      .execute();
    const many = 520;
    await world.clock.advance(1_000);
    const made = await world.outbox.enqueue(
      Array.from({ length: many }, (_, at) => ({
        ...{
          source: 'code-reviews',
          occasion: `CL-${at}:1`,
          recipient: 'r@example.org',
          lane: 'normal' as const,
        },
      })),
    );
    for (let start = 0; start < many; start += 100) {
      const some = made.slice(start, start + 100);
      const jobs = some.map(({ seq }) => ({
        ...row,
        ...{ job_id: `job-${seq}`, idempotency_key: `key-${seq}`, changelist_id: `CL-${seq}` },
        created_at: world.clock.now(),
      }));
      await world.db.write.insertInto('review_jobs').values(jobs).execute();
      const lines = some.map(({ seq }) => ({
        ...{ job_id: `job-${seq}`, recipient: 'r@example.org', is_required: 1, delivery_seq: seq },
      }));
      await world.db.write.insertInto('review_job_recipients').values(lines).execute();
    }
    await world.db.write
      .updateTable('deliveries')
      .set(asIf('sent', { claims: 1, sentAt: 1 }))
      .where('recipient', '=', 'r@example.org')
      .execute();
    expect(await counted()).toEqual({
      ...{ queued: 0, in_progress: 0, retryable_failed: 0, succeeded: many, failed: 1 },
    });
    const failed = await world.reviews.list({ state: 'failed', limit: 20 });
    expect(failed).toMatchObject({ jobs: [{ row: { changelist_id: 'CL-old' } }], next: null });
    let succeeded = 0;
    for (let before: string | undefined, isMore = true; isMore; ) {
      const page = await world.reviews.list({ state: 'succeeded', before, limit: 100 });
      succeeded += page.jobs.length;
      isMore = page.next !== null;
      before = page.next ?? undefined;
    }
    expect(succeeded).toBe(many);
  });
});
