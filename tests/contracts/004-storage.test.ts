import { expect, it } from 'vitest';
import { type Status, statuses, statusNames } from '../../src/domain/status.ts';
import { createCourseSeats } from '../../src/sources/course-seats/course-seats.ts';
import { buildMailJob } from '../../src/sources/course-seats/mail/mail-job.ts';
import { readJobRows } from '../../src/sources/course-seats/mail/seat-rows.ts';
import { seatPolicy } from '../../src/sources/course-seats/mail/seat-source.ts';
import { systemIds } from '../../src/std/ids.ts';
import { index } from '../seats/seats-world.ts';
import { consentOf, tokenSecret } from '../support/consent.ts';
import { onBothDatabases } from '../support/world.ts';
import { madeForEach, worldForAll } from '../support/world-for-each.ts';
import { createCampus } from './campus.ts';

const dayMs = 86_400_000;

/** Spec 004, the two surfaces: `open_events`, and the queue that links them to who watches. */
onBothDatabases('004 what is kept', (dialect) => {
  const world = worldForAll(() => createCampus(dialect));
  const term = madeForEach(() => world.term());

  it('004-04 Whoever makes the mail is handed the event as it is stored, field by field, under the same names', async () => {
    const watcher = await term.watch();
    await term.opens();
    await term.fanOut();
    const [event] = await term.recorded();
    const [row] = await term.queue();
    const [jobRow] = (await readJobRows(world.db, [row?.notification_id ?? 0])).values();
    if (!event || !jobRow) throw new Error('nothing was recorded');
    const { event: handed, ...job } = buildMailJob(jobRow, {
      ...{ email: 'student@example.org', locale: 'en', policy: seatPolicy, variables: {} },
      links: { manageUrl: 'https://seats.example.org/manage' },
    });
    const columns = { ...event, subscription_id: watcher };
    const fields = Object.entries({ ...JSON.parse(event.payload), ...job, ...handed });
    const same = fields
      .map(([name, value]) => [name.replaceAll(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`), value] as const)
      .filter(([name]) => name in columns);
    // Not how many seats, nor in which row the list is: the contract of a mail job (000-42) has the list's hash for that.
    const withheld = ['seat_delta', 'snapshot_id', 'payload'];
    expect(Object.fromEntries(same)).toEqual(
      Object.fromEntries(Object.entries(columns).filter(([name]) => !withheld.includes(name))),
    );
    expect(handed).toMatchObject({
      snapshotHash: JSON.parse(event.payload).snapshotHash,
      courseTitle: JSON.parse(event.payload).courseTitle,
    });
  });

  it('004-20 What was recorded stays as it was: fan-out, sending, closing and reopening only add to it', async () => {
    await term.watch();
    await term.opens();
    const first = await term.recorded();
    await term.tell();
    expect(term.parcels()).toHaveLength(1);
    await term.closes();
    await term.opens();
    await term.tell();
    const later = await term.recorded();
    expect(later.slice(0, 1)).toEqual(first);
    expect(later.map(({ status_after }) => status_after)).toEqual(['Open', 'Closed', 'Open']);
  });

  it('004-21 The queue has the specified columns, and of every status one of its five words', async () => {
    const watcher = await term.watch();
    const event = await term.opens();
    await term.fanOut();
    const [row] = await term.queue();
    expect(Object.keys(row ?? {})).toEqual(
      expect.arrayContaining([
        ...['open_event_id', 'subscription_id', 'fanout_status', 'fanout_attempts'],
        ...['last_attempt_at', 'locked_by', 'locked_at', 'error'],
      ]),
    );
    expect(row).toMatchObject({
      ...{ open_event_id: event, subscription_id: watcher, fanout_status: 'pending', fanout_attempts: 0 },
      ...{ last_attempt_at: null, locked_by: null, locked_at: null, error: null },
    });
    const held = { locked_by: 'worker', locked_at: 1, lease: 1 };
    const words: Record<string, Status[]> = {};
    for (const status of statusNames) {
      // Straight into the table: which of them may follow which is the life cycle's, and not asked here.
      await world.db.write
        .updateTable('deliveries')
        .set({
          ...{ status, sent_at: statuses[status].mailExists === 'yes' ? 1 : null },
          first_possible_accept_at: statuses[status].mailExists === 'perhaps' ? 1 : null,
          ...(['claimed', 'sending'].includes(status) ? held : { ...held, locked_by: null, locked_at: null }),
        })
        .where('seq', '=', row?.notification_id ?? 0)
        .execute();
      const word = (await term.queue())[0]?.fanout_status ?? '';
      words[word] = [...(words[word] ?? []), status].sort();
    }
    expect(words).toEqual({
      pending: ['claimed', 'failed_transient', 'pending', 'reconciling', 'sending'],
      sent: ['delivered', 'sent'],
      skipped: ['skipped_ineligible', 'skipped_no_email', 'skipped_unsubscribed', 'suppressed'],
      failed: ['failed_permanent', 'needs_review'],
      expired: ['expired'],
    });
  });

  it('004-57 Events and their rows go 30 days later, not a moment before, by the housekeeping of the source itself', async () => {
    await term.watch();
    const { housekeeping, close } = keeper();
    await term.opens();
    await term.tell();
    await world.clock.advance(30 * dayMs);
    await housekeeping();
    expect([await term.recorded(), await term.queue()]).toMatchObject([[{}], [{ fanout_status: 'sent' }]]);
    const [row] = await term.queue();
    await world.clock.advance(1);
    await housekeeping();
    expect(await term.recorded()).toEqual([]);
    expect(await world.find(row?.notification_id)).toBeUndefined();
    await close();
  });

  it('004-67 Every mail leads by its open event and its subscription to the row, the event, the watch and its story', async () => {
    const watchers = [await term.watch(), await term.watch()];
    await term.opens();
    await term.tell();
    await term.closes();
    await term.opens();
    await term.tell();
    const parcels = term.parcels();
    expect(parcels).toHaveLength(4);
    const queue = await term.queue();
    for (const { key, mail } of parcels) {
      const event = Number(mail.tags.open_event_id);
      const watcher = Number(mail.tags.subscription_id);
      expect(watchers).toContain(watcher);
      const rows = queue.filter((row) => row.open_event_id === event && row.subscription_id === watcher);
      expect(rows).toMatchObject([{ fanout_status: 'sent' }]);
      expect(await world.find(rows[0]?.notification_id)).toMatchObject({ id: key });
      expect((await term.recorded()).filter(({ open_event_id }) => open_event_id === event)).toMatchObject([
        { index_number: index, status_after: 'Open' },
      ]);
      expect(await world.eventsOf(watcher)).toContain(`notify_sent ${event} Open`);
    }
  });

  /** The source as the program makes it, for the sake of its own idea of how long 30 days are. */
  function keeper() {
    const { db, outbox, clock, log, feed } = world;
    const seats = createCourseSeats({
      ...{ db, outbox, clock, log, feed, ids: systemIds, random: { next: () => 0.5 }, isSample: true },
      ...{ configured: { termIds: [], campusCodes: [] }, namespace: 'n', secrets: [tokenSecret] },
      ...{ baseUrl: () => 'https://seats.example.org', timeZone: 'America/New_York', holder: 'one' },
      ...{ unsubscribe: consentOf(world).unsubscribe, verifiesAddresses: true, onEnqueued: () => {} },
    });
    const chore = seats.chores.find(({ name }) => name === 'seats-housekeeping');
    if (!chore) throw new Error('nobody keeps house');
    return {
      housekeeping: async () => {
        while ((await chore.once(new AbortController().signal)) === 'again') {}
      },
      close: () => seats.close(),
    };
  }
});
