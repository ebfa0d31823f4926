import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { createImportWorld, type ImportWorld } from './notifications-import-world.ts';
import { insert, oldDelivery, oldNotification } from './notifications-old-system.ts';

/** An import that comes twice, is broken off or is for show ends as one that came once and whole. */
onBothDatabases('an older system', (dialect) => {
  let world: ImportWorld;
  beforeEach(async () => {
    world = await createImportWorld(dialect);
  });
  afterEach(() => world.close());

  describe('002-P1-10 again, and broken off', () => {
    const many = 1_100;
    beforeEach(async () => {
      await world.have('before');
      const ids = Array.from({ length: many }, (_, index) => index + 1);
      await world.old.run(
        insert(
          'Notifications',
          ids.map((id) => oldNotification(id, { user_id: `user_${id}` })),
        ),
        insert(
          'NotificationDeliveries',
          ids.map((id) => oldDelivery(id, id, { user_id: `user_${id}` })),
        ),
      );
    });

    test('once more changes nothing', async () => {
      expect(await world.take()).toMatchObject({
        notifications: { taken: many },
        deliveries: { taken: many, ends: { sent: many } },
      });
      const before = await world.tables();
      expect(await world.take()).toMatchObject({
        ...{ notifications: { taken: 0, known: many }, deliveries: { taken: 0, known: many, ends: {} } },
      });
      expect(await world.tables()).toEqual(before);
    });

    test('and what was changed here since stays as it is', async () => {
      await world.take();
      await world.notifications.remove('user_1', '1');
      await world.take();
      expect(await world.standing('1')).toBe('deleted');
    });

    test('broken off in the middle, it goes on the next time to the same end', async () => {
      const stop = new AbortController();
      const seen: string[] = [];
      const first = await world.take({
        signal: stop.signal,
        onProgress: ({ what, done, total }) => {
          seen.push(`${what} ${done}/${total}`);
          if (what === 'deliveries') stop.abort();
        },
      });
      expect([first.isWhole, first.deliveries.taken]).toEqual([false, 500]);
      expect(seen).toEqual([
        ...['notifications 500/1100', 'notifications 1000/1100', 'notifications 1100/1100'],
        'deliveries 500/1100',
      ]);
      expect(await world.take()).toMatchObject({ isWhole: true, deliveries: { taken: 600, known: 500 } });
      expect(await world.statusesOf()).toEqual({ sent: many });
    });

    test('two at once end as one', async () => {
      const [one, other] = await Promise.all([world.take(), world.take()]);
      expect((one?.deliveries.taken ?? 0) + (other?.deliveries.taken ?? 0)).toBe(many);
      expect(await world.statusesOf()).toEqual({ sent: many });
    });

    test('for show: nothing is changed, and what would come of it is said', async () => {
      const before = await world.tables();
      expect(await world.take({ isDryRun: true })).toMatchObject({
        ...{
          notifications: { taken: many, active: many },
          deliveries: { taken: many, ends: { sent: many } },
        },
      });
      expect(await world.tables()).toEqual(before);
    });
  });
});
