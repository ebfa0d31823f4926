import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { arrow, workEvents } from '../../src/domain/lifecycle.ts';
import { statusNames } from '../../src/domain/status.ts';
import { leaseMs, signal, someError } from '../support/dispatch-world.ts';
import { rowIn } from '../support/rows.ts';
import { onBothDatabases } from '../support/world.ts';
import { createReviewOutboxWorld, hourMs, type ReviewOutboxWorld } from './review-outbox-world.ts';

onBothDatabases('003-8 error handling', (dialect) => {
  let world: ReviewOutboxWorld;
  beforeEach(async () => {
    world = await createReviewOutboxWorld(dialect);
  });
  afterEach(() => world.close());

  describe('8.1 general rules', () => {
    it('003-8.1-1 Every attempt is in the story of the one row of change, reviewer and version', async () => {
      const seq = await world.enqueueReview();
      expect(await world.enqueueReview(), 'the same key is the same row').toBe(seq);
      const other = await world.enqueueReview(4);
      expect(other, 'another version is another').not.toBe(seq);
      let calls = 0;
      world.provider.answer(({ key }) =>
        calls++ < 2 ? { kind: 'refused_for_now', error: someError } : { kind: 'accepted', messageId: key },
      );
      for (let turn = 0; turn < 3; turn++) {
        await world.dispatch().runOnce(signal());
        await world.clock.advance(60_000);
      }
      const told = [...(await world.storyOf(seq)), ...(await world.storyOf(other))];
      const attempts = told.filter(({ detail }) => detail?.includes('"attempts":'));
      expect(attempts).toHaveLength(world.provider.ledger.length);
      expect(world.provider.ledger.length).toBeGreaterThan(2);
    });

    it('003-8.1-2 What fails on the way is tried again, and waits longer each time', async () => {
      const seq = await world.enqueueReview();
      world.provider.answer(() => ({ kind: 'refused_for_now', error: someError }));
      const waits: number[] = [];
      for (let attempt = 0; attempt < 4; attempt++) {
        await world.dispatch().runOnce(signal());
        const row = await world.find(seq);
        expect(row).toMatchObject({ status: 'failed_transient', attempts: attempt + 1 });
        waits.push((row?.due_at ?? 0) - world.clock.now());
        await world.clock.advance(waits.at(-1) ?? 0);
      }
      // From half of the step to the whole of it: 5, 10, 20, 40 s.
      for (const [index, waitMs] of waits.entries()) {
        const stepMs = 5_000 * 2 ** index;
        expect(waitMs).toBeGreaterThanOrEqual(stepMs / 2);
        expect(waitMs).toBeLessThanOrEqual(stepMs);
      }
    });

    it('003-8.1-3, 003-8.1-4 A refusal for good fails the row, and somebody must see to it', async () => {
      const seq = await world.enqueueReview();
      world.provider.answer(() => ({ kind: 'refused_for_good', error: someError }));
      await world.dispatch().runOnce(signal());
      expect(await world.find(seq)).toMatchObject({ status: 'failed_permanent', due_at: null });
      await world.clock.advance(48 * hourMs);
      await world.sweep().runOnce();
      await world.dispatch().runOnce(signal());
      expect(world.provider.ledger, 'nothing goes out by itself').toHaveLength(1);
      world.provider.answer(({ key }) => ({ kind: 'accepted', messageId: key }));
      await world.outbox.perform([seq], { verb: 'requeued', reason: 'mended', operator: 'ana' });
      await world.dispatch().runOnce(signal());
      expect(await world.find(seq)).toMatchObject({ status: 'sent' });
    });
  });

  describe('8.2 email sent but DB write failed', () => {
    it('003-8.2-1 The row still appears unsent', async () => {
      const seq = await world.enqueueReview();
      await world.sendAndDie();
      expect(await world.find(seq)).toMatchObject({
        ...{ status: 'sending', sent_at: null, provider_message_id: null },
        first_possible_accept_at: expect.any(Number),
      });
    });

    it('003-8.2-2, 003-8.2-4 The retry first asks by the deterministic key: the provider answers with the mail that it has', async () => {
      const seq = await world.enqueueReview();
      await world.sendAndDie();
      await world.clock.advance(leaseMs);
      await world.sweep().runOnce();
      await world.reconcile(world.resend).runOnce(signal());
      const [mail] = world.fake.ledger.accepted;
      expect(await world.find(seq)).toMatchObject({ status: 'sent', provider_message_id: mail?.id });
      expect(world.fake.ledger.accepted, 'there is one mail, not two').toHaveLength(1);
      expect(mail?.submissions).toBe(2);
    });

    it('003-8.2-2, 003-8.2-3 Where the key is forgotten the look-up finds it; notification_id and notified_at are backfilled without resending', async () => {
      const seq = await world.enqueueReview();
      await world.sendAndDie();
      const acceptedAt = world.clock.now();
      await world.clock.advance(23 * hourMs + 60_000);
      await world.sweep().runOnce();
      await world.reconcile(world.resend).runOnce(signal());
      expect(await world.find(seq)).toMatchObject({
        ...{ status: 'sent', sent_at: acceptedAt },
        provider_message_id: world.fake.ledger.accepted[0]?.id,
      });
      expect(world.submissions()).toBe(1);
    });

    it('003-8.2-2 A prior notification_id is asked for by itself', async () => {
      const seq = await world.enqueueReview();
      await world.sendAndDie();
      const [mail] = world.fake.ledger.accepted;
      await world.db.write
        .updateTable('deliveries')
        .set({ provider_message_id: mail?.id ?? '' })
        .where('seq', '=', seq)
        .execute();
      await world.clock.advance(23 * hourMs + 60_000);
      await world.sweep().runOnce();
      await world.reconcile(world.resend).runOnce(signal());
      expect(await world.find(seq)).toMatchObject({ status: 'sent' });
      const asked = world.fake.ledger.requests.filter(({ method }) => method === 'GET');
      expect(asked.map(({ path }) => path)).toEqual([`/emails/${mail?.id}`]);
    });

    it('003-8.2-5 It is never marked failed permanently until reconciliation was attempted, whatever the resubmission is told', async () => {
      const seq = await world.enqueueReview();
      await world.sendAndDie();
      world.fake.rules.push(
        {
          lie: { kind: 'answer', isAccepted: false, status: 422, name: 'validation_error' },
          match: ({ method }) => method === 'POST',
        },
        {
          lie: { kind: 'answer', isAccepted: false, status: 500 },
          match: ({ method }) => method === 'GET',
        },
      );
      const seen = new Set<string | undefined>();
      for (let look = 0; look < 60; look++) {
        await world.clock.advance(30 * 60_000);
        await world.sweep().runOnce();
        await world.reconcile(world.resend).runOnce(signal());
        seen.add((await world.find(seq))?.status);
      }
      expect([...seen]).toEqual(['reconciling', 'needs_review']);
    });
  });

  describe('8.3 ordering contract', () => {
    it('003-8.3-1 First sent, then marked: nothing that we do ourselves marks a delivery sent', () => {
      for (const status of statusNames) {
        for (const event of workEvents) {
          expect(['sent', 'delivered'], `${status} ${event}`).not.toContain(arrow(status, event)?.to);
        }
      }
    });

    it('003-8.3-1 While the provider has the mail in hand, the row does not say sent', async () => {
      const seq = await world.enqueueReview();
      let during: unknown;
      world.provider.answer(async ({ key }) => {
        during = await world.find(seq);
        return { kind: 'accepted', messageId: key };
      });
      await world.dispatch().runOnce(signal());
      expect(during).toMatchObject({ status: 'sending', sent_at: null, provider_message_id: null });
      expect(await world.find(seq)).toMatchObject({ status: 'sent', sent_at: world.clock.now() });
    });

    it('003-8.3-2 A row that says notified and has nothing to prove it is looked into before anything else leaves', async () => {
      const seq = await world.enqueueReview();
      await world.sayIsSent(seq);
      await world.clock.advance(hourMs);
      const requeue = { verb: 'requeued', reason: 'x', operator: 'ana' } as const;
      expect(await world.outbox.perform([seq], requeue)).toMatchObject([{ changed: false }]);
      await world.sweep().runOnce();
      expect(await world.find(seq)).toMatchObject({ status: 'reconciling', resubmit_until: null });
      expect(await world.outbox.perform([seq], requeue)).toMatchObject([{ changed: false }]);
      await world.send();
      expect(world.submissions()).toBe(0);
    });

    it('an import does not stand in front of the doubts of today: while many are due, no more are made', async () => {
      const seq = await world.enqueueReview();
      await world.sayIsSent(seq);
      await world.clock.advance(hourMs);
      for (let number = 2; number < 52; number++) {
        await rowIn(world, 'reconciling', number, { lockedBy: null, lockedAt: null });
      }
      const sweep = world.sweep();
      expect(await sweep.runOnce()).toMatchObject({ doubted: 0 });
      await world.db.write
        .updateTable('deliveries')
        .set({ due_at: world.clock.now() + 1 })
        .where('status', '=', 'reconciling')
        .execute();
      expect(await sweep.runOnce(), 'as soon as there is room').toMatchObject({ doubted: 1 });
    });

    it('003-8.3-2 A row that has the provider’s id is no such row', async () => {
      const seq = await world.enqueueReview();
      await world.sayIsSent(seq);
      await world.db.write.updateTable('deliveries').set({ provider_message_id: 'm' }).execute();
      await world.clock.advance(48 * hourMs);
      expect(await world.sweep().runOnce()).toMatchObject({ doubted: 0 });
      expect(await world.find(seq)).toMatchObject({ status: 'sent' });
    });
  });
});
