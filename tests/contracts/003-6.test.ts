import { describe, expect, it } from 'vitest';
import { statusNames } from '../../src/domain/status.ts';
import { reviewWord } from '../../src/sources/code-reviews/words.ts';
import { ana, asRerun, bob, createReviewWorld, request, submitter, to } from '../reviews/review-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { worldForEach } from '../support/world-for-each.ts';

onBothDatabases('003-6 processing flow', (dialect) => {
  const world = worldForEach(() => createReviewWorld(dialect));
  const jobs = () => world.db.read.selectFrom('review_jobs').selectAll().execute();

  describe('6.1 job creation and dedupe gate', () => {
    it('003-6.1-1 A job is created with the idempotency_key that its caller provides', async () => {
      const { answer, job } = await world.submit({ idempotency_key: 'ci-4711' });
      expect(answer).toBe('created');
      expect(job.row).toMatchObject({
        idempotency_key: 'ci-4711',
        changelist_id: 'CL-17',
        review_version: 3,
      });
      expect(await jobs()).toHaveLength(1);
    });

    it('003-6.1-2 review_jobs.idempotency_key has a unique constraint', async () => {
      const { job } = await world.submit();
      const again = { ...job.row, job_id: 'another', changelist_id: 'CL-18' };
      await expect(world.db.write.insertInto('review_jobs').values(again).execute()).rejects.toThrow(
        /unique/i,
      );
    });

    it('003-6.1-3 A request that meets it is answered with the existing job, and makes none, also where the first is not committed yet', async () => {
      const answers = await Promise.all([world.submit(), world.submit(), world.submit()]);
      expect(answers.map(({ answer }) => answer).sort()).toEqual([
        'created',
        'duplicate_idempotency',
        'duplicate_idempotency',
      ]);
      expect(new Set(answers.map(({ job }) => job.row.job_id)).size).toBe(1);
      expect(await jobs()).toHaveLength(1);
    });

    it('003-6.1-3 The same where the two are for different change lists and nothing but the index can tell', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, number) => world.submit({ changelist_id: `CL-${number}` })),
      );
      expect(answers.filter(({ answer }) => answer === 'created')).toHaveLength(1);
      expect(new Set(answers.map(({ job }) => job.row.job_id)).size).toBe(1);
      expect(await jobs()).toHaveLength(1);
      expect(answers.filter(({ differences }) => differences.includes('changelist_id'))).toHaveLength(7);
    });
  });

  describe('6.2 processing mode', () => {
    it('003-6.2-1 A version that has succeeded is not processed again: the existing result is returned', async () => {
      const job = await world.succeed();
      const again = await world.submit({ idempotency_key: 'key-2' });
      expect(again).toMatchObject({ answer: 'already_succeeded_same_version', differences: [] });
      expect(again.job).toMatchObject({ state: 'succeeded', row: { job_id: job.row.job_id } });
      await world.turn();
      expect(world.provider.ledger).toHaveLength(1);
    });

    it('003-6.2-2 After success a higher version is taken only as an explicit rerun, and a lower one never', async () => {
      const { row } = await world.succeed();
      const details = { latest_version: 3, job_id: row.job_id };
      const next = { idempotency_key: 'key-2', review_version: 4 };
      await expect(world.submit(next)).rejects.toMatchObject({ code: 'rerun_required', details });
      await expect(world.submit({ ...next, rerun: false })).rejects.toMatchObject({ code: 'rerun_required' });
      const old = { idempotency_key: 'key-3', review_version: 2, rerun: true };
      await expect(world.submit(old)).rejects.toMatchObject({ code: 'stale_review_version', details });
      expect(await world.submit({ ...next, rerun: true })).toMatchObject({ answer: 'created' });
    });

    it('003-6.2-2 What was refused has left its key free, and no row', async () => {
      await world.succeed();
      const next = { idempotency_key: 'key-2', review_version: 4 };
      await expect(world.submit(next)).rejects.toMatchObject({ code: 'rerun_required' });
      expect(await jobs()).toHaveLength(1);
      expect(await world.submit({ ...next, rerun: true })).toMatchObject({ answer: 'created' });
    });

    it('003-6.2-3 A rerun is a new attempt, of the same change list under a new version', async () => {
      const first = await world.succeed();
      const { job } = await world.submit(asRerun);
      expect(job.row).toMatchObject({
        ...{ changelist_id: 'CL-17', review_version: 4, previous_version: 3, is_rerun: 1 },
      });
      expect(job.row.job_id).not.toBe(first.row.job_id);
      expect(job.state).toBe('queued');
    });

    it('a version that has not succeeded needs no rerun: the next one is taken', async () => {
      await world.submit();
      const { answer, job } = await world.submit({ idempotency_key: 'key-2', review_version: 7 });
      expect(answer).toBe('created');
      expect(job.row.previous_version).toBe(3);
    });

    it('the same version under another key, while it runs: the running job', async () => {
      const { job } = await world.submit();
      const again = await world.submit({ idempotency_key: 'key-2', title: 'Another', recipients: to(bob) });
      expect(again).toMatchObject({
        ...{ answer: 'already_running_same_version', differences: ['recipients', 'title'] },
        job: { row: { job_id: job.row.job_id } },
      });
      expect(await world.rows()).toHaveLength(1);
    });
  });

  describe('6.3 recipients and keys', () => {
    it('003-6.3-1 The list is built first: normalised, without repeats, the required one wins; and each has its key', async () => {
      const recipients = [
        { email: 'Ana@Example.ORG', required: false },
        { email: bob },
        { email: 'ana@example.org' },
        { email: 'carol@example.org', required: false },
      ];
      const { job } = await world.submit({ recipients });
      expect(job.recipients).toMatchObject([
        { recipient: ana, isRequired: true },
        { recipient: bob, isRequired: true },
        { recipient: 'carol@example.org', isRequired: false },
      ]);
      const found = await world.queries.search({ limit: 10 });
      expect(found.map(({ occasion, recipient }) => [occasion, recipient]).sort()).toEqual([
        ['CL-17:3', ana],
        ['CL-17:3', bob],
        ['CL-17:3', 'carol@example.org'],
      ]);
      expect(found.find(({ recipient }) => recipient === ana)?.to_email, 'as it was given').toBe(
        'Ana@example.org',
      );
    });

    it('003-6.3-2 One row per recipient is persisted before anything is sent, with the job or not at all', async () => {
      await world.submit({ recipients: to(ana, bob) });
      expect(await world.rows()).toMatchObject([
        { ...keyOf(ana), status: 'unsent', stage: 'pending', notification_id: null, notified_at: null },
        { ...keyOf(bob), status: 'unsent', stage: 'pending', notification_id: null, notified_at: null },
      ]);
      expect(world.provider.ledger).toEqual([]);
      const broken = { ...world.outbox, enqueue: () => Promise.reject(new Error('the power failed')) };
      const { createCodeReviews } = await import('../../src/sources/code-reviews/code-reviews.ts');
      const { systemIds } = await import('../../src/std/ids.ts');
      const dying = createCodeReviews({
        ...world,
        ...{ outbox: broken, ids: systemIds, against: world.consent.against, onSubmitted: () => {} },
      });
      const next = request({ idempotency_key: 'key-2', changelist_id: 'CL-18' });
      await expect(dying.submit(next, submitter)).rejects.toThrow('the power failed');
      expect(await jobs(), 'nothing of it is there').toHaveLength(1);
      expect(await world.reviews.submit(next, submitter)).toMatchObject({ answer: 'created' });
    });

    it('003-6.3-3 A row that has notified_at already is skipped', async () => {
      await world.outbox.enqueue([
        { source: 'code-reviews', occasion: 'CL-17:3', recipient: ana, toEmail: ana, lane: 'normal' },
      ]);
      await world.db.write
        .updateTable('deliveries')
        .set({ status: 'sent', sent_at: 1, due_at: null, evidence: 5, round: 1, provider_message_id: 'm-1' })
        .execute();
      const { job } = await world.submit({ recipients: to(ana, bob) });
      await world.turn();
      expect(world.provider.ledger.map(({ mail }) => mail.to)).toEqual([bob]);
      expect(await world.state(job.row.job_id)).toBe('succeeded');
    });
  });

  describe('6.5 finalization', () => {
    it('003-6.5-1 Succeeded only when all required recipients of that version have notified_at; optional ones do not hold it back', async () => {
      const recipients = [{ email: ana }, { email: bob }, { email: 'opt@example.org', required: false }];
      const { job } = await world.submit({ recipients });
      const accepted = new Set([ana]);
      world.provider.answer(({ key, mail }) =>
        accepted.has(mail.to)
          ? { kind: 'accepted', messageId: `id-${key}` }
          : { kind: 'refused_for_now', error: { code: 'busy' } },
      );
      await world.turn();
      expect(await world.state(job.row.job_id)).toBe('retryable_failed');
      accepted.add(bob);
      await world.clock.advance(2_000);
      await world.turn();
      expect((await world.rows()).map(({ status }) => status)).toEqual(['sent', 'sent', 'unsent']);
      expect(await world.state(job.row.job_id)).toBe('succeeded');
      const { job: next } = await world.submit({
        ...asRerun,
      });
      expect(await world.state(next.row.job_id), 'of its own version').toBe('queued');
    });

    it('003-6.5-2 Otherwise it stays in_progress, or retryable_failed while the policy would try again, and failed when it would not', async () => {
      const { job } = await world.submit();
      const state = () => world.state(job.row.job_id);
      expect(await state()).toBe('queued');
      world.provider.answer(async () => {
        expect(await state(), 'while it is being sent').toBe('in_progress');
        return { kind: 'refused_for_now', error: { code: 'busy' } };
      });
      for (let attempt = 1; attempt <= 5; attempt++) {
        await world.turn();
        expect([attempt, await state()]).toEqual([attempt, attempt < 5 ? 'retryable_failed' : 'failed']);
        await world.clock.advance(60_000);
      }
      expect(world.provider.ledger).toHaveLength(5);
    });
  });

  it('the view and the source have the same words for every status, whether it was ever accepted or not', async () => {
    await world.submit();
    for (const status of statusNames) {
      for (const wasAccepted of [false, true]) {
        if (!wasAccepted && ['sent', 'delivered'].includes(status)) continue;
        const isHeld = ['claimed', 'sending'].includes(status);
        const isInDoubt = ['sending', 'reconciling', 'needs_review'].includes(status);
        await world.db.write
          .updateTable('deliveries')
          .set({
            ...{ status, due_at: 1, sent_at: wasAccepted ? 1 : null, locked_by: isHeld ? 'w' : null },
            first_possible_accept_at: isInDoubt ? 1 : null,
          })
          .execute();
        const row = await world.row();
        const word = world.reviews.source.words({ status, wasAccepted, errorCode: null });
        expect([status, wasAccepted, row.status, row.stage]).toEqual([status, wasAccepted, word, status]);
        expect(word).toBe(reviewWord({ status, wasAccepted }));
      }
    }
  });
});

const keyOf = (recipient: string) => ({ changelist_id: 'CL-17', recipient, review_version: 3 });
