import { afterEach, beforeEach, expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { type CivicWorld, createCivicWorld, monthly } from './civic-world.ts';

const by = { by: 'a test' };
const why = { by: 'a test', because: 'the test says so' };
const dayMs = 86_400_000;

onBothDatabases('runs that ended long ago', (dialect) => {
  let world: CivicWorld;
  beforeEach(async () => {
    world = await createCivicWorld(dialect);
    await world.followAll(3);
  });
  afterEach(() => world.close());

  const request = { notificationType: monthly };
  const forget = () => world.newsletters.forget(world.clock.now() - 90 * dayMs);
  const lines = async () =>
    (await world.db.read.selectFrom('notification_run_items').select('run_id').execute()).map(
      ({ run_id }) => run_id,
    );
  const runs = async () =>
    (await world.newsletters.runs.list({ limit: 10 })).map(({ status }) => status).sort();

  it('their lists and samples go; the run stays, and so does its key', async () => {
    const plan = await world.newsletters.runs.plan(request, by);
    await world.newsletters.runs.apply(plan.run_id, by);
    await world.settle();
    await world.clock.advance(89 * dayMs);
    await forget();
    expect(await lines()).toHaveLength(3);
    await world.clock.advance(2 * dayMs);
    await forget();
    expect(await lines()).toEqual([]);
    expect(await world.newsletters.runs.get(plan.run_id)).toMatchObject({ status: 'finished', sample: null });
    expect(await world.newsletters.runs.trigger({ ...request, periodKey: '2026-10' }, by)).toMatchObject({
      ...{ collectJobEnqueued: false, eligibleCount: 0 },
    });
  });

  it('plans that nobody applied go as a whole', async () => {
    await world.newsletters.runs.plan(request, by);
    const second = await world.newsletters.runs.plan(request, by);
    await world.newsletters.runs.cancel(second.run_id, why);
    await world.clock.advance(2 * dayMs);
    await world.settle();
    expect(await runs()).toEqual(['cancelled', 'expired']);
    await world.clock.advance(95 * dayMs);
    await forget();
    expect([await runs(), await lines()]).toEqual([[], []]);
  });

  it('seed 2510: who is told after that, and whose mail bounces for now, is mailed once more', async () => {
    const { runId } = await world.newsletters.runs.trigger(request, by);
    await world.newsletters.runs.runOnce();
    await world.newsletters.runs.cancel(runId, why);
    await world.settle();
    await world.clock.advance(100 * dayMs);
    await world.outbox.forget({ before: world.clock.now() - 90 * dayMs, above: 0, limit: 100 });
    await world.newsletters.runs.trigger({ ...request, periodKey: '2026-10' }, by);
    await world.settle();
    const [row] = await world.db.read.selectFrom('deliveries').selectAll().orderBy('seq').execute();
    const now = world.clock.now();
    const bounced = { event: 'bounced_for_now', round: 1, at: now, roundsMax: 3, dueAt: now } as const;
    await world.outbox.record([{ ...bounced, seq: row?.seq ?? 0, actor: 'webhook' }]);
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 3 });
    expect(world.provider.ledger).toHaveLength(4);
  });

  it('what is paused, or still waits for figures, keeps its list however old it is', async () => {
    world.budget.broken.add('4305857');
    const { runId } = await world.newsletters.runs.trigger(request, by);
    await world.settle();
    await world.newsletters.runs.pause(runId, why);
    await world.settle();
    await world.clock.advance(200 * dayMs);
    await forget();
    expect(await lines()).toEqual([runId, runId, runId]);
    world.budget.broken.clear();
    await world.newsletters.runs.resume(runId, why);
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 3 });
  });
});
