import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signal } from '../support/dispatch-world.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { onBothDatabases } from '../support/world.ts';
import { createHealWorld, type HealWorld, healAfterMs, hourMs, minuteMs } from './heal-world.ts';

/** A provider that cannot answer, or does not want to: nothing is lost by it, and it is not pestered. */
onBothDatabases('mails of whose fate no word came', (dialect) => {
  let world: HealWorld;
  beforeEach(async () => {
    world = await createHealWorld(dialect);
  });
  afterEach(() => world.close());

  it('seed 4256: a circuit that opened behind the last mail is closed again, though no mail waits', async () => {
    const [seq] = await world.sendAll(1);
    await world.becomes(seq, 'delivered');
    await world.clock.advance(healAfterMs);
    const open = { open_since: 1, open_reason: 'unreachable', probe_at: 1, openings: 1 };
    await world.db.write.updateTable('provider_pace').set(open).execute();
    expect(await world.healOnce()).toBe(0);
    expect(world.questions()).toBe(1);
    expect(await world.healOnce()).toBe(1);
    expect(await world.find(seq)).toMatchObject({ status: 'delivered' });
  });

  it('a provider that is down, or wants to be left alone, is not asked, and nothing is lost by it', async () => {
    const [seq] = await world.sendAll(1);
    await world.becomes(seq, 'delivered');
    await world.clock.advance(healAfterMs);
    const before = await world.find(seq);
    const pace = (columns: object) => world.db.write.updateTable('provider_pace').set(columns).execute();
    await pace({ open_since: 1, open_reason: 'unreachable', probe_at: 1 });
    expect(await world.healOnce()).toBe(0);
    await pace({ open_since: null, paused_until: world.clock.now() + 1 });
    expect(await world.healOnce()).toBe(0);
    await pace({ paused_until: 0 });
    await world.db.write
      .insertInto('pauses')
      .values({ scope: '*', reason: 'x', paused_by: 'ana', paused_at: 1 })
      .execute();
    expect(await world.healOnce()).toBe(0);
    expect(await world.find(seq)).toEqual(before);
    await world.db.write.deleteFrom('pauses').execute();
    expect(await world.healOnce()).toBe(1);
    expect(await world.find(seq)).toMatchObject({ status: 'delivered' });
  });

  it.each([
    ['an error', { kind: 'answer', isAccepted: false, status: 503 }],
    ['a lost connection', { kind: 'reset', at: 'before_answer', isAccepted: false }],
  ] as const)(
    'a question that is answered with %s is asked again soon, and others are not asked meanwhile',
    async (_, lie) => {
      const seqs = await world.sendAll(3);
      for (const mail of world.fake.ledger.accepted) mail.lastEvent = 'delivered';
      await world.clock.advance(healAfterMs);
      world.fake.rules.push({ lie, match: ({ method }) => method === 'GET' });
      const housekeeper = world.heal(world.resend);
      expect(await housekeeper.runOnce(signal())).toBe(3);
      expect(world.questions(), 'three in a row say enough').toBe(3);
      expect(await world.statusesOf()).toEqual({ sent: 3 });
      world.fake.rules.length = 0;
      await world.db.write
        .updateTable('deliveries')
        .set({ due_at: 1 })
        .where('seq', '=', seqs[0] ?? 0)
        .execute();
      expect(await housekeeper.runOnce(signal())).toBe(0);
      await world.clock.advance(10 * minuteMs);
      expect(await housekeeper.runOnce(signal())).toBe(3);
      expect(await world.statusesOf()).toEqual({ delivered: 3 });
    },
  );

  describe('with a key that may only send', () => {
    it('one question an hour, one line in the log, and the mails wait for their webhooks', async () => {
      await world.close();
      const keys = [{ apiKey: 're_test', account: 'main', access: 'sending' as const }];
      world = await createHealWorld(dialect, { keys });
      await world.sendAll(5);
      await world.clock.advance(healAfterMs);
      const log = createRecordingLog();
      const housekeeper = world.heal(world.resend, log);
      for (let minute = 0; minute < 120; minute++) {
        await housekeeper.runOnce(signal());
        await world.db.write.updateTable('deliveries').set({ due_at: 1 }).execute();
        await world.clock.advance(minuteMs);
      }
      expect(world.questions()).toBe(2);
      expect(log.lines.filter(({ event }) => event === 'heal.refused')).toHaveLength(1);
      expect(await world.statusesOf()).toEqual({ sent: 5 });
    });

    it('nobody asks for ever', async () => {
      await world.close();
      const keys = [{ apiKey: 're_test', account: 'main', access: 'sending' as const }];
      world = await createHealWorld(dialect, { keys });
      const [seq] = await world.sendAll(1);
      for (let hour = 0; hour < 80; hour++) {
        await world.clock.advance(hourMs);
        await world.healOnce();
      }
      expect(await world.find(seq)).toMatchObject({ status: 'sent', due_at: null });
    });
  });

  it('a provider that throws has said nothing', async () => {
    const [seq] = await world.sendAll(1);
    await world.clock.advance(healAfterMs);
    const log = createRecordingLog();
    const broken = { ...world.resend, progress: async () => Promise.reject(new Error('a bug')) };
    expect(await world.heal(broken, log).runOnce(signal())).toBe(1);
    expect(log.errors()).toEqual(['provider.threw: a bug']);
    expect(await world.find(seq)).toMatchObject({
      status: 'sent',
      due_at: world.clock.now() + 10 * minuteMs,
    });
  });
});
