import { afterEach, beforeEach, expect, it } from 'vitest';
import { openForeign } from '../../src/db/foreign.ts';
import { importOld } from '../../src/sources/newsletters/notifications/import/import-old.ts';
import { onBothDatabases } from '../support/world.ts';
import { type CivicWorld, createCivicWorld, monthly } from './civic-world.ts';
import { createOldSystem, insert, oldDelivery, oldNotification } from './notifications-old-system.ts';

const hourMs = 3_600_000;
const by = { by: 'a test', because: 'the test says so' };

onBothDatabases('what is out of date is not sent', (dialect) => {
  let world: CivicWorld;
  beforeEach(async () => {
    world = await createCivicWorld(dialect);
  });
  afterEach(() => world.close());

  it('nothing that an import brought, also when somebody comes back within a day of it', async () => {
    const { db, clock, outbox, newsletters, provider } = world;
    const old = await createOldSystem(dialect, 'after', 'BIGINT');
    const skipped = { sent_at: null, status: 'skipped_unsubscribed' };
    await old.run(
      insert('Notifications', [oldNotification(7, { is_active: '0' })]),
      insert('NotificationDeliveries', [
        oldDelivery(1, 7, { ...skipped, period_key: '2024-03' }),
        oldDelivery(2, 7, { ...skipped, period_key: '2024-04' }),
      ]),
    );
    const from = await openForeign(old.url);
    const { suppressions } = world.consent;
    await importOld(from, { db, outbox, suppressions, clock, by: 'an operator' }).finally(from.close);
    await old.drop();
    expect(await world.statuses()).toEqual({ skipped_unsubscribed: 2 });
    await clock.advance(hourMs);
    await newsletters.notifications.subscribe({ userId: 'user_ana', type: monthly, entityCui: '4305857' });
    await world.settle();
    expect(provider.ledger).toEqual([]);
    expect(await world.statuses()).toEqual({ skipped_unsubscribed: 2 });
  });

  it('no words of a run that was cancelled after they had bounced, once a new run has written others', async () => {
    const { runs } = world.newsletters;
    const trigger = () => runs.trigger({ notificationType: monthly }, by);
    await world.follow(1);
    // One whose figures are late keeps the run at work.
    world.budget.broken.add('999999');
    await world.follow(9, { cui: '999999' });
    const { runId } = await trigger();
    await world.settle();
    const { seq } = await world.db.read
      .selectFrom('deliveries')
      .select('seq')
      .where('status', '=', 'sent')
      .executeTakeFirstOrThrow();
    const at = world.clock.now();
    await world.outbox.record([
      {
        ...{ event: 'bounced_for_now', round: 1, at, roundsMax: 3 },
        ...{ seq, actor: 'webhook', dueAt: at + 4 * hourMs },
      },
    ]);
    await runs.cancel(runId, by);
    await world.settle();
    world.budget.broken.clear();
    const { reports } = world.budget;
    world.budget.reports = async (wanted) =>
      new Map([...(await reports(wanted))].map(([key, report]) => [key, { ...report, name: 'Mended' }]));
    await trigger();
    await world.settle();
    const subjects = world.provider.ledger.map(({ mail }) => mail.subject);
    expect(subjects).toHaveLength(3);
    expect(subjects.slice(1).map((subject) => subject.includes('Mended'))).toEqual([true, true]);
  });
});
