import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClerkUsers } from '../../src/sources/newsletters/users/clerk-users.ts';
import { type Clock, systemClock } from '../../src/std/clock.ts';
import { silentLog as log } from '../../src/std/log.ts';
import { clerkKey, clerkUser, type FakeClerk, startFakeClerk } from '../support/fake-clerk.ts';
import { onBothDatabases } from '../support/world.ts';
import { addressOf, type CivicWorld, createCivicWorld, monthly } from './civic-world.ts';

const unverified = { verification: { status: 'unverified' } };

/** From a run to the mail, with a Clerk behind a real socket that has a bad day. */
onBothDatabases('a run while Clerk fails', (dialect) => {
  let clerk: FakeClerk;
  let world: CivicWorld;
  let runId: string;
  let patienceMs: number;
  let waitedFor: number[];
  beforeEach(async () => {
    clerk = await startFakeClerk();
    // Its answers come in real time, and so does the end of patience; what time it is the test says.
    patienceMs = 30_000;
    waitedFor = [];
    const sleep: Clock['sleep'] = (ms, signal) => {
      waitedFor.push(ms);
      return systemClock.sleep(patienceMs, signal);
    };
    const users = (clock: Clock) =>
      createClerkUsers({ apiUrl: clerk.url, secretKey: clerkKey, clock: { ...clock, sleep }, log });
    world = await createCivicWorld(dialect, { users });
    for (const id of ['user-1', 'user-2', 'user-3']) clerk.users.set(id, clerkUser(id));
    await world.followAll(3);
    ({ runId } = await world.newsletters.runs.trigger({ notificationType: monthly }, { by: 'a test' }));
  });
  afterEach(async () => {
    await world.close();
    await clerk.close();
  });

  const sentTo = () => world.provider.ledger.map(({ mail }) => mail.to as string).sort();
  const rows = () => world.db.read.selectFrom('deliveries').selectAll().execute();
  const everybody = [1, 2, 3].map((number) => addressOf(`user-${number}`));

  /** They wait, each so long, for that reason; no attempt was made, and the run says so. */
  async function expectWaiting(code: string, waitMs: number): Promise<void> {
    const waiting = await rows();
    expect(waiting).toHaveLength(3);
    for (const { status, attempts, round, due_at, last_error, to_email } of waiting) {
      expect([status, attempts, round, to_email]).toEqual(['pending', 0, 0, null]);
      expect([code, (due_at ?? 0) - world.clock.now()]).toEqual([code, waitMs]);
      expect(JSON.parse(last_error ?? '{}')).toMatchObject({ code });
    }
    expect(sentTo()).toEqual([]);
    const { done, total } = await world.newsletters.runs.progress(runId);
    expect([done, total]).toEqual([0, 3]);
  }

  async function expectMailedOnce(): Promise<void> {
    clerk.fail(undefined);
    await world.settle();
    expect(sentTo()).toEqual(everybody);
    for (const row of await rows())
      expect(row).toMatchObject({ status: 'sent', attempts: 1, to_email: expect.stringContaining('@') });
    expect(await world.newsletters.runs.get(runId)).toMatchObject({ status: 'finished' });
    await world.clock.advance(3_600_000);
    await world.settle();
    expect(sentTo()).toEqual(everybody);
  }

  it('429: they wait as long as it asks, nobody asks before, and no attempt is burnt', async () => {
    clerk.fail({ status: 429, headers: { 'retry-after': '120' } });
    await world.settle();
    await expectWaiting('users_throttled', 120_000);
    expect(clerk.asked).toHaveLength(1);
    await world.clock.advance(119_000);
    await world.settle();
    expect(clerk.asked).toHaveLength(1);
    await world.clock.advance(1_000);
    await expectMailedOnce();
    expect(clerk.asked).toHaveLength(2);
  });

  it('500, more often than a mail has attempts: they are mailed in the end', async () => {
    clerk.fail({ status: 500 });
    for (let time = 0; time < 6; time++) {
      await world.settle();
      await expectWaiting('users_http_500', 30_000);
      await world.clock.advance(30_000);
    }
    expect(clerk.asked).toHaveLength(6);
    await expectMailedOnce();
  });

  it.each(['silent', 'dribbling'] as const)('%s: it is not waited for longer than 10 s', async (how) => {
    clerk.fail(how);
    patienceMs = 100;
    await world.settle();
    expect(waitedFor).toEqual([10_000]);
    patienceMs = 30_000;
    await expectWaiting('users_timed_out', 30_000);
    await world.clock.advance(30_000);
    await expectMailedOnce();
  });

  it('slow, and in time: they are mailed at once', async () => {
    clerk.answerAfter(200);
    await world.settle();
    expect(sentTo()).toEqual(everybody);
    expect(clerk.asked).toHaveLength(1);
  });

  it('who has no verified address, and who is not known, is skipped and said; the others are mailed', async () => {
    const [, own] = clerkUser('user-2').email_addresses;
    clerk.users.set('user-2', clerkUser('user-2', { email_addresses: [{ ...own, ...unverified }] }));
    clerk.users.delete('user-3');
    // Not while it cannot be asked: that is no word about anybody.
    clerk.fail({ status: 503 });
    await world.settle();
    await expectWaiting('users_http_503', 30_000);
    clerk.fail(undefined);
    await world.clock.advance(30_000);
    await world.settle();
    expect(await world.statuses()).toEqual({ sent: 1, skipped_no_email: 2 });
    expect(sentTo()).toEqual([addressOf('user-1')]);
    expect(await world.newsletters.runs.progress(runId)).toMatchObject({
      ...{ reasons: { no_verified_address: 1, no_such_user: 1 }, done: 3, total: 3 },
    });
    expect(await world.newsletters.runs.get(runId)).toMatchObject({ status: 'finished' });
  });
});
