import { afterEach, beforeEach, expect, it } from 'vitest';
import { rankOf } from '../../src/domain/evidence.ts';
import type { Status } from '../../src/domain/status.ts';
import { signal } from '../support/dispatch-world.ts';
import { createResendOutboxWorld } from '../support/resend-outbox-world.ts';
import { rowIn } from '../support/rows.ts';
import { onBothDatabases } from '../support/world.ts';
import { createHealWorld, type HealWorld, healAfterMs, hourMs } from './heal-world.ts';

/** How a mail ends of which the provider had to be asked, whatever its webhooks say before or after. */
onBothDatabases('mails of whose fate no word came', (dialect) => {
  let world: HealWorld;
  beforeEach(async () => {
    world = await createHealWorld(dialect);
  });
  afterEach(() => world.close());

  it('with webhooks off, each ends as the provider says, hours later and not before', async () => {
    const ends: [string, Status, object?][] = [
      ['delivered', 'delivered'],
      ['opened', 'delivered'],
      ['clicked', 'delivered'],
      ['bounced', 'failed_transient', { round: 1, evidence: rankOf('bounced_for_now', 1) }],
      ['complained', 'suppressed'],
      ['failed', 'failed_transient', { round: 1, evidence: rankOf('bounced_for_now', 1) }],
      ['suppressed', 'suppressed'],
      ['sent', 'sent'],
      ['delivery_delayed', 'sent'],
      ['a word of next year', 'sent'],
    ];
    const seqs = await world.sendAll(ends.length);
    for (const [index, [word]] of ends.entries()) await world.becomes(seqs[index], word);
    await world.clock.advance(healAfterMs - 1);
    expect(await world.healOnce()).toBe(0);
    expect(world.questions()).toBe(0);
    await world.clock.advance(1);
    expect(await world.healOnce()).toBe(ends.length);
    for (const [index, [word, status, more = {}]] of ends.entries()) {
      expect(await world.find(seqs[index]), word).toMatchObject({ status, ...more });
    }
    const bounced = await world.find(seqs[3]);
    expect(bounced?.due_at, 'a new mail leaves hours later').toBe(world.clock.now() + 4 * hourMs);
    const suppressed = world.told.filter(({ by, fact }) => by === 'consent' && fact.kind === 'suppressed');
    expect(
      suppressed.map(({ fact }) => fact.event),
      'a bounce of unknown kind suppresses nobody',
    ).toEqual(['complained', 'provider_suppressed']);
    const story = await world.queries.story(seqs[0] ?? 0);
    expect(story.events.at(-1)).toMatchObject({ event: 'confirmed', actor: 'heal' });
    expect(JSON.parse(story.events.at(-1)?.detail ?? '')).toMatchObject({ evidence: 'look-up' });
  });

  it('a mail that bounces in each round is given up with the last of them', async () => {
    const [seq] = await world.sendAll(1);
    for (let round = 1; round <= 3; round++) {
      await world.becomes(seq, 'bounced');
      await world.clock.advance(healAfterMs);
      await world.healOnce();
      await world.clock.advance(24 * hourMs);
      await world.send();
    }
    expect(await world.find(seq)).toMatchObject({ status: 'failed_permanent', round: 3 });
    expect(world.fake.ledger.accepted).toHaveLength(3);
  });

  it('a webhook may come before or after it, and the end is the same', async () => {
    const [first, second] = await world.sendAll(2);
    const confirm = async (seq = 0, at: number) =>
      world.outbox.record([{ seq, event: 'confirmed', round: 1, at, actor: 'webhook' }]);
    await world.becomes(first, 'delivered');
    await world.becomes(second, 'delivered');
    const deliveredAt = world.clock.now() + 5_000;
    await confirm(first, deliveredAt);
    await world.clock.advance(healAfterMs);
    expect(await world.healOnce(), 'who has been heard of is not asked about').toBe(1);
    await confirm(second, deliveredAt);
    const end = { status: 'delivered', delivered_at: deliveredAt, due_at: null };
    expect([await world.find(first), await world.find(second)]).toMatchObject([end, end]);
  });

  // What Resend says when it is asked, what its webhook says, and the one end of both.
  it.each([
    ['delivered', 'confirmed', 'delivered'],
    ['bounced', 'bounced_for_now', 'failed_transient'],
    ['bounced', 'bounced_for_good', 'suppressed'],
    ['failed', 'bounced_for_now', 'failed_transient'],
    ['failed', 'provider_failed', 'failed_permanent'],
    ['complained', 'complained', 'suppressed'],
    ['suppressed', 'provider_suppressed', 'suppressed'],
  ] as const)(
    'asked it says %s, its webhook says %s: in either order it is %s',
    async (word, event, status) => {
      const [first = 0, second = 0] = await world.sendAll(2);
      const hook = (seq: number) =>
        world.outbox.record([
          { seq, event, round: 1, at: world.clock.now(), actor: 'webhook', dueAt: 1, roundsMax: 3 },
        ]);
      await world.becomes(first, word);
      await world.becomes(second, word);
      await world.clock.advance(healAfterMs);
      // The webhook of the first comes while the answer is on its way, that of the second afterwards.
      const overtaken: typeof world.resend = {
        ...world.resend,
        async progress(mails, mayAsk) {
          const answered = await world.resend.progress?.(mails, mayAsk);
          await hook(first);
          return answered ?? { answers: new Map(), isRefused: true };
        },
      };
      expect(await world.healOnce(overtaken)).toBe(2);
      await hook(second);
      const end = { status, evidence: rankOf(event, 1) };
      expect([await world.find(first), await world.find(second)]).toMatchObject([end, end]);
    },
  );

  it('a bounce that is found weeks later is written down, and makes no new mail', async () => {
    const [bounced, arrived, inTime] = await world.sendAll(3);
    await world.becomes(bounced, 'bounced');
    await world.becomes(arrived, 'delivered');
    await world.becomes(inTime, 'bounced');
    const day = 24 * hourMs;
    const dueLater = world.clock.now() + 30 * day;
    await world.clock.advance(3 * day + hourMs);
    await world.db.write
      .updateTable('deliveries')
      .set({ due_at: dueLater })
      .where('seq', '<>', inTime ?? 0)
      .execute();
    expect(await world.healOnce()).toBe(1);
    expect(await world.find(inTime), 'the last look, a little late').toMatchObject({
      status: 'failed_transient',
    });
    await world.db.write
      .updateTable('deliveries')
      .set({ status: 'expired', due_at: null })
      .where('seq', '=', inTime ?? 0)
      .execute();
    await world.clock.advance(27 * day);
    expect(await world.healOnce()).toBe(2);
    expect(await world.find(arrived)).toMatchObject({ status: 'delivered' });
    const row = await world.find(bounced);
    expect(row).toMatchObject({ status: 'failed_permanent', due_at: null, round: 1 });
    expect(JSON.parse(row?.last_error ?? '')).toEqual({
      code: 'found_too_late',
      provider: 'resend',
      message:
        'Resend was asked and says bounced, not why; found out 30 d after it left, too late for a new mail',
    });
    await world.clock.advance(30 * day);
    await world.send();
    expect(world.fake.ledger.accepted).toHaveLength(3);
  });

  /** As a database has it that went back to days before the mail left, and was told since that it was accepted. */
  async function knownByWordAlone(seq = 0) {
    const { provider_message_id: messageId = '' } = (await world.find(seq)) ?? {};
    const lost = {
      status: 'failed_transient',
      evidence: 4,
      sent_at: null,
      provider_message_id: null,
    } as const;
    const before = world.clock.now() - 3 * 24 * hourMs;
    await world.db.write
      .updateTable('deliveries')
      .set({ ...lost, last_attempt_at: before, due_at: world.clock.now() })
      .where('seq', '=', seq)
      .execute();
    const at = world.clock.now();
    const word = { event: 'accepted', round: 1, at, dueAt: at + healAfterMs, actor: 'w1' } as const;
    await world.outbox.record([{ ...word, seq, messageId: messageId ?? '' }]);
  }

  it('seed 78363: a mail is as old as the word that it was accepted, whatever attempt the database still knows of', async () => {
    const [bounced, silent] = await world.sendAll(2);
    for (const seq of [bounced, silent]) await knownByWordAlone(seq);
    await world.becomes(bounced, 'bounced');
    await world.clock.advance(healAfterMs);
    expect(await world.healOnce()).toBe(2);
    const [first, second] = [await world.find(bounced), await world.find(silent)];
    expect(first, 'a new mail').toMatchObject({ status: 'failed_transient', due_at: expect.any(Number) });
    expect(second, 'it is asked about again').toMatchObject({
      ...{ status: 'sent', due_at: world.clock.now() + healAfterMs },
    });
  });

  it('seed 78363: what was accepted in time to come, by a clock that was set back, tells nothing of its age', async () => {
    const [seq = 0] = await world.sendAll(1);
    await world.clock.advance(healAfterMs);
    const sentAt = world.clock.now() + hourMs;
    await world.db.write.updateTable('deliveries').set({ sent_at: sentAt }).execute();
    await world.outbox.lookAgain([seq]);
    expect((await world.find(seq))?.due_at).toBe(world.clock.now() + healAfterMs);
  });

  it('seed 43300: whoever has complained is stopped, also where retention has taken the address', async () => {
    const [seq] = await world.sendAll(1);
    await world.becomes(seq, 'complained');
    const { to_email: to } = (await world.find(seq)) ?? {};
    // Nobody could ask for a week.
    await world.clock.advance(8 * 24 * hourMs);
    await world.outbox.forget({ before: world.clock.now() - 7 * 24 * hourMs, above: 0, limit: 10 });
    expect(await world.find(seq)).toMatchObject({ status: 'sent', to_email: null });
    expect(await world.healOnce()).toBe(1);
    expect(await world.find(seq)).toMatchObject({ status: 'suppressed', to_email: null });
    const stopped = world.told.filter(({ by, fact }) => by === 'consent' && fact.kind === 'suppressed');
    expect(stopped.map(({ fact }) => [fact.event, fact.delivery.toEmail])).toEqual([['complained', to]]);
  });

  it('an answer about the mail of an earlier round says nothing about the present one', async () => {
    const [seq = 0] = await world.sendAll(1);
    await world.becomes(seq, 'delivered');
    await world.clock.advance(healAfterMs);
    const renamed: typeof world.resend = {
      ...world.resend,
      async progress(mails, mayAsk) {
        const answered = await world.resend.progress?.(mails, mayAsk);
        // Meanwhile somebody has put it right which mail it was.
        await world.db.write.updateTable('deliveries').set({ provider_message_id: 'another' }).execute();
        return answered ?? { answers: new Map(), isRefused: true };
      },
    };
    expect(await world.healOnce(renamed)).toBe(1);
    expect(await world.find(seq)).toMatchObject({ status: 'sent', provider_message_id: 'another' });
  });

  it('what word came of while it was asked about is not put off', async () => {
    const [first = 0, second = 0] = await world.sendAll(2);
    await world.clock.advance(healAfterMs);
    const report = { event: 'bounced_for_now', round: 1, actor: 'webhook', roundsMax: 3 } as const;
    const dueAt = world.clock.now() + 4 * hourMs;
    await world.outbox.record([{ ...report, seq: first, at: 1, dueAt }]);
    await world.outbox.lookAgain([first, second]);
    expect(await world.find(first)).toMatchObject({ status: 'failed_transient', due_at: dueAt });
    expect((await world.find(second))?.due_at).toBe(world.clock.now() + healAfterMs);
  });

  it('what an operator said to be sent has no id to ask by, and is not waited for', async () => {
    const seq = await rowIn(world, 'needs_review', 1);
    await world.outbox.perform([seq], { verb: 'resolved_sent', reason: 'in their log', operator: 'ana' });
    expect(await world.find(seq)).toMatchObject({ status: 'sent', due_at: null });
  });
});

onBothDatabases('a provider that cannot be asked', (dialect) => {
  it('its mails are not waited for, and the table is not read', async () => {
    const world = await createResendOutboxWorld(dialect);
    try {
      const { progress: _, ...silent } = world.resend;
      const [seq] = await world.enqueue(1);
      await world.dispatch({ provider: silent }).runOnce(signal());
      expect(await world.find(seq)).toMatchObject({ status: 'sent', due_at: null });
      await world.clock.advance(100 * hourMs);
      expect(await world.heal(silent).runOnce(signal())).toBe(0);
    } finally {
      await world.close();
    }
  });
});
