import { afterEach, beforeEach, expect, it } from 'vitest';
import { leaseMs as leaseOf, plainPolicy } from '../../src/domain/policy.ts';
import { newsletterPolicy } from '../../src/sources/newsletters/mail/newsletter-source.ts';
import { createDispatchWorld, type DispatchWorld, leaseMs, signal } from '../support/dispatch-world.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { onBothDatabases } from '../support/world.ts';

/** 002 calls it the stuck-sending sweeper; its `failed_transient` is the word for our `reconciling`. */
onBothDatabases('002-P9 stuck sending', (dialect) => {
  let world: DispatchWorld;
  beforeEach(async () => {
    world = await createDispatchWorld(dialect);
  });
  afterEach(() => world.close());

  it('002-P9-01 The threshold is how long a source lets a worker hold a delivery, and can be set; of newsletters it is 15 minutes', () => {
    const provider = { longestCallMs: 1_000 };
    const policy = { ...plainPolicy, leaseMs: 15 * 60_000 };
    expect([leaseOf(plainPolicy, provider), leaseOf(policy, provider)]).toEqual([120_000, 900_000]);
    expect(leaseOf(newsletterPolicy, provider)).toBe(900_000);
  });

  it('002-P9-02, 002-P9-03, 002-P9-05 Rows that are sending for longer are recovered, with the sentence as their last error, and counted', async () => {
    const [seq] = await world.enqueue(1);
    await world.sendAndDie();
    const sweep = world.sweep();
    await world.clock.advance(leaseMs - 1);
    expect(await sweep.runOnce()).toMatchObject({ recovered: 0 });
    expect(await world.find(seq)).toMatchObject({ status: 'sending' });
    await world.clock.advance(1);
    expect(await sweep.runOnce()).toMatchObject({ recovered: 1 });
    const row = await world.find(seq);
    // Not failed: whether the mail was accepted is not known, and it is asked for before anything is sent again.
    expect(row).toMatchObject({ status: 'reconciling', locked_by: null, due_at: world.clock.now() });
    expect(JSON.parse(row?.last_error ?? '{}').message).toBe('Recovered from stuck sending state');
    expect(await sweep.runOnce()).toMatchObject({ recovered: 0 });
  });

  it('002-P9-04 When rows are found a warning with their count is logged, and none when there are none', async () => {
    const log = createRecordingLog();
    await world.enqueue(1, 2, 3);
    await world.sendAndDie();
    await world.sweep(log).runOnce();
    expect(log.lines).toEqual([]);
    await world.clock.advance(leaseMs);
    await world.sweep(log).runOnce();
    expect(log.lines).toMatchObject([{ level: 'warn', event: 'sweep.recovered', recovered: 3 }]);
  });

  it('002-P9-06 It can be run by hand or periodically: beside each other they recover each row once', async () => {
    const [seq] = await world.enqueue(1);
    await world.sendAndDie();
    await world.clock.advance(leaseMs);
    const swept = await Promise.all([world.sweep().runOnce(), world.sweep().runOnce()]);
    expect(swept.reduce((sum, { recovered }) => sum + recovered, 0)).toBe(1);
    await world.reconcile().runOnce(signal());
    expect(await world.find(seq)).toMatchObject({ status: 'sent', attempts: 1 });
  });
});
