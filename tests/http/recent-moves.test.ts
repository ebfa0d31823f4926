import { afterEach, beforeEach, expect, it } from 'vitest';
import { createRecentMoves } from '../../src/http/live/recent-moves.ts';
import { composed, createOutboxWorld, type OutboxWorld } from '../support/outbox-world.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';

onBothDatabases('what moved in the last hour', (dialect) => {
  let world: OutboxWorld;
  beforeEach(async () => {
    world = await createOutboxWorld(dialect);
  });
  afterEach(() => world.close());

  it('who left from somewhere has passed there, although a story does not tell of it', async () => {
    const { outbox, clock, db } = world;
    await outbox.enqueue([1, 2, 3].map((number) => intentNumber(number)));
    const [first, second, third] = await world.claim();
    if (!first || !second || !third) throw new Error('not claimed');
    await world.begin([composed(first), composed(second)]);
    const base = { lease: 1, actor: 'worker-1' };
    await outbox.record([
      { ...base, seq: first.seq, event: 'accepted', round: 1, at: clock.now(), messageId: 'm1' },
      { ...base, seq: second.seq, event: 'refused_for_now', dueAt: clock.now() },
      { ...base, seq: third.seq, event: 'ineligible', error: { code: 'not_wanted', message: 'no' } },
    ]);
    await clock.advance(60_000);
    const { arrows } = await createRecentMoves({ db, clock }).look();
    const counted = Object.fromEntries(arrows.map(({ from, to, count }) => [`${from}>${to}`, count]));
    expect(counted).toMatchObject({
      ...{ 'pending>claimed': 3, 'claimed>sending': 2, 'claimed>skipped_ineligible': 1 },
      ...{ 'sending>sent': 1, 'sending>failed_transient': 1 },
    });
  });
});
