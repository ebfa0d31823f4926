import { afterEach, beforeEach, expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { createEventsWorld, type EventsWorld } from './events-world.ts';
import { index, termId } from './seats-world.ts';

onBothDatabases('the fan-out', (dialect) => {
  let world: EventsWorld;
  beforeEach(async () => {
    world = await createEventsWorld(dialect);
  });
  afterEach(() => world.close());

  async function openEventId(indexNumber = index): Promise<number> {
    await world.opens(indexNumber);
    return (await world.recorded()).at(-1)?.open_event_id ?? 0;
  }
  const drain = async (fanOut = world.fanOut) => {
    while ((await fanOut.runOnce()) > 0) {}
  };
  const rows = () => world.db.read.selectFrom('deliveries').selectAll().orderBy('seq').execute();
  const waitingFor = async (event: number) =>
    (await world.waiting())
      .filter((each) => each.startsWith(`${event}-`))
      .map((each) => Number(each.split('-')[1]));

  it('000-03 000-13 000-78 004-45 puts a row for each watcher into the outbox, with key and trace of its event', async () => {
    const event = await openEventId();
    const watcher = await world.addSubscription();
    await drain();
    const [recorded] = await world.recorded();
    expect(await rows()).toMatchObject([
      {
        ...{ source: 'course-seats', occasion: String(event), recipient: String(watcher), lane: 'urgent' },
        ...{ status: 'pending', dedupe_key: recorded?.dedupe_key, trace_id: 'trace-7' },
        ...{ due_at: world.clock.now(), expires_at: null, to_email: null },
      },
    ]);
    expect(await world.db.read.selectFrom('open_event_fanouts').selectAll().execute()).toMatchObject([
      { open_event_id: event, finished_at: world.clock.now() },
    ]);
  });

  it('004-40 004-41 matches by status and by what was told last; NULL is not Open', async () => {
    const event = await openEventId();
    const told = [
      await world.addSubscription({ status: 'active' }),
      await world.addSubscription({ status: 'pending' }),
      await world.addSubscription({ last_known_section_status: null }),
      await world.addSubscription({ last_known_section_status: 'Closed' }),
      await world.addSubscription({ last_known_section_status: 'Wait' }),
      await world.addSubscription({ last_known_section_status: 'Unknown' }),
      // 000-44: it ends at the gate, with a word why.
      await world.addSubscription({ contact_type: 'sms', contact_value: '+1 848 555 0100' }),
    ];
    await world.addSubscription({ last_known_section_status: 'Open' });
    for (const status of ['paused', 'suppressed', 'unsubscribed'] as const)
      await world.addSubscription({ status });
    await world.addSubscription({ term_id: '92025' });
    await world.addSubscription({ index_number: '09215' });
    await drain();
    expect(await waitingFor(event)).toEqual(told);
  });

  it('000-36 notifyOn must hold open, and nothing that only looks like it', async () => {
    const event = await openEventId();
    const both = await world.addSubscription({ notify_on: '["closed","open"]' });
    for (const notify_on of ['[]', '["closed"]', '["opened"]', '["OPEN"]', '["re\\"open\\""]']) {
      await world.addSubscription({ notify_on });
    }
    await drain();
    expect(await waitingFor(event)).toEqual([both]);
  });

  it('004-43 whoever has had as many as they wanted gets no more', async () => {
    const event = await openEventId();
    await world.addSubscription({ max_notifications: 2, notifications_sent: 2 });
    const oneMore = await world.addSubscription({ max_notifications: 2, notifications_sent: 1 });
    await drain();
    expect(await waitingFor(event)).toEqual([oneMore]);
  });

  it('004-42 004-44 quiet hours and a snooze make it due later, and drop nobody', async () => {
    // Midnight in UTC on 1 January is 19:00 in New York.
    const now = world.clock.now();
    const hour = 3_600_000;
    const evening = { window_start_minutes: 18 * 60, window_end_minutes: 22 * 60 };
    const morning = { window_start_minutes: 9 * 60, window_end_minutes: 10 * 60 };
    await openEventId();
    await world.addSubscription(evening);
    await world.addSubscription(morning);
    await world.addSubscription({ snooze_until: now + hour });
    await world.addSubscription({ ...evening, snooze_until: now + 4 * hour });
    await world.addSubscription({ snooze_until: now - hour });
    await drain();
    const due = (await rows()).sort((a, b) => Number(a.recipient) - Number(b.recipient));
    expect(due.map(({ due_at }) => ((due_at ?? 0) - now) / hour)).toEqual([0, 14, 1, 23, 0]);
    expect(due.every(({ expires_at }) => expires_at === null)).toBe(true);
  });

  it('004-12 a closing fans out to nobody', async () => {
    await world.addSubscription();
    await world.closes();
    expect(await world.fanOut.runOnce()).toBe(0);
    expect(await world.waiting()).toEqual([]);
  });

  it('goes on page by page; several openings share a page, so that a small one need not wait for a large one', async () => {
    const large = Array.from({ length: 1_200 }, () => ({}));
    await addMany(large.length, index);
    await addMany(3, '00002');
    await openEventId();
    const second = await openEventId('00002');
    expect(await world.fanOut.runOnce()).toBe(2);
    expect(await waitingFor(second)).toHaveLength(3);
    expect(await world.waiting()).toHaveLength(503);
    await drain();
    expect(new Set(await world.waiting()).size).toBe(1_203);
    expect(await world.fanOut.runOnce()).toBe(0);
  });

  it('000-12 two processes at once: nobody is missed, nobody told twice', async () => {
    await addMany(2_500, index);
    await addMany(40, '00002');
    await Promise.all([openEventId(), openEventId('00002')]);
    await Promise.all([drain(), drain(world.fanOutWith({})), drain(world.fanOutWith({}))]);
    await drain();
    const waiting = await world.waiting();
    expect(waiting).toHaveLength(2_540);
    expect(new Set(waiting).size).toBe(2_540);
  });

  it('breaks off between any two statements, and goes on where it was', async () => {
    await addMany(1_500, index);
    await openEventId();
    let failures = 0;
    const shaky = world.fanOutWith({
      outbox: {
        async enqueue(intents, tx) {
          const answers = await world.outbox.enqueue(intents, tx);
          if (failures++ % 2 === 0) throw new Error('the power fails');
          return answers;
        },
      },
    });
    for (let tries = 0; tries < 6; tries++) await shaky.runOnce().catch(() => 0);
    expect(new Set(await world.waiting()).size).toBe(1_500);
    expect(await world.waiting()).toHaveLength(1_500);
    expect(await world.fanOut.runOnce()).toBe(0);
  });

  it('wakes the dispatch after its page is committed, and only if there is something to send', async () => {
    const seen: number[] = [];
    const fanOut = world.fanOutWith({ onEnqueued: () => seen.push(1) });
    await openEventId();
    expect(await fanOut.chore.once(new AbortController().signal)).toBe('again');
    expect(seen).toEqual([]);
    await addMany(1, '00002');
    await openEventId('00002');
    await fanOut.chore.once(new AbortController().signal);
    expect(seen).toEqual([1]);
    expect(await fanOut.chore.once(new AbortController().signal)).toBe('pause');
    expect(fanOut.chore.pauseMs).toBe(250);
  });

  async function addMany(count: number, indexNumber: string): Promise<void> {
    const now = world.clock.now();
    const numbers = Array.from({ length: count }, (_, number) => `${indexNumber}-${number}`);
    for (let start = 0; start < count; start += 500) {
      await world.db.write
        .insertInto('subscriptions')
        .values(
          numbers.slice(start, start + 500).map((name) => ({
            ...{ section_id: null, term_id: termId, campus_code: 'NB', index_number: indexNumber },
            ...{ contact_type: 'email', contact_value: null, contact_hash: name, locale: null },
            ...{ status: 'active' as const, last_known_section_status: null, max_notifications: null },
            ...{ window_start_minutes: null, window_end_minutes: null, snooze_until: null },
            ...{ token_id: name, verified_at: now, left_at: null, status_before_leaving: null },
            ...{ created_at: now, updated_at: now },
          })),
        )
        .execute();
    }
  }
});
