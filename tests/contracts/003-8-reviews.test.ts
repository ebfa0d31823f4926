import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tellStory } from '../../src/domain/sentences.ts';
import { statusNames } from '../../src/domain/status.ts';
import { reviewWord } from '../../src/sources/code-reviews/words.ts';
import { createReviewWorld, hourMs, type ReviewWorld, tagsOf } from '../reviews/review-world.ts';
import { onBothDatabases } from '../support/world.ts';

/** The clauses of 003-8 once more, as whoever uses code reviews meets them: in the delivery log, the job and its dead letters. */
onBothDatabases('003-8 error handling, of code reviews', (dialect) => {
  let world: ReviewWorld;
  beforeEach(async () => {
    world = await createReviewWorld(dialect);
  });
  afterEach(() => world.close());
  const deadLetters = async () => (await world.reviews.deadLetters({ limit: 10 })).deadLetters;
  const told = (event: string) => world.log.lines.filter((line) => line.event === event);

  describe('8.1 general rules', () => {
    it('003-8.1-1 All attempts are recorded, in a log keyed by (changelist_id, recipient, review_version)', async () => {
      await world.submit();
      let calls = 0;
      world.provider.answer(({ key }) =>
        calls++ < 2
          ? { kind: 'refused_for_now', error: { code: 'busy' } }
          : { kind: 'accepted', messageId: `id-${key}` },
      );
      for (let turn = 0; turn < 3; turn++) {
        await world.turn();
        await world.clock.advance(60_000);
      }
      const row = await world.row();
      expect(row).toMatchObject({ changelist_id: 'CL-17', recipient: 'ana@example.org', review_version: 3 });
      expect(row.attempts).toBe(3);
      expect(await world.storyOf(row.delivery_seq)).toEqual([
        'refused_for_now',
        'refused_for_now',
        'accepted',
      ]);
    });

    it('003-8.1-2 What may pass is tried again: 1 s and doubling up to a minute, anywhere within', async () => {
      const { job } = await world.submit();
      world.provider.answer(() => ({ kind: 'refused_for_now', error: { code: 'busy' } }));
      for (let attempt = 0; attempt < 4; attempt++) {
        await world.turn();
        const row = await world.queries.find(String((await world.row()).delivery_seq));
        expect(row).toMatchObject({ status: 'failed_transient', attempts: attempt + 1 });
        expect(await world.state(job.row.job_id)).toBe('retryable_failed');
        const waitMs = (row?.due_at ?? 0) - world.clock.now();
        expect(waitMs).toBeGreaterThanOrEqual(0);
        expect(waitMs).toBeLessThan(1_000 * 2 ** attempt);
        await world.clock.advance(waitMs);
      }
    });

    it.each([
      ['an invalid recipient', { code: 'mailbox_unknown' }, 'permanent_recipient', 'caller'],
      ['a policy', { code: 'policy', message: '5.7.1 rejected' }, 'permanent_policy', 'operator'],
    ] as const)(
      '003-8.1-3, 003-8.1-4 %s marks the row failed, asks somebody and says whom',
      async (_, error, errorClass, asks) => {
        const { job } = await world.submit();
        world.provider.answer(() => ({ kind: 'refused_for_good', error }));
        await world.turn();
        expect(await world.row()).toMatchObject({ status: 'failed', stage: 'failed_permanent' });
        expect(await world.state(job.row.job_id)).toBe('failed');
        await world.clock.advance(48 * hourMs);
        await world.sweep();
        await world.turn();
        expect(world.provider.ledger, 'nothing happens by itself').toHaveLength(1);
        expect(await deadLetters()).toMatchObject([
          { errorClass, asks, code: error.code, jobId: job.row.job_id, isRequired: true },
        ]);
      },
    );

    it('003-8.1-4 After the intervention it is sent', async () => {
      const { job } = await world.submit();
      world.provider.answer(() => ({ kind: 'refused_for_good', error: { code: 'policy' } }));
      await world.turn();
      world.provider.answer(({ key }) => ({ kind: 'accepted', messageId: `id-${key}` }));
      const order = { reason: 'the rule is gone', by: 'ana', isOperator: true };
      expect((await world.reviews.retry(job.row.job_id, order)).recipients).toMatchObject([
        { isRequeued: true, outcome: 'requeued', stage: 'pending' },
      ]);
      await world.turn();
      expect(await world.state(job.row.job_id)).toBe('succeeded');
      expect(await deadLetters()).toEqual([]);
    });
  });

  describe('8.2 sent, but the write failed', () => {
    async function accepted() {
      const { fake, provider } = await world.resend();
      const { job } = await world.submit();
      await world.sendAndDie(provider, () => fake.ledger.accepted.length);
      return { fake, provider, jobId: job.row.job_id };
    }

    it('003-8.2-1 The row still appears unsent, and the job in progress', async () => {
      const { jobId } = await accepted();
      expect(await world.row()).toMatchObject({ status: 'unsent', notified_at: null, notification_id: null });
      expect(await world.state(jobId)).toBe('in_progress');
    });

    it('003-8.2-2, 003-8.2-4 The retry asks by the deterministic key: there is one mail, not two', async () => {
      const { fake, provider, jobId } = await accepted();
      await world.clock.advance(120_000);
      await world.sweep();
      await world.reconcile(provider);
      expect(await world.row()).toMatchObject({
        status: 'sent',
        notification_id: fake.ledger.accepted[0]?.id,
      });
      expect(fake.ledger.accepted).toHaveLength(1);
      expect(await world.state(jobId)).toBe('succeeded');
    });

    it('003-8.2-2, 003-8.2-3 Where the key is forgotten the look-up finds it, and both are backfilled without resending', async () => {
      const { fake, provider } = await accepted();
      const at = new Date(world.clock.now()).toISOString();
      await world.clock.advance(24 * hourMs);
      await world.sweep();
      await world.reconcile(provider);
      expect(await world.row()).toMatchObject({
        ...{ status: 'sent', notified_at: at, notification_id: fake.ledger.accepted[0]?.id },
      });
      expect(fake.ledger.submissions()).toHaveLength(1);
    });

    it('003-8.2-5 It is not failed before that was tried, whatever the resubmission is told', async () => {
      const { fake, provider, jobId } = await accepted();
      fake.rules.push(
        {
          lie: { kind: 'answer', isAccepted: false, status: 422, name: 'validation_error' },
          match: ({ method }) => method === 'POST',
        },
        { lie: { kind: 'answer', isAccepted: false, status: 500 }, match: ({ method }) => method === 'GET' },
      );
      const seen = new Set<string>();
      for (let look = 0; look < 60; look++) {
        await world.clock.advance(30 * 60_000);
        await world.sweep();
        await world.reconcile(provider);
        const { status, stage } = await world.row();
        seen.add(`${status} ${stage} ${await world.state(jobId)}`);
      }
      expect([...seen]).toEqual(['unsent reconciling in_progress', 'unsent needs_review retryable_failed']);
      expect(await deadLetters()).toMatchObject([{ errorClass: 'unknown_outcome', asks: 'operator' }]);
      const order = { reason: 'try again', by: 'ana', isOperator: true };
      expect((await world.reviews.retry(jobId, order)).recipients).toMatchObject([
        { isRequeued: false, outcome: 'needs_review' },
      ]);
    });
  });

  describe('8.2 marked sent, but the send failed', () => {
    /** As somebody would write it who marks first. */
    async function saidToBeSent() {
      const { fake, provider } = await world.resend();
      const { job } = await world.submit();
      await world.db.write
        .updateTable('deliveries')
        .set({ status: 'sent', sent_at: world.clock.now(), due_at: null, account: provider.account })
        .execute();
      return { fake, provider, jobId: job.row.job_id };
    }

    it('003-8.2-6 The log says sent, the provider has no record', async () => {
      const { fake, jobId } = await saidToBeSent();
      expect(await world.row()).toMatchObject({ status: 'sent', notification_id: null });
      expect(await world.state(jobId)).toBe('succeeded');
      expect(fake.ledger.accepted).toEqual([]);
    });

    it('003-8.2-7, 003-8.2-8, 003-8.2-9, 003-8.3-2 It is reconciled by look-up, cleared, alerted and sent, and the job follows', async () => {
      const { fake, provider, jobId } = await saidToBeSent();
      await world.clock.advance(hourMs);
      await world.sweep();
      expect(await world.row()).toMatchObject({ stage: 'reconciling' });
      await world.turn({ provider });
      expect(fake.ledger.submissions(), 'nothing before that is settled').toEqual([]);
      await world.reconcile(provider);
      expect(await world.row()).toMatchObject({ status: 'unsent', notified_at: null, notification_id: null });
      expect(await world.state(jobId)).toBe('retryable_failed');
      expect(told('delivery.doubted')).toHaveLength(1);
      expect(told('delivery.not_at_provider')).toHaveLength(1);
      await world.turn({ provider });
      expect(await world.row()).toMatchObject({
        status: 'sent',
        notification_id: fake.ledger.accepted[0]?.id,
      });
      expect(fake.ledger.accepted).toHaveLength(1);
      expect(await world.state(jobId)).toBe('succeeded');
    });

    it('003-8.2-10 The violation is told in the story', async () => {
      const { provider } = await saidToBeSent();
      await world.clock.advance(hourMs);
      await world.sweep();
      await world.reconcile(provider);
      const { events } = await world.queries.story((await world.row()).delivery_seq);
      const story = tellStory({ source: 'code-reviews', lane: 'normal', createdAt: 0 }, events);
      expect(story.map(({ sentence }) => sentence).slice(1)).toEqual([
        'It was said to be sent, but there is no evidence of it; that is looked into.',
        'The provider was asked and does not have it: it was not sent, and is tried again.',
      ]);
    });
  });

  describe('8.3 ordering', () => {
    it('003-8.3-1 Send, then mark: nothing but acceptance makes a row sent', async () => {
      for (const status of statusNames) {
        if (['sent', 'delivered'].includes(status)) continue;
        expect([status, reviewWord({ status, wasAccepted: false })]).not.toEqual([status, 'sent']);
      }
      await world.submit();
      const row = await world.row();
      world.provider.answer(async ({ key }) => {
        expect(await world.row()).toMatchObject({ status: 'unsent', notified_at: null });
        // A webhook may come before the answer; it is evidence, and then the row may say so.
        await world.tell('w-1', { type: 'email.sent', messageId: `id-${key}`, tags: tagsOf(row) });
        expect(await world.row()).toMatchObject({ status: 'sent', notification_id: `id-${key}` });
        return { kind: 'accepted', messageId: `id-${key}` };
      });
      await world.turn();
      expect(await world.row()).toMatchObject({ status: 'sent', attempts: 1 });
    });
  });
});
