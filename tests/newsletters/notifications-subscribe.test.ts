import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { notificationTypes } from '../../src/sources/newsletters/notification-type.ts';
import { onBothDatabases } from '../support/world.ts';
import { ana, createNotificationsWorld, dayMs, type NotificationsWorld } from './notifications-world.ts';

const condition = (more: object = {}) => ({ operator: 'gt', threshold: '10', unit: 'RON', ...more });
const analytics = (config: object = {}) => ({
  type: 'alert_series_analytics',
  entityCui: undefined,
  config: { conditions: [condition()], filter: { accountCategory: 'ch' }, ...config },
});

onBothDatabases('asking for something', (dialect) => {
  let world: NotificationsWorld;
  let number = 0;
  /** Somebody new for every test. */
  let user: string;
  beforeAll(async () => {
    world = await createNotificationsWorld(dialect);
  });
  beforeEach(() => {
    number += 1;
    user = `user_${number}`;
  });
  afterAll(() => world.close());

  const subscribe = (more: object = {}) =>
    world.notifications.subscribe({
      ...{ userId: user, type: 'newsletter_entity_monthly', entityCui: '4305857' },
      ...more,
    });
  const refusal = (more: object) =>
    subscribe(more).then(
      () => 'taken',
      (error: { code?: string; message: string }) => `${error.code}: ${error.message}`,
    );

  test('002-O-01 002-O-02 every type is taken, and is kept as it was asked for', async () => {
    for (const type of notificationTypes) {
      const isNewsletter = type.startsWith('newsletter');
      const what = isNewsletter
        ? {}
        : type === 'alert_series_static'
          ? { entityCui: undefined, config: { conditions: [], datasetId: 'ro.economics.inflation.yearly' } }
          : analytics();
      const { kind, notification } = await subscribe({ type, locale: 'ro', ...what });
      expect(kind).toBe('created');
      expect(notification).toMatchObject({
        userId: user,
        type,
        locale: 'ro',
        isActive: true,
        inactiveBecause: null,
      });
      expect(notification.entityCui).toBe(isNewsletter ? '4305857' : null);
      expect(notification.id).toMatch(/^[0-9a-f-]{36}$/);
      expect(await world.row(notification.id)).toMatchObject({
        dataset_id: type === 'alert_series_static' ? 'ro.economics.inflation.yearly' : null,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
    }
    expect((await world.notifications.list(user, { limit: 50 })).rows).toHaveLength(5);
  });

  test('the same wish is one row, whatever the order of its words and the spelling of its numbers', async () => {
    const first = await subscribe(analytics({ filter: { a: 1, b: { c: [1, 2], d: null } } }));
    const again = await subscribe(
      analytics({
        filter: { b: { d: null, c: [1, 2] }, a: 1 },
        conditions: [{ unit: 'RON', threshold: 10.0, operator: 'gt' }],
      }),
    );
    expect(again).toEqual({ kind: 'existing', notification: first.notification });
    const others = [
      analytics({ filter: { a: 1, b: { c: [2, 1], d: null } } }),
      analytics({
        filter: { a: 1, b: { c: [1, 2], d: null } },
        conditions: [condition({ threshold: '10.01' })],
      }),
      analytics({ filter: { a: 1, b: { c: [1, 2], d: null } }, title: 'Mine' }),
      { ...analytics({ filter: { a: 1, b: { c: [1, 2], d: null } } }), userId: `${user}b` },
    ];
    for (const other of others) expect((await subscribe(other)).kind).toBe('created');
  });

  test('a newsletter is one for each user, type and entity', async () => {
    const first = await subscribe();
    expect((await subscribe()).kind).toBe('existing');
    for (const other of [
      { entityCui: '4270740' },
      { type: 'newsletter_entity_yearly' },
      { userId: `${user}b` },
    ])
      expect((await subscribe(other)).kind).toBe('created');
    expect((await subscribe()).notification.id).toBe(first.notification.id);
  });

  test('whoever asks once more in another language gets it in that one; who says none keeps theirs', async () => {
    expect((await subscribe()).notification.locale).toBeNull();
    expect((await subscribe({ locale: 'ro' })).notification.locale).toBe('ro');
    expect((await subscribe()).notification.locale).toBe('ro');
  });

  test('what was deleted comes back as the same row, so that no period is told twice', async () => {
    const { notification } = await subscribe();
    const seq = await world.tell(notification, '2025-12');
    await world.notifications.remove(user, notification.id);
    await world.clock.advance(2 * dayMs);
    const again = await subscribe();
    expect([again.kind, again.notification.id]).toEqual(['reactivated', notification.id]);
    expect(await world.tell(again.notification, '2025-12')).toBe(seq);
    // Too late for that one: a day had passed.
    expect(await world.statusOf(seq)).toBe('skipped_unsubscribed');
  });

  test('thresholds are exact, as numbers and as texts', async () => {
    const thresholds: [unknown, string][] = [
      [10, '10'],
      ['10', '10'],
      ['+0010.500', '10.5'],
      [-0, '0'],
      ['-0.000', '0'],
      [0.1, '0.1'],
      ['123456789012345678.0123456789', '123456789012345678.0123456789'],
      [1e-7, '0.0000001'],
      [123456789012345, '123456789012345'],
      [' -12.30 ', '-12.3'],
    ];
    const config = { conditions: thresholds.map(([threshold]) => condition({ threshold })) };
    const { notification } = await subscribe(analytics(config));
    expect(notification.config?.conditions.map(({ threshold }) => threshold)).toEqual(
      thresholds.map(([, exact]) => exact),
    );
  });

  describe('is refused with what to do', () => {
    test.each([
      [
        { type: 'newsletter_daily' },
        /^invalid_type: The notification type must be one of newsletter_entity_monthly/,
      ],
      [{ entityCui: undefined }, /^invalid_entity: entityCui must be .* such as 4305857/],
      [{ entityCui: 'RO12' }, /^invalid_entity/],
      [{ entityCui: "1' OR 1=1" }, /^invalid_entity/],
      [{ config: { conditions: [] } }, /^invalid_config: .* has no config/],
      [{ locale: 'zh-CN' }, /^invalid_locale: The locale must be one of en, ro/],
      [{ userId: 'a:b' }, /^invalid_user/],
      [{ userId: '' }, /^invalid_user/],
      [{ ...analytics(), entityCui: '4305857' }, /^invalid_entity: .* leave entityCui out/],
      [{ type: 'alert_series_analytics', entityCui: undefined }, /^invalid_config: config must be an object/],
      [analytics({ filter: undefined }), /config\.filter must be an object/],
      [analytics({ filter: [1] }), /config\.filter must be an object/],
      [analytics({ datasetId: 'a' }), /config\.datasetId is not for this type/],
      [analytics({ filter: { long: 'x'.repeat(8_000) } }), /at most 8000 characters/],
      [
        analytics({ filter: { a: [{ minAmount: 123456789012.3456 }] } }),
        /config\.filter has a number .* as a text/,
      ],
      [analytics({ filter: deep(9) }), /more than 8 levels/],
      [analytics({ conditions: 'all' }), /config\.conditions must be a list/],
      [analytics({ conditions: Array.from({ length: 21 }, () => condition()) }), /at most 20 entries/],
      [
        analytics({ conditions: [condition({ operator: 'ne' })] }),
        /conditions\[0\]\.operator must be one of gt, gte/,
      ],
      [
        analytics({ conditions: [condition(), condition({ threshold: '1e3' })] }),
        /conditions\[1\]\.threshold must be a decimal/,
      ],
      [
        analytics({ conditions: [condition({ threshold: Number('12345678901234567890') })] }),
        /send it as a text/,
      ],
      [analytics({ conditions: [condition({ threshold: 0.1 + 0.2 })] }), /send it as a text/],
      [analytics({ conditions: [condition({ threshold: null })] }), /threshold must be a decimal/],
      [analytics({ conditions: [condition({ threshold: '1'.repeat(19) })] }), /at most 18 digits/],
      [analytics({ conditions: [condition({ threshold: '1,5' })] }), /without signs between/],
      [analytics({ conditions: [condition({ unit: 'a\nb' })] }), /unit must be one line/],
      [analytics({ conditions: [7] }), /conditions\[0\] must be an object/],
      [analytics({ title: 'two\nlines' }), /config\.title must be one line/],
      [analytics({ title: 'x'.repeat(301) }), /at most 300 characters/],
      [analytics({ description: 'half \ud800' }), /config\.description/],
      [analytics({ nonsense: 1 }), /config has no field "nonsense"/],
      [
        { type: 'alert_series_static', entityCui: undefined, config: { datasetId: '../etc/passwd' } },
        /the id of a dataset/,
      ],
      [
        { type: 'alert_series_static', entityCui: undefined, config: { datasetId: 'a..b' } },
        /the id of a dataset/,
      ],
      [
        { type: 'alert_series_static', entityCui: undefined, config: { datasetId: 'a', filter: {} } },
        /filter is not for this type/,
      ],
    ])('%j', async (more, expected) => {
      expect(await refusal(more)).toMatch(expected);
      expect((await world.notifications.list(user, { limit: 1 })).rows).toEqual([]);
    });
  });

  test('a description keeps its lines, and no name in a filter is special', async () => {
    const filter = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}');
    const { notification } = await subscribe(analytics({ description: ' one\r\ntwo\tthree ', filter }));
    expect(notification.config?.description).toBe('one\ntwo\tthree');
    expect(JSON.stringify(notification.config?.filter)).toBe('{"__proto__":{"x":1},"constructor":2}');
    expect((await subscribe(analytics({ description: 'one\ntwo\tthree', filter }))).kind).toBe('existing');
  });

  test('so many at a time, and so many ever', async () => {
    const few = world.notificationsWith({ activeMax: 2, everMax: 3 });
    const order = (cui: string) => ({ userId: user, type: 'newsletter_entity_monthly', entityCui: cui });
    const first = (await few.subscribe(order('11'))).notification;
    await few.subscribe(order('12'));
    await expect(few.subscribe(order('13'))).rejects.toMatchObject({ code: 'too_many_notifications' });
    // What is there already is no more than it was.
    expect((await few.subscribe(order('11'))).kind).toBe('existing');
    await few.remove(user, first.id);
    expect((await few.subscribe(order('13'))).kind).toBe('created');
    await expect(few.subscribe(order('11'))).rejects.toThrow('2 active notifications already');
    await few.optOut(user);
    await expect(few.subscribe(order('14'))).rejects.toThrow('as many as one user may ever have');
    // And who is refused stays where they were.
    expect(await few.optOutOf(user)).not.toBeNull();
    expect((await few.subscribe(order('11'))).kind).toBe('reactivated');
  });

  test('neither a user nor what they watch is in the log', async () => {
    await subscribe({ userId: ana });
    expect(world.log.lines.filter(({ event }) => event === 'newsletters.subscribed')).not.toEqual([]);
    expect(JSON.stringify(world.log.lines)).not.toMatch(/user_|4305857/);
  });

  describe('at once', () => {
    test('the same wish twenty times: one row, one of them made it', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => subscribe()));
      expect(answers.filter(({ kind }) => kind === 'created')).toHaveLength(1);
      expect(new Set(answers.map(({ notification }) => notification.id)).size).toBe(1);
    });

    test('twenty wishes where there is room for five: five', async () => {
      const few = world.notificationsWith({ activeMax: 5 });
      const answers = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) =>
          few.subscribe({ userId: user, type: 'newsletter_entity_monthly', entityCui: String(100 + index) }),
        ),
      );
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
      expect((await few.list(user, { limit: 50 })).rows).toHaveLength(5);
    });

    test('leaving everything and asking for something: whoever comes last has said the last word', async () => {
      for (let round = 0; round < 20; round++) {
        await Promise.all([world.notifications.optOut(user), subscribe({ entityCui: String(500 + round) })]);
        const isOut = (await world.notifications.optOutOf(user)) !== null;
        const active = (await world.notifications.list(user, { limit: 50 })).rows.filter(
          ({ isActive }) => isActive,
        );
        expect(active.map(({ entityCui }) => entityCui)).toEqual(isOut ? [] : [String(500 + round)]);
      }
    });
  });
});

function deep(levels: number): object {
  return levels === 1 ? {} : { in: deep(levels - 1) };
}
