import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CivicContract, createCivicContract } from '../contracts/civic-contract-world.ts';
import { type CivicServer, serveCivic, serviceKey, triggerKeys } from '../contracts/civic-server.ts';
import { onBothDatabases } from '../support/world.ts';
import { type LossyClient, lossyClient } from './lossy-client.ts';

const newsletter = { notificationType: 'newsletter_entity_monthly', entityCui: '4305857' } as const;
const ana = { userId: 'user_ana' };

onBothDatabases('newsletters and alerts by the client', (dialect) => {
  let world: CivicContract;
  let server: CivicServer;
  let lossy: LossyClient;
  const count = async (table: 'notifications' | 'notification_runs') =>
    (await world.db.read.selectFrom(table).selectAll().execute()).length;
  beforeAll(async () => {
    world = await createCivicContract(dialect);
    server = await serveCivic(world);
    lossy = await lossyClient(server.url, serviceKey);
  });
  afterAll(async () => {
    await lossy.close();
    await server.close();
    await world.close();
  });

  test('a newsletter whose answer is lost is one newsletter', async () => {
    const { notifications } = lossy.client;
    const { notification } = await lossy.lose(1, () => notifications.subscribe({ ...ana, ...newsletter }));
    expect(notification).toMatchObject({ ...newsletter, isActive: true, inactiveBecause: null });
    expect(lossy.wire.asked.map(({ status }) => status)).toEqual([201, 200]);
    expect(await count('notifications')).toBe(1);
    expect(await notifications.get({ ...ana, id: notification.id })).toEqual(notification);
    expect(await notifications.ofEntity({ ...ana, entityCui: '4305857' })).toEqual([notification]);
    expect(await notifications.ofEntity({ userId: 'user_bob', entityCui: '4305857' })).toEqual([]);
  });

  test('an alert, its change, and all pages of what somebody has', async () => {
    const { notifications } = lossy.client;
    const { kind, notification } = await notifications.subscribe({
      ...ana,
      notificationType: 'alert_series_analytics',
      config: { filter: { accountCategory: 'ch' }, conditions: [{ operator: 'gt', threshold: '5.5' }] },
    });
    expect(kind).toBe('created');
    const change = { ...ana, id: notification.id, isActive: false, locale: 'ro' } as const;
    expect(await lossy.lose(1, () => notifications.update(change))).toMatchObject({
      notification: { isActive: false, locale: 'ro', inactiveBecause: 'by_user' },
    });
    const types = [];
    for await (const { notificationType } of notifications.each({ ...ana, limit: 1 }))
      types.push(notificationType);
    expect(types.sort()).toEqual(['alert_series_analytics', 'newsletter_entity_monthly']);
    expect((await notifications.list({ ...ana, limit: 1 })).next).not.toBeNull();
  });

  test('what is removed is gone, also where the answer is lost; what was never there is not found', async () => {
    const { notifications } = lossy.client;
    const [alert] = (await notifications.list(ana)).notifications;
    const of = { ...ana, id: alert?.id ?? '' };
    await lossy.lose(1, () => notifications.remove(of));
    expect(lossy.wire.asked.map(({ status }) => status)).toEqual([200, 404]);
    await expect(notifications.get(of)).rejects.toMatchObject({
      status: 404,
      code: 'notification_not_found',
    });
    await expect(notifications.remove(of)).rejects.toMatchObject({ status: 404, isInDoubt: false });
  });

  test('leaving everything, and taking that back', async () => {
    const { notifications } = lossy.client;
    expect(await notifications.getOptOut(ana)).toEqual({ optedOut: false });
    const left = await lossy.lose(1, () => notifications.optOut(ana));
    expect(left).toMatchObject({ optedOut: true, via: 'account' });
    const { at, via } = left;
    expect(await notifications.getOptOut(ana)).toEqual({ optedOut: true, at, via });
    expect(await notifications.optIn(ana)).toEqual({ optedOut: false, wasOptedOut: true });
    expect(await notifications.subscribe({ ...ana, ...newsletter })).toMatchObject({ kind: 'reactivated' });
    expect(await notifications.deliveries(ana)).toEqual({ deliveries: [], next: null });
  });

  test('a key of the wrong kind is refused, and what is wrong is named', async () => {
    const { notifications } = lossy.client;
    const order = { notificationType: 'newsletter_entity_monthly' } as const;
    await expect(notifications.trigger(order)).rejects.toMatchObject({ status: 401, code: 'key_required' });
    const odd = notifications.subscribe({ ...ana, ...newsletter, entityCui: 'x' });
    await expect(odd).rejects.toMatchObject({
      ...{ status: 400, code: 'invalid_request' },
      details: { problems: [{ field: 'entityCui', problem: expect.stringContaining('fiscal code') }] },
    });
  });

  test('a trigger whose answer is lost starts one run; with force it is not asked again', async () => {
    const { notifications } = lossy.with({ apiKey: triggerKeys[0] });
    const order = { notificationType: 'newsletter_entity_monthly', periodKey: '2026-10' } as const;
    const counted = await notifications.trigger({ ...order, dryRun: true });
    expect(counted).toMatchObject({ dryRun: true, eligibleCount: 1, collectJobEnqueued: false });
    await lossy.lose(1, () => notifications.trigger(order));
    expect(lossy.wire.asked.map(({ status }) => status)).toEqual([200, 200]);
    expect(await count('notification_runs')).toBe(1);
    const forced = lossy.lose(1, () => notifications.trigger({ ...order, force: true }));
    await expect(forced).rejects.toMatchObject({ code: 'unreachable', isInDoubt: true, tries: 1 });
    expect(lossy.wire.asked).toHaveLength(1);
  });

  test('a plan is made once, applied once, and told of', async () => {
    const { notifications } = lossy.with({ apiKey: triggerKeys[0] });
    const order = { notificationType: 'newsletter_entity_monthly', periodKey: '2026-09' } as const;
    const lost = lossy.lose(1, () => notifications.plan(order));
    await expect(lost).rejects.toMatchObject({ isInDoubt: true, tries: 1 });
    const plan = await notifications.plan({ ...order, by: 'ana', canary: { size: 1 } });
    expect(plan).toMatchObject({ status: 'planned', eligibleCount: 1, canary: { size: 1, waitMinutes: 60 } });
    const { runs } = notifications;
    const { items } = await runs.items(plan.runId, { state: 'planned' });
    expect(items).toMatchObject([{ userId: 'user_ana', periodKey: '2026-09' }]);
    for await (const { state } of runs.eachItem(plan.runId, { limit: 1 })) expect(state).toBe('planned');

    const applied = await lossy.lose(1, () => notifications.apply(plan.runId, { by: 'ana' }));
    expect(applied).toMatchObject({ runId: plan.runId, status: 'running' });
    expect(lossy.wire.asked.map(({ method, status }) => [method, status])).toEqual([
      ...[
        ['POST', 200],
        ['POST', 409],
        ['GET', 200],
      ],
    ]);
    const again = notifications.apply(plan.runId);
    await expect(again).rejects.toMatchObject({ status: 409, code: 'plan_used', isInDoubt: false });

    const why = { reason: 'wrong figures', by: 'ana' };
    expect(await lossy.lose(1, () => runs.pause(plan.runId, why))).toMatchObject({ status: 'paused' });
    expect(await runs.resume(plan.runId, why)).toMatchObject({ status: 'running' });
    expect(await lossy.lose(1, () => runs.cancel(plan.runId, why))).toMatchObject({ status: 'cancelled' });
    await expect(runs.resume(plan.runId, why)).rejects.toMatchObject({
      status: 409,
      code: 'run_not_changed',
    });
    expect(await runs.get(plan.runId)).toMatchObject({ status: 'cancelled', progress: { total: 1 } });
    const nobody = runs.get('00000000-0000-4000-8000-000000000000');
    await expect(nobody).rejects.toMatchObject({ status: 404, code: 'run_not_found' });
    const all = [];
    for await (const { runId } of runs.each()) all.push(runId);
    expect(all).toContain(plan.runId);
    expect((await runs.list({ limit: 1 })).runs).toHaveLength(1);
  });
});
