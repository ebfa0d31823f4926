import { expect, it } from 'vitest';
import { index } from '../seats/seats-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { madeForEach, worldForAll } from '../support/world-for-each.ts';
import { createCampus, pollMs } from './campus.ts';

const hourMs = 3_600_000;

/** Spec 004, who is told of an opening, and when. */
onBothDatabases('004 fan-out', (dialect) => {
  const world = worldForAll(() => createCampus(dialect));
  const term = madeForEach(() => world.term());

  const told = async () => (await term.queue()).map(({ subscription_id }) => subscription_id);
  const rowOf = async (subscription: number) => {
    const row = (await term.queue()).find(({ subscription_id }) => subscription_id === subscription);
    const { code } = JSON.parse(row?.error ?? '{}') as { code?: string };
    return [row?.fanout_status, code].filter((word) => word !== undefined).join(' ');
  };
  const dueInMs = async () => {
    const dues = [];
    for (const { notification_id } of await term.queue())
      dues.push(((await world.find(notification_id))?.due_at ?? 0) - world.clock.now());
    return dues;
  };
  /** Minutes of the campus's day, `hours` from the next list. */
  const minutesIn = (hours: number) => {
    const time = new Intl.DateTimeFormat('en-GB', { timeZone: 'America/New_York', timeStyle: 'short' });
    const [hour = 0, minute = 0] = time
      .format(world.clock.now() + pollMs + hours * hourMs)
      .split(':')
      .map(Number);
    return hour * 60 + minute;
  };
  const window = (from: number, to: number) => ({
    window_start_minutes: minutesIn(from),
    window_end_minutes: minutesIn(to),
  });
  /** The next list comes on the minute, as windows begin. */
  const toFullMinute = () => world.clock.advance(60_000 - ((world.clock.now() + pollMs) % 60_000));

  it('004-40 Every watch that is active or pending gets a row, and no other; who has not confirmed their address gets no mail', async () => {
    const active = await term.watch();
    const pending = await term.watch({ status: 'pending', verified_at: null });
    for (const status of ['paused', 'suppressed', 'unsubscribed'] as const) await term.watch({ status });
    await term.watch({ index_number: '00002' });
    await term.watch({ term_id: '92098' });
    await term.opens();
    await term.fanOut();
    expect(await told()).toEqual([active, pending]);
    await term.tell();
    expect([await rowOf(active), await rowOf(pending)]).toEqual(['sent', 'skipped unverified']);
    expect(term.parcels().map(({ mail }) => mail.tags.subscription_id)).toEqual([String(active)]);
  });

  it('004-41 Who was last told Open is left out; whoever was told anything else, or nothing ever, is not', async () => {
    const wanted = [];
    for (const last_known_section_status of ['Open', 'Closed', 'Wait', 'Unknown', null] as const) {
      const subscription = await term.watch({ last_known_section_status });
      if (last_known_section_status !== 'Open') wanted.push(subscription);
    }
    await term.opens();
    await term.fanOut();
    expect(await told()).toEqual(wanted);
  });

  it('004-42 In quiet hours the mail waits for their end, across midnight too; if the seat has closed by then, it is not sent', async () => {
    await toFullMinute();
    await term.watch(window(-1, 2));
    const night = window(3, 7);
    expect(night.window_start_minutes, 'across midnight').toBeGreaterThan(night.window_end_minutes);
    const patient = await term.watch(night);
    const tomorrow = await term.watch(window(20, 23));
    await term.opens();
    await term.fanOut();
    expect(await dueInMs()).toEqual([0, 3 * hourMs, 20 * hourMs]);
    await term.tell();
    await world.clock.advance(3 * hourMs - 1);
    await term.tell();
    expect(term.parcels()).toHaveLength(1);
    await world.clock.advance(1);
    await term.tell();
    expect([await rowOf(patient), await rowOf(tomorrow)]).toEqual(['sent', 'pending']);
    await term.closes();
    await world.clock.advance(17 * hourMs);
    await term.tell();
    expect(await rowOf(tomorrow)).toBe('expired seat_closed');
    expect(term.parcels()).toHaveLength(2);
  });

  it('004-43 Nobody gets more mails than they want; with the last of them the watch rests', async () => {
    const sated = await term.watch({ max_notifications: 1, notifications_sent: 1 });
    const twice = await term.watch({ max_notifications: 2 });
    const unlimited = await term.watch();
    for (let turn = 0; turn < 3; turn++) {
      await term.opens();
      await term.tell();
      await term.closes();
    }
    const mailsTo = (subscription: number) =>
      term.parcels().filter(({ mail }) => mail.tags.subscription_id === String(subscription)).length;
    expect(term.parcels()).toHaveLength(5);
    expect([mailsTo(twice), mailsTo(unlimited)]).toEqual([2, 3]);
    expect(await told(), 'who has had enough is not even in the queue').not.toContain(sated);
    expect(await world.subscription(twice)).toMatchObject({ status: 'paused', notifications_sent: 2 });
    expect(await world.subscription(unlimited)).toMatchObject({ status: 'active' });
  });

  it('004-44 Whoever has asked for silence is told when it is over, and not left out', async () => {
    const later = world.clock.now() + 10 * 60_000;
    const snoozing = await term.watch({ snooze_until: later });
    await term.watch({ snooze_until: world.clock.now() });
    await term.opens();
    await term.tell();
    expect(term.parcels()).toHaveLength(1);
    expect(await rowOf(snoozing)).toBe('pending');
    await world.clock.advance(later - world.clock.now() - 1);
    await term.tell();
    expect(await rowOf(snoozing)).toBe('pending');
    await world.clock.advance(1);
    await term.tell();
    expect(await rowOf(snoozing)).toBe('sent');
  });

  it('004-45 Each row names its watch and carries the key of its event; mails of two watches are two mails all the same', async () => {
    const watchers = [await term.watch(), await term.watch()];
    await term.opens();
    await term.tell();
    const [event] = await term.recorded();
    expect(event).toMatchObject({ index_number: index, subscription_id: null });
    expect((await term.queue()).map((row) => [row.subscription_id, row.dedupe_key])).toEqual(
      watchers.map((watcher) => [watcher, event?.dedupe_key]),
    );
    const parcels = term.parcels();
    expect(parcels.map(({ mail }) => mail.tags.dedupe_key)).toEqual([event?.dedupe_key, event?.dedupe_key]);
    // 8.1: what the provider takes for the same mail is the mail's own key.
    expect(new Set(parcels.map(({ key }) => key)).size).toBe(2);
  });
});
