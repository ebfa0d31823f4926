import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rankOf } from '../../src/domain/evidence.ts';
import { arrow, workEvents } from '../../src/domain/lifecycle.ts';
import { tellStory } from '../../src/domain/sentences.ts';
import { statusNames } from '../../src/domain/status.ts';
import { leaseMs, signal, someError } from '../support/dispatch-world.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { createResendOutboxWorld, type ResendOutboxWorld } from '../support/resend-outbox-world.ts';
import { rowIn } from '../support/rows.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';

const hourMs = 3_600_000;
/** A change list at a version, told to a reviewer. */
const review = (version: number) =>
  intentNumber(1, { occasion: `CL-17 v${version}`, recipient: 'reviewer@example.org' });

onBothDatabases('003-8 error handling', (dialect) => {
  let world: ResendOutboxWorld;
  beforeEach(async () => {
    world = await createResendOutboxWorld(dialect);
  });
  afterEach(() => world.close());

  async function enqueueReview(version = 3): Promise<number> {
    const [made] = await world.outbox.enqueue([review(version)]);
    return made?.seq ?? 0;
  }
  const submissions = () => world.fake.ledger.submissions().length;
  const storyOf = async (seq: number) => (await world.queries.story(seq)).events;

  describe('8.1 general rules', () => {
    it('003-8.1-1 Every attempt is in the story of the one row of change, reviewer and version', async () => {
      const seq = await enqueueReview();
      expect(await enqueueReview(), 'the same key is the same row').toBe(seq);
      const other = await enqueueReview(4);
      expect(other, 'another version is another').not.toBe(seq);
      let calls = 0;
      world.provider.answer(({ key }) =>
        calls++ < 2 ? { kind: 'refused_for_now', error: someError } : { kind: 'accepted', messageId: key },
      );
      for (let turn = 0; turn < 3; turn++) {
        await world.dispatch().runOnce(signal());
        await world.clock.advance(60_000);
      }
      const told = [...(await storyOf(seq)), ...(await storyOf(other))];
      const attempts = told.filter(({ detail }) => detail?.includes('"attempts":'));
      expect(attempts).toHaveLength(world.provider.ledger.length);
      expect(world.provider.ledger.length).toBeGreaterThan(2);
    });

    it('003-8.1-2 What fails on the way is tried again, and waits longer each time', async () => {
      const seq = await enqueueReview();
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
      const seq = await enqueueReview();
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
      const seq = await enqueueReview();
      await world.sendAndDie();
      expect(await world.find(seq)).toMatchObject({
        ...{ status: 'sending', sent_at: null, provider_message_id: null },
        first_possible_accept_at: expect.any(Number),
      });
    });

    it('003-8.2-2, 003-8.2-4 The retry first asks by the deterministic key: the provider answers with the mail that it has', async () => {
      const seq = await enqueueReview();
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
      const seq = await enqueueReview();
      await world.sendAndDie();
      const acceptedAt = world.clock.now();
      await world.clock.advance(23 * hourMs + 60_000);
      await world.sweep().runOnce();
      await world.reconcile(world.resend).runOnce(signal());
      expect(await world.find(seq)).toMatchObject({
        ...{ status: 'sent', sent_at: acceptedAt },
        provider_message_id: world.fake.ledger.accepted[0]?.id,
      });
      expect(submissions()).toBe(1);
    });

    it('003-8.2-2 A prior notification_id is asked for by itself', async () => {
      const seq = await enqueueReview();
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
      const seq = await enqueueReview();
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

  describe('8.2 DB write succeeded but send failed', () => {
    async function saidToBeSent(more: { account?: string | null } = {}): Promise<number> {
      const seq = await enqueueReview();
      await world.sayIsSent(seq, more);
      await world.clock.advance(hourMs);
      return seq;
    }

    it('003-8.2-6 The local state says sent, and nobody doubts it before its time', async () => {
      const seq = await enqueueReview();
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
      const seq = await enqueueReview();
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
      expect(submissions()).toBe(1);
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
      const told = tellStory({ source: 'plain', lane: 'normal', createdAt: 0 }, await storyOf(seq));
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
      expect(submissions()).toBe(1);
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
      expect(submissions()).toBe(0);
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
      const seq = await enqueueReview();
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
      const seq = await enqueueReview();
      await world.sayIsSent(seq);
      await world.clock.advance(hourMs);
      const requeue = { verb: 'requeued', reason: 'x', operator: 'ana' } as const;
      expect(await world.outbox.perform([seq], requeue)).toMatchObject([{ changed: false }]);
      await world.sweep().runOnce();
      expect(await world.find(seq)).toMatchObject({ status: 'reconciling', resubmit_until: null });
      expect(await world.outbox.perform([seq], requeue)).toMatchObject([{ changed: false }]);
      await world.send();
      expect(submissions()).toBe(0);
    });

    it('an import does not stand in front of the doubts of today: while many are due, no more are made', async () => {
      const seq = await enqueueReview();
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
      const seq = await enqueueReview();
      await world.sayIsSent(seq);
      await world.db.write.updateTable('deliveries').set({ provider_message_id: 'm' }).execute();
      await world.clock.advance(48 * hourMs);
      expect(await world.sweep().runOnce()).toMatchObject({ doubted: 0 });
      expect(await world.find(seq)).toMatchObject({ status: 'sent' });
    });
  });
});
