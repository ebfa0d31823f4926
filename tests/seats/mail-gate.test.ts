import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Address } from '../../src/domain/address.ts';
import { consentOf } from '../support/consent.ts';
import { onBothDatabases } from '../support/world.ts';
import { createMailWorld, type MailWorld, seatSourceOf } from './mail-world.ts';
import { isoOf } from './seats-world.ts';

onBothDatabases('the last look at a seat mail', (dialect) => {
  let world: MailWorld;
  beforeEach(async () => {
    world = await createMailWorld(dialect);
  });
  afterEach(() => world.close());

  const sentTo = () => world.provider.ledger.map(({ mail }) => mail.tags.subscription_id);
  const close = () => world.addOpenEvent({ status_before: 'Open', status_after: 'Closed', seat_delta: -1 });
  const hour = 3_600_000;

  it.each([
    ['000-60', { status: 'unsubscribed' }, 'skipped unsubscribed 1'],
    ['004-52', { status: 'paused' }, 'skipped paused 1'],
    ['8.5', { status: 'pending', verified_at: null }, 'skipped unverified 1'],
    ['', { notify_on: '["closed"]' }, 'skipped not_wanted 1'],
    ['004-43', { max_notifications: 2, notifications_sent: 2 }, 'skipped max_notifications 1'],
  ] as const)('%s a subscription %j is not told', async (_, change, row) => {
    const event = await world.addOpenEvent();
    const seq = await world.tell(event, await world.addSubscription(change));
    const other = await world.addSubscription();
    await world.tell(event, other);
    await world.send(world.source);
    expect(await world.queue(seq)).toBe(row);
    expect(sentTo()).toEqual([String(other)]);
  });

  it('004-52 what bounced for good stays stopped while the line stands, and goes out again when it is lifted', async () => {
    const subscription = await world.addSubscription({ contact_value: 'ana@example.org' });
    const seq = await world.tell(await world.addOpenEvent(), subscription);
    await world.send(world.source);
    const { id = '' } = (await world.find(seq)) ?? {};
    await world.outbox.record([
      { seq, id, event: 'bounced_for_good', round: 1, at: world.clock.now(), actor: 'webhook' },
    ]);
    expect((await world.subscription(subscription)).status).toBe('suppressed');
    const requeue = async () => {
      await world.outbox.perform([seq], { verb: 'requeued', reason: 'mended', operator: 'op' });
      await world.send(world.source);
      return (await world.find(seq))?.status;
    };
    expect(await requeue()).toBe('suppressed');
    const { suppressions } = consentOf(world);
    await suppressions.lift('ana@example.org' as Address, '*', { by: 'op', because: 'mended' });
    expect(await requeue()).toBe('sent');
    expect(sentTo()).toHaveLength(2);
  });

  it('8.5 who has not confirmed is told where no confirmation is asked for', async () => {
    const subscription = await world.addSubscription({ status: 'pending', verified_at: null });
    await world.tell(await world.addOpenEvent(), subscription);
    await world.send(seatSourceOf(world, { verifiesAddresses: false }));
    expect(sentTo()).toEqual([String(subscription)]);
  });

  it('8.7 a seat that closed during quiet hours is told to nobody', async () => {
    // 19:00 at the campus; welcome from 7:00.
    const window = { window_start_minutes: 7 * 60, window_end_minutes: 18 * 60 };
    const seq = await world.tell(await world.addOpenEvent(), await world.addSubscription(window));
    await world.send(world.source);
    expect(await world.queue(seq)).toBe('pending quiet_hours 0');
    expect(await world.dueAt(seq)).toBe(world.clock.now() + 12 * hour);
    await close();
    await world.clock.advance(12 * hour);
    await world.send(world.source);
    expect(await world.queue(seq)).toBe('expired seat_closed 1');
    expect(sentTo()).toEqual([]);
  });

  it('004-42 one that is still open goes out when the window begins', async () => {
    const window = { window_start_minutes: 7 * 60, window_end_minutes: 18 * 60 };
    const subscription = await world.addSubscription(window);
    const seq = await world.tell(await world.addOpenEvent(), subscription);
    await world.send(world.source);
    await world.clock.advance(12 * hour - 1);
    await world.send(world.source);
    expect(sentTo()).toEqual([]);
    await world.clock.advance(1);
    await world.send(world.source);
    expect(await world.queue(seq)).toBe('sent 1');
  });

  it('004-44 a snooze that was set after the fan-out still holds', async () => {
    const subscription = await world.addSubscription();
    const seq = await world.tell(await world.addOpenEvent(), subscription);
    const until = world.clock.now() + hour;
    await world.db.write.updateTable('subscriptions').set({ snooze_until: until }).execute();
    await world.send(world.source);
    expect([await world.queue(seq), await world.dueAt(seq)]).toEqual(['pending snoozed 0', until]);
  });

  it('8.7 the list is without it since: closed, though nobody has recorded that yet', async () => {
    const seq = await world.tell(await world.addOpenEvent(), await world.addSubscription());
    await world.clock.advance(1000);
    await world.believe('Closed');
    await world.db.write.updateTable('open_list_indexes').set({ closed_at: world.clock.now() }).execute();
    await world.send(world.source);
    expect(await world.queue(seq)).toBe('expired seat_closed 1');
  });

  it('a catalog that is behind does not take back what the list has', async () => {
    const subscription = await world.addSubscription();
    const seq = await world.tell(await world.addOpenEvent(), subscription);
    await world.believe('Open');
    await world.db.write.updateTable('sections').set({ last_known_section_status: 'Closed' }).execute();
    await world.send(world.source);
    expect(await world.queue(seq)).toBe('sent 1');
  });

  it('an operator may know of an opening that the list does not have', async () => {
    await world.believe('Closed');
    await world.db.write
      .updateTable('open_list_indexes')
      .set({ closed_at: world.clock.now() - 1000 })
      .execute();
    const seq = await world.tell(
      await world.addOpenEvent({ detected_by: 'manual' }),
      await world.addSubscription(),
    );
    await world.send(world.source);
    expect(await world.queue(seq)).toBe('sent 1');
  });

  it('8.13 of two openings that wait for one person, the later is told', async () => {
    const subscription = await world.addSubscription();
    const first = await world.tell(await world.addOpenEvent(), subscription);
    await close();
    const second = await world.tell(await world.addOpenEvent(), subscription);
    await world.send(world.source);
    expect([await world.queue(first), await world.queue(second)]).toEqual(['expired superseded 1', 'sent 1']);
    expect(sentTo()).toEqual([String(subscription)]);
  });

  it('8.13 and the earlier waits while the later is just being fanned out', async () => {
    const subscription = await world.addSubscription();
    const first = await world.tell(await world.addOpenEvent(), subscription);
    await close();
    const later = await world.addOpenEvent();
    await world.db.write.insertInto('open_event_fanouts').values({ open_event_id: later }).execute();
    await world.send(world.source);
    expect([await world.queue(first), await world.dueAt(first)]).toEqual([
      'pending newer_opening 0',
      world.clock.now() + 2_000,
    ]);
    // It has come past this person and told them nothing: the earlier mail is all that they get.
    await world.db.write
      .updateTable('open_event_fanouts')
      .set({ after_subscription_id: subscription })
      .execute();
    await world.clock.advance(2_000);
    await world.send(world.source);
    expect(await world.queue(first)).toBe('sent 1');
  });

  it('004-39 the same opening, seen twice, is told once', async () => {
    const subscription = await world.addSubscription();
    await world.tell(await world.addOpenEvent(), subscription);
    await world.send(world.source);
    const again = await world.tell(await world.addOpenEvent(), subscription);
    await world.send(world.source);
    expect(await world.queue(again)).toBe('skipped already_told 1');
    expect(sentTo()).toHaveLength(1);
  });

  it('004-56 004-58 a reopening after a recorded closing is told again, however often', async () => {
    const subscription = await world.addSubscription();
    for (let times = 0; times < 4; times++) {
      await world.tell(await world.addOpenEvent(), subscription);
      await world.send(world.source);
      await close();
      await world.clock.advance(1000);
    }
    expect(sentTo()).toHaveLength(4);
  });

  it('004-43 a mail in doubt may have been the last that they want: the next waits until that is settled', async () => {
    const subscription = await world.addSubscription({ max_notifications: 1 });
    const error = { code: 'timed_out', message: 'no answer' };
    world.provider.answer(() => ({ kind: 'unknown', error }));
    const first = await world.tell(await world.addOpenEvent(), subscription);
    await world.send(world.source);
    expect(await world.queue(first)).toBe('pending timed_out 1');
    await close();
    const second = await world.tell(await world.addOpenEvent(), subscription);
    await world.send(world.source);
    expect(await world.queue(second)).toBe('pending count_in_doubt 0');
    expect(world.provider.ledger).toHaveLength(1);
  });

  describe('the only mail that somebody wants, and it bounces for now', () => {
    const bounce = async (seq: number) => {
      const { id = '' } = (await world.find(seq)) ?? {};
      const dueAt = world.clock.now() + hour;
      await world.outbox.record([
        {
          seq,
          id,
          event: 'bounced_for_now',
          round: 1,
          at: world.clock.now(),
          roundsMax: 2,
          dueAt,
          actor: 'webhook',
        },
      ]);
    };

    it('goes out once more, though it has paused its watch, and is counted once', async () => {
      const subscription = await world.addSubscription({ max_notifications: 1 });
      const seq = await world.tell(await world.addOpenEvent(), subscription);
      await world.send(world.source);
      expect((await world.subscription(subscription)).status).toBe('paused');
      await bounce(seq);
      await world.clock.advance(hour);
      await world.send(world.source);
      expect(await world.queue(seq)).toBe('sent 1');
      expect(sentTo()).toHaveLength(2);
      expect(await world.subscription(subscription)).toMatchObject({
        status: 'paused',
        notifications_sent: 1,
      });
    });

    it('stays where it is if they have paused it themselves since', async () => {
      const subscription = await world.addSubscription({ max_notifications: 1 });
      const seq = await world.tell(await world.addOpenEvent(), subscription);
      await world.send(world.source);
      await bounce(seq);
      await world.db.write
        .insertInto('subscription_events')
        .values({ subscription_id: subscription, event_type: 'paused', created_at: isoOf(world.clock.now()) })
        .execute();
      await world.clock.advance(hour);
      await world.send(world.source);
      expect(await world.queue(seq)).toBe('skipped paused 2');
    });
  });

  it('nobody waits for the seats of a term that is over', async () => {
    const old = { term_id: '92025', index_number: '11111', section_id: null };
    const event = await world.addOpenEvent({ ...old, event_at: isoOf(world.clock.now() - hour) });
    const seq = await world.tell(event, await world.addSubscription(old));
    await world.send(world.source);
    expect(await world.queue(seq)).toBe('expired term_over 1');
  });

  it('as many statements for many as for one', async () => {
    const event = await world.addOpenEvent();
    const statementsFor = async (count: number) => {
      const seqs: number[] = [];
      for (let at = 0; at < count; at++) seqs.push(await world.tell(event, await world.addSubscription()));
      const claimed = await world.outbox.claim({
        ...{ source: 'course-seats', worker: 'w', limit: count, leaseMs: 1000, from: 'urgent' },
      });
      let statements = 0;
      await world.db.transaction(async (tx) => {
        const counting = new Proxy(tx, {
          get(target, name, receiver) {
            if (name === 'getExecutor') statements += 1;
            const value = Reflect.get(target, name, receiver);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        });
        expect((await world.source.recheck?.(claimed, counting))?.size).toBe(0);
      });
      return statements;
    };
    expect([await statementsFor(1), await statementsFor(12)]).toEqual([3, 3]);
  });
});
