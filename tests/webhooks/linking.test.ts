import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plainPolicy } from '../../src/domain/policy.ts';
import { onBothDatabases } from '../support/world.ts';
import { signed } from './signed.ts';
import { createWebhookWorld, type WebhookWorld } from './webhook-world.ts';

const second = 1_000;
const hour = 3_600_000;
const day = 24 * hour;

onBothDatabases('which mail an event is about', (dialect) => {
  let world: WebhookWorld;
  beforeEach(async () => {
    world = await createWebhookWorld(dialect);
  });
  afterEach(() => world.close());

  const statusOf = async (seq: number) => (await world.queries.find(String(seq)))?.status;
  const outcomes = async () => (await world.events()).map(({ outcome }) => outcome);

  async function nameMail(seq: number, round: number, id: string): Promise<void> {
    await world.db.write
      .updateTable('delivery_mails')
      .set({ provider_message_id: id })
      .where('delivery_seq', '=', seq)
      .where('round', '=', round)
      .execute();
  }

  it('an event that comes before the row knows its id waits, and is linked when the row does', async () => {
    const { seq } = await world.delivery('sending', 1);
    await world.tell('msg_1', { type: 'email.delivered', messageId: 'm-1' });
    expect(await world.events()).toMatchObject([
      { outcome: null, processed_at: null, delivery_seq: null, due_at: world.clock.now() + 10 * second },
    ]);
    await world.outbox.record([{ seq, event: 'accepted', round: 1, at: 1, messageId: 'm-1', actor: 'w' }]);
    expect(await world.webhooks.linkWaiting()).toBe(0);
    await world.clock.advance(10 * second);
    expect(await world.webhooks.linkWaiting()).toBe(1);
    expect(await statusOf(seq)).toBe('delivered');
    expect(await world.events()).toMatchObject([
      { outcome: 'applied', delivery_seq: seq, tries: 1, due_at: null, processed_at: world.clock.now() },
    ]);
  });

  it('an event for a delivery that we do not have is linked when it comes, at ever longer intervals', async () => {
    const { id, seq } = await world.delivery('sending', 1);
    const renamed = (to: string) =>
      world.db.write.updateTable('deliveries').set({ id: to }).where('seq', '=', seq).execute();
    await renamed('00000000-0000-5000-8000-000000000000');
    await world.tell('msg_1', { type: 'email.delivered', tags: { delivery_id: id, round: '1' } });
    const waits = [];
    for (let look = 0; look < 8; look++) {
      const dueAt = (await world.events())[0]?.due_at ?? 0;
      waits.push(dueAt - world.clock.now());
      await world.clock.advance(dueAt - world.clock.now());
      expect(await world.webhooks.linkWaiting()).toBe(1);
    }
    expect(waits).toEqual([10, 40, 160, 640, 2560, 10_240, 21_600, 21_600].map((wait) => wait * second));
    await renamed(id);
    await world.clock.advance(6 * hour);
    await world.webhooks.linkWaiting();
    expect(await statusOf(seq)).toBe('delivered');
  });

  it('what finds no delivery in three days is given up, and kept', async () => {
    await world.tell('msg_1', { type: 'email.complained', messageId: 'nobody’s' });
    await world.clock.advance(3 * day - 60 * second);
    await world.webhooks.linkWaiting();
    expect(await outcomes()).toEqual([null]);
    await world.clock.advance(7 * hour);
    await world.webhooks.linkWaiting();
    expect(await world.events()).toMatchObject([
      {
        outcome: 'no such delivery',
        due_at: null,
        delivery_seq: null,
        type: 'email.complained',
        payload: null,
      },
    ]);
    await world.clock.advance(7 * hour);
    expect(await world.webhooks.linkWaiting()).toBe(0);
  });

  it('what fails whenever it is tried is given up after three days too, and kept for whoever looks into it', async () => {
    const { seq } = await world.delivery('sending', 1);
    await world.tell('msg_1', { type: 'email.delivered', messageId: 'm-1' });
    await world.outbox.record([{ seq, event: 'accepted', round: 1, at: 1, messageId: 'm-1', actor: 'w' }]);
    const failing = world.webhooksOn(world.db, {
      policyOf: () => {
        throw new Error('it fails');
      },
    });
    await world.clock.advance(3 * day - 60 * second);
    await expect(failing.linkWaiting()).rejects.toThrow('it fails');
    expect(await world.events()).toMatchObject([{ outcome: null, tries: 1 }]);
    await world.clock.advance(7 * hour);
    await expect(failing.linkWaiting()).rejects.toThrow('it fails');
    const [event] = await world.events();
    expect(event).toMatchObject({
      outcome: 'failed',
      due_at: null,
      tries: 2,
      processed_at: world.clock.now(),
    });
    expect(event?.payload).not.toBeNull();
    expect(failing.counts.events).toContainEqual({ type: 'email.delivered', outcome: 'failed', count: 1 });
    expect(world.log.lines).toContainEqual(
      expect.objectContaining({ event: 'webhook.given_up', level: 'error', tries: 2 }),
    );
    await world.clock.advance(90 * day);
    expect(await failing.linkWaiting()).toBe(0);
    expect(await failing.forget()).toBe(1);
  });

  it('one that cannot be linked for an error does not keep the others waiting', async () => {
    const one = await world.delivery('sending', 1);
    const other = await world.delivery('sending', 2);
    await world.tell('msg_1', { type: 'email.delivered', messageId: 'm-1' });
    await world.tell('msg_2', { type: 'email.delivered', messageId: 'm-2' });
    const accepted = { event: 'accepted', round: 1, at: 1, actor: 'w' } as const;
    await world.outbox.record([{ ...accepted, seq: one.seq, messageId: 'm-1' }]);
    await world.outbox.record([{ ...accepted, seq: other.seq, messageId: 'm-2' }]);
    await world.clock.advance(10 * second);
    let asked = 0;
    const failing = world.webhooksOn(world.db, {
      policyOf: (source) => {
        asked += 1;
        if (asked === 1) throw new Error(`no policy of ${source}`);
        return plainPolicy;
      },
    });
    await expect(failing.linkWaiting()).rejects.toThrow('no policy of plain');
    expect(await statusOf(other.seq)).toBe('delivered');
    expect(await world.events()).toMatchObject([{ outcome: null, tries: 1 }, { outcome: 'applied' }]);
    expect(await failing.linkWaiting()).toBe(0);
  });

  describe('by its message id', () => {
    it('an event without tags finds the latest round’s mail, and an earlier one’s', async () => {
      const { seq } = await world.delivery('sending', 1, {
        round: 2,
        evidence: 8,
        sentAt: 5,
        providerMessageId: 'm-2',
      });
      await nameMail(seq, 1, 'm-1');
      await world.tell('msg_1', {
        type: 'email.bounced',
        messageId: 'm-1',
        data: { bounce: { type: 'Transient' } },
      });
      // A fact about a round that is over; the row stays with the round that is under way.
      expect(await statusOf(seq)).toBe('sending');
      await world.tell('msg_2', {
        type: 'email.bounced',
        messageId: 'm-2',
        data: { bounce: { type: 'Transient' } },
      });
      expect(await statusOf(seq)).toBe('failed_transient');
      expect(await world.events()).toMatchObject([{ delivery_seq: seq }, { delivery_seq: seq }]);
      expect(await world.queries.find(String(seq))).toMatchObject({ round: 2, evidence: 10 });
    });

    it('an event that names the delivery and none of its several mails waits until it can be told which', async () => {
      const { seq, tags } = await world.delivery('sending', 1, { round: 2, evidence: 8 });
      const { round: _, ...withoutRound } = tags();
      await world.tell('msg_1', { type: 'email.delivered', messageId: 'm-1', tags: withoutRound });
      expect(await world.events()).toMatchObject([
        { outcome: null, due_at: world.clock.now() + 10 * second },
      ]);
      expect(await statusOf(seq)).toBe('sending');
      await nameMail(seq, 1, 'm-1');
      await world.clock.advance(10 * second);
      await world.webhooks.linkWaiting();
      expect(await outcomes()).toEqual(['applied']);
    });

    it('the id of an earlier mail is set once', async () => {
      const { seq } = await world.delivery('sending', 1, { round: 2, evidence: 8 });
      const report = { seq, event: 'accepted', round: 1, at: 1, actor: 'w' } as const;
      await world.outbox.record([{ ...report, messageId: 'm-1' }]);
      await world.outbox.record([{ ...report, messageId: 'm-other' }]);
      const mails = world.db.read
        .selectFrom('delivery_mails')
        .select('provider_message_id')
        .where('round', '>', 0);
      expect(await mails.orderBy('round').execute()).toEqual([
        { provider_message_id: 'm-1' },
        { provider_message_id: null },
      ]);
    });

    it('an event that contradicts the id we know is kept and not applied, and the story tells of it', async () => {
      const { seq, tags } = await world.delivery('sent', 1, { providerMessageId: 'm-1' });
      await world.tell('msg_1', { type: 'email.complained', messageId: 'other', tags: tags() });
      expect(await statusOf(seq)).toBe('sent');
      expect(await outcomes()).toEqual(['contradicts']);
      expect(await world.story(seq)).toMatchObject([
        { event: 'complained', detail: { ignored: 'contradicts' } },
      ]);
      expect(world.log.lines.filter(({ level }) => level === 'warn')).toMatchObject([
        { event: 'webhook.not_applied', outcome: 'contradicts' },
      ]);
    });

    it.each([
      ['another delivery’s id', { messageId: 'm-9', round: 1 }],
      ['another id than an earlier round’s', { messageId: 'unheard-of', round: 1 }],
      ['the id of another round', { messageId: 'm-1', round: 2 }],
    ])('so is one that has our tags and %s', async (_name, { messageId, round }) => {
      const { seq, tags } = await world.delivery('sending', 1, { round: 2, evidence: 8, sentAt: 5 });
      await nameMail(seq, 1, 'm-1');
      const other = await world.delivery('sent', 2, { providerMessageId: 'm-9' });
      await world.tell('msg_1', { type: 'email.complained', messageId, tags: tags(round) });
      expect(await outcomes()).toEqual(['contradicts']);
      expect([await statusOf(seq), await statusOf(other.seq)]).toEqual(['sending', 'sent']);
    });
  });

  it('of an event of another deployment on the same account only that it came is kept', async () => {
    const tags = { delivery_id: '6f0c2c6e-5a53-5f3e-9c1a-0d5a3a5d2b11', round: '1', env: 'production' };
    await world.tell('msg_1', { type: 'email.complained', messageId: 'theirs', tags });
    expect(await world.events()).toMatchObject([
      { outcome: 'another environment', due_at: null, payload: null, type: 'email.complained' },
    ]);
  });

  it('a deployment that was renamed still hears of its own mails', async () => {
    const { seq, tags } = await world.delivery('sent', 1);
    await world.tell('msg_1', { type: 'email.complained', tags: { ...tags(), env: 'its old name' } });
    expect(await outcomes()).toEqual(['applied']);
    expect(await statusOf(seq)).toBe('suppressed');
  });

  it('an event that names no mail is not waited for', async () => {
    await world.tell('msg_1', { type: 'email.complained' });
    expect(await world.events()).toMatchObject([{ outcome: 'no such delivery', due_at: null }]);
  });

  describe('when it happened', () => {
    const minute = 60 * second;
    const sentAtOf = async (seq: number) => (await world.queries.find(String(seq)))?.sent_at;

    it.each([
      ['long before there was a delivery', -26 * 365 * day, 'when it came'],
      ['just before the delivery by another clock', -5 * minute, 'as it says'],
      ['earlier than that', -5 * minute - 1, 'when it came'],
      ['in between', 20 * minute, 'as it says'],
      ['just after it came by another clock', 35 * minute, 'as it says'],
      ['later than that', 35 * minute + 1, 'when it came'],
      ['when nobody will live any more', 73 * 365 * day, 'when it came'],
    ])('what says that it was %s counts %s', async (_when, offset, counts) => {
      const { seq, tags } = await world.delivery('sending', 1);
      const createdAt = world.clock.now();
      await world.clock.advance(30 * minute);
      const receivedAt = world.clock.now();
      await world.tell('msg_1', { type: 'email.sent', tags: tags(), at: createdAt + offset });
      expect(await sentAtOf(seq)).toBe(counts === 'as it says' ? createdAt + offset : receivedAt);
    });

    it('what says no time and was linked later counts when it came', async () => {
      const { seq } = await world.delivery('sending', 1);
      const receivedAt = world.clock.now();
      const body = JSON.stringify({ type: 'email.delivered', data: { email_id: 'm-1' } });
      await world.webhooks.receive(signed('msg_1', body, { at: receivedAt }));
      const accepted = { event: 'accepted', round: 1, at: receivedAt, messageId: 'm-1', actor: 'w' } as const;
      await world.outbox.record([{ ...accepted, seq }]);
      await world.clock.advance(minute);
      await world.webhooks.linkWaiting();
      expect(await world.queries.find(String(seq))).toMatchObject({ delivered_at: receivedAt });
    });
  });

  it('a round beyond what the row has begun, after a back-up was restored, is taken over', async () => {
    const { seq, tags } = await world.delivery('failed_transient', 1, { round: 1, evidence: 6, sentAt: 5 });
    await world.tell('msg_1', { type: 'email.delivered', messageId: 'm-3', tags: tags(3) });
    expect(await world.queries.find(String(seq))).toMatchObject({
      ...{ status: 'delivered', round: 3, provider_message_id: 'm-3' },
    });
  });

  it('payloads are forgotten when retention says so, what waits and what was said are not', async () => {
    const { tags } = await world.delivery('sending', 1);
    await world.tell('msg_1', { type: 'email.delivered', tags: tags() });
    await world.tell('msg_2', { type: 'email.delivered', messageId: 'unknown' });
    await world.clock.advance(90 * day);
    expect(await world.webhooks.forget()).toBe(0);
    await world.tell('msg_3', { type: 'contact.created' });
    await world.clock.advance(1);
    expect(await world.webhooks.forget()).toBe(1);
    expect((await world.events()).map(({ type, payload }) => [type, payload !== null])).toEqual([
      ['email.delivered', false],
      ['email.delivered', true],
      ['contact.created', true],
    ]);
    // Still known by its id, for ever.
    expect(await world.tell('msg_1', { type: 'email.delivered', tags: tags() })).toMatchObject({
      isRepeat: true,
    });
    await world.webhooks.linkWaiting();
    expect((await world.events()).map(({ payload }) => payload !== null)).toEqual([false, false, true]);
  });
});
