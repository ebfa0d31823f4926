import { afterEach, beforeEach, expect, it } from 'vitest';
import { createOutboxWorld, type OutboxWorld } from '../support/outbox-world.ts';
import { askBySql, rowIn } from '../support/rows.ts';
import { onBothDatabases } from '../support/world.ts';

onBothDatabases('what operators say', (dialect) => {
  let world: OutboxWorld;
  beforeEach(async () => {
    world = await createOutboxWorld(dialect);
  });
  afterEach(() => world.close());

  it('000-69 An operator requeues a dead letter: attempts 0, due now, the reason in the story', async () => {
    const seq = await rowIn(world, 'failed_permanent', 1, { attempts: 5, round: 1, evidence: 4 });
    const order = { verb: 'requeued', reason: 'mailbox is back', operator: 'ana' } as const;
    expect(await world.outbox.perform([seq, 999], order)).toMatchObject([
      { changed: true, status: 'pending' },
      { changed: false, why: 'no such delivery' },
    ]);
    expect(await world.find(seq)).toMatchObject({
      attempts: 0,
      due_at: world.clock.now(),
      last_error: null,
      evidence: 7,
    });
    const { events } = await world.queries.story(seq);
    expect(events).toMatchObject([{ event: 'requeued', actor: 'operator ana', status: 'pending' }]);
    expect(JSON.parse(events[0]?.detail ?? '')).toMatchObject({
      reason: 'mailbox is back',
      from: 'failed_permanent',
    });
    expect(await world.claim()).toMatchObject([{ seq, round: 2 }]);
    await expect(world.outbox.perform([seq], { ...order, reason: ' ' })).rejects.toMatchObject({
      code: 'reason_required',
    });
  });

  it.each(['claimed', 'sending', 'reconciling', 'sent', 'delivered'] as const)(
    'a requeue leaves %s alone and says so',
    async (status) => {
      const seq = await rowIn(world, status, 1);
      const order = { verb: 'requeued', reason: 'again', operator: 'ana' } as const;
      expect(await world.outbox.perform([seq], order)).toMatchObject([
        { changed: false, status, why: 'no arrow' },
      ]);
    },
  );

  it('an operator resolves what nobody can know, and of two who decide at once one is told', async () => {
    const seqs = [
      await rowIn(world, 'needs_review', 1),
      await rowIn(world, 'needs_review', 2),
      await rowIn(world, 'needs_review', 3),
    ];
    const resolve = (seq: number, verb: 'resolved_sent' | 'resolved_not_sent' | 'resolved_closed') =>
      world.outbox.perform([seq], { verb, reason: 'asked her', operator: 'ana' });
    expect(await resolve(seqs[0] as number, 'resolved_sent')).toMatchObject([
      { changed: true, status: 'sent' },
    ]);
    expect(await resolve(seqs[1] as number, 'resolved_not_sent')).toMatchObject([
      { changed: true, status: 'failed_transient' },
    ]);
    expect(await resolve(seqs[2] as number, 'resolved_closed')).toMatchObject([
      { changed: true, status: 'failed_permanent' },
    ]);
    expect(await world.find(seqs[2] as number)).toMatchObject({
      first_possible_accept_at: expect.any(Number),
    });
    for (const seq of seqs) {
      expect(await resolve(seq, 'resolved_sent')).toMatchObject([{ changed: false, why: 'no arrow' }]);
    }
  });

  it('performs what operators ask for by SQL, in order, and answers beside the question', async () => {
    const dead = await rowIn(world, 'failed_permanent', 1);
    const sent = await rowIn(world, 'sent', 2);
    await askBySql(world, [dead, sent, dead]);
    expect(await world.outbox.performRequests()).toBe(3);
    expect(await world.outbox.performRequests()).toBe(0);
    const answers = await world.db.read
      .selectFrom('operator_requests')
      .select('answer')
      .orderBy('request_seq')
      .execute();
    expect(answers.map(({ answer }) => answer)).toEqual(['done', 'no arrow', 'no arrow']);
  });
});
