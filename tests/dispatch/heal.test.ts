import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rankOf } from '../../src/domain/evidence.ts';
import type { Status } from '../../src/domain/status.ts';
import { signal } from '../support/dispatch-world.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { createResendOutboxWorld, type ResendOutboxWorld } from '../support/resend-outbox-world.ts';
import { rowIn } from '../support/rows.ts';
import { onBothDatabases } from '../support/world.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const healAfterMs = 6 * hourMs;

onBothDatabases('mails of whose fate no word came', (dialect) => {
  let world: ResendOutboxWorld;
  beforeEach(() => start());
  afterEach(() => world.close());

  async function start(options: Parameters<typeof createResendOutboxWorld>[1] = {}): Promise<void> {
    world = await createResendOutboxWorld(dialect, { healAfterMs, ...options });
  }

  /** By the dispatch, over the socket; answers the rows in the order in which the mails were accepted. */
  async function sendAll(count: number): Promise<number[]> {
    const seqs = await world.enqueue(...Array.from({ length: count }, (_, number) => number));
    for (let turn = 0; turn < count; turn++) await world.send();
    const ids = await Promise.all(seqs.map(async (seq) => (await world.find(seq))?.provider_message_id));
    const order = world.fake.ledger.accepted.map(({ id }) => ids.indexOf(id));
    return order.map((index) => seqs[index] ?? 0);
  }

  /** What became of the mail of a row, there; nobody is told. */
  async function becomes(seq: number | undefined, lastEvent: string): Promise<void> {
    const messageId = (await world.find(seq))?.provider_message_id;
    const mail = world.fake.ledger.accepted.find(({ id }) => id === messageId);
    if (!mail) throw new Error(`no mail of ${seq}`);
    mail.lastEvent = lastEvent;
  }

  const questions = () => world.fake.ledger.requests.filter(({ method }) => method === 'GET').length;
  const heal = (provider = world.resend) => world.heal(provider).runOnce(signal());

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
    const seqs = await sendAll(ends.length);
    for (const [index, [word]] of ends.entries()) await becomes(seqs[index], word);
    await world.clock.advance(healAfterMs - 1);
    expect(await heal()).toBe(0);
    expect(questions()).toBe(0);
    await world.clock.advance(1);
    expect(await heal()).toBe(ends.length);
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
    const [seq] = await sendAll(1);
    for (let round = 1; round <= 3; round++) {
      await becomes(seq, 'bounced');
      await world.clock.advance(healAfterMs);
      await heal();
      await world.clock.advance(24 * hourMs);
      await world.send();
    }
    expect(await world.find(seq)).toMatchObject({ status: 'failed_permanent', round: 3 });
    expect(world.fake.ledger.accepted).toHaveLength(3);
  });

  it('a webhook may come before or after it, and the end is the same', async () => {
    const [first, second] = await sendAll(2);
    const confirm = async (seq = 0, at: number) =>
      world.outbox.record([{ seq, event: 'confirmed', round: 1, at, actor: 'webhook' }]);
    await becomes(first, 'delivered');
    await becomes(second, 'delivered');
    const deliveredAt = world.clock.now() + 5_000;
    await confirm(first, deliveredAt);
    await world.clock.advance(healAfterMs);
    expect(await heal(), 'who has been heard of is not asked about').toBe(1);
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
      const [first = 0, second = 0] = await sendAll(2);
      const hook = (seq: number) =>
        world.outbox.record([
          { seq, event, round: 1, at: world.clock.now(), actor: 'webhook', dueAt: 1, roundsMax: 3 },
        ]);
      await becomes(first, word);
      await becomes(second, word);
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
      expect(await heal(overtaken)).toBe(2);
      await hook(second);
      const end = { status, evidence: rankOf(event, 1) };
      expect([await world.find(first), await world.find(second)]).toMatchObject([end, end]);
    },
  );

  it('a bounce that is found weeks later is written down, and makes no new mail', async () => {
    const [bounced, arrived, inTime] = await sendAll(3);
    await becomes(bounced, 'bounced');
    await becomes(arrived, 'delivered');
    await becomes(inTime, 'bounced');
    const day = 24 * hourMs;
    const dueLater = world.clock.now() + 30 * day;
    await world.clock.advance(3 * day + hourMs);
    await world.db.write
      .updateTable('deliveries')
      .set({ due_at: dueLater })
      .where('seq', '<>', inTime ?? 0)
      .execute();
    expect(await heal()).toBe(1);
    expect(await world.find(inTime), 'the last look, a little late').toMatchObject({
      status: 'failed_transient',
    });
    await world.db.write
      .updateTable('deliveries')
      .set({ status: 'expired', due_at: null })
      .where('seq', '=', inTime ?? 0)
      .execute();
    await world.clock.advance(27 * day);
    expect(await heal()).toBe(2);
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

  it('while mail is due nobody is asked, but for mail of a source that is paused', async () => {
    const [seq] = await sendAll(1);
    await becomes(seq, 'delivered');
    await world.clock.advance(healAfterMs);
    await world.enqueue(7);
    const before = await world.find(seq);
    expect(await heal()).toBe(0);
    expect([questions(), await world.find(seq)]).toEqual([0, before]);
    await world.db.write
      .insertInto('pauses')
      .values({ scope: 'plain', reason: 'x', paused_by: 'ana', paused_at: 1 })
      .execute();
    expect(await heal()).toBe(1);
    expect(await world.find(seq)).toMatchObject({ status: 'delivered' });
  });

  it('mail that becomes due in the middle is not waited behind the rest of the questions', async () => {
    await sendAll(3);
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
          if (questions() === 1) await world.enqueue(9);
          return mayAsk();
        }),
    };
    expect(await heal(interrupted)).toBe(3);
    expect(questions()).toBe(1);
  });

  it('questions neither stand in the place of the mail that finds out whether an outage is over, nor wait for it', async () => {
    await sendAll(1);
    await world.clock.advance(healAfterMs);
    await world.db.write.updateTable('provider_pace').set({ openings: 1 }).execute();
    await heal();
    expect(questions()).toBe(1);
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
    expect(await heal()).toBe(200);
    expect(await world.statusesOf()).toEqual({ delivered: 200 });
    expect(questions()).toBeLessThanOrEqual(6);
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
    expect(await heal()).toBe(6);
    expect(await world.statusesOf()).toEqual({ delivered: 6 });
    expect(questions()).toBe(6 + 1);
  });

  function accept(id: string, at: number, lastEvent: string): void {
    const body = { from: 'a@example.org', to: 'b@example.org', subject: 's' };
    const mail = { id, key: null, account: 'main', body, bodyText: '', at, submissions: 1, lastEvent };
    world.fake.ledger.accepted.push(mail);
  }

  it('two processes never ask about the same mail at once', async () => {
    await sendAll(8);
    for (const mail of world.fake.ledger.accepted) mail.lastEvent = 'delivered';
    await world.clock.advance(healAfterMs);
    const took = await Promise.all([heal(), heal(world.connect())]);
    expect(took.sort()).toEqual([0, 8]);
    expect(await world.statusesOf()).toEqual({ delivered: 8 });
    // Whoever died with the question leaves the mails to the next.
    await world.db.write.updateTable('deliveries').set({ status: 'sent', evidence: 5, due_at: 1 }).execute();
    await world.outbox.unconfirmed({ limit: 200, holdMs: 10 * minuteMs });
    expect(await heal()).toBe(0);
    await world.clock.advance(10 * minuteMs);
    expect(await heal()).toBe(8);
  });

  it('what is not known yet is asked again after as long as it has been, for three days', async () => {
    const [seq] = await sendAll(1);
    const sentAt = world.clock.now();
    const asked: number[] = [];
    for (let hour = 1; hour <= 100; hour++) {
      await world.clock.advance(hourMs);
      if ((await heal()) > 0) asked.push((world.clock.now() - sentAt) / hourMs);
    }
    expect(asked).toEqual([6, 12, 24, 48, 72]);
    expect(await world.find(seq)).toMatchObject({ status: 'sent', due_at: null });
  });

  it('an answer about the mail of an earlier round says nothing about the present one', async () => {
    const [seq = 0] = await sendAll(1);
    await becomes(seq, 'delivered');
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
    expect(await heal(renamed)).toBe(1);
    expect(await world.find(seq)).toMatchObject({ status: 'sent', provider_message_id: 'another' });
  });

  it('what word came of while it was asked about is not put off', async () => {
    const [first = 0, second = 0] = await sendAll(2);
    await world.clock.advance(healAfterMs);
    const report = { event: 'bounced_for_now', round: 1, actor: 'webhook', roundsMax: 3 } as const;
    const dueAt = world.clock.now() + 4 * hourMs;
    await world.outbox.record([{ ...report, seq: first, at: 1, dueAt }]);
    await world.outbox.lookAgain([first, second]);
    expect(await world.find(first)).toMatchObject({ status: 'failed_transient', due_at: dueAt });
    expect((await world.find(second))?.due_at).toBe(world.clock.now() + healAfterMs);
  });

  it('no two looks within a minute, whatever the clocks say', async () => {
    const [seq = 0] = await sendAll(1);
    const ahead = { last_attempt_at: world.clock.now() + hourMs };
    await world.db.write.updateTable('deliveries').set(ahead).execute();
    await world.outbox.lookAgain([seq]);
    expect((await world.find(seq))?.due_at).toBe(world.clock.now() + minuteMs);
  });

  it('seed 4256: a circuit that opened behind the last mail is closed again, though no mail waits', async () => {
    const [seq] = await sendAll(1);
    await becomes(seq, 'delivered');
    await world.clock.advance(healAfterMs);
    const open = { open_since: 1, open_reason: 'unreachable', probe_at: 1, openings: 1 };
    await world.db.write.updateTable('provider_pace').set(open).execute();
    expect(await heal()).toBe(0);
    expect(questions()).toBe(1);
    expect(await heal()).toBe(1);
    expect(await world.find(seq)).toMatchObject({ status: 'delivered' });
  });

  it('a provider that is down, or wants to be left alone, is not asked, and nothing is lost by it', async () => {
    const [seq] = await sendAll(1);
    await becomes(seq, 'delivered');
    await world.clock.advance(healAfterMs);
    const before = await world.find(seq);
    const pace = (columns: object) => world.db.write.updateTable('provider_pace').set(columns).execute();
    await pace({ open_since: 1, open_reason: 'unreachable', probe_at: 1 });
    expect(await heal()).toBe(0);
    await pace({ open_since: null, paused_until: world.clock.now() + 1 });
    expect(await heal()).toBe(0);
    await pace({ paused_until: 0 });
    await world.db.write
      .insertInto('pauses')
      .values({ scope: '*', reason: 'x', paused_by: 'ana', paused_at: 1 })
      .execute();
    expect(await heal()).toBe(0);
    expect(await world.find(seq)).toEqual(before);
    await world.db.write.deleteFrom('pauses').execute();
    expect(await heal()).toBe(1);
    expect(await world.find(seq)).toMatchObject({ status: 'delivered' });
  });

  it.each([
    ['an error', { kind: 'answer', isAccepted: false, status: 503 }],
    ['a lost connection', { kind: 'reset', at: 'before_answer', isAccepted: false }],
  ] as const)(
    'a question that is answered with %s is asked again soon, and others are not asked meanwhile',
    async (_, lie) => {
      const seqs = await sendAll(3);
      for (const mail of world.fake.ledger.accepted) mail.lastEvent = 'delivered';
      await world.clock.advance(healAfterMs);
      world.fake.rules.push({ lie, match: ({ method }) => method === 'GET' });
      const housekeeper = world.heal(world.resend);
      expect(await housekeeper.runOnce(signal())).toBe(3);
      expect(questions(), 'three in a row say enough').toBe(3);
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
      await start({ keys });
      await sendAll(5);
      await world.clock.advance(healAfterMs);
      const log = createRecordingLog();
      const housekeeper = world.heal(world.resend, log);
      for (let minute = 0; minute < 120; minute++) {
        await housekeeper.runOnce(signal());
        await world.db.write.updateTable('deliveries').set({ due_at: 1 }).execute();
        await world.clock.advance(minuteMs);
      }
      expect(questions()).toBe(2);
      expect(log.lines.filter(({ event }) => event === 'heal.refused')).toHaveLength(1);
      expect(await world.statusesOf()).toEqual({ sent: 5 });
    });

    it('nobody asks for ever', async () => {
      await world.close();
      const keys = [{ apiKey: 're_test', account: 'main', access: 'sending' as const }];
      await start({ keys });
      const [seq] = await sendAll(1);
      for (let hour = 0; hour < 80; hour++) {
        await world.clock.advance(hourMs);
        await heal();
      }
      expect(await world.find(seq)).toMatchObject({ status: 'sent', due_at: null });
    });
  });

  it('what another account has is left to it, and does not stand in front of ours', async () => {
    const now = world.clock.now();
    for (let number = 0; number < 3; number++) {
      await rowIn(world, 'sent', number, {
        ...{ account: 'resend:another', providerMessageId: `other-${number}` },
        dueAt: now - 1,
      });
    }
    expect(await heal()).toBe(3);
    expect(questions()).toBe(0);
    expect(await heal()).toBe(0);
    expect(await world.statusesOf()).toEqual({ sent: 3 });
  });

  it('what an operator said to be sent has no id to ask by, and is not waited for', async () => {
    const seq = await rowIn(world, 'needs_review', 1);
    await world.outbox.perform([seq], { verb: 'resolved_sent', reason: 'in their log', operator: 'ana' });
    expect(await world.find(seq)).toMatchObject({ status: 'sent', due_at: null });
  });

  it('a provider that throws has said nothing', async () => {
    const [seq] = await sendAll(1);
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
