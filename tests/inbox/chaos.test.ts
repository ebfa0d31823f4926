import { afterEach, beforeEach, expect, it } from 'vitest';
import { clearInbox, readInbox } from '../../src/inbox/inbox.ts';
import { onBothDatabases } from '../support/world.ts';
import { createInboxWorld, type InboxWorld } from './inbox-world.ts';

/** Whatever the inbox does wrong, each mail is in it exactly once in the end, and its delivery stands as the life cycle says. */
onBothDatabases('the engine and an inbox that does wrong', (dialect) => {
  let world: InboxWorld;
  beforeEach(async () => {
    world = await createInboxWorld(dialect);
  });
  afterEach(() => world.close());

  const of = async (seq: number | undefined) => {
    const { status, attempts, round } = (await world.find(seq)) ?? {};
    return { status, attempts, round };
  };
  const sentOnce = ['Subject 1'];

  it('at its best: sent, and a second later delivered', async () => {
    const [seq] = await world.enqueue(1);
    await world.send();
    expect(await of(seq)).toEqual({ status: 'sent', attempts: 1, round: 1 });
    await world.clock.advance(999);
    await world.reports.once(new AbortController().signal);
    expect(await of(seq)).toMatchObject({ status: 'sent' });
    await world.clock.advance(1);
    await world.reports.once(new AbortController().signal);
    expect(await of(seq)).toMatchObject({ status: 'delivered' });
    expect(await world.events()).toEqual([{ type: 'email.delivered', repeats: 0, outcome: 'applied' }]);
    expect(await world.mails()).toEqual(sentOnce);
  });

  it('refuse: a dead letter and no mail; when it is off, an operator sends it again, once', async () => {
    await world.on('refuse');
    const [seq = 0] = await world.enqueue(1);
    await world.send();
    expect(await of(seq)).toEqual({ status: 'failed_permanent', attempts: 1, round: 1 });
    expect((await world.find(seq))?.last_error).toContain('"provider":"capture"');
    expect(await world.mails()).toEqual([]);
    await world.off('refuse');
    await world.outbox.perform([seq], { verb: 'requeued', reason: 'it is off', operator: 'ana' });
    await world.send();
    await world.report();
    expect(await of(seq)).toMatchObject({ status: 'delivered' });
    expect(await world.mails()).toEqual(sentOnce);
  });

  it('refuse is for new mails: who asks again for one that was taken hears that it was', async () => {
    await world.on('accept-then-drop');
    const [seq] = await world.enqueue(1);
    await world.send();
    expect(await of(seq)).toMatchObject({ status: 'reconciling' });
    await world.off('accept-then-drop');
    await world.on('refuse');
    await world.later();
    expect(await of(seq)).toMatchObject({ status: 'sent' });
    expect(await world.mails()).toEqual(sentOnce);
  });

  it('time out: in doubt and no mail; the provider is asked, does not have it, and it is sent once', async () => {
    await world.on('time-out');
    const [seq] = await world.enqueue(1);
    const startedAt = world.clock.monotonic();
    await world.send();
    expect(world.clock.monotonic() - startedAt).toBeGreaterThanOrEqual(3_000);
    expect(await of(seq)).toMatchObject({ status: 'reconciling', attempts: 1 });
    expect(await world.mails()).toEqual([]);
    await world.off('time-out');
    await world.later();
    await world.report();
    expect(await of(seq)).toMatchObject({ status: 'delivered', round: 1 });
    expect(await world.mails()).toEqual(sentOnce);
  });

  it('accept, then drop: in doubt although it is there; found by its key, and not sent again', async () => {
    await world.on('accept-then-drop');
    const [seq] = await world.enqueue(1);
    await world.send();
    expect(await of(seq)).toMatchObject({ status: 'reconciling' });
    expect(await world.mails()).toEqual(sentOnce);
    await world.later();
    expect(await of(seq)).toMatchObject({ status: 'sent', attempts: 1, round: 1 });
    await world.report();
    expect(await of(seq)).toMatchObject({ status: 'delivered' });
    expect(await world.mails()).toEqual(sentOnce);
  });

  it('a report settles the doubt where it comes before anybody has looked', async () => {
    await world.on('accept-then-drop');
    const [seq] = await world.enqueue(1);
    await world.send();
    await world.report();
    expect(await of(seq)).toMatchObject({ status: 'delivered' });
    await world.later();
    expect(await world.mails()).toEqual(sentOnce);
  });

  it('throttle: nothing is counted, everybody waits for five seconds, and then it goes on', async () => {
    await world.on('throttle');
    const [first, second] = await world.enqueue(1, 2);
    await world.send();
    expect(await of(first)).toMatchObject({ status: 'pending', attempts: 0 });
    await world.off('throttle');
    await world.clock.advance(4_000);
    await world.send();
    expect(await world.mails()).toEqual([]);
    await world.later();
    expect((await world.mails()).sort()).toEqual(['Subject 1', 'Subject 2']);
    expect(await of(second)).toMatchObject({ status: 'sent', attempts: 1 });
  });

  it('bounce: it was accepted, and then its address is suppressed', async () => {
    await world.on('bounce');
    const [seq] = await world.enqueue(1);
    await world.send();
    await world.report();
    expect(await of(seq)).toMatchObject({ status: 'suppressed', attempts: 1 });
    expect(JSON.parse((await world.find(seq))?.last_error ?? '{}')).toMatchObject({
      ...{ code: 'bounced', provider: 'capture', message: 'bounced: General' },
    });
    expect(world.told).toContainEqual({
      by: 'consent',
      fact: expect.objectContaining({ kind: 'suppressed', event: 'bounced_for_good' }),
    });
    expect(await world.mails()).toEqual(sentOnce);
  });

  it('complain: it was delivered, and then its address is suppressed', async () => {
    await world.on('complain');
    const [seq] = await world.enqueue(1);
    await world.send();
    await world.report();
    expect((await world.events()).map(({ type }) => type)).toEqual(['email.delivered', 'email.complained']);
    expect(world.told).toContainEqual({
      by: 'consent',
      fact: expect.objectContaining({ kind: 'suppressed', event: 'complained' }),
    });
    expect(await of(seq)).toMatchObject({ status: 'suppressed' });
  });

  it('duplicate: the second word is counted as a repeat, and changes nothing', async () => {
    await world.on('duplicate');
    const [seq] = await world.enqueue(1);
    await world.send();
    await world.report();
    expect(await world.events()).toMatchObject([
      { type: 'email.sent', repeats: 1 },
      { type: 'email.delivered', repeats: 1, outcome: 'applied' },
    ]);
    expect(await of(seq)).toMatchObject({ status: 'delivered' });
    const delivered = await world.db.read
      .selectFrom('delivery_events')
      .select('event')
      .where('event', '=', 'confirmed')
      .execute();
    expect(delivered).toHaveLength(1);
  });

  it('reorder: what happened first is told last, and the delivery ends the same', async () => {
    await world.on('reorder', 'complain');
    const [seq] = await world.enqueue(1);
    await world.send();
    await world.report();
    const told = (await world.events()).map(({ type }) => type);
    expect(told).toEqual(['email.complained', 'email.delivered', 'email.sent']);
    expect(await of(seq)).toMatchObject({ status: 'suppressed' });
    await world.off('complain');
    const [other] = await world.enqueue(2);
    await world.send();
    await world.report();
    expect((await world.events()).slice(3).map(({ type }) => type)).toEqual([
      'email.delivered',
      'email.sent',
    ]);
    expect(await of(other)).toMatchObject({ status: 'delivered' });
  });

  it('silence: it stays sent', async () => {
    await world.on('silence', 'bounce');
    const [seq] = await world.enqueue(1);
    await world.send();
    await world.report();
    expect([await world.events(), (await of(seq)).status]).toEqual([[], 'sent']);
  });

  it('all of them, one after the other and together: everybody has one mail in the end', async () => {
    const numbers = Array.from({ length: 12 }, (_, number) => number + 1);
    const names = (await world.switches.list()).map(({ name }) => name);
    for (const [index, number] of numbers.entries()) {
      await world.enqueue(number);
      const on = names.filter((name) => !['refuse', 'bounce', 'complain', 'silence'].includes(name));
      await world.on(...on.slice(index % on.length), ...on.slice(0, 1));
      await world.send();
      await world.later();
      await world.off(...on);
    }
    const isOpen = async () => Object.keys(await world.statusesOf()).some((status) => status !== 'sent');
    for (let turn = 0; turn < 80 && (await isOpen()); turn++) await world.later();
    await world.report();
    expect((await world.mails()).sort()).toEqual(numbers.map((number) => `Subject ${number}`).sort());
    expect(await world.statusesOf()).toEqual({ delivered: numbers.length });
  });

  it('a switch ends by itself, and one that was set again counts anew', async () => {
    await world.switches.turnOn('refuse', { forMs: 60_000, by: 'ana' });
    await world.clock.advance(59_999);
    expect(await world.switches.on()).toEqual(new Set(['refuse']));
    await world.switches.turnOn('refuse', { forMs: 60_000, by: 'bob' });
    await world.clock.advance(59_999);
    expect((await world.switches.list()).find(({ name }) => name === 'refuse')).toEqual({
      ...{ name: 'refuse', onUntil: world.clock.now() + 1, by: 'bob' },
    });
    await world.clock.advance(1);
    expect(await world.switches.on()).toEqual(new Set());
  });

  it('clearing the list in the middle of a doubt: it is still found by its key, and not sent again', async () => {
    await world.on('accept-then-drop');
    const [seq] = await world.enqueue(1);
    await world.send();
    await clearInbox(world.db, { by: 'ana', now: world.clock.now() });
    expect(await readInbox(world.db, { limit: 10 })).toEqual({ mails: [], next: null });
    await world.later();
    await world.report();
    expect(await of(seq)).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(await world.mails()).toEqual(sentOnce);
    await world.off('accept-then-drop');
    await world.enqueue(2);
    await world.later();
    const { mails } = await readInbox(world.db, { limit: 10 });
    expect(mails.map(({ mail }) => mail.subject)).toEqual(['Subject 2']);
  });
});
