import { expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { worldForEach } from '../support/world-for-each.ts';
import { addressOf, createCivicWorld, monthly } from './civic-world.ts';

const by = { by: 'a test' };
const why = { by: 'a test', because: 'the test says so' };
const hourMs = 3_600_000;

onBothDatabases('runs', (dialect) => {
  const world = worldForEach(() => createCivicWorld(dialect));

  const trigger = (more = {}) => world.newsletters.runs.trigger({ notificationType: monthly, ...more }, by);
  const sentTo = () => world.provider.ledger.map(({ mail }) => mail.to as string).sort();
  const reasonsOf = async (runId: string) => (await world.newsletters.runs.progress(runId)).reasons;

  it('everybody who asked is told of the last month, once, by collect, compose and send', async () => {
    await world.followAll(5);
    const answer = await trigger();
    expect(answer).toMatchObject({
      periodKey: '2026-10',
      eligibleCount: 5,
      collectJobEnqueued: true,
      dryRun: false,
    });
    await world.settle();
    expect(sentTo()).toEqual([1, 2, 3, 4, 5].map((number) => addressOf(`user-${number}`)));
    expect(await world.statuses()).toEqual({ sent: 5 });
    expect(await world.newsletters.runs.get(answer.runId)).toMatchObject({ status: 'finished' });
    const [parcel] = world.provider.ledger;
    expect(parcel?.mail.subject).toContain('Town hall 4305857');
    expect(parcel?.mail.tags).toMatchObject({ period_key: '2026-10' });
    expect(parcel?.mail.headers['List-Unsubscribe']).toContain('/api/v1/notifications/unsubscribe/');
    expect(world.budget.asked).toEqual([1]);
  });

  it('a dry run counts and does nothing; a limit caps', async () => {
    await world.followAll(3);
    expect(await trigger({ dryRun: true })).toMatchObject({
      eligibleCount: 3,
      collectJobEnqueued: false,
      dryRun: true,
    });
    expect(await trigger({ dryRun: true, limit: 2 })).toMatchObject({ eligibleCount: 2 });
    await world.settle();
    expect(await world.statuses()).toEqual({});
    expect(await trigger({ limit: 2 })).toMatchObject({ eligibleCount: 2, collectJobEnqueued: true });
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 2 });
  });

  it('with a limit, who came to nothing before does not keep the others from being told', async () => {
    const all = await world.followAll(4);
    const [first = '', second = ''] = all.toSorted();
    const nobodyKnows = { entity_cui: '999999' };
    world.budget.unknown.add('999999');
    await world.db.write
      .updateTable('notifications')
      .set(nobodyKnows)
      .where('id', 'in', [first, second])
      .execute();
    await trigger({ limit: 2 });
    await world.settle();
    expect(await world.statuses()).toEqual({ skipped_ineligible: 2 });
    await trigger({ limit: 2, force: true });
    await world.settle();
    expect(await world.statuses()).toEqual({ skipped_ineligible: 2, sent: 2 });
  });

  it('a second click finds the first run; a forced one looks again and mails nobody twice', async () => {
    await world.followAll(3);
    const [first, second] = await Promise.all([
      trigger(),
      world.another().runs.trigger({ notificationType: monthly }, by),
    ]);
    expect([first, second].map(({ collectJobEnqueued }) => collectJobEnqueued).sort()).toEqual([false, true]);
    const [started, found] = first?.collectJobEnqueued ? [first, second] : [second, first];
    expect([started?.existingRunId, found?.existingRunId]).toEqual([undefined, started?.runId]);
    const forced = await trigger({ force: true });
    expect(forced).toMatchObject({ eligibleCount: 3, collectJobEnqueued: true });
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 3 });
    expect(await trigger({ force: true })).toMatchObject({ eligibleCount: 0, collectJobEnqueued: true });
    await world.follow(4);
    expect(await trigger()).toMatchObject({ eligibleCount: 1, collectJobEnqueued: false });
    await trigger({ force: true });
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 4 });
    expect(new Set(sentTo()).size).toBe(4);
  });

  it('bad input is told what is wrong, and a period that is not over is refused', async () => {
    await expect(trigger({ notificationType: 'newsletter' })).rejects.toMatchObject({
      code: 'invalid_notification_type',
    });
    await expect(trigger({ periodKey: '2026-13' })).rejects.toMatchObject({ code: 'invalid_period' });
    await expect(trigger({ periodKey: '2026-Q3' })).rejects.toMatchObject({ code: 'invalid_period' });
    await expect(trigger({ periodKey: '2026-11' })).rejects.toMatchObject({ code: 'period_not_over' });
    await expect(trigger({ limit: 0 })).rejects.toMatchObject({ code: 'invalid_limit' });
  });

  it('the words that were composed are the words that leave, also in a later round', async () => {
    await world.follow(1);
    await trigger();
    await world.newsletters.runs.runOnce();
    const [composed] = await world.db.read.selectFrom('delivery_mails').selectAll().execute();
    expect(composed).toMatchObject({ round: 0, to_email: null });
    world.budget.unknown.add('4305857');
    world.provider.answer(() => ({ kind: 'refused_for_now', error: { code: 'busy' } }));
    await world.sendOnce();
    world.provider.answer(({ key }) => ({ kind: 'accepted', messageId: `id-${key}` }));
    await world.clock.advance(hourMs);
    await world.sendOnce();
    const [row] = await world.db.read.selectFrom('deliveries').selectAll().execute();
    const bounced = { event: 'bounced_for_now', round: 1, at: world.clock.now(), roundsMax: 3 } as const;
    await world.outbox.record([
      { ...bounced, seq: row?.seq ?? 0, actor: 'webhook', dueAt: world.clock.now() },
    ]);
    await world.sendOnce();
    expect(world.provider.ledger.map(({ mail }) => mail.html)).toEqual([
      composed?.html,
      composed?.html,
      composed?.html,
    ]);
    expect(new Set(world.provider.ledger.map(({ key }) => key)).size).toBe(2);
  });

  it('whose figures cannot be had waits, and nobody else does; what is not known is said', async () => {
    await world.follow(1);
    await world.follow(2, { cui: '111111' });
    await world.follow(3, { cui: '222222' });
    world.budget.broken.add('111111');
    world.budget.unknown.add('222222');
    const { runId } = await trigger();
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 1, pending: 1, skipped_ineligible: 1 });
    expect(await reasonsOf(runId)).toEqual({ no_data: 1 });
    expect(await world.newsletters.runs.get(runId)).toMatchObject({ status: 'running' });
    world.budget.broken.clear();
    await world.clock.advance(hourMs);
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 2, skipped_ineligible: 1 });
    expect(await world.newsletters.runs.get(runId)).toMatchObject({ status: 'finished' });
    // The figures have come: a forced run tells the one that was left out, and nobody else.
    world.budget.unknown.clear();
    await trigger({ force: true });
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 3 });
    expect(world.provider.ledger).toHaveLength(3);
  });

  it('a plan is applied as it is, once, and each is looked at again', async () => {
    const ids = await world.followAll(6);
    await world.newsletters.notifications.update('user-6', ids[5] ?? '', { isActive: false });
    const plan = await world.newsletters.runs.plan({ notificationType: monthly, limit: 4 }, by);
    expect(plan).toMatchObject({ status: 'planned', eligible_count: 4 });
    expect(await reasonsOf(plan.run_id)).toEqual({ over_limit: 1, by_user: 1 });
    expect(JSON.parse(plan.sample ?? '{}')).toMatchObject({ subject: expect.stringContaining('Town hall') });
    await world.settle();
    expect(await world.statuses()).toEqual({});
    const planned = await world.newsletters.runs.items(plan.run_id, {
      after: '',
      limit: 10,
      state: 'planned',
    });
    const [gone] = planned;
    await world.newsletters.notifications.update(gone?.user_id ?? '', gone?.notification_id ?? '', {
      isActive: false,
    });
    await world.follow(7);
    await world.newsletters.runs.apply(plan.run_id, by);
    await expect(world.newsletters.runs.apply(plan.run_id, by)).rejects.toMatchObject({ code: 'plan_used' });
    await world.settle();
    expect(sentTo()).toEqual(
      planned
        .slice(1)
        .map(({ user_id }) => addressOf(user_id))
        .sort(),
    );
    expect(await reasonsOf(plan.run_id)).toEqual({ over_limit: 1, by_user: 2 });
  });

  it('a plan expires', async () => {
    await world.followAll(1);
    const { run_id } = await world.newsletters.runs.plan({ notificationType: monthly }, by);
    await world.clock.advance(25 * hourMs);
    await expect(world.newsletters.runs.apply(run_id, by)).rejects.toMatchObject({ code: 'plan_expired' });
    await world.settle();
    expect(await world.newsletters.runs.get(run_id)).toMatchObject({ status: 'expired' });
    expect(world.provider.ledger).toEqual([]);
  });

  it('a run that is paused holds all back, goes on where it was, and can be ended', async () => {
    await world.followAll(4);
    const { runId } = await trigger();
    await world.newsletters.runs.runOnce();
    await world.newsletters.runs.pause(runId, why);
    await world.settle();
    expect(world.provider.ledger).toEqual([]);
    expect(await world.newsletters.runs.pause(runId, why)).toMatchObject({ status: 'paused' });
    await world.newsletters.runs.resume(runId, why);
    await world.settle();
    expect(world.provider.ledger).toHaveLength(4);
    await expect(world.newsletters.runs.cancel(runId, why)).rejects.toMatchObject({
      code: 'run_not_changed',
    });

    await world.follow(5);
    const { runId: second } = await trigger({ force: true });
    await world.newsletters.runs.runOnce();
    await world.newsletters.runs.cancel(second, why);
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 4, skipped_ineligible: 1 });
    expect(await reasonsOf(second)).toEqual({ run_cancelled: 1 });
    // Whoever was left out by it is told by the next.
    await trigger({ force: true });
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 5 });
  });

  it('what a worker has in hand when its run is paused does not leave either', async () => {
    await world.followAll(1);
    const { runId } = await trigger();
    await world.newsletters.runs.runOnce();
    const claimed = await world.outbox.claim({
      ...{ source: 'newsletters', worker: 'worker-1', limit: 1, leaseMs: hourMs, from: 'bulk' },
    });
    await world.newsletters.runs.pause(runId, why);
    const verdicts = await world.db.transaction(async (tx) =>
      world.newsletters.source.recheck?.(claimed, tx),
    );
    expect([...(verdicts?.values() ?? [])]).toMatchObject([
      { event: 'deferred', error: { code: 'run_paused' } },
    ]);
  });

  it('a canary that meets bounces halts, with the rest unsent and untouched', async () => {
    await world.followAll(10);
    const { runId } = await world.newsletters.runs.trigger(
      { notificationType: monthly },
      { ...by, canary: { size: 3, bouncesMax: 0, waitMs: hourMs } },
    );
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 3 });
    const [first] = await world.db.read.selectFrom('deliveries').selectAll().orderBy('seq').execute();
    const bounce = { event: 'bounced_for_good', round: 1, at: world.clock.now() } as const;
    await world.outbox.record([{ ...bounce, seq: first?.seq ?? 0, actor: 'webhook' }]);
    await world.settle();
    expect(await world.newsletters.runs.get(runId)).toMatchObject({ status: 'halted' });
    await world.clock.advance(24 * hourMs);
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 2, suppressed: 1 });
    expect((await world.newsletters.runs.progress(runId)).items).toMatchObject({ planned: 7, composed: 3 });
  });

  it('a canary without bounces lets the others follow when it has listened long enough', async () => {
    await world.followAll(5);
    await world.newsletters.runs.trigger(
      { notificationType: monthly },
      { ...by, canary: { size: 2, bouncesMax: 0, waitMs: hourMs } },
    );
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 2 });
    await world.clock.advance(hourMs);
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 5 });
  });

  it('without an address nothing is sent; while nobody can say, it waits and is not lost', async () => {
    await world.followAll(3);
    world.answers.set('user-1', { kind: 'none', code: 'no_verified_address', message: 'None is verified.' });
    world.answers.set('user-2', {
      kind: 'later',
      waitMs: 30_000,
      code: 'clerk_down',
      message: 'It is down.',
    });
    await trigger();
    await world.settle();
    expect(await world.statuses()).toEqual({ skipped_no_email: 1, pending: 1, sent: 1 });
    const [waiting] = await world.db.read
      .selectFrom('deliveries')
      .selectAll()
      .where('status', '=', 'pending')
      .execute();
    expect(waiting).toMatchObject({ attempts: 0, due_at: world.clock.now() + 30_000 });
    world.answers.clear();
    await world.clock.advance(30_000);
    await world.settle();
    expect(await world.statuses()).toEqual({ skipped_no_email: 1, sent: 2 });
  });

  it('what an operator puts back without a run is composed when it leaves', async () => {
    await world.follow(1, { cui: '222222' });
    world.budget.unknown.add('222222');
    await trigger();
    await world.settle();
    world.budget.unknown.clear();
    const [row] = await world.db.read.selectFrom('deliveries').selectAll().execute();
    await world.outbox.perform([row?.seq ?? 0], { verb: 'requeued', reason: 'figures came', operator: 'op' });
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 1 });
  });
});
