import { afterEach, beforeEach, expect, it } from 'vitest';
import { BudgetUnavailable } from '../../src/sources/newsletters/budget/budget-unavailable.ts';
import { onBothDatabases } from '../support/world.ts';
import { addressOf, type CivicWorld, createCivicWorld, monthly } from './civic-world.ts';

const by = { by: 'a test' };
const minuteMs = 60_000;

onBothDatabases('runs, and figures that are slow or never come', (dialect) => {
  let world: CivicWorld;
  beforeEach(async () => {
    world = await createCivicWorld(dialect);
  });
  afterEach(() => world.close());

  const trigger = (more = {}) => world.newsletters.runs.trigger({ notificationType: monthly, ...more }, by);
  async function wait(minutes: number) {
    for (let minute = 0; minute < minutes; minute++) {
      await world.settle();
      await world.clock.advance(minuteMs);
    }
  }

  it('figures that will never come are asked for for half an hour, and then the run goes on without', async () => {
    await world.follow(1);
    await world.follow(2, { cui: '777777' });
    const { reports } = world.budget;
    world.budget.reports = async (wanted) => {
      if (wanted.some(({ cui }) => cui === '777777'))
        throw new BudgetUnavailable('never', 'too_large', 'the answer is larger than 4000000 octets');
      return reports(wanted);
    };
    const { runId } = await trigger();
    await wait(10);
    expect(await world.newsletters.runs.get(runId)).toMatchObject({ status: 'running' });
    await wait(50);
    expect(await world.newsletters.runs.get(runId)).toMatchObject({ status: 'finished' });
    expect((await world.newsletters.runs.progress(runId)).reasons).toEqual({ data_not_available: 1 });
    const [row] = await world.db.read
      .selectFrom('deliveries')
      .select('last_error')
      .where('status', '=', 'skipped_ineligible')
      .execute();
    expect(JSON.parse(row?.last_error ?? '{}').message).toContain('larger than 4000000');
    // Somebody has mended it: a forced run tells who was left out.
    world.budget.reports = reports;
    await trigger({ force: true });
    await world.settle();
    expect(world.provider.ledger.map(({ mail }) => mail.to).sort()).toEqual(
      [1, 2].map((number) => addressOf(`user-${number}`)),
    );
  });

  it('seed 650: what is composed when it leaves, and whose figures will never come, does not wait for ever', async () => {
    await world.follow(1);
    world.budget.unknown.add('4305857');
    await trigger();
    await world.settle();
    const { reports } = world.budget;
    world.budget.reports = async () => {
      throw new BudgetUnavailable('never', 'too_large', 'the answer is too large');
    };
    const [row] = await world.db.read.selectFrom('deliveries').selectAll().execute();
    await world.outbox.perform([row?.seq ?? 0], { verb: 'requeued', reason: 'try it', operator: 'op' });
    await world.settle();
    expect(await world.statuses()).toEqual({ skipped_ineligible: 1 });
    world.budget.reports = reports;
    world.budget.unknown.clear();
    await trigger({ force: true });
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 1 });
  });

  it('figures that cannot be had now are waited for, however long it takes', async () => {
    await world.follow(1);
    world.budget.broken.add('4305857');
    const { runId } = await trigger();
    await wait(120);
    expect(await world.newsletters.runs.get(runId)).toMatchObject({ status: 'running' });
    world.budget.broken.clear();
    await wait(12);
    expect(await world.statuses()).toEqual({ sent: 1 });
  });

  it('nobody is given up for the failure of another: who was not asked about is asked later', async () => {
    for (let number = 1; number <= 6; number++) await world.follow(number, { cui: `70000${number}` });
    await world.follow(7);
    const { reports } = world.budget;
    world.budget.reports = async (wanted) => {
      if (wanted.some(({ cui }) => cui.startsWith('70000')))
        throw new BudgetUnavailable('never', 'too_large', 'the answer is too large');
      return reports(wanted);
    };
    const { runId } = await trigger();
    await wait(180);
    expect(await world.statuses()).toEqual({ sent: 1, skipped_ineligible: 6 });
    expect(await world.newsletters.runs.get(runId)).toMatchObject({ status: 'finished' });
  });

  it('slow figures do not make one turn last for longer than a minute or two', async () => {
    for (let number = 1; number <= 100; number++) await world.follow(number, { cui: `${100_000 + number}` });
    const { reports } = world.budget;
    // As a platform that takes three seconds for each, and answers four at a time.
    world.budget.reports = async (wanted) => {
      await world.clock.advance((wanted.length * 2 * 3_000) / 4);
      return reports(wanted);
    };
    await trigger();
    const turns: number[] = [];
    for (let turn = 0; turn < 50; turn++) {
      const beganAt = world.clock.now();
      const next = await world.newsletters.runs.runOnce();
      turns.push(world.clock.now() - beganAt);
      if (next !== 'again') break;
    }
    expect(Math.max(...turns)).toBeLessThanOrEqual(2 * minuteMs);
    expect(await world.statuses()).toEqual({ pending: 100 });
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 100 });
  });
});
