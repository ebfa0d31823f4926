import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { type Campus, createCampus, type Term } from './campus.ts';

/** Spec 004, what becomes of a row of the queue when a worker takes it. */
onBothDatabases('004 sending', (dialect) => {
  let world: Campus;
  let term: Term;
  let watcher: number;
  let event: number;
  beforeAll(async () => {
    world = await createCampus(dialect);
  });
  beforeEach(async () => {
    term = await world.term();
    watcher = await term.watch();
    event = await term.opens();
    await term.fanOut();
  });
  afterAll(() => world.close());

  const row = async () => {
    const [only, ...others] = await term.queue();
    if (!only || others.length > 0) throw new Error(`one row was expected: ${others.length}`);
    return { ...only, error: JSON.parse(only.error ?? 'null') as Record<string, unknown> | null };
  };
  const unlocked = { locked_by: null, locked_at: null };
  const nowText = () => new Date(world.clock.now()).toISOString();
  const error = { code: 'greylisted', message: 'come back later' };
  const calls = () => term.parcels().length;

  it('004-46 A worker takes what is pending, holds it for two minutes at most, and calls the sender once', async () => {
    const seen: unknown[] = [];
    term.answer(async ({ key, leaseEndsAt }) => {
      seen.push({ ...(await row()), heldForMs: leaseEndsAt - world.clock.now() });
      // While it is held, nobody else takes it.
      await world.send(world.source);
      return { kind: 'accepted', messageId: key };
    });
    expect(await row()).toMatchObject({ fanout_status: 'pending', ...unlocked });
    await term.tell();
    expect(seen).toMatchObject([
      {
        ...{ fanout_status: 'pending', fanout_attempts: 0, locked_by: 'worker-1', locked_at: nowText() },
        heldForMs: 120_000,
      },
    ]);
    await term.tell();
    expect(calls()).toBe(1);
    expect(await row()).toMatchObject({ fanout_status: 'sent' });
  });

  it('004-47 Accepted: one attempt, sent, and nobody holds it', async () => {
    await term.tell();
    expect(await row()).toMatchObject({ fanout_status: 'sent', fanout_attempts: 1, ...unlocked });
  });

  it('004-48 Accepted: the watch knows that it was told Open; not before, and not for being fanned out', async () => {
    const known = async () => (await world.subscription(watcher)).last_known_section_status;
    expect(await known()).toBeNull();
    const meanwhile: unknown[] = [];
    term.answer(async ({ key }) => {
      meanwhile.push(await known());
      return { kind: 'accepted', messageId: key };
    });
    await term.tell();
    expect([...meanwhile, await known()]).toEqual([null, 'Open']);
    // Of a section that has closed while the provider was thinking it is not true any more.
    await term.closes();
    await term.opens();
    term.answer(async ({ key }) => {
      await term.closes();
      return { kind: 'accepted', messageId: key };
    });
    await term.tell();
    expect(calls()).toBe(2);
    expect(await known()).toBe('Closed');
  });

  it('004-49 Accepted: its story has a line with the section’s status of that moment, once', async () => {
    await term.tell();
    await term.tell();
    expect(await world.eventsOf(watcher)).toEqual([`notify_sent ${event} Open`]);
  });

  it('004-50 Refused for now: one attempt, still pending, when and why is written down, and nobody holds it', async () => {
    term.answer(() => ({ kind: 'refused_for_now', error }));
    await term.tell();
    expect(await row()).toMatchObject({
      ...{ fanout_status: 'pending', fanout_attempts: 1, last_attempt_at: nowText(), error, ...unlocked },
    });
    expect(await world.subscription(watcher)).toMatchObject({ last_known_section_status: null });
    expect(await world.eventsOf(watcher)).toEqual([]);
  });

  it.each([
    ['whose address the provider does not take is skipped', 'invalid_recipient', 'skipped'],
    ['that fails in another way alerts as failed', 'domain_not_verified', 'failed'],
  ] as const)(
    '004-51 Refused for good: one attempt, the reason is written down, and nobody holds it; one %s',
    async (_, code, word) => {
      term.answer(() => ({ kind: 'refused_for_good', error: { ...error, code } }));
      await term.tell();
      expect(await row()).toMatchObject({
        ...{ fanout_status: word, fanout_attempts: 1, error: { code }, ...unlocked },
      });
      await world.clock.advance(600_000);
      await term.tell();
      expect(calls()).toBe(1);
      expect(await world.eventsOf(watcher)).toEqual([]);
    },
  );

  it.each([
    [{ status: 'unsubscribed' }, 'unsubscribed'],
    [{ status: 'paused' }, 'paused'],
    [{ status: 'pending' }, 'unverified'],
    [{ notify_on: '[]' }, 'not_wanted'],
    [{ max_notifications: 0 }, 'max_notifications'],
  ] as const)(
    '004-52 A watch that is not eligible by then, %j: one attempt without a mail, skipped, with the reason, and nobody holds it',
    async (change, code) => {
      await world.db.write
        .updateTable('subscriptions')
        .set(change)
        .where('subscription_id', '=', watcher)
        .execute();
      await term.tell();
      expect(await row()).toMatchObject({
        ...{ fanout_status: 'skipped', fanout_attempts: 1, error: { code }, ...unlocked },
      });
      expect(calls()).toBe(0);
    },
  );

  it('004-52 An address that must not be mailed by then: the same', async () => {
    await world.suppress((await world.subscription(watcher)).contact_value ?? '');
    await term.tell();
    expect(await row()).toMatchObject({ fanout_status: 'skipped', fanout_attempts: 1, ...unlocked });
    expect((await row()).error).toHaveProperty('code');
    expect(calls()).toBe(0);
  });

  it('004-53 The attempts count tries of the queue, and choose the wait: at once, 2 s, and after the third no more', async () => {
    term.answer(() => ({ kind: 'refused_for_now', error }));
    const seen = [];
    for (let turn = 0; turn < 3; turn++) {
      await term.tell();
      const { fanout_attempts, fanout_status, notification_id } = await row();
      const dueAt = (await world.find(notification_id))?.due_at ?? null;
      const waitMs = dueAt === null ? null : dueAt - world.clock.now();
      seen.push({ fanout_attempts, fanout_status, waitMs });
      expect(calls(), 'one call of the sender for each').toBe(fanout_attempts);
      if (waitMs) {
        await world.clock.advance(waitMs - 1);
        await term.tell();
        expect(calls(), 'not before its time').toBe(fanout_attempts);
        await world.clock.advance(1);
      }
    }
    expect(seen).toEqual([
      { fanout_attempts: 1, fanout_status: 'pending', waitMs: 0 },
      { fanout_attempts: 2, fanout_status: 'pending', waitMs: 2000 },
      { fanout_attempts: 3, fanout_status: 'failed', waitMs: null },
    ]);
  });
});
