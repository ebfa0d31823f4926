import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import type { Answered, Api } from './api-world.ts';
import {
  alert,
  asUser,
  createNotificationsApiWorld,
  type NotificationsApiWorld,
  newsletter,
  path,
} from './notifications-world.ts';

onBothDatabases('newsletters and alerts over HTTP', (dialect) => {
  let world: NotificationsApiWorld;
  let ask: ReturnType<typeof asUser>;
  let other: ReturnType<typeof asUser>;
  let users = 0;
  let api: Awaited<ReturnType<NotificationsApiWorld['serveOwn']>>;
  beforeAll(async () => {
    world = await createNotificationsApiWorld(dialect);
    api = await world.serveOwn();
  });
  beforeEach(() => {
    users += 1;
    ask = asUser(api, `user_${users}`);
    other = asUser(api, `user_other_${users}`);
  });
  afterAll(() => world.close());

  const seen = ({ status, json }: Answered) => [status, json.kind ?? json.code];
  const subscribed = async (body: object = newsletter) => (await ask('POST', '', body)).json.notification;

  test('asked for, shown, listed, by entity', async () => {
    const { status, json } = await ask('POST', '', { ...newsletter, locale: 'ro' });
    const now = new Date(world.clock.now()).toISOString();
    expect([status, json]).toEqual([
      201,
      {
        kind: 'created',
        notification: {
          ...{ id: expect.stringMatching(/^[0-9a-f-]{36}$/), ...newsletter, config: null, locale: 'ro' },
          ...{ isActive: true, inactiveBecause: null, createdAt: now, updatedAt: now },
        },
      },
    ]);
    const { notification } = json;
    expect((await ask('GET', `/${notification.id}`)).json).toEqual({ notification });
    expect((await ask('GET')).json).toEqual({ notifications: [notification], next: null });
    expect((await ask('GET', '/entity/4305857')).json).toEqual({ notifications: [notification] });
    expect((await ask('GET', '/entity/4305858')).json).toEqual({ notifications: [] });
    expect((await other('GET')).json).toEqual({ notifications: [], next: null });
    expect(seen(await other('GET', `/${notification.id}`))).toEqual([404, 'notification_not_found']);
  });

  test('asked for again: there already, or active again', async () => {
    const { id } = await subscribed();
    expect(seen(await ask('POST', '', newsletter))).toEqual([200, 'existing']);
    expect((await ask('DELETE', `/${id}`)).json).toEqual({ removed: true });
    expect(seen(await ask('GET', `/${id}`))).toEqual([404, 'notification_not_found']);
    const again = await ask('POST', '', newsletter);
    expect([...seen(again), again.json.notification.id]).toEqual([200, 'reactivated', id]);
  });

  test('a threshold is answered as it was meant, as a text', async () => {
    const { config } = await subscribed(
      alert({
        conditions: [
          { operator: 'lte', threshold: '123456789012345678.10' },
          { operator: 'eq', threshold: 0.5, unit: '%' },
        ],
      }),
    );
    expect(config.conditions).toEqual([
      { operator: 'lte', threshold: '123456789012345678.1', unit: '' },
      { operator: 'eq', threshold: '0.5', unit: '%' },
    ]);
    // What was answered can be sent back as it is.
    expect(seen(await ask('POST', '', { ...alert(), config }))).toEqual([200, 'existing']);
  });

  test('changed: turned off and on, in its language, in what it watches', async () => {
    const { id } = await subscribed(alert());
    const change = async (body: object) => (await ask('PATCH', `/${id}`, body)).json;
    expect(await change({ isActive: false })).toMatchObject({
      ...{ kind: 'changed', notification: { isActive: false, inactiveBecause: 'by_user' } },
    });
    expect((await change({ isActive: false })).kind).toBe('unchanged');
    expect(await change({ isActive: true, locale: 'en' })).toMatchObject({
      ...{ kind: 'changed', notification: { isActive: true, locale: 'en' } },
    });
    const { config } = alert({ title: 'Mine' });
    expect((await change({ config })).notification.config.title).toBe('Mine');
    const second = await subscribed(alert());
    const conflict = await ask('PATCH', `/${second.id}`, { config });
    expect([...seen(conflict), conflict.json.details]).toEqual([409, 'notification_conflict', { id }]);
    expect(seen(await other('PATCH', `/${id}`, { isActive: false }))).toEqual([
      404,
      'notification_not_found',
    ]);
    expect(seen(await other('DELETE', `/${id}`))).toEqual([404, 'notification_not_found']);
  });

  test('left altogether, and come back to one', async () => {
    const { id } = await subscribed();
    await subscribed({ ...newsletter, entityCui: '22' });
    await world.outbox.enqueue([
      { source: 'newsletters', occasion: '2025-12', recipient: `user_${users}:${id}`, lane: 'bulk' },
    ]);
    expect((await ask('GET', '/opt-out')).json).toEqual({ optedOut: false });
    const at = new Date(world.clock.now()).toISOString();
    expect((await ask('POST', '/opt-out')).json).toEqual({
      ...{ optedOut: true, at, via: 'account', deactivated: 2, stopped: 1 },
    });
    expect((await ask('GET', '/opt-out')).json).toEqual({ optedOut: true, at, via: 'account' });
    expect((await ask('PATCH', `/${id}`, { isActive: true })).json.notification.isActive).toBe(true);
    expect((await ask('GET', '/opt-out')).json).toEqual({ optedOut: false });
    const { notifications } = (await ask('GET')).json;
    expect(notifications.filter((one: { isActive: boolean }) => one.isActive)).toHaveLength(1);
    await ask('POST', '/opt-out');
    expect((await ask('DELETE', '/opt-out')).json).toEqual({ optedOut: false, wasOptedOut: true });
    expect((await ask('DELETE', '/opt-out')).json).toEqual({ optedOut: false, wasOptedOut: false });
  });

  test('page by page, what there is and what became of it', async () => {
    const { id } = await subscribed();
    for (const entityCui of ['22', '33']) await subscribed({ ...newsletter, entityCui });
    await world.outbox.enqueue(
      ['2025-10', '2025-11', '2025-12'].map((occasion) => ({
        ...{ source: 'newsletters', occasion, recipient: `user_${users}:${id}`, lane: 'bulk' as const },
      })),
    );
    for (const [rest, name] of [
      ['', 'notifications'],
      ['/deliveries', 'deliveries'],
    ] as const) {
      const first = (await ask('GET', `${rest}?limit=2`)).json;
      expect(first[name]).toHaveLength(2);
      const last = (await ask('GET', `${rest}?limit=2&after=${first.next.after}`)).json;
      expect([last[name].length, last.next]).toEqual([1, null]);
      expect(seen(await other('GET', `${rest}?after=${first.next.after}`))).toEqual([400, 'invalid_page']);
    }
    const [newest] = (await ask('GET', '/deliveries')).json.deliveries;
    expect(newest).toEqual({
      ...{ id: expect.any(String), notificationId: id, periodKey: '2025-12', status: 'pending' },
      ...{ deliveryKey: `user_${users}:${id}:2025-12`, toEmail: null, attemptCount: 0, lastAttemptAt: null },
      ...{ sentAt: null, createdAt: new Date(world.clock.now()).toISOString() },
    });
  });

  describe('mistakes are told, with what to do', () => {
    test.each([
      [{}, 'notificationType is missing.'],
      [
        { ...newsletter, notificationType: 'daily' },
        'notificationType must be one of newsletter_entity_monthly',
      ],
      [
        { ...newsletter, entityCui: 'RO4305857' },
        "entityCui must be an entity's fiscal code, 2 to 10 digits",
      ],
      [{ notificationType: 'newsletter_entity_monthly' }, 'such as 4305857'],
      [{ ...newsletter, config: { conditions: [] } }, 'has no config'],
      [{ ...newsletter, locale: 'de' }, 'locale must be one of en, ro'],
      [{ ...newsletter, entityCUI: '1' }, 'Did you mean entityCui?'],
      [{ ...alert(), entityCui: '4305857' }, 'leave entityCui out'],
      [
        alert({ conditions: [{ operator: 'gt', threshold: '1e5' }] }),
        'config.conditions[0].threshold must be a decimal',
      ],
      [alert({ conditions: [{ operator: 'gt', threshold: true }] }), 'config.conditions[0].threshold'],
      [alert({ datasetId: '../x' }), 'must be the id of a dataset'],
      [alert({ filter: { a: 'x'.repeat(8_001) } }), 'at most 8000 characters'],
      ['{"notificationType": "newsletter_entity_monthly",', 'The body is not JSON'],
    ])('%j', async (body, sentence) => {
      const { status, json } = await ask('POST', '', body);
      expect([status, json.error]).toEqual([400, expect.stringContaining(sentence)]);
      // Programs find the field in one place, whoever has refused it.
      if (typeof body !== 'string') expect(json.details.problems[0].field).toMatch(/^(?:not|ent|con|loc)/);
    });

    test.each([
      ['PATCH', '/x', {}, 400, 'nothing_to_change'],
      ['PATCH', '/x', { isActive: 'yes' }, 400, 'invalid_request'],
      ['PATCH', '/x', { entityCui: '1' }, 400, 'invalid_request'],
      ['PATCH', '/x', { isActive: true }, 404, 'notification_not_found'],
      ['GET', '/unsubscribe', undefined, 404, 'notification_not_found'],
      ['GET', '/entity/RO1', undefined, 400, 'invalid_request'],
      ['GET', '?limit=101', undefined, 400, 'invalid_request'],
      ['GET', '/deliveries?after=x', undefined, 400, 'invalid_page'],
      ['PUT', '/opt-out', {}, 405, 'method_not_allowed'],
      ['POST', '/deliveries', {}, 405, 'method_not_allowed'],
    ])('%s %s %j', async (method, rest, body, status, code) => {
      expect(seen(await ask(method, rest, body))).toEqual([status, code]);
    });
  });

  test('as many as there may be, and no more', async () => {
    const few = asUser(await world.serveOwn({ api: { notifications: world.few } }), `user_${users}`);
    await few('POST', '', newsletter);
    expect(seen(await few('POST', '', { ...newsletter, entityCui: '22' }))).toEqual([
      409,
      'too_many_notifications',
    ]);
  });

  test('the page behind a link speaks of what there is here', async () => {
    const own = await world.serveOwn();
    const texts = async (api: Api, address: string) => (await api.ask('GET', address)).text;
    const link = `${path}/unsubscribe/some-token`;
    expect(await texts(own, link)).toContain('a newsletter or an alert: that newsletter or alert');
    expect(await texts(own, link)).not.toContain('course section');
  });

  test('where there are no newsletters, there is nothing at these addresses', async () => {
    const without = asUser(await world.serve(), 'user_1');
    expect(seen(await without('GET'))).toEqual([404, 'not_found']);
    expect((await without('GET', '/unsubscribe/some-token')).status).toBe(200);
  });
});
