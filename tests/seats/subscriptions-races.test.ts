import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFanOut } from '../../src/sources/course-seats/events/fan-out.ts';
import { createOpenEvents, type Seen } from '../../src/sources/course-seats/events/open-events.ts';
import type { Created } from '../../src/sources/course-seats/subscriptions/subscriptions.ts';
import { systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { onBothDatabases } from '../support/world.ts';
import { index, termId } from './seats-world.ts';
import { createWatchWorld, type WatchWorld } from './watch-world.ts';

/** Two at once: in one process on SQLite, whose writer is alone, and on as many connections as there are on PostgreSQL. */
onBothDatabases('watches that many change at once', (dialect) => {
  let world: WatchWorld;
  beforeEach(async () => {
    world = await createWatchWorld(dialect);
    await world.believe('Closed');
  });
  afterEach(() => world.close());

  const atOnce = <T>(count: number, work: (number: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, number) => work(number)));
  const kinds = (answers: readonly { kind: string }[]) => {
    const counts: Record<string, number> = {};
    for (const { kind } of answers) counts[kind] = (counts[kind] ?? 0) + 1;
    return counts;
  };
  const live = async () =>
    (
      await world.db.read
        .selectFrom('subscriptions')
        .selectAll()
        .where('status', '<>', 'unsubscribed')
        .execute()
    ).length;

  test('the same watch, asked for eight times, is one with one mail', async () => {
    const answers = await atOnce(8, () => world.subscriptions.create(world.order()));
    expect(kinds(answers)).toEqual({ created: 1, existing: 7 });
    expect(await live()).toBe(1);
    expect(await world.mails()).toHaveLength(1);
  });

  test('somebody new who asks for twelve at once gets as many as the limit allows, and one mail', async () => {
    for (let number = 0; number < 12; number++) await world.addSection(String(20_000 + number));
    const { create } = world.subscriptionsWith({ limits: { contactWatchesMax: 5 } });
    const answers = await atOnce(12, (number) =>
      create(world.order({ indexNumber: String(20_000 + number) })),
    );
    expect(kinds(answers)).toEqual({ created: 5, rate_limited: 7 });
    expect(await live()).toBe(5);
    expect(await world.mails()).toHaveLength(1);
  });

  test('to come back and to watch again: one of the two', async () => {
    for (let round = 0; round < 5; round++) {
      const email = `student-${round}@example.org`;
      const { token } = await world.watch({ email });
      await world.subscriptions.cancel(token);
      const [undone, again] = await Promise.all([
        world.subscriptions.undoCancel(token),
        world.subscriptions.create(world.order({ email })),
      ]);
      expect([undone.kind, again.kind]).toEqual(
        again.kind === 'created' ? ['refused', 'created'] : ['changed', 'existing'],
      );
      expect(await live()).toBe(round + 1);
    }
  });

  test('a confirmation and a cancellation end cancelled, in whichever order', async () => {
    for (let round = 0; round < 5; round++) {
      const { token, subscriptionId } = await world.watch({ email: `student-${round}@example.org` });
      await Promise.all([world.subscriptions.confirm(token), world.subscriptions.cancel(token)]);
      const row = await world.subscription(subscriptionId);
      expect(row.status).toBe('unsubscribed');
      expect(row.status_before_leaving).toBe(row.verified_at === null ? 'pending' : 'active');
    }
  });

  test('the link in a mail, the page and the undo of both at once come to an end, the same in all books', async () => {
    for (let round = 0; round < 4; round++) {
      const { token, subscriptionId } = await world.confirmed({ email: `student-${round}@example.org` });
      await world.tell(await world.addOpenEvent(), subscriptionId);
      const link = await world.linkIn(subscriptionId);
      const { stop, undo } = world.consent.unsubscribe;
      const { cancel, undoCancel } = world.subscriptions;
      await Promise.all([
        stop(link, 'page'),
        cancel(token),
        undo(link),
        undoCancel(token),
        stop(link, 'page'),
      ]);
      // Whoever was last, one press more settles it.
      await stop(link, 'page');
      expect((await world.subscription(subscriptionId)).status).toBe('unsubscribed');
      await undoCancel(token);
      expect((await world.subscription(subscriptionId)).status).toBe('active');
      expect(await world.consent.unsubscribe.leftBy(String(subscriptionId))).toEqual([]);
      const lines = (await world.eventsOf(subscriptionId)).map((line) => line.split(' ')[0]);
      const moves = lines.filter((line) => line === 'unsubscribed' || line === 'undone');
      // They take turns: nobody leaves twice, or comes back without having left.
      expect(moves).toEqual(moves.map((_, place) => (place % 2 === 0 ? 'unsubscribed' : 'undone')));
    }
  });

  if (dialect === 'sqlite') return; // Its writer is alone; what follows is about two at once.

  describe('8.12 who starts to watch just when it opens hears of it by the answer or by mail, never by neither', () => {
    const opening = () => {
      const { db, clock, outbox } = world;
      const events = createOpenEvents({ db, clock, outbox, ids: systemIds, log: silentLog });
      const fanOut = createFanOut({ db, outbox, clock, timeZone: 'America/New_York', log: silentLog });
      return { events, fanOut };
    };
    const seen = (): Seen => ({
      ...{ list: { termId, campusCode: 'NB' }, detectedBy: 'open_sections', snapshot: null },
      edges: [{ indexNumber: index, statusBefore: 'Closed', statusAfter: 'Open' }],
      ...{ traceId: 'trace', at: world.clock.now() },
    });
    const mailsOf = (subscriptionId: number) =>
      world.db.read
        .selectFrom('deliveries')
        .select('seq')
        .where('recipient', '=', String(subscriptionId))
        .execute();
    let create: () => Promise<Created>;
    beforeEach(() => {
      const { create: ask } = world.subscriptionsWith({ verifiesAddresses: false });
      create = () => ask(world.order());
    });

    test('while an opening is being written: the answer waits for it, and says so', async () => {
      const { events, fanOut } = opening();
      let created: Promise<Created> | undefined;
      await world.db.transaction(async (tx) => {
        await events.record(tx, seen());
        created = create();
        // Long enough for it to be done, were it not waiting for us.
        await Promise.race([created, systemClock.sleep(300)]);
      });
      const watch = await created;
      expect(watch).toMatchObject({ kind: 'created', sectionStatus: 'Open' });
      await fanOut.runOnce();
      expect(await mailsOf(watch && 'token' in watch ? watch.subscriptionId : 0)).toEqual([]);
    });

    test('while a watch is being written: the opening waits for it, and its fan-out finds it', async () => {
      const { events, fanOut } = opening();
      const known = await world.watch({}, world.subscriptionsWith({ verifiesAddresses: false }));
      const { contact_hash } = await world.subscription(known.subscriptionId);
      await world.subscriptions.cancel(known.token);
      let created: Promise<Created> | undefined;
      let told: Promise<unknown> | undefined;
      const held = world.db.transaction(async (tx) => {
        // Nobody can write the same watch until we are gone: it has read what is believed, and is not there yet.
        await tx
          .updateTable('subscriptions')
          .set({ status: 'active' })
          .where('contact_hash', '=', contact_hash)
          .execute();
        created = create();
        await Promise.race([created, systemClock.sleep(300)]);
        told = world.db.transaction((other) => events.record(other, seen())).then(() => fanOut.runOnce());
        await Promise.race([told, systemClock.sleep(300)]);
        throw new Error('never mind');
      });
      await expect(held).rejects.toThrow('never mind');
      const watch = await created;
      await told;
      await fanOut.runOnce();
      expect(watch).toMatchObject({ kind: 'created', sectionStatus: 'Closed' });
      expect(await mailsOf(watch && 'token' in watch ? watch.subscriptionId : 0)).toHaveLength(1);
    });
  });

  test('who wakes up while the fan-out writes their mail is told at once, too', async () => {
    const made = await world.confirmed();
    const until = world.clock.now() + 7 * 86_400_000;
    await world.subscriptions.snooze(made.token, until);
    const event = await world.addOpenEvent();
    await world.db.write.insertInto('open_event_fanouts').values({ open_event_id: event }).execute();
    const isPostgres = dialect === 'postgres';
    let waking: Promise<unknown> | undefined;
    await world.db.transaction(async (tx) => {
      // As the fan-out does it: its line, then who watches, then their mails.
      await sql`SELECT 1 FROM open_event_fanouts ${isPostgres ? sql`FOR UPDATE` : sql``}`.execute(tx);
      const intent = { source: 'course-seats', lane: 'urgent', occasion: String(event) } as const;
      waking = world.subscriptions.snooze(made.token, null);
      if (isPostgres) while (!(await somebodyWaits())) await setImmediate();
      await world.outbox.enqueue([{ ...intent, recipient: String(made.subscriptionId), dueAt: until }], tx);
    });
    await waking;
    const row = await world.db.read
      .selectFrom('deliveries')
      .select('due_at')
      .where('source', '=', 'course-seats')
      .executeTakeFirst();
    expect(row?.due_at).toBe(world.clock.now());
  });

  async function somebodyWaits(): Promise<boolean> {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'
    `.execute(world.db.read);
    return (rows[0]?.count ?? 0) > 0;
  }
});
