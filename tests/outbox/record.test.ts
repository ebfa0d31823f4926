import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Claimed } from '../../src/outbox/claim.ts';
import { mailTo } from '../support/mails.ts';
import { composed, createOutboxWorld, type OutboxWorld } from '../support/outbox-world.ts';
import { rowIn } from '../support/rows.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';

onBothDatabases('what is reported about a delivery', (dialect) => {
  let world: OutboxWorld;
  beforeEach(async () => {
    world = await createOutboxWorld(dialect);
  });
  afterEach(() => world.close());

  it('a worker whose lease ran out changes nothing and leaves its evidence', async () => {
    await world.outbox.enqueue([intentNumber(1), intentNumber(2)]);
    const [slow, slower] = await world.claim();
    if (!slow || !slower) throw new Error('not claimed');
    await world.begin([composed(slow), composed(slower)]);
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
    expect(await world.accepted(slower)).toMatchObject([{ changed: true, status: 'sent' }]);
    expect(await world.find(slower.seq)).toMatchObject({
      provider_message_id: `message-${slower.seq}`,
      attempts: 1,
    });
  });

  it('000-10, 000-45, 001-01 Attempts + 1 once per completed call, in the statement that records its result', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [claimed] = await world.claim();
    if (!claimed) throw new Error('not claimed');
    await world.begin([composed(claimed)]);
    expect((await world.find(claimed.seq))?.attempts).toBe(0);
    await world.accepted(claimed);
    await world.accepted(claimed);
    expect(await world.find(claimed.seq)).toMatchObject({
      status: 'sent',
      attempts: 1,
      locked_by: null,
      locked_at: null,
    });
  });

  it('a new round has a new key, a fresh mail, and the earlier round keeps its message id', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [first] = await world.claim();
    if (!first) throw new Error('not claimed');
    await world.begin([composed(first)]);
    await world.accepted(first, 'message-of-round-1');
    const bounce = {
      event: 'bounced_for_now',
      round: 1,
      at: 5,
      roundsMax: 3,
      dueAt: world.clock.now(),
    } as const;
    await world.outbox.record([{ seq: first.seq, actor: 'webhook', ...bounce }]);
    const [second] = await world.claim();
    expect(second).toMatchObject({ seq: first.seq, round: 2, attempts: 0, frozen: null });
    await world.begin([{ claimed: second as Claimed, mail: mailTo(1, { subject: 'Second' }) }]);
    expect(await world.find(first.seq)).toMatchObject({ round: 2, provider_message_id: null, attempts: 0 });
    expect(await world.queries.find('message-of-round-1')).toMatchObject({ seq: first.seq });
    await world.accepted(second as Claimed, 'message-of-round-2');
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
    expect(await world.find(seq)).toMatchObject({ status: 'suppressed', attempts: 1 });
    expect((await world.queries.story(seq)).events.map(({ event }) => event)).toEqual([
      'confirmed',
      'complained',
    ]);
  });

  it('evidence that names another message than the known one is kept in the story and changes nothing', async () => {
    const seq = await rowIn(world, 'sent', 1, { providerMessageId: 'ours' });
    const before = await world.find(seq);
    const complaint = { seq, event: 'complained', round: 1, at: 5, actor: 'webhook' } as const;
    expect(await world.outbox.record([{ ...complaint, messageId: 'theirs' }])).toMatchObject([
      { changed: false, status: 'sent', why: 'contradicts' },
    ]);
    expect(await world.find(seq)).toEqual(before);
    expect(world.told).toEqual([]);
    const { events } = await world.queries.story(seq);
    expect(events).toMatchObject([{ event: 'complained', status: 'sent', actor: 'webhook' }]);
    expect(JSON.parse(events[0]?.detail ?? '')).toMatchObject({
      messageId: 'theirs',
      ignored: 'contradicts',
    });
    // The same about the message that is known does change it.
    expect(await world.outbox.record([{ ...complaint, messageId: 'ours' }])).toMatchObject([
      { changed: true, status: 'suppressed' },
    ]);
  });

  it('a row whose attempt came to an end is no suspect any more; one that was merely put off still is', async () => {
    const ended = await rowIn(world, 'sending', 1, { lapses: 2 });
    const putOff = await rowIn(world, 'sending', 2, { lapses: 2 });
    const dueAt = world.clock.now();
    await world.outbox.record([
      { seq: ended, event: 'refused_for_now', lease: 7, dueAt, actor: 'worker-1' },
      { seq: putOff, event: 'deferred', lease: 7, dueAt, actor: 'worker-1' },
    ]);
    expect(await world.find(ended)).toMatchObject({ status: 'failed_transient', attempts: 1, lapses: 0 });
    expect(await world.find(putOff)).toMatchObject({ status: 'pending', attempts: 0, lapses: 2 });
  });
});
