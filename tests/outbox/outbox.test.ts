import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Composed, Verdict } from '../../src/outbox/begin.ts';
import type { Claimed } from '../../src/outbox/claim.ts';
import { Refusal } from '../../src/std/refusal.ts';
import { mailTo } from '../support/mails.ts';
import { rowIn } from '../support/rows.ts';
import { createWorld, intentNumber, onBothDatabases, type World } from '../support/world.ts';

onBothDatabases('the outbox', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());

  const claim = (limit = 100, more = {}) =>
    world.outbox.claim({
      source: 'plain',
      worker: 'worker-1',
      limit,
      leaseMs: 120_000,
      from: 'normal',
      ...more,
    });
  const begin = (batch: readonly Composed[], verdicts = new Map<number, Verdict>()) =>
    world.outbox.begin(batch, {
      worker: 'worker-1',
      account: 'capture',
      keyWindowMs: 1000,
      lastCheck: async () => verdicts,
    });
  const composed = (claimed: Claimed): Composed => ({ claimed, mail: claimed.frozen ?? mailTo(claimed.seq) });
  const find = (seq: number) => world.queries.find(String(seq));
  const accepted = ({ seq, round }: Claimed, messageId = `message-${seq}`) =>
    world.outbox.record([
      { seq, event: 'accepted', round, at: world.clock.now(), messageId, actor: 'worker-1' },
    ]);

  it('answers intents in order and tells a repeat from a first, within a batch and across', async () => {
    const first = await world.outbox.enqueue([intentNumber(1), intentNumber(2), intentNumber(1)]);
    expect(first.map(({ isNew }) => isNew)).toEqual([true, true, false]);
    expect(first[2]?.id).toBe(first[0]?.id);
    await rowIn(world, 'sent', 3);
    const again = await world.outbox.enqueue([intentNumber(3), intentNumber(2), intentNumber(4)]);
    expect(again.map(({ isNew, status }) => [isNew, status])).toEqual([
      [false, 'sent'],
      [false, 'pending'],
      [true, 'pending'],
    ]);
  });

  it('a repeat changes nothing of the first, not even its content', async () => {
    const [first] = await world.outbox.enqueue([intentNumber(1)]);
    await world.outbox.enqueue([
      intentNumber(1, { variables: { subject: 'other', text: 'other' }, lane: 'urgent' }),
    ]);
    const [claimed] = await claim();
    expect(claimed).toMatchObject({ seq: first?.seq, lane: 'normal', variables: { subject: 'Subject 1' } });
  });

  it('002-P11-01 Concurrent inserts with the same identity make one record, in whatever order they come', async () => {
    const intents = Array.from({ length: 50 }, (_, number) => intentNumber(number));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, caller) =>
        world.outbox.enqueue(caller % 2 ? intents : intents.toReversed()),
      ),
    );
    expect(answers.flat().filter(({ isNew }) => isNew)).toHaveLength(50);
    expect(await world.queries.counts()).toEqual([{ source: 'plain', status: 'pending', count: 50 }]);
  });

  it('takes thousands at once and answers them in order', async () => {
    const intents = Array.from({ length: 2500 }, (_, number) => intentNumber(number));
    const answers = await world.outbox.enqueue(intents);
    expect(answers.every(({ isNew }) => isNew)).toBe(true);
    const row = await find(answers[2100]?.seq ?? 0);
    expect(row?.occasion).toBe('occasion-2100');
  });

  it('refuses an address that is not one address at the door, and then nothing of the batch is in', async () => {
    const bad = intentNumber(2, { toEmail: 'a@example.org, b@example.org' });
    await expect(world.outbox.enqueue([intentNumber(1), bad])).rejects.toThrow(Refusal);
    await expect(world.outbox.enqueue([bad])).rejects.toMatchObject({ code: 'invalid_address' });
    await expect(world.outbox.enqueue([intentNumber(1, { occasion: 'a\nb' })])).rejects.toMatchObject({
      code: 'invalid_identity',
    });
    await expect(world.outbox.enqueue([intentNumber(1, { lane: 'fast' as 'bulk' })])).rejects.toMatchObject({
      code: 'invalid_lane',
    });
    await expect(world.outbox.enqueue([intentNumber(1, { traceId: 'a\0b' })])).rejects.toMatchObject({
      code: 'invalid_intent',
    });
    expect(await world.queries.counts()).toEqual([]);
  });

  it('the same identity has another id in another instance', async () => {
    const other = await createWorld(dialect);
    const [here] = await world.outbox.enqueue([intentNumber(1)]);
    const [there] = await other.outbox.enqueue([intentNumber(1)]);
    await other.close();
    expect(here?.id).not.toBe(there?.id);
  });

  it('claims what is due, oldest first, by source and lane, up to the limit', async () => {
    const now = world.clock.now();
    await world.outbox.enqueue([
      intentNumber(1, { dueAt: now - 10 }),
      intentNumber(2, { dueAt: now - 30 }),
      intentNumber(3, { dueAt: now + 1 }),
      intentNumber(4, { dueAt: now - 20, lane: 'urgent' }),
      intentNumber(5, { dueAt: now - 20, source: 'other' }),
      intentNumber(6, { dueAt: now - 20 }),
    ]);
    const taken = await claim(2);
    expect(taken.map(({ occasion }) => occasion).sort()).toEqual(['occasion-2', 'occasion-6']);
    expect((await claim()).map(({ occasion }) => occasion)).toEqual(['occasion-1']);
    expect((await claim(9, { from: 'urgent' })).map(({ occasion }) => occasion)).toEqual(['occasion-4']);
    await world.clock.advance(1);
    expect((await claim()).map(({ occasion }) => occasion)).toEqual(['occasion-3']);
  });

  it('000-09, 000-11, 002-P4-09 A claim sets owner, time and claim count in SQL, and counts no attempt', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [claimed] = await claim();
    expect(await find(claimed?.seq ?? 0)).toMatchObject({
      status: 'claimed',
      claims: 1,
      attempts: 0,
      lease: 1,
      locked_by: 'worker-1',
      locked_at: world.clock.now(),
      due_at: world.clock.now() + 120_000,
    });
  });

  it('000-70 Another worker takes over when the lease is over, not before', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [held] = await claim();
    const seq = held?.seq ?? 0;
    const lapse = () => world.outbox.record([{ seq, event: 'lapsed', actor: 'sweep' }]);
    await world.clock.advance(119_999);
    expect(await lapse()).toMatchObject([{ changed: false, why: 'guard' }]);
    expect(await claim()).toEqual([]);
    await world.clock.advance(1);
    expect(await lapse()).toMatchObject([{ changed: true, status: 'pending' }]);
    expect(await claim()).toMatchObject([{ seq, lease: 2 }]);
  });

  it('claims rows that were in hand at two deaths one at a time, and apart from the others', async () => {
    await rowIn(world, 'pending', 1, { lapses: 2 });
    await rowIn(world, 'pending', 2, { lapses: 2 });
    await rowIn(world, 'pending', 3, { lapses: 1 });
    expect((await claim()).map(({ occasion }) => occasion)).toEqual(['occasion-3']);
    expect(await claim(1, { from: 'suspects' })).toHaveLength(1);
    expect(await claim(1, { from: 'suspects' })).toHaveLength(1);
  });

  it('the write-ahead freezes the mail, fixes round, account and key window, and opens the doubt', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [claimed] = await claim();
    if (!claimed) throw new Error('not claimed');
    const { sending } = await begin([composed(claimed)]);
    expect(sending).toHaveLength(1);
    const now = world.clock.now();
    expect(await find(claimed.seq)).toMatchObject({
      status: 'sending',
      round: 1,
      evidence: 4,
      account: 'capture',
      first_possible_accept_at: now,
      resubmit_until: now + 1000,
      last_attempt_at: now,
      to_email: `person-${claimed.seq}@example.org`,
      attempts: 0,
    });
    const { mails } = await world.queries.story(claimed.seq);
    expect(mails.find(({ round }) => round === 1)).toMatchObject({
      subject: `Subject ${claimed.seq}`,
      frozen_at: now,
    });
  });

  it('002-P11-03 A retry of the same round gets the frozen mail back, byte for byte', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [first] = await claim();
    if (!first) throw new Error('not claimed');
    const mail = mailTo(1, { subject: 'Grüße, "Ana" \u2028 🙂', headers: { 'X-A': 'a', 'X-B': 'b' } });
    await begin([{ claimed: first, mail }]);
    await world.outbox.record([
      { seq: first.seq, event: 'refused_for_now', lease: 1, actor: 'w', dueAt: world.clock.now() },
    ]);
    const [second] = await claim();
    expect(second).toMatchObject({ round: 1, attempts: 1 });
    expect(second?.frozen).toEqual(mail);
    await begin([composed(second as Claimed)]);
    expect((await world.queries.story(first.seq)).mails.filter(({ round }) => round > 0)).toHaveLength(1);
  });

  it('what the last check stops does not become `sending` and freezes nothing', async () => {
    await world.outbox.enqueue([1, 2, 3, 4, 5].map((number) => intentNumber(number)));
    const batch = (await claim()).map(composed);
    const [a, b, c, d, e] = batch.map(({ claimed }) => claimed.seq) as [
      number,
      number,
      number,
      number,
      number,
    ];
    const later = world.clock.now() + 5000;
    const verdicts = new Map<number, Verdict>([
      [a, { event: 'unsubscribed' }],
      [b, { event: 'address_suppressed' }],
      [c, { event: 'expired' }],
      [d, { event: 'deferred', dueAt: later }],
    ]);
    const { sending, stopped } = await begin(batch, verdicts);
    expect(sending.map(({ claimed }) => claimed.seq)).toEqual([e]);
    expect(stopped.map(({ status }) => status)).toEqual([
      'skipped_unsubscribed',
      'suppressed',
      'expired',
      'pending',
    ]);
    expect(await find(d)).toMatchObject({ due_at: later, locked_by: null, attempts: 0 });
    expect((await world.queries.story(a)).mails.every(({ round }) => round === 0)).toBe(true);
  });

  it('an unsubscribe between claim and begin wins', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [claimed] = await claim();
    if (!claimed) throw new Error('not claimed');
    await world.outbox.record([{ seq: claimed.seq, event: 'unsubscribed', actor: 'consent' }]);
    const { sending, stopped } = await begin([composed(claimed)]);
    expect(sending).toEqual([]);
    expect(stopped).toMatchObject([{ status: 'skipped_unsubscribed', changed: false }]);
  });

  it('a worker whose lease ran out changes nothing and leaves its evidence', async () => {
    await world.outbox.enqueue([intentNumber(1), intentNumber(2)]);
    const [slow, slower] = await claim();
    if (!slow || !slower) throw new Error('not claimed');
    await begin([composed(slow), composed(slower)]);
    await world.clock.advance(120_000);
    await world.outbox.record(
      [slow, slower].map(({ seq }) => ({ seq, event: 'lease_expired', actor: 'sweep' })),
    );
    const late = await world.outbox.record([
      {
        seq: slow.seq,
        event: 'refused_for_good',
        lease: slow.lease,
        actor: 'worker-1',
        error: { code: 'late' },
      },
    ]);
    expect(late).toMatchObject([{ changed: false, status: 'reconciling' }]);
    expect(await accepted(slower)).toMatchObject([{ changed: true, status: 'sent' }]);
    expect(await find(slower.seq)).toMatchObject({
      provider_message_id: `message-${slower.seq}`,
      attempts: 1,
    });
  });

  it('000-10, 000-45, 001-01 Attempts + 1 once per completed call, in the statement that records its result', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [claimed] = await claim();
    if (!claimed) throw new Error('not claimed');
    await begin([composed(claimed)]);
    expect((await find(claimed.seq))?.attempts).toBe(0);
    await accepted(claimed);
    await accepted(claimed);
    expect(await find(claimed.seq)).toMatchObject({
      status: 'sent',
      attempts: 1,
      locked_by: null,
      locked_at: null,
    });
  });

  it('a new round has a new key, a fresh mail, and the earlier round keeps its message id', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [first] = await claim();
    if (!first) throw new Error('not claimed');
    await begin([composed(first)]);
    await accepted(first, 'message-of-round-1');
    const bounce = {
      event: 'bounced_for_now',
      round: 1,
      at: 5,
      roundsMax: 3,
      dueAt: world.clock.now(),
    } as const;
    await world.outbox.record([{ seq: first.seq, actor: 'webhook', ...bounce }]);
    const [second] = await claim();
    expect(second).toMatchObject({ seq: first.seq, round: 2, attempts: 0, frozen: null });
    await begin([{ claimed: second as Claimed, mail: mailTo(1, { subject: 'Second' }) }]);
    expect(await find(first.seq)).toMatchObject({ round: 2, provider_message_id: null, attempts: 0 });
    expect(await world.queries.find('message-of-round-1')).toMatchObject({ seq: first.seq });
    await accepted(second as Claimed, 'message-of-round-2');
    expect(await world.queries.find('message-of-round-2')).toMatchObject({ seq: first.seq });
    expect(world.told.filter(({ fact }) => fact.kind === 'first_accepted')).toHaveLength(2); // consent and source, once each
  });

  it('late evidence of an earlier round is kept with that round', async () => {
    const seq = await rowIn(world, 'sent', 1, { round: 2, evidence: 9, providerMessageId: 'second' });
    await world.db.transaction((tx) =>
      tx
        .insertInto('delivery_mails')
        .values({ delivery_seq: seq, round: 1, subject: 's' } as never)
        .execute(),
    );
    await world.outbox.record([
      { seq, event: 'accepted', round: 1, at: 1, messageId: 'first', actor: 'webhook' },
    ]);
    expect(await world.queries.find('first')).toMatchObject({
      seq,
      status: 'sent',
      provider_message_id: 'second',
    });
  });

  it('bookkeeping that throws leaves the status committed, is owed, and is told again until it succeeds', async () => {
    world.failBookkeeping(2);
    const seq = await rowIn(world, 'sending', 1);
    await world.outbox.record([{ seq, event: 'accepted', round: 1, at: 1, messageId: 'm', actor: 'w' }]);
    expect(await find(seq)).toMatchObject({ status: 'sent' });
    expect(world.told.map(({ by }) => by)).toEqual(['consent']);
    expect(await world.outbox.tellOwedFacts()).toBe(0);
    const tries = () => world.db.read.selectFrom('owed_facts').select('tries').execute();
    expect(await tries(), 'not due yet, and so not tried').toEqual([{ tries: 1 }]);
    await world.clock.advance(30_000);
    expect(await world.outbox.tellOwedFacts()).toBe(0);
    expect(await tries(), 'failed a second time').toEqual([{ tries: 2 }]);
    await world.clock.advance(60_000);
    expect(await world.outbox.tellOwedFacts()).toBe(1);
    expect(world.told.map(({ by, fact }) => [by, fact.kind])).toEqual([
      ['consent', 'first_accepted'],
      ['source', 'first_accepted'],
    ]);
    await world.clock.advance(600_000);
    expect(await world.outbox.tellOwedFacts()).toBe(0);
  });

  it('000-69 An operator requeues a dead letter: attempts 0, due now, the reason in the story', async () => {
    const seq = await rowIn(world, 'failed_permanent', 1, { attempts: 5, round: 1, evidence: 4 });
    const order = { verb: 'requeued', reason: 'mailbox is back', operator: 'ana' } as const;
    expect(await world.outbox.perform([seq, 999], order)).toMatchObject([
      { changed: true, status: 'pending' },
      { changed: false, why: 'no such delivery' },
    ]);
    expect(await find(seq)).toMatchObject({
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
    expect(await claim()).toMatchObject([{ seq, round: 2 }]);
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
    expect(await find(seqs[2] as number)).toMatchObject({ first_possible_accept_at: expect.any(Number) });
    for (const seq of seqs) {
      expect(await resolve(seq, 'resolved_sent')).toMatchObject([{ changed: false, why: 'no arrow' }]);
    }
  });

  it('performs what operators ask for by SQL, in order, and answers beside the question', async () => {
    const dead = await rowIn(world, 'failed_permanent', 1);
    const sent = await rowIn(world, 'sent', 2);
    for (const delivery_seq of [dead, sent, dead]) {
      const request = {
        delivery_seq,
        verb: 'requeued',
        reason: 'by SQL',
        requested_by: 'ana',
        requested_at: 1,
      } as const;
      await world.db.transaction((tx) =>
        tx
          .insertInto('operator_requests')
          .values({ ...request, performed_at: null, answer: null })
          .execute(),
      );
    }
    expect(await world.outbox.performRequests()).toBe(3);
    expect(await world.outbox.performRequests()).toBe(0);
    const answers = await world.db.read
      .selectFrom('operator_requests')
      .select('answer')
      .orderBy('request_seq')
      .execute();
    expect(answers.map(({ answer }) => answer)).toEqual(['done', 'no arrow', 'no arrow']);
  });

  it('searches by status, source, address and page, newest first', async () => {
    for (let number = 0; number < 7; number++) await world.outbox.enqueue([intentNumber(number)]);
    const dead = await rowIn(world, 'failed_permanent', 8);
    const page = await world.queries.search({ limit: 3 });
    const next = await world.queries.search({ limit: 3, below: page.at(-1)?.seq ?? 0 });
    expect([...page, ...next].map(({ occasion }) => occasion)).toEqual(
      [8, 6, 5, 4, 3, 2].map((number) => `occasion-${number}`),
    );
    expect(
      (await world.queries.search({ limit: 9, status: ['failed_permanent'] })).map(({ seq }) => seq),
    ).toEqual([dead]);
    expect(await world.queries.search({ limit: 9, address: 'Person-3@EXAMPLE.org' })).toHaveLength(1);
    expect(await world.queries.search({ limit: 9, source: 'other' })).toEqual([]);
    expect(await world.queries.find('not a reference')).toBeUndefined();
    expect(await world.queries.find('99999999999999999999')).toBeUndefined();
  });

  it('the story holds one row an attempt, with its beginning, and none for what changed nothing', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [claimed] = await claim();
    if (!claimed) throw new Error('not claimed');
    await begin([composed(claimed)]);
    const beganAt = world.clock.now();
    await world.clock.advance(40);
    await accepted(claimed);
    await accepted(claimed);
    const { events } = await world.queries.story(claimed.seq);
    expect(events).toMatchObject([
      { event: 'accepted', status: 'sent', round: 1, actor: 'worker-1', at: beganAt + 40 },
    ]);
    expect(JSON.parse(events[0]?.detail ?? '')).toMatchObject({
      beganAt,
      worker: 'worker-1',
      messageId: `message-${claimed.seq}`,
      from: 'sending',
    });
  });

  it('several reports about one delivery in one batch are applied one after the other', async () => {
    const seq = await rowIn(world, 'sending', 1);
    const evidence = (event: 'accepted' | 'confirmed' | 'complained') => ({
      seq,
      event,
      round: 1,
      at: 1,
      actor: 'webhook',
    });
    const answers = await world.outbox.record([
      evidence('confirmed'),
      evidence('accepted'),
      evidence('complained'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'suppressed']);
    expect(await find(seq)).toMatchObject({ status: 'suppressed', attempts: 1 });
    expect((await world.queries.story(seq)).events.map(({ event }) => event)).toEqual([
      'confirmed',
      'complained',
    ]);
  });

  it('an outer transaction that fails takes everything with it', async () => {
    const attempt = world.db.transaction(async (tx) => {
      await world.outbox.enqueue([intentNumber(1)], tx);
      throw new Error('the source failed');
    });
    await expect(attempt).rejects.toThrow('the source failed');
    expect(await world.queries.counts()).toEqual([]);
  });
});
