import { afterEach, beforeEach, expect, test } from 'vitest';
import { metricsText } from '../../src/http/metrics.ts';
import { createSeatMetrics } from '../../src/http/seat-metrics.ts';
import type { Poller } from '../../src/sources/course-seats/feed/poller.ts';
import { createPollerWorld, failed, type PollerWorld, signal } from '../seats/poller-world.ts';
import { isoOf } from '../seats/seats-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { createApiWorld, operatorKey } from './api-world.ts';

onBothDatabases('what the section feed tells', (dialect) => {
  let world: PollerWorld;
  let poller: Poller;
  let lines: () => Promise<string[]>;
  beforeEach(async () => {
    world = await createPollerWorld(dialect);
    poller = world.poller();
    const metrics = createSeatMetrics({ db: world.db, clock: world.clock, seats: { poller } });
    lines = async () => metricsText(await metrics()).split('\n');
  });
  afterEach(() => world.close());

  const list = '{term="12026",campus="NB"}';
  const many = Array.from({ length: 300 }, (_, number) => String(10_000 + number));

  test('before the first poll the list is infinitely old, and every series is there', async () => {
    expect(await lines()).toEqual(
      expect.arrayContaining([
        `tidings_seat_feed_age_seconds${list} +Inf`,
        `tidings_seat_feed_held${list} 0`,
        `tidings_seat_feed_failures${list} 0`,
        'tidings_seat_snapshots_total{term="12026",campus="NB",verdict="held"} 0',
        'tidings_seat_open_events_total{term="12026",campus="CM",status="Open"} 0',
        'tidings_seat_watches{status="active"} 0',
        'tidings_seat_fanouts_unfinished 0',
        'tidings_seat_fanout_oldest_seconds 0',
      ]),
    );
  });

  test('how old, how many open, what failed, and what is held back', async () => {
    await world.hear(poller, 0, ...many);
    await world.clock.advance(7_000);
    expect(await lines()).toEqual(
      expect.arrayContaining([
        `tidings_seat_feed_age_seconds${list} 7`,
        `tidings_seat_open_sections${list} 300`,
      ]),
    );
    await world.hear(poller, 20_000, ...many.slice(0, 200));
    expect(await lines()).toEqual(
      expect.arrayContaining([`tidings_seat_feed_held${list} 1`, `tidings_seat_feed_age_seconds${list} 27`]),
    );
    world.feed.answers.set('NB', failed(503));
    for (let times = 0; times < 2; times++) {
      await world.clock.advance(60_000);
      await poller.runOnce(signal());
    }
    expect(await lines()).toContain(`tidings_seat_feed_failures${list} 2`);
  });

  test('lists by what was thought of them, each once, when it has settled', async () => {
    await world.hear(poller, 0, ...many);
    await lines();
    await world.hear(poller, 20_000, ...many);
    await world.hear(poller, 20_000, ...many.slice(0, 100));
    await world.hear(poller, 20_000);
    const counted = async () =>
      (await lines()).filter((line) => /^tidings_seat_snapshots.* [1-9]/.test(line));
    // The last came just now: somebody with a lower number may still be writing.
    expect(await counted()).toHaveLength(2);
    await world.clock.advance(6_000);
    for (let times = 0; times < 2; times++) {
      expect(await counted()).toEqual([
        'tidings_seat_snapshots_total{term="12026",campus="NB",verdict="empty"} 1',
        'tidings_seat_snapshots_total{term="12026",campus="NB",verdict="held"} 1',
        'tidings_seat_snapshots_total{term="12026",campus="NB",verdict="taken"} 1',
      ]);
    }
  });

  test('openings and closings by campus, who watches, and what waits for its deliveries', async () => {
    await lines();
    const now = world.clock.now();
    const waiting = await world.addOpenEvent({ campus_code: 'NK', event_at: isoOf(now) });
    const done = await world.addOpenEvent({ event_at: isoOf(now) });
    await world.addOpenEvent({ status_after: 'Closed', seat_delta: -1, event_at: isoOf(now) });
    await world.db.write
      .insertInto('open_event_fanouts')
      .values([{ open_event_id: waiting }, { open_event_id: done, finished_at: now }])
      .execute();
    await world.addSubscription();
    await world.addSubscription({ status: 'pending' });
    await world.addSubscription({ status: 'active' });
    await world.clock.advance(61_000);
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'tidings_seat_open_events_total{term="12026",campus="NK",status="Open"} 1',
        'tidings_seat_open_events_total{term="12026",campus="NB",status="Open"} 1',
        'tidings_seat_open_events_total{term="12026",campus="NB",status="Closed"} 1',
        'tidings_seat_watches{status="active"} 2',
        'tidings_seat_watches{status="pending"} 1',
        'tidings_seat_watches{status="paused"} 0',
        'tidings_seat_fanouts_unfinished 1',
        'tidings_seat_fanout_oldest_seconds 61',
      ]),
    );
  });
});

test('where no feed is polled there is nothing to tell', async () => {
  const world = await createApiWorld();
  const api = await world.serve({ api: { seats: undefined } });
  const { status, text } = await api.ask('GET', '/metrics', { key: operatorKey });
  expect(status).toBe(200);
  expect(text).toContain('tidings_deliveries');
  expect(text).not.toContain('tidings_seat');
  await world.close();
});
