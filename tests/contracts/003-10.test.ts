import { describe, expect, it } from 'vitest';
import { ana, asRerun, bob, createReviewWorld, hourMs, to } from '../reviews/review-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { worldForEach } from '../support/world-for-each.ts';

onBothDatabases('003-10 idempotency', (dialect) => {
  const world = worldForEach(() => createReviewWorld(dialect));
  const count = async (table: 'review_jobs' | 'deliveries' | 'review_job_recipients') =>
    (await world.db.read.selectFrom(table).selectAll().execute()).length;

  describe('10.1 of jobs', () => {
    it('003-10.1-1, 003-10.1-2, 003-10.1-3 A repeated key returns the job as it was created, makes none, and says in what it differs', async () => {
      const first = await world.submit();
      const same = await world.submit();
      expect(same).toEqual({ ...first, answer: 'duplicate_idempotency' });
      const other = await world.submit({
        ...{ changelist_id: 'CL-99', review_version: 9, title: 'Other', recipients: to(bob), rerun: true },
        ...{ url: 'https://other.example.org', summary: 'x', findings: [], locale: 'ro' },
      });
      expect(other.job).toEqual(first.job);
      expect(other.differences).toEqual([
        ...['changelist_id', 'review_version', 'rerun', 'recipients', 'title', 'url', 'summary', 'findings'],
        'locale',
      ]);
      expect([await count('review_jobs'), await count('deliveries')]).toEqual([1, 1]);
    });

    it('003-10.1-2 Also when it is long over, and when the repeat could not be taken as it is', async () => {
      const { job } = await world.submit();
      await world.turn();
      await world.clock.advance(1_000 * 24 * hourMs);
      await world.sweep();
      const repeat = await world.submit({ recipients: to('not an address'), review_version: 1 });
      // The record as it was created, but for the words that retention has taken (0035).
      const row = { ...job.row, summary: null, findings: '[]', forgotten_at: world.clock.now() };
      expect(repeat).toMatchObject({
        ...{ answer: 'duplicate_idempotency', differences: ['review_version', 'recipients'] },
        job: { state: 'succeeded', row },
      });
    });

    it('003-10.1-2 The order of recipients, their spelling and their repeats are no difference', async () => {
      await world.submit({ recipients: to(ana, bob) });
      const recipients = to('BOB@example.org', ana, 'Ana@Example.org');
      expect(await world.submit({ recipients })).toMatchObject({ differences: [] });
    });
  });

  describe('10.2 of deliveries', () => {
    it('003-10.2-1, 003-10.2-2 The log holds (changelist_id, recipient, review_version) once, by its index', async () => {
      await world.submit();
      const row = await world.queries.find(String((await world.row()).delivery_seq));
      const { seq: _, ...copy } = { ...row, id: '00000000-0000-4000-8000-000000000000' };
      await expect(
        world.db.write
          .insertInto('deliveries')
          .values(copy as never)
          .execute(),
      ).rejects.toThrow(/unique/i);
      const intent = {
        ...{ source: 'code-reviews', occasion: 'CL-17:3', recipient: ana, toEmail: ana },
        lane: 'normal' as const,
      };
      expect(await world.outbox.enqueue([intent])).toMatchObject([{ isNew: false }]);
    });

    it('003-10.2-1 No two pairs of change list and version have one key', async () => {
      await world.submit({ changelist_id: 'a', review_version: 12 });
      await world.submit({ idempotency_key: 'key-2', changelist_id: 'a:1', review_version: 2 });
      await world.submit({ idempotency_key: 'key-3', changelist_id: 'a:12', review_version: 1 });
      expect(await world.rows()).toHaveLength(3);
      expect(await count('deliveries')).toBe(3);
    });
  });

  describe('10.3 of retries', () => {
    it('003-10.3-1 Safe under a crash: the worker dies after the mail is accepted', async () => {
      const { fake, provider } = await world.resend();
      await world.submit();
      await world.sendAndDie(provider, () => fake.ledger.accepted.length);
      for (let look = 0; look < 5; look++) {
        await world.clock.advance(120_000);
        await world.sweep();
        await world.turn({ provider });
        await world.reconcile(provider);
      }
      expect(fake.ledger.accepted).toHaveLength(1);
      expect(await world.row()).toMatchObject({ status: 'sent' });
    });

    it('003-10.3-2 Safe under a time-out: the answer is lost', async () => {
      const { fake, provider } = await world.resend();
      await world.submit();
      fake.rules.push({ lie: { kind: 'reset', at: 'before_answer', isAccepted: true }, times: 1 });
      await world.turn({ provider });
      fake.rules.length = 0;
      for (let look = 0; look < 5; look++) {
        await world.clock.advance(120_000);
        await world.sweep();
        await world.turn({ provider });
        await world.reconcile(provider);
      }
      expect(fake.ledger.accepted).toHaveLength(1);
      expect(await world.row()).toMatchObject({
        status: 'sent',
        notification_id: fake.ledger.accepted[0]?.id,
      });
    });

    it('003-10.3-3 Safe under a restart: what a worker had in hand goes to the next one, and leaves once', async () => {
      await world.submit({ recipients: to(ana, bob) });
      const order = {
        source: 'code-reviews',
        worker: 'gone',
        limit: 9,
        leaseMs: 120_000,
        from: 'normal',
      } as const;
      expect(await world.outbox.claim(order)).toHaveLength(2);
      await world.turn();
      expect(world.provider.ledger, 'in somebody’s hands').toEqual([]);
      await world.clock.advance(120_000);
      await world.sweep();
      await world.turn();
      await world.turn();
      expect(world.provider.ledger.map(({ mail }) => mail.to).sort()).toEqual([ana, bob]);
    });

    it('003-10.3-4 A worker looks at notified_at and notification_id before it sends: one that wakes up late sends nothing', async () => {
      await world.submit();
      const order = {
        source: 'code-reviews',
        worker: 'slow',
        limit: 9,
        leaseMs: 120_000,
        from: 'normal',
      } as const;
      const [held] = await world.outbox.claim(order);
      if (!held) throw new Error('nothing to claim');
      await world.clock.advance(120_000);
      await world.sweep();
      await world.turn();
      expect(await world.row()).toMatchObject({ status: 'sent' });
      const { mail } = world.provider.ledger[0] ?? {};
      if (!mail) throw new Error('nothing was sent');
      const begun = await world.outbox.begin([{ claimed: held, mail }], {
        ...{ worker: 'slow', account: 'fake:1', keyWindowMs: null, lastCheck: async () => new Map() },
      });
      expect(begun.sending).toEqual([]);
      expect(world.provider.ledger).toHaveLength(1);
    });

    it('003-10.3-5 The provider’s key is the same at every try, and another one for each of the tuple’s parts', async () => {
      await world.submit({ recipients: to(ana, bob) });
      let calls = 0;
      world.provider.answer(({ key }) =>
        calls++ < 4
          ? { kind: 'refused_for_now', error: { code: 'busy' } }
          : { kind: 'accepted', messageId: `id-${key}` },
      );
      for (let turn = 0; turn < 4; turn++) {
        await world.turn();
        await world.clock.advance(60_000);
      }
      const tries = world.provider.ledger.map(({ key, mail }) => `${mail.to} ${key}`);
      expect(tries).toHaveLength(6);
      expect(new Set(tries).size).toBe(2);
      await world.submit({ ...asRerun, recipients: to(ana) });
      await world.submit({ idempotency_key: 'key-3', changelist_id: 'CL-18', recipients: to(ana) });
      await world.turn();
      expect(new Set(world.provider.ledger.map(({ key }) => key)).size).toBe(4);
    });
  });

  describe('10.4 of what has succeeded', () => {
    it('003-10.4-1 The same version again sends nothing and returns the prior success', async () => {
      const { job } = await world.submit();
      await world.turn();
      for (const key of ['key-2', 'key-3']) {
        const again = await world.submit({ idempotency_key: key, rerun: true });
        expect(again).toMatchObject({
          ...{ answer: 'already_succeeded_same_version', differences: ['rerun'] },
          job: { state: 'succeeded', row: { job_id: job.row.job_id } },
        });
      }
      await world.turn();
      expect(world.provider.ledger).toHaveLength(1);
    });

    it('003-10.4-2 A versioned rerun, v3 → v4, creates new intents under new keys', async () => {
      await world.submit({ recipients: to(ana, bob) });
      await world.turn();
      await world.submit({ ...asRerun, recipients: to(ana, bob) });
      await world.turn();
      const sent = world.provider.ledger.map(({ mail, key }) => [mail.tags.review_version, mail.to, key]);
      expect(sent.map(([version, email]) => `${version} ${email}`).sort()).toEqual([
        ...[`3 ${ana}`, `3 ${bob}`, `4 ${ana}`, `4 ${bob}`],
      ]);
      expect(new Set(sent.map(([, , key]) => key)).size).toBe(4);
      expect((await world.rows()).map(({ review_version, status }) => `${review_version} ${status}`)).toEqual(
        [...['3 sent', '3 sent', '4 sent', '4 sent']],
      );
    });
  });
});
