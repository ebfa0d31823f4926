import { afterEach, beforeEach, expect, it } from 'vitest';
import { BudgetUnavailable } from '../../src/sources/newsletters/budget/budget-unavailable.ts';
import { onBothDatabases } from '../support/world.ts';
import { addressOf, type CivicWorld, createCivicWorld, monthly } from './civic-world.ts';

const why = { by: 'a test', because: 'the test says so' };
const hourMs = 3_600_000;
const elsewhere = '222222';

onBothDatabases('canaries', (dialect) => {
  let world: CivicWorld;
  beforeEach(async () => {
    world = await createCivicWorld(dialect);
  });
  afterEach(() => world.close());

  const trigger = (size: number) =>
    world.newsletters.runs.trigger(
      { notificationType: monthly },
      { by: 'a test', canary: { size, bouncesMax: 0, waitMs: hourMs } },
    );
  const runOf = (runId: string) => world.newsletters.runs.get(runId);
  /** Six people in the order of a list, of whom the first so many follow another entity than the others. */
  async function followInOrder(first: number): Promise<string[]> {
    for (let number = 1; number <= 6; number++) await world.follow(number);
    const rows = await world.db.read.selectFrom('notifications').selectAll().orderBy('id').execute();
    for (const { id } of rows.slice(0, first)) {
      const elsewhereIs = world.db.write.updateTable('notifications').set({ entity_cui: elsewhere });
      await elsewhereIs.where('id', '=', id).execute();
    }
    return rows.map(({ user_id }) => user_id);
  }

  it('an address that was on the list before does not halt one; the next on the list stands in', async () => {
    const [first = ''] = await followInOrder(0);
    await world.consent.suppressions.add([{ address: addressOf(first), reason: 'operator' }], 'an operator');
    const { runId } = await trigger(3);
    await world.settle();
    expect(await runOf(runId)).toMatchObject({ status: 'running', status_because: null });
    expect(await world.statuses()).toEqual({ suppressed: 1, sent: 3 });
    await world.clock.advance(hourMs);
    await world.settle();
    expect(await world.statuses()).toEqual({ suppressed: 1, sent: 5 });
  });

  it('one of whom nobody could be mailed proves nothing: the next on the list are the canary', async () => {
    await followInOrder(3);
    world.budget.unknown.add(elsewhere);
    const { runId } = await trigger(2);
    await world.settle();
    expect(await world.statuses()).toEqual({ skipped_ineligible: 3, sent: 2 });
    expect(await runOf(runId)).toMatchObject({ canary_passed_at: null });
    await world.clock.advance(hourMs);
    await world.settle();
    expect(await world.statuses()).toEqual({ skipped_ineligible: 3, sent: 3 });
    expect(await runOf(runId)).toMatchObject({ status: 'finished' });
  });

  it('a run of whom nobody can be mailed comes to its end', async () => {
    await followInOrder(6);
    world.budget.unknown.add(elsewhere);
    const { runId } = await trigger(2);
    await world.settle();
    expect(await world.statuses()).toEqual({ skipped_ineligible: 6 });
    expect(await runOf(runId)).toMatchObject({ status: 'finished' });
  });

  it('a bounce of who stood in halts it, too, with the others untouched', async () => {
    await followInOrder(3);
    world.budget.unknown.add(elsewhere);
    const { runId } = await trigger(2);
    await world.settle();
    const sent = world.db.read.selectFrom('deliveries').selectAll().where('status', '=', 'sent');
    const [last] = await sent.orderBy('seq', 'desc').execute();
    const bounce = { event: 'bounced_for_good', round: 1, at: world.clock.now() } as const;
    await world.outbox.record([{ ...bounce, seq: last?.seq ?? 0, actor: 'webhook' }]);
    await world.settle();
    expect(await runOf(runId)).toMatchObject({ status: 'halted' });
    const { items } = await world.newsletters.runs.progress(runId);
    expect(items).toMatchObject({ planned: 1, collected: 0, composed: 2, left_out: 3 });
  });

  it('one whose figures cannot be had holds up nobody else', async () => {
    await followInOrder(1);
    world.budget.broken.add(elsewhere);
    await trigger(3);
    for (let hour = 0; hour < 8; hour++) {
      await world.settle();
      await world.clock.advance(hourMs);
    }
    expect(await world.statuses()).toEqual({ pending: 1, sent: 5 });
  });

  it('while no figures can be had it takes up no more than as many again, and lets nobody through', async () => {
    await followInOrder(6);
    world.budget.broken.add(elsewhere);
    const { runId } = await trigger(2);
    for (let turn = 0; turn < 60; turn++) {
      await world.settle();
      await world.clock.advance(60_000);
    }
    expect((await world.newsletters.runs.progress(runId)).items).toMatchObject({ planned: 2, collected: 4 });
    expect(await runOf(runId)).toMatchObject({ canary_passed_at: null });
    world.budget.broken.clear();
    for (let turn = 0; turn < 90; turn++) {
      await world.settle();
      await world.clock.advance(60_000);
    }
    expect(await world.statuses()).toEqual({ sent: 6 });
  });

  it('one whose figures will never come is given up, and the next on the list stands in', async () => {
    await followInOrder(2);
    const { reports } = world.budget;
    world.budget.reports = async (wanted) => {
      if (wanted.some(({ cui }) => cui === elsewhere))
        throw new BudgetUnavailable('never', 'too_large', 'the answer is too large');
      return reports(wanted);
    };
    const { runId } = await trigger(2);
    for (let turn = 0; turn < 120; turn++) {
      await world.settle();
      await world.clock.advance(60_000);
    }
    expect(await world.statuses()).toEqual({ skipped_ineligible: 2, sent: 4 });
    expect(await runOf(runId)).toMatchObject({ status: 'finished' });
  });

  it('a canary that bounced for now and is let go on by an operator is not mailed again at once', async () => {
    await followInOrder(0);
    const { runId } = await trigger(2);
    await world.settle();
    const [first] = await world.db.read.selectFrom('deliveries').selectAll().orderBy('seq').execute();
    const bounced = { event: 'bounced_for_now', round: 1, at: world.clock.now(), roundsMax: 3 } as const;
    const dueAt = world.clock.now() + 4 * hourMs;
    await world.outbox.record([{ ...bounced, seq: first?.seq ?? 0, actor: 'webhook', dueAt }]);
    await world.settle();
    expect(await runOf(runId)).toMatchObject({ status: 'halted' });
    await world.newsletters.runs.resume(runId, why);
    await world.settle();
    const to = world.provider.ledger.map(({ mail }) => mail.to as string);
    expect(to).toHaveLength(6);
    expect(to.filter((address) => address === first?.to_email)).toHaveLength(1);
  });
});
