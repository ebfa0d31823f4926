import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createNewsletterSource,
  newsletterPolicy,
} from '../../src/sources/newsletters/mail/newsletter-source.ts';
import { openUsers } from '../../src/sources/newsletters/users/open-users.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { monthly } from '../newsletters/civic-world.ts';
import { baseUrl } from '../support/consent.ts';
import { clerkKey, clerkUser, startFakeClerk } from '../support/fake-clerk.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { onBothDatabases } from '../support/world.ts';
import { type CivicContract, createCivicContract, tagsOf } from './civic-contract-world.ts';

/** Spec 002, "Architecture", its verification plan as far as no request is needed for it, and the questions that it resolved. */
onBothDatabases('002 from the trigger to the inbox', (dialect) => {
  let world: CivicContract;
  beforeEach(async () => {
    world = await createCivicContract(dialect);
  });
  afterEach(() => world.close());

  const refusal = { kind: 'refused_for_good', error: { code: 'some_code', message: 'no' } } as const;

  it('002-A-01 Pipeline: collect (started by the manual trigger) → compose (render and persist) → send (rate-limited)', async () => {
    await world.follow(1);
    // Nothing starts by itself, not even on the first of a month.
    await world.clock.advance(40 * 86_400_000);
    await world.settle();
    expect([await world.records(), world.provider.ledger]).toEqual([[], []]);
    const { runId } = await world.trigger({ periodKey: '2026-10' });
    expect(await world.newsletters.runs.get(runId)).toMatchObject({ notification_type: monthly });
    // Collected, and its figures are waited for: a record without content, which no worker takes.
    world.budget.broken.add('4305857');
    await world.newsletters.runs.runOnce();
    await world.turn();
    expect(await world.record()).toMatchObject({ status: 'pending', rendered_html: null });
    world.budget.broken.clear();
    await world.clock.advance(60_000);
    await world.newsletters.runs.runOnce();
    expect(await world.record()).toMatchObject({ status: 'pending', rendered_html: expect.any(String) });
    expect(world.provider.ledger).toEqual([]);
    await world.turn();
    expect(await world.record()).toMatchObject({ status: 'sent' });
  });

  it('002-A-02 Webhooks update delivery statuses; failed jobs go to the dead-letter queue', async () => {
    const [first, second] = await world.composed(2);
    world.provider.answer(({ key }) =>
      key === first?.id ? refusal : { kind: 'accepted', messageId: 'm-2' },
    );
    await world.turn();
    await world.tell('msg_1', { type: 'email.delivered', messageId: 'm-2' });
    // The dead letters are what an operator's list of failed deliveries shows, and can be put back from.
    const dead = await world.queries.search({ status: ['failed_permanent'], limit: 10 });
    expect(dead.map(({ id }) => id)).toEqual([first?.id]);
    const order = { verb: 'requeued', reason: 'the mailbox is back', operator: 'ana' } as const;
    await world.outbox.perform([dead[0]?.seq ?? 0], order);
    world.provider.answer(() => ({ kind: 'accepted', messageId: 'm-3' }));
    await world.turn();
    const statuses = new Map((await world.records()).map(({ id, status }) => [id, status]));
    expect([statuses.get(first?.id ?? ''), statuses.get(second?.id ?? '')]).toEqual(['sent', 'delivered']);
  });

  it('002-V-05 Delivery records can be watched going `pending → sending → sent → delivered`', async () => {
    const [first] = await world.composed();
    const seen = [first?.status];
    const { fake, provider } = await world.resend();
    const watching: typeof provider = {
      ...provider,
      async send(parcel) {
        seen.push((await world.record()).status);
        return provider.send(parcel);
      },
    };
    await world.turn({ provider: watching });
    const sent = await world.record();
    seen.push(sent.status);
    const messageId = fake.ledger.accepted[0]?.id ?? '';
    // Its words are put in order by what they prove: that it was sent is no news after that.
    for (const type of ['email.sent', 'email.delivered', 'email.sent']) {
      await world.tell(`msg_${seen.length}`, { type, messageId, tags: tagsOf(sent) });
      seen.push((await world.record()).status);
    }
    expect(seen).toEqual(['pending', 'sending', 'sent', 'sent', 'delivered', 'delivered']);
  });

  it('002-V-07 A `sending` row older than 15 min becomes `failed_transient` by the sweeper, manual or periodic', async () => {
    await world.composed(2);
    await world.sendAndDie();
    expect((await world.records()).map(({ status }) => status)).toEqual(['sending', 'sending']);
    expect(newsletterPolicy.leaseMs).toBe(15 * 60_000);
    await world.clock.advance(newsletterPolicy.leaseMs);
    const log = createRecordingLog();
    // By hand and periodically is one function; of two that sweep at once each row is recovered by one.
    const counts = await Promise.all([world.sweep(log), world.sweep(log)]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(log.lines.every(({ level }) => level === 'warn')).toBe(true);
    expect((await world.records()).map(({ status }) => status)).toEqual([
      ...['failed_transient', 'failed_transient'],
    ]);
  });

  it('002-Q-01 User emails are fetched from the Clerk API', async () => {
    const clerk = await startFakeClerk();
    clerk.users.set('user-1', clerkUser('user-1'));
    const { db, clock, budget, newsletters } = world;
    const users = await openUsers(
      { clerkSecretKey: clerkKey, clerkApiUrl: clerk.url },
      // Its requests are real, and bounded in real time.
      { db, clock: { ...clock, sleep: systemClock.sleep }, log: silentLog },
    );
    const links = { entityUrl: '', preferencesUrl: '', platformBaseUrl: () => baseUrl };
    const { notifications } = newsletters;
    const source = createNewsletterSource({
      ...{ db, clock, budget, users, notifications, links, defaultLocale: 'en' },
    });
    try {
      await world.composed(2);
      expect(clerk.asked).toEqual([]);
      await world.turn({ source });
      expect(clerk.asked.flat().sort()).toEqual(['user-1', 'user-2']);
      // Its primary verified address; and whom Clerk does not know is not written to.
      expect(world.provider.ledger.map(({ mail }) => mail.to)).toEqual(['user-1@example.org']);
      expect((await world.records()).map(({ status }) => status)).toEqual(['sent', 'skipped_no_email']);
    } finally {
      await users.close?.();
      await clerk.close();
    }
  });
});
