import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireAddress } from '../../src/domain/address.ts';
import type { Claimed } from '../../src/outbox/claim.ts';
import type { Notification } from '../../src/sources/newsletters/notifications/notification.ts';
import { createSeededRandom, integerBelow, type Random } from '../../src/std/random.ts';
import { mailTo } from '../support/mails.ts';
import { onBothDatabases } from '../support/world.ts';
import { createNotificationsWorld, type NotificationsWorld, sourceName } from './notifications-world.ts';

/**
 * Somebody leaves, and comes back, while their mails are being claimed and begun. Whatever order it comes in, no send that begins
 * after they left goes out, and what was stopped is there for who comes back: nothing is lost between the two.
 */
const rounds = 120;

onBothDatabases('leaving everything while a batch is claimed and begun', (dialect) => {
  let world: NotificationsWorld;
  beforeAll(async () => {
    world = await createNotificationsWorld(dialect);
  });
  afterAll(() => world.close());

  const claim = async (): Promise<Claimed | undefined> => {
    const order = { source: sourceName, worker: 'w', limit: 1, leaseMs: 60_000, from: 'bulk' } as const;
    return (await world.outbox.claim(order))[0];
  };
  const begin = (claimed: Claimed) =>
    world.outbox.begin([{ claimed, mail: mailTo(claimed.seq, { to: requireAddress('a@example.org') }) }], {
      ...{ worker: 'w', account: 'capture', keyWindowMs: null },
      lastCheck: async (batch, tx) => {
        const [only] = batch;
        const recipient = only?.claimed.recipient ?? '';
        const standing = (await world.notifications.recheckRows(tx, [recipient])).get(recipient);
        const isWanted = standing?.isActive && !standing.isOptedOut;
        return isWanted ? new Map() : new Map([[only?.claimed.seq ?? 0, { event: 'unsubscribed' as const }]]);
      },
    });

  test(`no send that begins after the commit goes out, in ${rounds} rounds`, {
    timeout: 120_000,
  }, async () => {
    const random = createSeededRandom(8);
    const seen = { sent: 0, beganAfter: 0, stoppedWhileClaimed: 0, stoppedByTheGate: 0 };
    for (let round = 0; round < rounds; round++) await race(round, random, seen);
    for (const [way, times] of Object.entries(seen)) expect([way, times > rounds / 50]).toEqual([way, true]);
    expect(Object.keys(await world.statusesOf()).sort()).toEqual(['sending', 'skipped_unsubscribed']);
  });

  async function race(round: number, random: Random, seen: Record<string, number>): Promise<void> {
    const userId = `user_${round}`;
    const one = await world.subscribe({ userId });
    for (const period of ['2025-11', '2025-12']) await world.tell(one, period);
    let isCommitted = false;
    let leaving: Promise<void> | undefined;
    let stepsUntil = integerBelow(random, 7);
    const leave = async () => {
      await world.notifications.optOut(userId);
      isCommitted = true;
    };
    const step = async () => {
      if (stepsUntil-- === 0) leaving = leave();
      if (leaving && integerBelow(random, 3) === 0) await leaving;
    };
    for (let number = 0; number < 3; number++) {
      await step();
      // Somebody collects while they are leaving.
      if (number === 2) await world.tell(one, '2026-01');
      const claimed = await claim();
      await step();
      if (!claimed) continue;
      const startsAfter = isCommitted;
      const { sending, stopped } = await begin(claimed);
      if (startsAfter) expect(sending, `round ${round} sent after the commit`).toEqual([]);
      if (startsAfter) seen.beganAfter = (seen.beganAfter ?? 0) + 1;
      if (sending.length > 0) seen.sent = (seen.sent ?? 0) + 1;
      const way = stopped.some(({ changed }) => changed) ? 'stoppedByTheGate' : 'stoppedWhileClaimed';
      if (stopped.length > 0) seen[way] = (seen[way] ?? 0) + 1;
    }
    if (stepsUntil >= 0) leaving = leave();
    await leaving;
    const late = await claim();
    if (late) expect((await begin(late)).sending).toEqual([]);
  }

  test('who leaves and comes back at once loses nothing: it was sent, or it waits', {
    timeout: 120_000,
  }, async () => {
    for (let round = 0; round < rounds; round++) {
      const userId = `user_back_${round}`;
      const one: Notification = await world.subscribe({ userId });
      const seq = await world.tell(one, '2025-12');
      const sender = async () => {
        const claimed = await claim();
        if (claimed) await begin(claimed);
      };
      const person = async () => {
        await world.notifications.optOut(userId);
        await world.notifications.update(userId, one.id, { isActive: true });
      };
      await Promise.all([sender(), person()]);
      expect(['pending', 'claimed', 'sending'], `round ${round}`).toContain(await world.statusOf(seq));
      const left = await claim();
      if (left) expect((await begin(left)).sending).toHaveLength(1);
    }
  });
});
