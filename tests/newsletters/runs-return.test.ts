import { expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { worldForEach } from '../support/world-for-each.ts';
import { addressOf, createCivicWorld, monthly } from './civic-world.ts';

const by = { by: 'a test' };
const why = { by: 'a test', because: 'the test says so' };

onBothDatabases('runs, and those who come and go meanwhile', (dialect) => {
  const world = worldForEach(() => createCivicWorld(dialect));

  const trigger = (more = {}) => world.newsletters.runs.trigger({ notificationType: monthly, ...more }, by);
  const sentTo = () => world.provider.ledger.map(({ mail }) => mail.to as string).sort();
  const linkOf = async (id: string) => {
    const recipient = `user-1:${id}`;
    const owned = { seq: 1, source: 'newsletters', recipient };
    const [link = ''] = (await world.consent.unsubscribe.linksFor([owned])).values();
    return link.split('/').at(-1) ?? '';
  };

  it('seed 310: who left while their mail was held back, and returns when the run has gone on, is mailed', async () => {
    const [id = ''] = await world.followAll(2);
    world.budget.broken.add('4305857');
    await trigger();
    await world.newsletters.runs.runOnce();
    await world.newsletters.notifications.optOut('user-1');
    world.budget.broken.clear();
    await world.clock.advance(10_000);
    await world.settle();
    expect(sentTo()).toEqual([addressOf('user-2')]);
    await world.newsletters.notifications.update('user-1', id, { isActive: true });
    await world.settle();
    expect(sentTo()).toEqual([addressOf('user-1'), addressOf('user-2')]);
  });

  it('the same by the link in a mail, from a run that was paused meanwhile', async () => {
    const [id = ''] = await world.followAll(2);
    const { runId } = await trigger();
    await world.newsletters.runs.runOnce();
    await world.newsletters.runs.pause(runId, why);
    await world.newsletters.runs.runOnce();
    const token = await linkOf(id);
    await world.consent.unsubscribe.stop(token, 'one-click');
    await world.newsletters.runs.resume(runId, why);
    await world.settle();
    expect(sentTo()).toEqual([addressOf('user-2')]);
    await world.consent.unsubscribe.undo(token);
    await world.settle();
    expect(sentTo()).toEqual([addressOf('user-1'), addressOf('user-2')]);
  });

  it('what a run that is paused holds back stays so, also for who has just come back', async () => {
    const [id = ''] = await world.followAll(1);
    const { runId } = await trigger();
    await world.newsletters.runs.runOnce();
    await world.newsletters.runs.pause(runId, why);
    await world.newsletters.runs.runOnce();
    await world.newsletters.notifications.optOut('user-1');
    await world.newsletters.notifications.update('user-1', id, { isActive: true });
    await world.settle();
    expect(sentTo()).toEqual([]);
    await world.newsletters.runs.resume(runId, why);
    await world.settle();
    expect(sentTo()).toEqual([addressOf('user-1')]);
  });

  it('who leaves while their mail is being made is counted with the reason, and mailed when they are back', async () => {
    const [id = ''] = await world.followAll(1);
    const { reports } = world.budget;
    world.budget.reports = async (wanted) => {
      await world.newsletters.notifications.update('user-1', id, { isActive: false });
      return reports(wanted);
    };
    const { runId } = await trigger();
    await world.settle();
    expect((await world.newsletters.runs.progress(runId)).reasons).toEqual({ skipped_unsubscribed: 1 });
    world.budget.reports = reports;
    await world.newsletters.notifications.update('user-1', id, { isActive: true });
    await world.settle();
    expect(sentTo()).toEqual([addressOf('user-1')]);
  });

  it('to end a run does not end what it had left out and another has taken up', async () => {
    await world.follow(1, { cui: '1111' });
    await world.follow(2, { cui: '2222' });
    world.budget.unknown.add('1111');
    world.budget.broken.add('2222');
    const { runId } = await trigger();
    await world.newsletters.runs.runOnce();
    world.budget.unknown.clear();
    await trigger({ force: true });
    await world.newsletters.runs.runOnce();
    await world.newsletters.runs.cancel(runId, why);
    await world.settle();
    expect(sentTo()).toEqual([addressOf('user-1')]);
    expect(await world.statuses()).toEqual({ sent: 1, skipped_ineligible: 1 });
  });

  it('seed 2530: what a worker gave up with a newer run that was ended leaves with the older one that goes on', async () => {
    await world.follow(1);
    const first = await trigger();
    await world.newsletters.runs.pause(first.runId, why);
    await world.clock.advance(1_000);
    const second = await trigger({ force: true });
    await world.newsletters.runs.runOnce();
    const order = {
      source: 'newsletters',
      worker: 'worker-2',
      limit: 1,
      leaseMs: 60_000,
      from: 'bulk',
    } as const;
    const [claimed] = await world.outbox.claim(order);
    await world.newsletters.runs.cancel(second.runId, why);
    await world.newsletters.runs.runOnce();
    const { seq = 0, id = '', lease = 0 } = claimed ?? {};
    const error = { code: 'run_cancelled' };
    await world.outbox.record([{ seq, id, lease, event: 'ineligible', actor: 'worker-2', error }]);
    await world.newsletters.runs.resume(first.runId, why);
    await world.settle();
    expect(sentTo()).toEqual([addressOf('user-1')]);
  });
});
