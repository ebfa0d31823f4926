import { describe, expect, it } from 'vitest';
import { deliveryId } from '../../src/domain/delivery.ts';
import { readNamespace } from '../../src/outbox/outbox.ts';
import { ana, asRerun, bob, createReviewWorld, hourMs, tagsOf, to } from '../reviews/review-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { worldForEach } from '../support/world-for-each.ts';

onBothDatabases('003-6 processing flow', (dialect) => {
  const world = worldForEach(() => createReviewWorld(dialect));

  describe('6.4 send and mark', () => {
    it('003-6.4-1 The payload is deterministic: made again from the same rows it is the same to the byte', async () => {
      await world.succeed();
      await world.submit({
        ...asRerun,
        findings: [{ severity: 'critical', message: 'It is worse now', file: 'src/cache.ts', line: 13 }],
      });
      const order = {
        source: 'code-reviews',
        worker: 'w',
        limit: 9,
        leaseMs: 60_000,
        from: 'normal',
      } as const;
      const [claimed] = await world.outbox.claim(order);
      if (!claimed) throw new Error('nothing to claim');
      const once = await world.reviews.source.draft([claimed]);
      await world.clock.advance(hourMs);
      expect(await world.reviews.source.draft([claimed])).toEqual(once);
      expect(once.get(claimed.seq)).toMatchObject({
        ...{ kind: 'draft', template: 'review-ready', to: ana },
        props: { version: '4', changes: { previousVersion: '3', added: '1', gone: '2', remaining: '0' } },
      });
    });

    it('003-6.4-1 And what leaves a second time is what left the first time', async () => {
      await world.submit();
      let tries = 0;
      world.provider.answer(({ key }) =>
        tries++ === 0
          ? { kind: 'refused_for_now', error: { code: 'busy' } }
          : { kind: 'accepted', messageId: `id-${key}` },
      );
      await world.turn();
      await world.clock.advance(2_000);
      await world.turn();
      const [first, second] = world.provider.ledger;
      expect([second?.key, second?.mail]).toEqual([first?.key, first?.mail]);
    });

    it('003-6.4-2 The provider’s token is derived from change list, recipient and version', async () => {
      await world.succeed();
      await world.submit({ ...asRerun, recipients: to(ana, bob) });
      await world.turn();
      const namespace = await readNamespace(world.db);
      const keys = [
        ['CL-17:3', ana],
        ['CL-17:4', ana],
        ['CL-17:4', bob],
      ].map(([occasion = '', recipient = '']) =>
        deliveryId(namespace, { source: 'code-reviews', occasion, recipient }),
      );
      expect(world.provider.ledger.map(({ key }) => key).sort()).toEqual(keys.sort());
    });

    it('003-6.4-3, 003-6.4-4 On success the provider’s id is captured as notification_id, and one write sets it, notified_at and sent', async () => {
      await world.submit();
      const writes: unknown[] = [];
      const watching = {
        ...world.outbox,
        record: async (...args: Parameters<typeof world.outbox.record>) => {
          const before = await world.row();
          const answer = await world.outbox.record(...args);
          writes.push([before, await world.row()]);
          return answer;
        },
      };
      await world.turn({ outbox: watching });
      const id = `id-${world.provider.ledger[0]?.key}`;
      const now = new Date(world.clock.now()).toISOString();
      expect(writes).toMatchObject([
        [
          { status: 'unsent', stage: 'sending', notification_id: null, notified_at: null },
          { status: 'sent', stage: 'sent', notification_id: id, notified_at: now },
        ],
      ]);
    });

    it('003-6.4-5 In exactly this order: while the provider has it in hand, nothing is marked', async () => {
      await world.submit({ recipients: to(ana, bob) });
      const during: unknown[] = [];
      world.provider.answer(async ({ key, mail }) => {
        during.push((await world.rows()).find(({ recipient }) => recipient === mail.to));
        return { kind: 'accepted', messageId: `id-${key}` };
      });
      await world.turn();
      expect(during).toMatchObject([
        { stage: 'sending', status: 'unsent', notification_id: null, notified_at: null },
        { stage: 'sending', status: 'unsent', notification_id: null, notified_at: null },
      ]);
      expect((await world.rows()).map(({ status }) => status)).toEqual(['sent', 'sent']);
    });

    it('003-6.4-6 Retries re-read the row first: what was learnt meanwhile holds', async () => {
      await world.submit();
      world.provider.answer(() => ({ kind: 'refused_for_now', error: { code: 'busy' } }));
      await world.turn();
      const row = await world.row();
      expect(row).toMatchObject({ status: 'unsent', stage: 'failed_transient' });
      // The refusal was wrong, and the provider says so before the next try.
      await world.tell('w-1', { type: 'email.sent', messageId: 'm-1', tags: tagsOf(row) });
      await world.clock.advance(hourMs);
      await world.turn();
      expect(world.provider.ledger).toHaveLength(1);
      expect(await world.row()).toMatchObject({ status: 'sent', notification_id: 'm-1' });
    });

    it('003-6.4-7 If notified_at is set it is not sent again, by nobody', async () => {
      const { row } = await world.succeed();
      const order = { reason: 'once more', by: 'ana', recipients: [ana], isOperator: true };
      const { recipients } = await world.reviews.retry(row.job_id, order);
      expect(recipients).toMatchObject([{ isRequeued: false, outcome: 'already_sent' }]);
      await world.clock.advance(24 * hourMs);
      await world.sweep();
      await world.turn();
      expect(world.provider.ledger).toHaveLength(1);
    });

    it('003-6.4-8 notified_at and notification_id null, and nothing left: it is safe to send', async () => {
      await world.submit();
      expect(await world.row()).toMatchObject({ notified_at: null, notification_id: null, stage: 'pending' });
      await world.turn();
      expect(await world.row()).toMatchObject({ status: 'sent' });
      expect(world.provider.ledger).toHaveLength(1);
    });

    it('003-6.4-8 The same two nulls after a crash are the uncertain case, and are told apart (8.27)', async () => {
      const { fake, provider } = await world.resend();
      await world.submit();
      await world.sendAndDie(provider, () => fake.ledger.accepted.length);
      const row = await world.row();
      expect(row).toMatchObject({ notified_at: null, notification_id: null, stage: 'sending' });
      await world.clock.advance(24 * hourMs);
      await world.sweep();
      await world.turn({ provider });
      expect(fake.ledger.submissions(), 'not sent again on a guess').toHaveLength(1);
      await world.reconcile(provider);
      expect(await world.row()).toMatchObject({
        ...{ status: 'sent', notification_id: fake.ledger.accepted[0]?.id },
      });
      expect(fake.ledger.submissions()).toHaveLength(1);
    });

    it('003-6.4-9 notification_id without notified_at: it is looked up by that id before anything is sent', async () => {
      const { fake, provider } = await world.resend();
      await world.submit();
      await world.sendAndDie(provider, () => fake.ledger.accepted.length);
      const [mail] = fake.ledger.accepted;
      await world.db.write
        .updateTable('deliveries')
        .set({ provider_message_id: mail?.id ?? '' })
        .execute();
      expect(await world.row()).toMatchObject({ notification_id: mail?.id, notified_at: null });
      await world.clock.advance(24 * hourMs);
      await world.sweep();
      await world.reconcile(provider);
      expect(await world.row()).toMatchObject({ status: 'sent', notified_at: expect.any(String) });
      const asked = fake.ledger.requests.filter(({ method }) => method === 'GET');
      expect(asked.map(({ path }) => path)).toEqual([`/emails/${mail?.id}`]);
      expect(fake.ledger.submissions()).toHaveLength(1);
    });
  });
});
