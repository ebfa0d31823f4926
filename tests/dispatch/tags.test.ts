import { afterEach, beforeEach, expect, it } from 'vitest';
import { plainSource } from '../../src/sources/plain/plain.ts';
import type { Source } from '../../src/sources/source.ts';
import { createDispatchWorld, type DispatchWorld, signal } from '../support/dispatch-world.ts';
import { onBothDatabases } from '../support/world.ts';

onBothDatabases("a source's tags", (dialect) => {
  let world: DispatchWorld;
  beforeEach(async () => {
    world = await createDispatchWorld(dialect);
  });
  afterEach(() => world.close());

  const tagged = (tags: Record<string, string>): Source => ({
    ...plainSource,
    async draft(deliveries) {
      const drafts = await plainSource.draft(deliveries);
      return new Map([...drafts].map(([seq, draft]) => [seq, { ...draft, tags }]));
    },
  });

  it('reach the provider, and never replace those that a webhook is matched by', async () => {
    const [seq] = await world.enqueue(1);
    const source = tagged({ term: '12026', delivery_id: 'another', round: '9', env: 'production' });
    await world.dispatch({ source }).runOnce(signal());
    const id = (await world.find(seq))?.id;
    expect(world.provider.ledger.map(({ mail }) => mail.tags)).toEqual([
      { term: '12026', delivery_id: id, round: '1', env: 'test' },
    ]);
  });

  it('that no provider would take end the delivery, and nothing leaves', async () => {
    const [seq] = await world.enqueue(1);
    await world.dispatch({ source: tagged({ campus: 'New Brunswick' }) }).runOnce(signal());
    expect(world.provider.ledger).toEqual([]);
    expect(await world.find(seq)).toMatchObject({
      status: 'failed_permanent',
      last_error: expect.stringContaining('"tag_alphabet"'),
    });
  });
});
