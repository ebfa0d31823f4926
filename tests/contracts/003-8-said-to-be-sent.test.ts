import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rankOf } from '../../src/domain/evidence.ts';
import { tellStory } from '../../src/domain/sentences.ts';
import { signal } from '../support/dispatch-world.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { onBothDatabases } from '../support/world.ts';
import { createReviewOutboxWorld, hourMs, type ReviewOutboxWorld } from './review-outbox-world.ts';

onBothDatabases('003-8 error handling', (dialect) => {
  let world: ReviewOutboxWorld;
  beforeEach(async () => {
    world = await createReviewOutboxWorld(dialect);
  });
  afterEach(() => world.close());

  describe('8.2 DB write succeeded but send failed', () => {
    async function saidToBeSent(more: { account?: string | null } = {}): Promise<number> {
      const seq = await world.enqueueReview();
      await world.sayIsSent(seq, more);
      await world.clock.advance(hourMs);
      return seq;
    }

    it('003-8.2-6 The local state says sent, and nobody doubts it before its time', async () => {
      const seq = await world.enqueueReview();
      await world.sayIsSent(seq);
      await world.clock.advance(hourMs - 1);
      expect(await world.sweep().runOnce()).toMatchObject({ doubted: 0 });
      expect(await world.find(seq)).toMatchObject({ status: 'sent', sent_at: expect.any(Number) });
    });

    it('003-8.2-7, 003-8.2-8 Reconciled by look-up; if not delivered, notified_at and notification_id are cleared and the send is requeued', async () => {
      const seq = await saidToBeSent();
      expect(await world.sweep().runOnce()).toMatchObject({ doubted: 1 });
      expect(await world.reconcile(world.resend).runOnce(signal())).toBe(1);
      expect(await world.find(seq)).toMatchObject({
        ...{ status: 'failed_transient', sent_at: null, provider_message_id: null },
        ...{ due_at: world.clock.now(), first_possible_accept_at: null },
      });
      await world.send();
      expect(await world.find(seq)).toMatchObject({ status: 'sent', sent_at: world.clock.now() });
      expect(world.fake.ledger.accepted).toHaveLength(1);
    });

    it('003-8.2-7 If the provider has it after all, its id is written down and nothing is sent', async () => {
      const seq = await world.enqueueReview();
      // It left, and whoever wrote that down lost all the rest.
      await world.sendAndDie();
      const [mail] = world.fake.ledger.accepted;
      const lost = { locked_by: null, locked_at: null, first_possible_accept_at: null, resubmit_until: null };
      await world.db.write
        .updateTable('deliveries')
        .set({ ...lost, evidence: 0, round: 0 })
        .set({ status: 'sent', sent_at: world.clock.now(), due_at: null, account: null })
        .where('seq', '=', seq)
        .execute();
      await world.clock.advance(hourMs);
      await world.sweep().runOnce();
      await world.reconcile(world.resend).runOnce(signal());
      expect(await world.find(seq)).toMatchObject({
        ...{ status: 'sent', provider_message_id: mail?.id, evidence: rankOf('accepted', 1) },
        account: world.resend.account,
      });
      await world.send();
      expect(world.submissions()).toBe(1);
    });

    it('003-8.2-9 It is told aloud, without saying to whom the mail was', async () => {
      const log = createRecordingLog();
      const seq = await saidToBeSent();
      const deliveryId = (await world.find(seq))?.id;
      await world.sweep(log).runOnce();
      await world.reconcile(world.resend, undefined, log).runOnce(signal());
      expect(log.lines).toMatchObject([
        { level: 'error', event: 'delivery.doubted', deliveryId },
        { level: 'error', event: 'delivery.not_at_provider', deliveryId },
      ]);
      expect(JSON.stringify(log.lines)).not.toContain('@');
    });

    it('003-8.2-10 Any violation is detectable: it is told in the story', async () => {
      const seq = await saidToBeSent();
      await world.sweep().runOnce();
      await world.reconcile(world.resend).runOnce(signal());
      const told = tellStory({ source: 'plain', lane: 'normal', createdAt: 0 }, await world.storyOf(seq));
      expect(told.map(({ sentence }) => sentence).slice(1)).toEqual([
        'It was said to be sent, but there is no evidence of it; that is looked into.',
        'The provider was asked and does not have it: it was not sent, and is tried again.',
      ]);
    });

    it('absence is not believed of an account that may never have had it: a person decides', async () => {
      const seq = await saidToBeSent({ account: null });
      await world.sweep().runOnce();
      await world.reconcile(world.resend).runOnce(signal());
      expect(await world.find(seq)).toMatchObject({ status: 'needs_review', sent_at: expect.any(Number) });
      await world.outbox.perform([seq], { verb: 'resolved_not_sent', reason: 'not there', operator: 'ana' });
      await world.send();
      expect(await world.find(seq)).toMatchObject({ status: 'sent', sent_at: world.clock.now() });
      expect(world.submissions()).toBe(1);
    });

    it.each([
      ['an error', { kind: 'answer', isAccepted: false, status: 500 }],
      ['a refusal', { kind: 'answer', isAccepted: false, status: 401, name: 'restricted_api_key' }],
      ['rubbish', { kind: 'answer', isAccepted: false, status: 200, body: '{"data":[]}' }],
      ['a lost connection', { kind: 'reset', at: 'before_answer', isAccepted: false }],
    ] as const)('look-up silence alone never triggers a resend: %s', async (_, lie) => {
      const seq = await saidToBeSent();
      world.fake.rules.push({ lie });
      const seen = new Set<string | undefined>();
      for (let look = 0; look < 30; look++) {
        await world.sweep().runOnce();
        await world.reconcile(world.resend).runOnce(signal());
        seen.add((await world.find(seq))?.status);
        await world.clock.advance(20 * 60_000);
        await world.send();
      }
      expect([...seen], 'it is asked for a while, and then a person is').toEqual([
        'reconciling',
        'needs_review',
      ]);
      expect(world.submissions()).toBe(0);
    });
  });
});
