import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Tx } from '../../src/db/database.ts';
import type { Fact } from '../../src/outbox/facts.ts';
import { recordEdges } from '../../src/sources/course-seats/events/record.ts';
import { onBothDatabases } from '../support/world.ts';
import { createMailWorld, type MailWorld } from './mail-world.ts';
import { index, termId } from './seats-world.ts';

onBothDatabases('the books of a seat mail', (dialect) => {
  let world: MailWorld;
  beforeEach(async () => {
    world = await createMailWorld(dialect);
  });
  afterEach(() => world.close());

  /** Told, and accepted by the provider. */
  async function told(subscription: number, event?: number): Promise<{ seq: number; event: number }> {
    const openEventId = event ?? (await world.addOpenEvent());
    const seq = await world.tell(openEventId, subscription);
    await world.send(world.source);
    return { seq, event: openEventId };
  }

  async function factOf(seq: number, kind: Fact['kind'] = 'first_accepted'): Promise<Fact> {
    const row = await world.find(seq);
    if (!row) throw new Error('no such delivery');
    const { id, source, occasion, recipient } = row;
    const delivery = { seq, id, source, occasion, recipient, toEmail: row.to_email, traceId: row.trace_id };
    const event = kind === 'suppressed' ? 'bounced_for_good' : 'accepted';
    return { kind, event, at: world.clock.now(), delivery };
  }

  const changed = (facts: readonly Fact[], tx: Tx) => world.source.changed?.(facts, tx) as Promise<void>;
  const closing = (tx: Tx, of = index) =>
    recordEdges(tx, dialect, {
      ...{ list: { termId, campusCode: 'NB' }, detectedBy: 'open_sections', snapshot: null, traceId: 't' },
      ...{ edges: [{ indexNumber: of, statusBefore: 'Open', statusAfter: 'Closed' }], at: world.clock.now() },
    });

  async function somebodyWaits(): Promise<boolean> {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'
    `.execute(world.db.read);
    return (rows[0]?.count ?? 0) > 0;
  }

  it("000-49 004-48 004-49 what was accepted is in the subscription's story, and known to be told", async () => {
    const subscription = await world.addSubscription({ last_known_section_status: 'Closed' });
    const { event } = await told(subscription);
    expect(await world.subscription(subscription)).toMatchObject({
      ...{ last_known_section_status: 'Open', notifications_sent: 1, status: 'active' },
    });
    expect(await world.eventsOf(subscription)).toEqual([`notify_sent ${event} Open`]);
  });

  it('8.6 what was refused, or is in doubt, is in no book', async () => {
    const subscription = await world.addSubscription({ last_known_section_status: 'Closed' });
    world.provider.answer(() => ({ kind: 'unknown', error: { code: 'timed_out', message: 'no answer' } }));
    await told(subscription);
    expect(await world.subscription(subscription)).toMatchObject({
      ...{ last_known_section_status: 'Closed', notifications_sent: 0 },
    });
    expect(await world.eventsOf(subscription)).toEqual([]);
  });

  it('000-49 the line has the status of the section at that moment', async () => {
    const subscription = await world.addSubscription();
    await world.believe('Closed');
    const { event } = await told(subscription);
    const unresolved = { index_number: '12345', section_id: null };
    const other = await world.addSubscription(unresolved);
    const { event: unknown } = await told(other, await world.addOpenEvent(unresolved));
    expect(await world.eventsOf(subscription)).toEqual([`notify_sent ${event} Closed`]);
    expect(await world.eventsOf(other)).toEqual([`notify_sent ${unknown} Open`]);
  });

  it('told twice, it is written once', async () => {
    const subscription = await world.addSubscription();
    const { seq, event } = await told(subscription);
    const fact = await factOf(seq);
    await world.db.transaction((tx) => changed([fact, fact], tx));
    expect(await world.subscription(subscription)).toMatchObject({ notifications_sent: 1 });
    expect(await world.eventsOf(subscription)).toEqual([`notify_sent ${event} Open`]);
  });

  it('many at once, each its own', async () => {
    const event = await world.addOpenEvent();
    const subscriptions = [];
    for (let at = 0; at < 7; at++) {
      const subscription = await world.addSubscription();
      subscriptions.push(subscription);
      await world.tell(event, subscription);
    }
    await world.send(world.source);
    for (const subscription of subscriptions) {
      expect(await world.eventsOf(subscription)).toEqual([`notify_sent ${event} Open`]);
      expect(await world.subscription(subscription)).toMatchObject({ notifications_sent: 1 });
    }
  });

  it('8.7 the last mail that somebody wants pauses their watch', async () => {
    const subscription = await world.addSubscription({ max_notifications: 2, notifications_sent: 1 });
    const { event } = await told(subscription);
    expect(await world.subscription(subscription)).toMatchObject({ status: 'paused', notifications_sent: 2 });
    expect(await world.eventsOf(subscription)).toEqual([`notify_sent ${event} Open`, 'paused']);
  });

  it('a bounce suppresses the watch, once, and not of who has left', async () => {
    const [subscription, left] = [await world.addSubscription(), await world.addSubscription()];
    const { seq, event } = await told(subscription);
    const { seq: other } = await told(left, event);
    await world.db.write
      .updateTable('subscriptions')
      .set({ status: 'unsubscribed' })
      .where('subscription_id', '=', left)
      .execute();
    const facts = [await factOf(seq, 'suppressed'), await factOf(other, 'suppressed')];
    await world.db.transaction((tx) => changed(facts, tx));
    await world.db.transaction((tx) => changed(facts, tx));
    expect(await world.eventsOf(subscription)).toEqual([`notify_sent ${event} Open`, 'suppressed']);
    expect((await world.subscription(subscription)).status).toBe('suppressed');
    expect((await world.subscription(left)).status).toBe('unsubscribed');
  });

  it('8.6 a mail that is accepted after the closing does not hide the next opening', async () => {
    const subscription = await world.addSubscription({ last_known_section_status: 'Closed' });
    const event = await world.addOpenEvent();
    const seq = await world.tell(event, subscription);
    // The provider is slow: while it thinks, the section closes.
    world.provider.answer(async ({ key }) => {
      await world.db.transaction((tx) => closing(tx));
      return { kind: 'accepted', messageId: key };
    });
    await world.send(world.source);
    expect(await world.queue(seq)).toBe('sent 1');
    expect(await world.subscription(subscription)).toMatchObject({
      ...{ last_known_section_status: 'Closed', notifications_sent: 1 },
    });
    expect(await world.eventsOf(subscription)).toEqual([`notify_sent ${event} Closed`]);
  });

  // Both orders of two transactions that are open at once. The one that comes second must see what the first has written.
  for (const first of ['the closing', 'the mail'] as const) {
    it.each([
      ['a section of the catalog', index],
      ['an index of the list alone', '12345'],
    ])(`8.6 ${first} first, while the other is under way: %s`, async (_, of) => {
      const section = of === index ? {} : { index_number: of, section_id: null };
      await world.db.write
        .insertInto('open_lists')
        .values({
          ...{ term_id: termId, campus_code: 'NB', baseline_at: 1, heard_at: 1, good_at: 1 },
          ...{ source_hash: null, held: null, last_error: null },
        })
        .execute();
      const subscription = await world.addSubscription({ ...section, last_known_section_status: 'Closed' });
      const seq = await world.tell(await world.addOpenEvent(section), subscription);
      const fact = await factOf(seq);
      const [mail, end] = [(tx: Tx) => changed([fact], tx), (tx: Tx) => closing(tx, of).then(() => {})];
      const [one, other] = first === 'the mail' ? [mail, end] : [end, mail];
      let letGo = () => {};
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      let isDone = () => {};
      const done = new Promise<void>((resolve) => {
        isDone = resolve;
      });
      const running = world.db.transaction(async (tx) => {
        await one(tx);
        isDone();
        await held;
      });
      await done;
      let isThrough = false;
      const waiting = world.db.transaction(other).then(() => {
        isThrough = true;
      });
      // As far as the second comes: past the first, or to a lock. SQLite's writer is alone, so that it has not begun.
      while (dialect === 'postgres' && !isThrough && !(await somebodyWaits())) await setImmediate();
      letGo();
      await Promise.all([running, waiting]);
      expect(await world.subscription(subscription)).toMatchObject({
        ...{ last_known_section_status: 'Closed', notifications_sent: 1 },
      });
    });
  }
});
