import { afterEach, beforeEach, expect, it } from 'vitest';
import { notificationTypes } from '../../src/sources/newsletters/notification-type.ts';
import { isUuid } from '../../src/std/ids.ts';
import { addressOf } from '../newsletters/civic-world.ts';
import { tagsOf as tagsIn } from '../support/fake-resend/ledger.ts';
import { onBothDatabases } from '../support/world.ts';
import {
  type CivicContract,
  createCivicContract,
  environment,
  from,
  tagsOf,
} from './civic-contract-world.ts';

/** Spec 002, "Overview" and "Critical design decisions": what a delivery is, and what leaves for Resend. */
onBothDatabases('002 decisions', (dialect) => {
  let world: CivicContract;
  beforeEach(async () => {
    world = await createCivicContract(dialect);
  });
  afterEach(() => world.close());

  const refused = (kind: 'refused_for_now' | 'refused_for_good') => () => ({
    ...{ kind, error: { code: 'some_code', message: 'the mailbox says no' } },
  });
  /** What the record says while its mail is with the provider. */
  async function seenWhileSending(): Promise<string[]> {
    const seen: string[] = [];
    world.provider.answer(async ({ key }) => {
      seen.push((await world.record()).status);
      return { kind: 'accepted', messageId: `id-${key}` };
    });
    await world.turn();
    return seen;
  }

  it('002-O-02 Notification types: newsletter monthly, quarterly, yearly; alert analytics, static', async () => {
    const subscribe = (type: string) =>
      world.newsletters.notifications.subscribe({
        ...{ userId: 'user-1', type },
        ...(type.startsWith('newsletter') && { entityCui: '4305857' }),
        ...(type === 'alert_series_analytics' && { config: { filter: { seriesId: 's' } } }),
        ...(type === 'alert_series_static' && { config: { datasetId: 'd' } }),
      });
    const types = ['entity_monthly', 'entity_quarterly', 'entity_yearly'].map((one) => `newsletter_${one}`);
    types.push('alert_series_analytics', 'alert_series_static');
    expect([...notificationTypes].sort()).toEqual([...types].sort());
    for (const type of types) expect((await subscribe(type)).notification.type).toBe(type);
    await expect(subscribe('newsletter_entity_weekly')).rejects.toMatchObject({ code: expect.any(String) });
  });

  it('002-O-03 `delivery_key` is `userId:notificationId:periodKey`', async () => {
    const id = await world.follow(7);
    await world.trigger({ periodKey: '2026-09' });
    await world.settle();
    expect(await world.record()).toMatchObject({
      ...{
        delivery_key: `user-7:${id}:2026-09`,
        user_id: 'user-7',
        notification_id: id,
        period_key: '2026-09',
      },
    });
  });

  it('002-D1-01 Deliveries are an outbox: the row is persisted before the send, not recorded after it', async () => {
    const [composed] = await world.composed();
    await world.sendAndDie();
    expect(world.provider.ledger).toHaveLength(1);
    // Nobody has recorded anything after the send, and it is all there: to whom, which words, and that a mail may exist.
    expect(await world.record()).toMatchObject({
      ...{ id: composed?.id, status: 'sending', to_email: addressOf('user-1'), attempt_count: 1 },
      ...{ rendered_html: world.provider.ledger[0]?.mail.html, sent_at: null, resend_email_id: null },
    });
  });

  it('002-D1-02 Life cycle: `pending → sending → sent → delivered`, the last step by webhook', async () => {
    const [before] = await world.composed();
    const seen = [before?.status, ...(await seenWhileSending())];
    const sent = await world.record();
    seen.push(sent.status);
    await world.settle();
    await world.tell('msg_1', {
      type: 'email.delivered',
      messageId: sent.resend_email_id,
      tags: tagsOf(sent),
    });
    seen.push((await world.record()).status);
    expect(seen).toEqual(['pending', 'sending', 'sent', 'delivered']);
  });

  it('002-D1-03 `failed_transient` is retryable', async () => {
    await world.composed();
    world.provider.answer(refused('refused_for_now'));
    await world.turn();
    expect(await world.record()).toMatchObject({ status: 'failed_transient', attempt_count: 1 });
    expect(await seenWhileSending()).toEqual([]);
    await world.clock.advance(10_000);
    expect(await seenWhileSending()).toEqual(['sending']);
    expect(await world.record()).toMatchObject({ status: 'sent', attempt_count: 2 });
  });

  it('002-D1-04 `failed_permanent` is not retried', async () => {
    await world.composed();
    world.provider.answer(refused('refused_for_good'));
    await world.turn();
    expect(await world.record()).toMatchObject({ status: 'failed_permanent' });
    await world.clock.advance(30 * 86_400_000);
    await world.sweep();
    await world.turn();
    // Nor by a run of the same period, forced or not.
    await world.trigger({ periodKey: '2026-10', force: true });
    await world.settle();
    expect(world.provider.ledger).toHaveLength(1);
    expect(await world.record()).toMatchObject({ status: 'failed_permanent' });
  });

  it('002-D1-05 `suppressed` comes from a webhook', async () => {
    await world.composed();
    await world.turn();
    const sent = await world.record();
    await world.tell('msg_1', {
      type: 'email.complained',
      messageId: sent.resend_email_id,
      tags: tagsOf(sent),
    });
    expect(await world.record()).toMatchObject({ status: 'suppressed' });
  });

  it('002-D1-06 `skipped_unsubscribed` and `skipped_no_email` end a delivery without a send', async () => {
    const [first, second, third] = await world.composed(3);
    await world.newsletters.notifications.update(first?.user_id ?? '', first?.notification_id ?? '', {
      isActive: false,
    });
    world.answers.set(second?.user_id ?? '', { kind: 'none', code: 'no_such_user', message: 'Who is that?' });
    await world.settle();
    expect((await world.records()).map(({ status }) => status)).toEqual([
      ...['skipped_unsubscribed', 'skipped_no_email', 'sent'],
    ]);
    // For good: neither time nor an address that turns up moves them.
    world.answers.clear();
    await world.clock.advance(86_400_000);
    await world.settle();
    expect(world.provider.ledger.map(({ mail }) => mail.to)).toEqual([addressOf(third?.user_id ?? '')]);
  });

  it('002-D2-01 One email per delivery; deliveries are not batched per user in v1', async () => {
    const ids = [await world.follow(1), await world.follow(1, { cui: '111111' }), await world.follow(2)];
    await world.trigger();
    await world.settle();
    const mails = world.provider.ledger.map(({ mail }) => `${mail.to} ${mail.tags.notification_id}`);
    expect(mails.sort()).toEqual(
      [`user-1@example.org ${ids[0]}`, `user-1@example.org ${ids[1]}`, `user-2@example.org ${ids[2]}`].sort(),
    );
    expect(new Set(world.provider.ledger.map(({ key }) => key)).size).toBe(3);
  });

  const tokensOf = async (userId: string) =>
    world.db.read
      .selectFrom('unsubscribe_tokens')
      .selectAll()
      .where('recipient', 'like', `${userId}:%`)
      .execute();

  it('002-D3-01 `UnsubscribeTokens` is the canonical token table; deliveries reference it by foreign key', async () => {
    const records = await world.composed(2);
    for (const { user_id, notification_id, unsubscribe_token_id } of records) {
      expect(await tokensOf(user_id)).toMatchObject([
        { token_id: unsubscribe_token_id, recipient: `${user_id}:${notification_id}` },
      ]);
    }
    expect(new Set(records.map((one) => one.unsubscribe_token_id)).size).toBe(2);
  });

  it('002-D3-02 Compose calls `getOrCreateActiveToken(userId, notificationId)` and stores the reference', async () => {
    await world.follow(1);
    await world.follow(1, { cui: '111111' });
    await world.trigger({ periodKey: '2026-09' });
    expect(await tokensOf('user-1')).toEqual([]);
    await world.settle();
    const first = await tokensOf('user-1');
    expect(first).toHaveLength(2);
    // The next period's mails have the same: what was given out once goes on working.
    await world.trigger();
    await world.settle();
    expect(await tokensOf('user-1')).toEqual(first);
    expect(world.provider.ledger).toHaveLength(4);
    const links = world.provider.ledger.map(({ mail }) => mail.headers['List-Unsubscribe'] ?? '');
    expect(new Set(links).size).toBe(2);
    for (const link of links) expect(first.some(({ token_id }) => link.includes(`/${token_id}`))).toBe(true);
  });

  it('002-D3-03 `id` is a UUID, used for provider tags and the idempotency key; `delivery_key` is internal and never given to the provider', async () => {
    await world.composed();
    const { fake, provider } = await world.resend();
    await world.turn({ provider });
    const { id, delivery_key, notification_id, user_id } = await world.record();
    const [request] = fake.ledger.submissions();
    const [mail] = fake.ledger.accepted;
    if (!request || !mail) throw new Error('nothing was sent');
    expect(isUuid(id)).toBe(true);
    expect([mail.key, tagsIn(mail.body).delivery_id]).toEqual([id, id]);
    const told = JSON.stringify([request.bodyText, request.headers]);
    expect(told).not.toContain(delivery_key);
    expect(told).not.toContain(`${user_id}:${notification_id}`);
  });

  it('002-D5-01 The provider idempotency key is `delivery.id`, 002-C-02 and a header of the request, not of the email', async () => {
    await world.composed(2);
    const { fake, provider } = await world.resend();
    await world.turn({ provider });
    const ids = (await world.records()).map(({ id }) => id);
    expect(fake.ledger.accepted.map(({ key }) => key).sort()).toEqual([...ids].sort());
    for (const { body } of fake.ledger.accepted) {
      const names = Object.keys(body.headers ?? {}).map((name) => name.toLowerCase());
      expect(names.filter((name) => name.includes('idempotency'))).toEqual([]);
    }
    // 8.19: a soft bounce is known not to have stayed; the next mail has a key of its own, made of the same id.
    const [first] = await world.records();
    if (!first) throw new Error('no record');
    const bounce = { bounce: { type: 'Transient', subType: 'General' } };
    await world.tell('msg_1', { type: 'email.bounced', tags: tagsOf(first), data: bounce });
    await world.clock.advance(4 * 3_600_000);
    await world.turn({ provider });
    expect(fake.ledger.accepted.map(({ key }) => key)).toContain(`${first.id}-r2`);
  });

  it('002-D5-02 A send carries `from` = `EMAIL_FROM_ADDRESS`, `to`, and the delivery’s rendered subject, html and text', async () => {
    const [composed] = await world.composed();
    const { fake, provider } = await world.resend();
    await world.turn({ provider });
    const [mail] = fake.ledger.accepted;
    expect(mail?.body).toMatchObject({
      ...{ from, subject: composed?.rendered_subject, html: composed?.rendered_html },
      text: composed?.rendered_text,
    });
    expect([mail?.body.to].flat()).toEqual([addressOf('user-1')]);
    expect(composed?.rendered_subject).toContain('Town hall 4305857');
  });

  it('002-D5-03 A send carries the tags `delivery_id` (UUID), `notification_id`, `period_key`, `env`', async () => {
    const id = await world.follow(1, { type: 'newsletter_entity_quarterly' });
    await world.trigger({ notificationType: 'newsletter_entity_quarterly' });
    const { fake, provider } = await world.resend();
    await world.newsletters.runs.runOnce();
    await world.turn({ provider });
    const [mail] = fake.ledger.accepted;
    expect(mail && tagsIn(mail.body)).toMatchObject({
      ...{
        delivery_id: (await world.record()).id,
        notification_id: id,
        period_key: '2026-Q3',
        env: environment,
      },
    });
  });

  it('002-C-03 A mail is tagged with its delivery’s UUID, never with its key', async () => {
    await world.composed(3);
    await world.turn();
    const ids = (await world.records()).map(({ id }) => id).sort();
    expect(world.provider.ledger.map(({ mail }) => mail.tags.delivery_id).sort()).toEqual(ids);
    expect(ids.every(isUuid)).toBe(true);
    const values = world.provider.ledger.flatMap(({ mail }) => Object.values(mail.tags));
    expect(values.filter((value) => value.includes(':'))).toEqual([]);
  });
});
