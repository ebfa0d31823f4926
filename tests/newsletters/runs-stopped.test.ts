import { afterEach, beforeEach, expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { addressOf, type CivicWorld, createCivicWorld, monthly } from './civic-world.ts';

const by = { by: 'a test' };
const why = { by: 'a test', because: 'the test says so' };
const hourMs = 3_600_000;

onBothDatabases('runs that are stopped', (dialect) => {
  let world: CivicWorld;
  beforeEach(async () => {
    world = await createCivicWorld(dialect);
  });
  afterEach(() => world.close());

  const trigger = (more = {}) => world.newsletters.runs.trigger({ notificationType: monthly, ...more }, by);
  const statusOf = async (runId: string) => (await world.newsletters.runs.get(runId)).status;
  const claimOne = () =>
    world.outbox.claim({
      ...{ source: 'newsletters', worker: 'worker-2', limit: 1, leaseMs: hourMs, from: 'bulk' },
    });
  /** Collects and composes, and sends nothing. */
  async function compose() {
    for (let turn = 0; turn < 50; turn++) if ((await world.newsletters.runs.runOnce()) !== 'again') return;
  }
  /** Somebody whose figures cannot be had, so that the run goes on. */
  async function keepRunning() {
    world.budget.broken.add('999999');
    await world.follow(9, { cui: '999999' });
  }
  async function bounceFirst() {
    const [first] = await world.db.read
      .selectFrom('deliveries')
      .selectAll()
      .where('status', '=', 'sent')
      .orderBy('seq')
      .execute();
    const bounced = { event: 'bounced_for_now', round: 1, at: world.clock.now(), roundsMax: 3 } as const;
    const dueAt = world.clock.now() + 4 * hourMs;
    await world.outbox.record([{ ...bounced, seq: first?.seq ?? 0, actor: 'webhook', dueAt }]);
  }

  for (const force of [false, true]) {
    const kind = force ? 'forced run' : 'run';
    it(`a ${kind} that begins before a cancelled one has ended its mails tells everybody`, async () => {
      await world.followAll(5);
      await keepRunning();
      const first = await trigger();
      await compose();
      await world.newsletters.runs.cancel(first.runId, why);
      world.budget.broken.clear();
      const second = await trigger(force ? { force } : {});
      expect(second).toMatchObject({ eligibleCount: 6, collectJobEnqueued: true });
      await world.settle();
      await world.clock.advance(hourMs);
      await world.settle();
      expect(await world.statuses()).toEqual({ sent: 6 });
      expect(world.provider.ledger).toHaveLength(6);
    });
  }

  it('what a worker had in hand when its run was cancelled is told by the next run, when it is free', async () => {
    await world.followAll(2);
    const first = await trigger();
    await compose();
    const [claimed] = await claimOne();
    await world.newsletters.runs.cancel(first.runId, why);
    const second = await trigger();
    expect(second).toMatchObject({ eligibleCount: 2, collectJobEnqueued: true });
    await world.settle();
    await world.clock.advance(2_000);
    await world.settle();
    expect(world.provider.ledger).toHaveLength(1);
    expect(await statusOf(second.runId)).toBe('running');
    const { seq = 0, id = '', lease = 0 } = claimed ?? {};
    const error = { code: 'run_cancelled' };
    await world.outbox.record([{ seq, id, lease, event: 'ineligible', actor: 'worker-2', error }]);
    await world.clock.advance(2_000);
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 2 });
    expect(await statusOf(second.runId)).toBe('finished');
  });

  it('what left all the same after its run was cancelled is not told again by the next', async () => {
    await world.follow(1);
    const first = await trigger();
    await compose();
    let second = { runId: '' };
    world.provider.answer(async ({ key }) => {
      await world.newsletters.runs.cancel(first.runId, why);
      second = await trigger();
      return { kind: 'accepted', messageId: `id-${key}` };
    });
    await world.sendOnce();
    await world.settle();
    expect(world.provider.ledger).toHaveLength(1);
    expect((await world.newsletters.runs.progress(second.runId)).reasons).toEqual({ already_delivered: 1 });
    expect(await statusOf(second.runId)).toBe('finished');
  });

  it('a run whose mails are leaving can be paused, goes on, and can be cancelled', async () => {
    await world.followAll(4);
    const { runId } = await trigger();
    await compose();
    expect(await statusOf(runId)).toBe('finished');
    expect(await world.newsletters.runs.pause(runId, why)).toMatchObject({
      status: 'paused',
      ended_at: null,
    });
    await world.settle();
    expect(world.provider.ledger).toEqual([]);
    await world.newsletters.runs.resume(runId, why);
    await compose();
    expect(await statusOf(runId)).toBe('finished');
    await world.newsletters.runs.cancel(runId, why);
    await world.settle();
    expect(world.provider.ledger).toEqual([]);
    expect(await world.statuses()).toEqual({ skipped_ineligible: 4 });
    await trigger();
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 4 });
  });

  it('a run whose mails have all left can be neither paused nor cancelled', async () => {
    await world.followAll(2);
    const { runId } = await trigger();
    await world.settle();
    for (const verb of ['pause', 'cancel'] as const) {
      await expect(world.newsletters.runs[verb](runId, why)).rejects.toMatchObject({
        code: 'run_not_changed',
      });
    }
  });

  it('a mail that bounced for now waits for hours also where its run is paused and goes on', async () => {
    await world.followAll(3);
    await keepRunning();
    const { runId } = await trigger();
    await world.settle();
    await bounceFirst();
    await world.newsletters.runs.pause(runId, why);
    await world.settle();
    await world.clock.advance(60_000);
    await world.newsletters.runs.resume(runId, why);
    await world.settle();
    expect(world.provider.ledger).toHaveLength(3);
    await world.clock.advance(4 * hourMs);
    await world.settle();
    expect(world.provider.ledger).toHaveLength(4);
  });

  it('a mail that bounced for now does not leave from a run that is still paused hours later', async () => {
    await world.followAll(2);
    await keepRunning();
    const { runId } = await trigger();
    await world.settle();
    await bounceFirst();
    await world.newsletters.runs.pause(runId, why);
    await world.settle();
    await world.clock.advance(5 * hourMs);
    await world.settle();
    expect(world.provider.ledger).toHaveLength(2);
  });

  for (const verb of ['pause', 'cancel'] as const) {
    it(`${verb}: who left while their mail was made, and comes back, gets nothing of that run`, async () => {
      const [id = ''] = await world.followAll(1);
      await keepRunning();
      const { reports } = world.budget;
      world.budget.reports = async (wanted) => {
        await world.newsletters.notifications.update('user-1', id, { isActive: false });
        return reports(wanted);
      };
      const { runId } = await trigger();
      await compose();
      world.budget.reports = reports;
      expect(await world.statuses()).toEqual({ skipped_unsubscribed: 1, pending: 1 });
      await world.newsletters.runs[verb](runId, why);
      await world.settle();
      await world.newsletters.notifications.update('user-1', id, { isActive: true });
      await world.settle();
      expect(world.provider.ledger).toEqual([]);
      // And then it is as for all others: it leaves when the run goes on, or with the next one.
      if (verb === 'pause') await world.newsletters.runs.resume(runId, why);
      else await trigger();
      await world.settle();
      expect(world.provider.ledger.map(({ mail }) => mail.to)).toEqual([addressOf('user-1')]);
    });
  }
});
