import { afterEach, beforeEach, expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { createServedWorld, type ServedWorld } from './served.ts';

onBothDatabases('metrics of webhooks', (dialect) => {
  let world: ServedWorld;
  beforeEach(async () => {
    world = await createServedWorld(dialect);
  });
  afterEach(() => world.close());

  async function numbers(): Promise<Record<string, number>> {
    await world.clock.advance(6_000); // Past the time for which an answer is kept.
    const lines = (await world.served.metrics())
      .split('\n')
      .filter((line) => line.startsWith('tidings_webhook'));
    return Object.fromEntries(
      lines.map((line) => [
        line.slice('tidings_webhook_'.length, line.lastIndexOf(' ')),
        Number(line.split(' ').at(-1)),
      ]),
    );
  }

  it('are there with 0 before anything has come', async () => {
    expect(await numbers()).toMatchObject({
      'events_total{type="email.bounced",outcome="applied"}': 0,
      'events_total{type="other",outcome="applied"}': 0,
      ...{ repeats_total: 0, refusals_total: 0, lag_average_seconds: 0, lag_max_seconds: 0 },
      ...{ events_waiting: 0, oldest_waiting_seconds: 0 },
    });
  });

  it('say what came, what came again, how late, and what waits', async () => {
    const { tags } = await world.delivery('sending', 1);
    const now = world.clock.now();
    await world.served.tell('msg_1', { type: 'email.sent', tags: tags(), at: now - 2_000 });
    await world.served.tell('msg_1', { type: 'email.sent', tags: tags(), at: now - 2_000 });
    await world.served.tell('msg_2', { type: 'email.delivered', messageId: 'unknown', at: now - 10_000 });
    await world.served.tell('msg_3', { type: `email.${'x'.repeat(20)}`, at: now + 60_000 });
    await world.served.post({}, 'nobody');
    expect(await numbers()).toMatchObject({
      'events_total{type="email.sent",outcome="applied"}': 1,
      'events_total{type="email.delivered",outcome="applied"}': 0,
      'events_total{type="other",outcome="kept"}': 1,
      ...{ repeats_total: 1, refusals_total: 1, lag_max_seconds: 10, lag_average_seconds: 4 },
      ...{ events_waiting: 1, oldest_waiting_seconds: 6 },
    });
    await world.clock.advance(3_600_000);
    expect(await numbers()).toMatchObject({
      lag_max_seconds: 0,
      events_waiting: 1,
      oldest_waiting_seconds: 3612,
    });
  });

  it('count what waited once, when it has been linked', async () => {
    const { seq } = await world.delivery('sending', 1);
    await world.served.tell('msg_1', { type: 'email.delivered', messageId: 'm-1' });
    await world.outbox.record([{ seq, event: 'accepted', round: 1, at: 1, messageId: 'm-1', actor: 'w' }]);
    await world.clock.advance(10_000);
    await world.webhooks.linkWaiting();
    const counted = Object.entries(await numbers()).filter(
      ([name, value]) => name.startsWith('events_total') && value > 0,
    );
    expect(counted).toEqual([['events_total{type="email.delivered",outcome="applied"}', 1]]);
  });
});
