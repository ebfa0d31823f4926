import { afterEach, beforeEach, expect, it } from 'vitest';
import { composed, createOutboxWorld, type OutboxWorld } from '../support/outbox-world.ts';
import { rowIn } from '../support/rows.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';

onBothDatabases('reading the outbox', (dialect) => {
  let world: OutboxWorld;
  beforeEach(async () => {
    world = await createOutboxWorld(dialect);
  });
  afterEach(() => world.close());

  it('searches by status, source, address and page, newest first', async () => {
    for (let number = 0; number < 7; number++) await world.outbox.enqueue([intentNumber(number)]);
    const dead = await rowIn(world, 'failed_permanent', 8);
    const page = await world.queries.search({ limit: 3 });
    const next = await world.queries.search({ limit: 3, below: page.at(-1)?.seq ?? 0 });
    expect([...page, ...next].map(({ occasion }) => occasion)).toEqual(
      [8, 6, 5, 4, 3, 2].map((number) => `occasion-${number}`),
    );
    expect(
      (await world.queries.search({ limit: 9, status: ['failed_permanent'] })).map(({ seq }) => seq),
    ).toEqual([dead]);
    expect(await world.queries.search({ limit: 9, address: 'Person-3@EXAMPLE.org' })).toHaveLength(1);
    expect(await world.queries.search({ limit: 9, source: 'other' })).toEqual([]);
    expect(await world.queries.find('not a reference')).toBeUndefined();
    expect(await world.queries.find('99999999999999999999')).toBeUndefined();
  });

  it('the story holds one row an attempt, with its beginning, and none for what changed nothing', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [claimed] = await world.claim();
    if (!claimed) throw new Error('not claimed');
    await world.begin([composed(claimed)]);
    const beganAt = world.clock.now();
    await world.clock.advance(40);
    await world.accepted(claimed);
    await world.accepted(claimed);
    const { events } = await world.queries.story(claimed.seq);
    expect(events).toMatchObject([
      { event: 'accepted', status: 'sent', round: 1, actor: 'worker-1', at: beganAt + 40 },
    ]);
    expect(JSON.parse(events[0]?.detail ?? '')).toMatchObject({
      beganAt,
      worker: 'worker-1',
      messageId: `message-${claimed.seq}`,
      from: 'sending',
    });
  });
});
