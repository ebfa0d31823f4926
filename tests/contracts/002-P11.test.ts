import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Provider } from '../../src/providers/provider.ts';
import { tagsOf as tagsIn } from '../support/fake-resend/ledger.ts';
import { onBothDatabases } from '../support/world.ts';
import { type CivicContract, createCivicContract, tagsOf } from './civic-contract-world.ts';

/** Spec 002, phase 11: its critical test cases, with newsletters. The first two are in `002-claim.test.ts`. */
onBothDatabases('002 phase 11: critical cases', (dialect) => {
  let world: CivicContract;
  beforeEach(async () => {
    world = await createCivicContract(dialect);
  });
  afterEach(() => world.close());

  it('002-P11-03 What fails after it was composed is tried again with the words that were kept', async () => {
    const [composed] = await world.composed();
    // From here on nothing is as it was: no figures, another language.
    world.budget.unknown.add('4305857');
    world.budget.broken.add('4305857');
    await world.newsletters.notifications.update('user-1', composed?.notification_id ?? '', { locale: 'ro' });
    const asked = world.budget.asked.length;
    world.provider.answer(() => ({
      ...{ kind: 'refused_for_now', error: { code: 'some_code', message: 'come again' } },
    }));
    await world.turn();
    world.provider.answer(() => ({ kind: 'accepted', messageId: 'm-1' }));
    await world.clock.advance(10_000);
    await world.turn();
    const [first, second, ...more] = world.provider.ledger;
    expect(more).toEqual([]);
    expect([second?.key, second?.mail]).toEqual([first?.key, first?.mail]);
    expect(second?.mail).toMatchObject({
      ...{
        subject: composed?.rendered_subject,
        html: composed?.rendered_html,
        text: composed?.rendered_text,
      },
    });
    expect(world.budget.asked).toHaveLength(asked);
  });

  it('002-P11-04 The same bytes under the same key are accepted again, and are one mail', async () => {
    await world.composed();
    const { fake, provider } = await world.resend();
    // It has accepted the mail, and its answer is lost.
    fake.lieOnce({ kind: 'reset', at: 'before_answer', isAccepted: true });
    await world.turn({ provider });
    expect(await world.record()).toMatchObject({ status: 'failed_transient', resend_email_id: null });
    await world.clock.advance(15 * 60_000);
    await world.reconcile(provider);
    const [first, again] = fake.ledger.submissions();
    expect([again?.key, again?.bodyText]).toEqual([first?.key, first?.bodyText]);
    expect(fake.ledger.accepted).toMatchObject([{ submissions: 2 }]);
    expect(await world.record()).toMatchObject({
      ...{ status: 'sent', resend_email_id: fake.ledger.accepted[0]?.id },
    });
  });

  it('002-P11-05, 002-D4-01 However many wait, all workers together call twice a second at most', async () => {
    await world.composed(9);
    const { fake, provider } = await world.resend({}, { ratePerSecond: 2 });
    const calls: number[] = [];
    // When they leave, by our clock: it does not wait for sockets.
    const timed: Provider = {
      ...provider,
      send(parcel) {
        calls.push(world.clock.now());
        return provider.send(parcel);
      },
    };
    // Two processes that have nothing in common but the database.
    for (let turn = 0; turn < 60 && fake.ledger.accepted.length < 9; turn++) {
      const names = ['worker-1', 'worker-2'];
      const waits = await Promise.all(names.map((name) => world.turn({ name, provider: timed })));
      await world.clock.advance(Math.max(100, Math.min(...waits)));
    }
    const most = Math.max(...calls.map((at) => calls.filter((one) => one >= at && one < at + 1000).length));
    expect([calls.length, fake.ledger.accepted.length, most]).toEqual([9, 9, 2]);
    expect((await world.records()).map(({ status }) => status)).toEqual(Array(9).fill('sent'));
  });

  it('002-P11-06 A 429 is waited for, and counts as no attempt', async () => {
    await world.composed();
    const { fake, provider } = await world.resend();
    const headers = { 'retry-after': '20' };
    const lie = {
      kind: 'answer',
      isAccepted: false,
      status: 429,
      name: 'rate_limit_exceeded',
      headers,
    } as const;
    // More often than a delivery may be attempted.
    for (let time = 1; time <= 5; time++) {
      fake.lieOnce(lie);
      await world.turn({ provider });
      expect(fake.ledger.submissions()).toHaveLength(time);
      await world.clock.advance(19_000);
      await world.turn({ provider });
      expect(fake.ledger.submissions(), 'not before it may be asked again').toHaveLength(time);
      await world.clock.advance(6_000);
    }
    const [row] = await world.db.read.selectFrom('deliveries').select(['attempts', 'status']).execute();
    expect(row).toMatchObject({ attempts: 0 });
    await world.turn({ provider });
    expect(await world.record()).toMatchObject({ status: 'sent' });
  });

  it('002-P11-08 The same event once more changes nothing', async () => {
    await world.composed();
    await world.turn();
    const sent = await world.record();
    const event = { messageId: sent.resend_email_id, tags: tagsOf(sent) };
    await world.tell('msg_1', { type: 'email.delivered', ...event });
    await world.tell('msg_1', { type: 'email.delivered', ...event });
    // The same id with other words is still the same event.
    await world.tell('msg_1', { type: 'email.complained', ...event });
    expect(await world.record()).toMatchObject({ status: 'delivered' });
    await world.tell('msg_2', { type: 'email.complained', ...event });
    expect(await world.record()).toMatchObject({ status: 'suppressed' });
  });

  it('002-P11-09 What is suppressed is not tried again', async () => {
    const [composed] = await world.composed();
    await world.turn();
    const sent = await world.record();
    const data = { bounce: { type: 'Permanent', subType: 'NoEmail' } };
    await world.tell('msg_1', { type: 'email.bounced', tags: tagsOf(sent), data });
    await world.clock.advance(40 * 86_400_000);
    await world.sweep();
    await world.turn();
    // Nor does a run of this period or of the next one tell them again: the notification is off.
    for (const periodKey of ['2026-10', '2026-11'])
      expect(await world.trigger({ periodKey, force: true })).toMatchObject({ eligibleCount: 0 });
    await world.settle();
    expect(world.provider.ledger).toHaveLength(1);
    expect(await world.record()).toMatchObject({ id: composed?.id, status: 'suppressed' });
  });

  it('002-P11-10 What has been `sending` for too long reads `failed_transient`', async () => {
    await world.composed();
    await world.sendAndDie();
    await world.clock.advance(15 * 60_000 - 1);
    expect([await world.sweep(), (await world.record()).status]).toEqual([0, 'sending']);
    await world.clock.advance(1);
    expect(await world.sweep()).toBe(1);
    expect(await world.record()).toMatchObject({
      ...{ status: 'failed_transient', last_error: 'Recovered from stuck sending state' },
    });
    // 8.22: it is taken up again by itself; as a mail may exist, with the same key, and it is told once.
    await world.reconcile();
    expect(await world.record()).toMatchObject({ status: 'sent' });
    expect(new Set(world.provider.ledger.map(({ key }) => key)).size).toBe(1);
  });

  it('002-P11-11 Tags are made of letters, digits, underscores and dashes, and of nothing else', async () => {
    // Users and notifications that came from elsewhere bring ids of their own.
    const row = { notification_type: 'newsletter_entity_quarterly', entity_cui: '1', is_active: 1 };
    const times = { created_at: 1, updated_at: 1 };
    const ids = ['17', 'n.1/2', 'ș-ț', 'x'.repeat(150)];
    for (const id of ids) {
      const user_id = `auth0|user.${ids.indexOf(id)}@example.org`;
      await world.db.write
        .insertInto('notifications')
        .values({ ...row, ...times, id, user_id, hash: id })
        .execute();
      world.answers.set(user_id, { kind: 'address', address: 'ana@example.org' as never });
    }
    await world.trigger({ notificationType: 'newsletter_entity_quarterly' });
    await world.newsletters.runs.runOnce();
    const { fake, provider } = await world.resend();
    await world.turn({ provider });
    expect(fake.ledger.accepted).toHaveLength(ids.length);
    for (const { body } of fake.ledger.accepted) {
      const tags = tagsIn(body);
      expect(Object.keys(tags)).toEqual(
        expect.arrayContaining(['delivery_id', 'notification_id', 'period_key', 'env']),
      );
      for (const word of Object.entries(tags).flat()) expect(word).toMatch(/^[A-Za-z0-9_-]{1,256}$/);
    }
  });
});
