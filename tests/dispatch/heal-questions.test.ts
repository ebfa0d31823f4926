import { afterEach, beforeEach, expect, it } from 'vitest';
import { rowIn } from '../support/rows.ts';
import { onBothDatabases } from '../support/world.ts';
import { createHealWorld, type HealWorld, healAfterMs, hourMs, minuteMs } from './heal-world.ts';

/** When a provider is asked, about what, and by how few questions. */
onBothDatabases('mails of whose fate no word came', (dialect) => {
  let world: HealWorld;
  beforeEach(async () => {
    world = await createHealWorld(dialect);
  });
  afterEach(() => world.close());

  it('while mail is due nobody is asked, but for mail of a source that is paused', async () => {
    const [seq] = await world.sendAll(1);
    await world.becomes(seq, 'delivered');
    await world.clock.advance(healAfterMs);
    await world.enqueue(7);
    const before = await world.find(seq);
    expect(await world.healOnce()).toBe(0);
    expect([world.questions(), await world.find(seq)]).toEqual([0, before]);
    await world.db.write
      .insertInto('pauses')
      .values({ scope: 'plain', reason: 'x', paused_by: 'ana', paused_at: 1 })
      .execute();
    expect(await world.healOnce()).toBe(1);
    expect(await world.find(seq)).toMatchObject({ status: 'delivered' });
  });

  it('mail that becomes due in the middle is not waited behind the rest of the questions', async () => {
    await world.sendAll(3);
    await world.clock.advance(healAfterMs);
    world.fake.rules.push({
      lie: { kind: 'answer', isAccepted: false, status: 404 },
      match: ({ method }) => method === 'GET',
    });
    const { progress } = world.resend;
    if (!progress) throw new Error('cannot be asked');
    const interrupted = {
      ...world.resend,
      progress: (mails: Parameters<typeof progress>[0], mayAsk: () => Promise<boolean>) =>
        progress(mails, async () => {
          if (world.questions() === 1) await world.enqueue(9);
          return mayAsk();
        }),
    };
    expect(await world.healOnce(interrupted)).toBe(3);
    expect(world.questions()).toBe(1);
  });

  it('questions neither stand in the place of the mail that finds out whether an outage is over, nor wait for it', async () => {
    await world.sendAll(1);
    await world.clock.advance(healAfterMs);
    await world.db.write.updateTable('provider_pace').set({ openings: 1 }).execute();
    await world.healOnce();
    expect(world.questions()).toBe(1);
    const [row] = await world.db.read.selectFrom('provider_pace').selectAll().execute();
    expect(row, 'the next mail may try at once').toMatchObject({ openings: 1, probe_at: null });
  });

  it('two hundred that left together take a handful of questions', async () => {
    const now = world.clock.now();
    for (let number = 0; number < 200; number++) {
      const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
      accept(id, now + number, 'delivered');
      await rowIn(world, 'sent', number, {
        ...{ account: world.resend.account, providerMessageId: id, sentAt: now + number },
        dueAt: now + number + healAfterMs,
      });
    }
    await world.clock.advance(healAfterMs + 200);
    expect(await world.healOnce()).toBe(200);
    expect(await world.statusesOf()).toEqual({ delivered: 200 });
    expect(world.questions()).toBeLessThanOrEqual(6);
  });

  it('among the mails of others, ours are asked for one by one, and pages that show none are not read on', async () => {
    const now = world.clock.now();
    for (let number = 0; number < 6; number++) {
      accept(`ours-${number}`, now, 'delivered');
      for (let other = 0; other < 150; other++) accept(`others-${number}-${other}`, now, 'sent');
      await rowIn(world, 'sent', number, {
        ...{ account: world.resend.account, providerMessageId: `ours-${number}`, sentAt: now + number },
        dueAt: now,
      });
    }
    expect(await world.healOnce()).toBe(6);
    expect(await world.statusesOf()).toEqual({ delivered: 6 });
    expect(world.questions()).toBe(6 + 1);
  });

  function accept(id: string, at: number, lastEvent: string): void {
    const body = { from: 'a@example.org', to: 'b@example.org', subject: 's' };
    const mail = { id, key: null, account: 'main', body, bodyText: '', at, submissions: 1, lastEvent };
    world.fake.ledger.accepted.push(mail);
  }

  it('two processes never ask about the same mail at once', async () => {
    await world.sendAll(8);
    for (const mail of world.fake.ledger.accepted) mail.lastEvent = 'delivered';
    await world.clock.advance(healAfterMs);
    const took = await Promise.all([world.healOnce(), world.healOnce(world.connect())]);
    expect(took.sort()).toEqual([0, 8]);
    expect(await world.statusesOf()).toEqual({ delivered: 8 });
    // Whoever died with the question leaves the mails to the next.
    await world.db.write.updateTable('deliveries').set({ status: 'sent', evidence: 5, due_at: 1 }).execute();
    await world.outbox.unconfirmed({ limit: 200, holdMs: 10 * minuteMs });
    expect(await world.healOnce()).toBe(0);
    await world.clock.advance(10 * minuteMs);
    expect(await world.healOnce()).toBe(8);
  });

  it('what is not known yet is asked again after as long as it has been, for three days', async () => {
    const [seq] = await world.sendAll(1);
    const sentAt = world.clock.now();
    const asked: number[] = [];
    for (let hour = 1; hour <= 100; hour++) {
      await world.clock.advance(hourMs);
      if ((await world.healOnce()) > 0) asked.push((world.clock.now() - sentAt) / hourMs);
    }
    expect(asked).toEqual([6, 12, 24, 48, 72]);
    expect(await world.find(seq)).toMatchObject({ status: 'sent', due_at: null });
  });

  it('no two looks within a minute, whatever the clocks say', async () => {
    const [seq = 0] = await world.sendAll(1);
    const ahead = { last_attempt_at: world.clock.now() + hourMs };
    await world.db.write.updateTable('deliveries').set(ahead).execute();
    await world.outbox.lookAgain([seq]);
    expect((await world.find(seq))?.due_at).toBe(world.clock.now() + minuteMs);
  });

  it('what another account has is left to it, and does not stand in front of ours', async () => {
    const now = world.clock.now();
    for (let number = 0; number < 3; number++) {
      await rowIn(world, 'sent', number, {
        ...{ account: 'resend:another', providerMessageId: `other-${number}` },
        dueAt: now - 1,
      });
    }
    expect(await world.healOnce()).toBe(3);
    expect(world.questions()).toBe(0);
    expect(await world.healOnce()).toBe(0);
    expect(await world.statusesOf()).toEqual({ sent: 3 });
  });
});
