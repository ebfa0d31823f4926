import { afterEach, beforeEach, expect, it } from 'vitest';
import { claimForSamples, requireNoSamples } from '../../src/samples/claim-samples.ts';
import { createWorld, intentNumber, onBothDatabases, type World } from '../support/world.ts';

onBothDatabases('a database of samples', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());

  it('an empty one is marked once, and stays so whatever comes into it', async () => {
    await requireNoSamples(world.db);
    expect(await claimForSamples(world.db, 1_000)).toBe(true);
    await world.outbox.enqueue([intentNumber(1)]);
    expect(await claimForSamples(world.db, 2_000)).toBe(true);
    const { samples_since } = await world.db.read
      .selectFrom('instance')
      .select('samples_since')
      .executeTakeFirstOrThrow();
    expect(samples_since).toBe(1_000);
  });

  it('one with somebody’s own in it is left alone', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    expect(await claimForSamples(world.db, 1_000)).toBe(false);
    await requireNoSamples(world.db);
  });

  it('is refused to whoever would write in earnest, with what to do', async () => {
    await claimForSamples(world.db, 1_000);
    await expect(requireNoSamples(world.db)).rejects.toMatchObject({
      code: 'samples_inside',
      message: expect.stringContaining('Set DATABASE_URL to a new database'),
    });
  });
});
