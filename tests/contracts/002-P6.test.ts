import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { isUuid } from '../../src/std/ids.ts';
import { addressOf, monthly } from '../newsletters/civic-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { headersOf, path as webhookPath } from '../webhooks/served.ts';
import { eventBody, signed } from '../webhooks/signed.ts';
import { type CivicContract, createCivicContract, tagsOf } from './civic-contract-world.ts';
import { type CivicServer, serveCivic, serviceKey, triggerKeys, triggerPath } from './civic-server.ts';

const yearly = 'newsletter_entity_yearly';

/** Spec 002, phase 6 and what its verification plan asks by requests: the trigger, over a real socket. */
onBothDatabases('002 phase 6: the trigger', (dialect) => {
  let world: CivicContract;
  let server: CivicServer;
  beforeEach(async () => {
    world = await createCivicContract(dialect);
    server = await serveCivic(world);
  });
  afterEach(async () => {
    await server.close();
    await world.close();
  });

  const key = { 'x-notification-api-key': triggerKeys[0] };
  const trigger = (body: unknown, headers: Record<string, string> = key) =>
    server.ask('POST', triggerPath, { body, headers });
  const runs = () => world.newsletters.runs.list({ limit: 20 });

  it('002-P6-01 Route `POST /api/v1/notifications/trigger`', async () => {
    await world.followAll(1);
    expect((await trigger({ notificationType: monthly })).status).toBe(200);
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect((await server.ask(method, '/api/v1/notifications/trigger', { headers: key })).status).toBe(405);
  });

  it("002-P6-02 A wrong or missing `x-notification-api-key` → 401 `{ error: 'Invalid API key' }`", async () => {
    await world.followAll(1);
    const body = { notificationType: monthly };
    // The sentence is the specification's; what to send stands beside it.
    const details = expect.objectContaining({
      send: expect.arrayContaining(['X-Notification-API-Key: <key>']),
    });
    const refused = { status: 401, body: expect.objectContaining({ error: 'Invalid API key', details }) };
    const wrong = [{}, { 'x-notification-api-key': '' }, { 'x-notification-api-key': `${triggerKeys[0]}x` }];
    // A key that is good for something else is not good for this.
    for (const headers of [...wrong, { 'x-notification-api-key': serviceKey }] as Record<string, string>[])
      expect(await trigger(body, headers)).toEqual(refused);
    // Before anything is read of the request: who has no key learns nothing of what is wrong with it.
    expect(await trigger('{', {})).toEqual(refused);
    expect(await runs()).toEqual([]);
    // 8.24: several may be active.
    for (const good of triggerKeys)
      expect((await trigger({ ...body, force: true }, { 'x-notification-api-key': good })).status).toBe(200);
  });

  it('002-P4-02 Trigger request: `notificationType` (required), `periodKey?`, `dryRun?`, `limit?`, `force?`', async () => {
    await world.followAll(3);
    const all = { notificationType: monthly, periodKey: '2026-08', dryRun: false, limit: 2, force: true };
    expect(await trigger(all)).toMatchObject({
      status: 200,
      body: { periodKey: '2026-08', eligibleCount: 2 },
    });
    expect(await runs()).toMatchObject([{ period_key: '2026-08', limit_to: 2, is_forced: 1 }]);
    const { notificationType: _, ...without } = all;
    expect((await trigger(without)).status).toBe(400);
    expect(await runs()).toHaveLength(1);
  });

  it('002-P6-03 Body and 200 response follow their schemas', async () => {
    await world.followAll(1);
    const wrong = [
      ...[
        { notificationType: 'newsletter_entity_weekly' },
        { periodKey: '2026-13' },
        { periodKey: '2026-Q3' },
      ],
      ...[{ periodKey: '2026-11' }, { dryRun: 'yes' }, { limit: 0 }, { limit: 1.5 }, { limit: '5' }],
      ...[{ force: 1 }, { periodkey: '2026-10' }],
    ];
    for (const change of wrong) {
      const { status, body } = await trigger({ notificationType: monthly, ...change });
      expect([change, status]).toEqual([change, 400]);
      // It teaches: a sentence, and no more than that.
      expect(body).toMatchObject({ error: expect.stringMatching(/[.?]$/), code: expect.any(String) });
    }
    expect(await runs()).toEqual([]);
    const answer = await trigger({ notificationType: monthly });
    expect(answer).toEqual({
      status: 200,
      body: {
        ...{ runId: expect.any(String), notificationType: monthly, periodKey: '2026-10', dryRun: false },
        ...{ eligibleCount: 1, collectJobEnqueued: true },
      },
    });
  });

  it('002-P6-04 `runId` is a fresh UUID for every call', async () => {
    await world.followAll(1);
    const ids: string[] = [];
    for (const more of [{}, {}, { dryRun: true }, { force: true }])
      ids.push((await trigger({ notificationType: monthly, ...more })).body.runId);
    expect([ids.every(isUuid), new Set(ids).size]).toEqual([true, 4]);
    // Of those that started something, the run has that id.
    expect((await runs()).map(({ run_id }) => run_id).sort()).toEqual([ids[0], ids[3]].sort());
  });

  it('002-P6-05 Eligible notifications are found by type, period key and limit', async () => {
    await world.followAll(3);
    await world.follow(4, { type: yearly });
    await trigger({ notificationType: monthly, periodKey: '2026-09', limit: 1 });
    await world.settle();
    const count = async (more: object) =>
      (await trigger({ notificationType: monthly, dryRun: true, ...more })).body.eligibleCount;
    expect(await count({ notificationType: yearly })).toBe(1);
    expect(await count({ periodKey: '2026-10' })).toBe(3);
    expect(await count({ periodKey: '2026-09' })).toBe(2);
    expect(await count({ periodKey: '2026-10', limit: 2 })).toBe(2);
    expect(await count({ notificationType: 'newsletter_entity_quarterly' })).toBe(0);
  });

  it('002-P6-06 Dry run → 200 with `dryRun: true`, `eligibleCount`, `collectJobEnqueued: false`', async () => {
    await world.followAll(2);
    expect(await trigger({ notificationType: monthly, dryRun: true })).toMatchObject({
      ...{ status: 200, body: { dryRun: true, eligibleCount: 2, collectJobEnqueued: false } },
    });
    await world.settle();
    expect([await world.records(), await runs()]).toEqual([[], []]);
  });

  it('002-P6-07 Otherwise one collect job is enqueued with `notificationType`, `periodKey`, `runId` and the eligible notification ids', async () => {
    const ids = await world.followAll(3);
    await world.newsletters.notifications.update('user-2', ids[1] ?? '', { isActive: false });
    const { body } = await trigger({ notificationType: monthly });
    expect(await runs()).toMatchObject([
      { run_id: body.runId, notification_type: monthly, period_key: '2026-10', status: 'running' },
    ]);
    const items = await world.newsletters.runs.items(body.runId, { after: '', limit: 10 });
    expect(items.map(({ notification_id }) => notification_id)).toEqual([ids[0], ids[2]].sort());
    // Who comes later is not on its list.
    await world.follow(4);
    await world.settle();
    expect(world.provider.ledger.map(({ mail }) => mail.to).sort()).toEqual([
      addressOf('user-1'),
      addressOf('user-3'),
    ]);
  });

  it('002-P6-08 Real run → 200 with `dryRun: false` and `eligibleCount`', async () => {
    await world.followAll(4);
    expect(await trigger({ notificationType: monthly })).toMatchObject({
      ...{ status: 200, body: { dryRun: false, eligibleCount: 4 } },
    });
    await world.settle();
    expect(world.provider.ledger).toHaveLength(4);
  });

  it('002-P6-09 `collectJobEnqueued` is false when deduplication rejected the job', async () => {
    await world.followAll(2);
    const order = { notificationType: monthly };
    const answers = await Promise.all([trigger(order), trigger(order), trigger(order)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    // 8.14: it says truthfully whether this call enqueued.
    const enqueued = answers.filter(({ body }) => body.collectJobEnqueued);
    expect(enqueued).toHaveLength(1);
    expect(await runs()).toMatchObject([{ run_id: enqueued[0]?.body.runId }]);
    await world.settle();
    expect(world.provider.ledger).toHaveLength(2);
    expect((await trigger(order)).body).toMatchObject({ collectJobEnqueued: false });
  });

  it('002-V-03 A dry-run trigger for `newsletter_entity_monthly` on port 3000 answers counts', async () => {
    expect(readConfig({}, 'no such file').port).toBe(3000);
    await world.followAll(2);
    const headers = { 'X-Notification-API-Key': triggerKeys[1] };
    const { status, body } = await trigger(
      '{"notificationType": "newsletter_entity_monthly", "dryRun": true}',
      headers,
    );
    expect([status, body.eligibleCount]).toEqual([200, 2]);
  });

  it('002-V-04 A real trigger with `"limit": 5` mails at most five recipients', async () => {
    await world.followAll(7);
    const { body } = await trigger('{"notificationType": "newsletter_entity_monthly", "limit": 5}');
    expect(body).toMatchObject({ eligibleCount: 5, collectJobEnqueued: true });
    await world.settle();
    await world.clock.advance(86_400_000);
    await world.settle();
    expect(world.provider.ledger).toHaveLength(5);
    expect(await world.records()).toHaveLength(5);
  });

  it('002-V-06 A test webhook updates the delivery status', async () => {
    await world.composed();
    await world.turn();
    const sent = await world.record();
    const body = eventBody({
      ...{ type: 'email.delivered', at: world.clock.now(), messageId: sent.resend_email_id },
      tags: tagsOf(sent),
    });
    const headers = headersOf(signed('msg_1', body, { at: world.clock.now() }));
    expect(await server.ask('POST', webhookPath, { body, headers })).toEqual({
      ...{ status: 200, body: { status: 'processed' } },
    });
    expect(await world.record()).toMatchObject({ status: 'delivered' });
  });

  it('002-Q-02 Alerts are triggered manually only, protected by the API key', async () => {
    world.budget.values.set('roads', '20500.5');
    const conditions = [{ operator: 'gt', threshold: '20000', unit: 'RON' }];
    const config = { title: 'Roads', filter: { seriesId: 'roads' }, conditions };
    const order = { userId: 'user-1', type: 'alert_series_analytics', config };
    await world.newsletters.notifications.subscribe(order);
    // Its condition holds, month after month, and nobody is told by that alone.
    await world.clock.advance(70 * 86_400_000);
    await world.settle();
    expect((await trigger({ notificationType: 'alert_series_analytics' }, {})).status).toBe(401);
    await world.settle();
    expect(world.provider.ledger).toEqual([]);
    expect((await trigger({ notificationType: 'alert_series_analytics' })).body).toMatchObject({
      ...{ collectJobEnqueued: true, eligibleCount: 1 },
    });
    await world.settle();
    expect(world.provider.ledger.map(({ mail }) => mail.subject)).toEqual([expect.stringContaining('Roads')]);
  });

  it('002-O-01 A subscription CRUD API for notifications exists', async () => {
    const path = '/api/v1/notifications';
    const asUser = (userId: string) => ({ 'x-api-key': serviceKey, 'x-user-id': userId });
    const ask = (method: string, rest: string, body?: unknown, userId = 'user-1') =>
      server.ask(method, `${path}${rest}`, { headers: asUser(userId), ...(body !== undefined && { body }) });
    const made = await ask('POST', '', { notificationType: monthly, entityCui: '4305857' });
    expect(made).toMatchObject({ status: 201, body: { kind: 'created' } });
    const { id } = made.body.notification;
    expect(await ask('GET', `/${id}`)).toMatchObject({
      status: 200,
      body: { notification: { id, isActive: true } },
    });
    expect((await ask('GET', '')).body.notifications).toMatchObject([{ id, entityCui: '4305857' }]);
    expect(await ask('PATCH', `/${id}`, { isActive: false })).toMatchObject({ status: 200 });
    expect((await ask('GET', `/${id}`)).body.notification).toMatchObject({ isActive: false });
    expect((await ask('DELETE', `/${id}`)).status).toBeLessThan(300);
    expect((await ask('GET', `/${id}`)).status).toBe(404);
    expect((await ask('GET', '')).body.notifications).toEqual([]);
    // Somebody else's is not there, and whoever has no key does nothing.
    const other = await ask('POST', '', { notificationType: yearly, entityCui: '111111' }, 'user-2');
    expect((await ask('GET', `/${other.body.notification.id}`)).status).toBe(404);
    expect((await server.ask('GET', path, { headers: { 'x-user-id': 'user-1' } })).status).toBe(401);
  });
});
