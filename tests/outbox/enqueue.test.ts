import { afterEach, beforeEach, expect, it } from 'vitest';
import { Refusal } from '../../src/std/refusal.ts';
import { createOutboxWorld, type OutboxWorld } from '../support/outbox-world.ts';
import { rowIn } from '../support/rows.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';

onBothDatabases('intents at the door', (dialect) => {
  let world: OutboxWorld;
  beforeEach(async () => {
    world = await createOutboxWorld(dialect);
  });
  afterEach(() => world.close());

  it('answers intents in order and tells a repeat from a first, within a batch and across', async () => {
    const first = await world.outbox.enqueue([intentNumber(1), intentNumber(2), intentNumber(1)]);
    expect(first.map(({ isNew }) => isNew)).toEqual([true, true, false]);
    expect(first[2]?.id).toBe(first[0]?.id);
    await rowIn(world, 'sent', 3);
    const again = await world.outbox.enqueue([intentNumber(3), intentNumber(2), intentNumber(4)]);
    expect(again.map(({ isNew, status }) => [isNew, status])).toEqual([
      [false, 'sent'],
      [false, 'pending'],
      [true, 'pending'],
    ]);
  });

  it('a repeat changes nothing of the first, not even its content', async () => {
    const [first] = await world.outbox.enqueue([intentNumber(1)]);
    await world.outbox.enqueue([
      intentNumber(1, { variables: { subject: 'other', text: 'other' }, lane: 'urgent' }),
    ]);
    const [claimed] = await world.claim();
    expect(claimed).toMatchObject({ seq: first?.seq, lane: 'normal', variables: { subject: 'Subject 1' } });
  });

  it('002-P11-01 Concurrent inserts with the same identity make one record, in whatever order they come', async () => {
    const intents = Array.from({ length: 50 }, (_, number) => intentNumber(number));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, caller) =>
        world.outbox.enqueue(caller % 2 ? intents : intents.toReversed()),
      ),
    );
    expect(answers.flat().filter(({ isNew }) => isNew)).toHaveLength(50);
    expect(await world.queries.counts()).toEqual([{ source: 'plain', status: 'pending', count: 50 }]);
  });

  it('takes thousands at once and answers them in order', async () => {
    const intents = Array.from({ length: 2500 }, (_, number) => intentNumber(number));
    const answers = await world.outbox.enqueue(intents);
    expect(answers.every(({ isNew }) => isNew)).toBe(true);
    const row = await world.find(answers[2100]?.seq ?? 0);
    expect(row?.occasion).toBe('occasion-2100');
  });

  it('refuses an address that is not one address at the door, and then nothing of the batch is in', async () => {
    const bad = intentNumber(2, { toEmail: 'a@example.org, b@example.org' });
    await expect(world.outbox.enqueue([intentNumber(1), bad])).rejects.toThrow(Refusal);
    await expect(world.outbox.enqueue([bad])).rejects.toMatchObject({ code: 'invalid_address' });
    await expect(world.outbox.enqueue([intentNumber(1, { occasion: 'a\nb' })])).rejects.toMatchObject({
      code: 'invalid_identity',
    });
    await expect(world.outbox.enqueue([intentNumber(1, { lane: 'fast' as 'bulk' })])).rejects.toMatchObject({
      code: 'invalid_lane',
    });
    await expect(world.outbox.enqueue([intentNumber(1, { traceId: 'a\0b' })])).rejects.toMatchObject({
      code: 'invalid_intent',
    });
    expect(await world.queries.counts()).toEqual([]);
  });

  it('the same identity has another id in another instance', async () => {
    const other = await createOutboxWorld(dialect);
    const [here] = await world.outbox.enqueue([intentNumber(1)]);
    const [there] = await other.outbox.enqueue([intentNumber(1)]);
    await other.close();
    expect(here?.id).not.toBe(there?.id);
  });

  it('an outer transaction that fails takes everything with it', async () => {
    const attempt = world.db.transaction(async (tx) => {
      await world.outbox.enqueue([intentNumber(1)], tx);
      throw new Error('the source failed');
    });
    await expect(attempt).rejects.toThrow('the source failed');
    expect(await world.queries.counts()).toEqual([]);
  });

  /** One sign of text, six in JSON, seven in JSON in JSON. */
  const control = (length: number) => '\u0001'.repeat(length);

  it('refuses variables that no mail could hold, or that are no JSON, and then nothing of the batch is in', async () => {
    const circle: Record<string, unknown> = {};
    circle.again = circle;
    const refused = (variables: Record<string, unknown>) =>
      expect(world.outbox.enqueue([intentNumber(1), intentNumber(2, { variables })])).rejects;
    await refused({ text: control(1_000_000) }).toMatchObject({ name: 'Refusal', code: 'variables_too_big' });
    await refused({ text: 'é'.repeat(530_000) }).toMatchObject({ code: 'variables_too_big' });
    // Longer in JSON than a text can be; it takes a second, and no database has to do with it.
    if (dialect === 'sqlite')
      await refused({ text: control(100_000_000) }).toMatchObject({ code: 'variables_too_big' });
    await refused(circle).toMatchObject({ name: 'Refusal', code: 'invalid_intent' });
    await refused({ count: 1n }).toMatchObject({ name: 'Refusal', code: 'invalid_intent' });
    expect(await world.queries.counts()).toEqual([]);
  });

  it('takes a whole batch of the largest variables, and gives each its own back', async () => {
    const texts = Array.from({ length: 12 }, (_, number) => `${number} ${control(170_000)}`);
    await world.outbox.enqueue(texts.map((text, number) => intentNumber(number, { variables: { text } })));
    const claimed = await world.claim(100);
    const found = claimed.map(({ occasion, variables }) => [occasion, variables.text]);
    expect(found.every(([occasion, text]) => text === texts[Number(String(occasion).slice(9))])).toBe(true);
    expect(found).toHaveLength(12);
  });
});
