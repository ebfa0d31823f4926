import { afterEach, beforeEach, expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { type CivicWorld, createCivicWorld, monthly } from './civic-world.ts';

const by = { by: 'a test' };
const why = { by: 'a test', because: 'the test says so' };

onBothDatabases('runs that begin at once', (dialect) => {
  let world: CivicWorld;
  beforeEach(async () => {
    world = await createCivicWorld(dialect);
  });
  afterEach(() => world.close());

  const months = Array.from({ length: 9 }, (_, index) => `2026-0${index + 1}`);
  const plan = (periodKey: string) =>
    world.newsletters.runs.plan({ notificationType: monthly, periodKey }, by);

  it('two plans of one period are applied at once: both begin, and nobody is told twice', async () => {
    await world.followAll(3);
    for (const month of months) {
      const [one, other] = [await plan(month), await plan(month)];
      const runs = await Promise.all([
        world.newsletters.runs.apply(one.run_id, by),
        world.another().runs.apply(other.run_id, by),
      ]);
      expect(runs.map(({ status }) => status)).toEqual(['running', 'running']);
      expect(runs.filter(({ dedupe_key }) => dedupe_key !== null)).toHaveLength(1);
    }
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 3 * months.length });
  });

  it('a plan is applied beside a trigger: neither fails, and only one has the key', async () => {
    await world.followAll(3);
    for (const month of months) {
      const { run_id } = await plan(month);
      const [applied, answer] = await Promise.all([
        world.newsletters.runs.apply(run_id, by),
        world.another().runs.trigger({ notificationType: monthly, periodKey: month }, by),
      ]);
      expect(answer.collectJobEnqueued).toBe(applied.dedupe_key === null);
    }
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 3 * months.length });
  });

  it('runs of one millisecond are all in the pages of a list', async () => {
    await world.followAll(1);
    for (const month of months) await plan(month);
    const seen: string[] = [];
    for (let before: { created_at: number; run_id: string } | undefined, page = 0; page < 9; page++) {
      const found = await world.newsletters.runs.list({ limit: 2, before });
      seen.push(...found.map(({ run_id }) => run_id));
      before = found.at(-1);
      if (found.length < 2) break;
    }
    expect(new Set(seen).size).toBe(months.length);
  });

  it('who leaves before they are collected, and is back before the run is over, is told', async () => {
    const [id = '', other = ''] = await world.followAll(3);
    world.budget.broken.add('999999');
    await world.follow(9, { cui: '999999' });
    const { runId } = await world.newsletters.runs.trigger({ notificationType: monthly }, by);
    await world.newsletters.notifications.update('user-1', id, { isActive: false });
    await world.newsletters.notifications.optOut('user-2');
    await world.newsletters.runs.runOnce();
    const { reasons } = await world.newsletters.runs.progress(runId);
    expect(reasons).toEqual({ by_user: 1, globally_off: 1 });
    await world.newsletters.notifications.update('user-1', id, { isActive: true });
    await world.newsletters.runs.pause(runId, why);
    await world.newsletters.notifications.update('user-2', other, { isActive: true });
    await world.settle();
    await world.newsletters.runs.resume(runId, why);
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 3, pending: 1 });
  });

  it('who is back when the run is over is told by the next', async () => {
    const [id = ''] = await world.followAll(2);
    await world.newsletters.runs.trigger({ notificationType: monthly }, by);
    await world.newsletters.notifications.update('user-1', id, { isActive: false });
    await world.settle();
    await world.newsletters.notifications.update('user-1', id, { isActive: true });
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 1 });
    await world.newsletters.runs.trigger({ notificationType: monthly, force: true }, by);
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 2 });
  });

  it('who leaves and comes back beside the work at a run is told once, and nobody is left over', async () => {
    const ids = await world.followAll(8);
    const other = world.another();
    await world.newsletters.runs.trigger({ notificationType: monthly }, by);
    world.budget.broken.add('999999');
    await world.follow(9, { cui: '999999' });
    await world.newsletters.runs.trigger({ notificationType: monthly, force: true }, by);
    const minds = ids.map(async (id, index) => {
      for (let times = 0; times < 3; times++) {
        for (const isActive of [false, true])
          await world.newsletters.notifications.update(`user-${index + 1}`, id, { isActive });
      }
    });
    const work = [world.newsletters, other].map(async ({ runs }) => {
      for (let turn = 0; turn < 10; turn++) await runs.runOnce();
    });
    await Promise.all([...minds, ...work]);
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 8, pending: 1 });
    expect(world.provider.ledger).toHaveLength(8);
  });
});
