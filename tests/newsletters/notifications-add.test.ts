import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { createNotificationsWorld, type NotificationsWorld } from './notifications-world.ts';

onBothDatabases("an operator's list of who is to follow what", (dialect) => {
  let world: NotificationsWorld;
  beforeAll(async () => {
    world = await createNotificationsWorld(dialect);
  });
  afterAll(() => world.close());
  const order = (userId: string, entityCui = '4305857', more: { locale?: string; type?: string } = {}) => ({
    ...{ userId, type: 'newsletter_entity_monthly', entityCui, ...more },
  });
  const add = async (...orders: ReturnType<typeof order>[]) =>
    (await world.notifications.add(orders)).map((one) => ('problem' in one ? one.problem : one.kind));

  test('makes what is new, once, and the second time nothing; one that is bad keeps no other back', async () => {
    const list = [
      ...[order('new_1', '11', { locale: 'en' }), order('new_1', '12'), order('new_2'), order('new_2')],
      ...[order('a:b'), order('nul\0'), order('new_3', 'x'), order('new_3', '11', { type: 'daily' })],
    ];
    const bad = [
      expect.stringMatching(/^A user id has 1 to 128/),
      expect.stringMatching(/^A user id has 1 to 128/),
      expect.stringMatching(/^entityCui must be/),
      expect.stringMatching(/^The notification type must be one of/),
    ];
    expect(await add(...list)).toEqual(['created', 'created', 'created', 'existing', ...bad]);
    expect(await add(...list)).toEqual(['existing', 'existing', 'existing', 'existing', ...bad]);
    const { rows } = await world.notifications.list('new_1', { limit: 9 });
    expect(rows.map(({ entityCui, locale, isActive }) => [entityCui, locale, isActive]).sort()).toEqual([
      ['11', 'en', true],
      ['12', null, true],
    ]);
  });

  test('brings nobody back who has left, by whatever way', async () => {
    const by = { account: 'left_1', link: 'left_2', deleted: 'left_3', everything: 'left_4' };
    const wishes = new Map<string, Awaited<ReturnType<typeof world.subscribe>>>();
    for (const userId of Object.values(by)) wishes.set(userId, await world.subscribe({ userId }));
    const wishOf = (userId: string) => wishes.get(userId) as Awaited<ReturnType<typeof world.subscribe>>;
    await world.notifications.update(by.account, wishOf(by.account).id, { isActive: false });
    await world.consent.unsubscribe.stop(await world.linkIn(wishOf(by.link)), 'one-click');
    await world.notifications.remove(by.deleted, wishOf(by.deleted).id);
    await world.notifications.optOut(by.everything);
    expect(await add(...Object.values(by).map((userId) => order(userId)))).toEqual(Array(4).fill('left'));
    // Not even by something new: they have left all of it.
    expect(await add(order(by.everything, '99'))).toEqual(['left']);
    expect(await world.notifications.optOutOf(by.everything)).not.toBeNull();
    for (const userId of Object.values(by))
      expect(await world.standing(wishOf(userId).id)).not.toBe('active');
  });

  test('so many as one user may have', async () => {
    const few = world.notificationsWith({ activeMax: 1 });
    expect(await few.add([order('few_1', '11'), order('few_1', '12'), order('few_2', '11')])).toMatchObject([
      { kind: 'created' },
      { kind: 'refused', problem: expect.stringContaining('1 active notifications already') },
      { kind: 'created' },
    ]);
  });

  test('two lists at once end as one', async () => {
    const list = Array.from({ length: 40 }, (_, index) => order(`race_${index % 10}`, String(100 + index)));
    const [one = [], other = []] = await Promise.all([add(...list), add(...list.toReversed())]);
    expect([...one, ...other].filter((kind) => kind === 'created')).toHaveLength(40);
  });

  describe('all of them are listed', () => {
    const idsOf = async (filter: object, limit = 100) => {
      const ids: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await world.notifications.all({ ...filter, limit, after });
        ids.push(...page.rows.map(({ id }) => id));
        if (page.next === null) return ids;
        after = page.next;
      }
    };

    test('page by page, by user, entity and type, without those that were deleted', async () => {
      await add(order('listed', '777'), order('listed', '778', { type: 'newsletter_entity_yearly' }));
      const everything = await idsOf({}, 7);
      expect(everything).toEqual([...new Set(everything)].sort());
      const deleted = await world.db.read
        .selectFrom('notifications')
        .select('id')
        .where('deleted_at', 'is not', null)
        .execute();
      expect(deleted.filter(({ id }) => everything.includes(id))).toEqual([]);
      expect(deleted).not.toEqual([]);
      expect(await idsOf({ userId: 'listed' })).toHaveLength(2);
      expect(await idsOf({ entityCui: '777' })).toHaveLength(1);
      expect(await idsOf({ type: 'newsletter_entity_yearly' })).toHaveLength(1);
      expect(await idsOf({ userId: 'listed', type: 'newsletter_entity_monthly' })).toHaveLength(1);
    });
  });
});
