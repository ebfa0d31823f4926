import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openUsers } from '../../src/sources/newsletters/users/open-users.ts';
import { isUuid } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { addressOf, monthly } from '../newsletters/civic-world.ts';
import { clerkKey, startFakeClerk } from '../support/fake-clerk.ts';
import { onBothDatabases } from '../support/world.ts';
import { type CivicContract, createCivicContract } from './civic-contract-world.ts';

/** Spec 002, phase 4: the delivery record, the trigger's request and answer, and the ports. */
onBothDatabases('002 phase 4', (dialect) => {
  let world: CivicContract;
  beforeEach(async () => {
    world = await createCivicContract(dialect);
  });
  afterEach(() => world.close());

  const nowText = () => new Date(world.clock.now()).toISOString();

  it('002-P4-01 A delivery record has `id`, `userId`, `toEmail?`, `notificationId`, `periodKey`, `deliveryKey`, `status`, `unsubscribeTokenId?`, `renderedSubject?`, `renderedHtml?`, `renderedText?`, `contentHash?`, `templateName?`, `templateVersion?`, `resendEmailId?`, `lastError?`, `attemptCount`, `lastAttemptAt?`, `sentAt?`, `createdAt`', async () => {
    const [notificationId] = await world.followAll(1);
    await world.trigger();
    world.provider.answer(() => ({
      ...{ kind: 'refused_for_now', error: { code: 'greylisted', message: 'come again' } },
    }));
    await world.settle();
    world.provider.answer(() => ({ kind: 'accepted', messageId: 'm-1' }));
    const createdAt = nowText();
    await world.clock.advance(10_000);
    await world.settle();
    const [parcel] = world.provider.ledger;
    const record = await world.record();
    expect(Object.keys(record)).toHaveLength(20);
    expect(record).toEqual({
      ...{
        id: parcel?.key,
        user_id: 'user-1',
        to_email: addressOf('user-1'),
        notification_id: notificationId,
      },
      ...{ period_key: '2026-10', delivery_key: `user-1:${notificationId}:2026-10`, status: 'sent' },
      ...{
        unsubscribe_token_id: expect.stringMatching(/^[\w-]{22}$/),
        rendered_subject: parcel?.mail.subject,
      },
      ...{ rendered_html: parcel?.mail.html, rendered_text: parcel?.mail.text },
      ...{ content_hash: expect.stringMatching(/^[0-9a-f]{64}$/), template_name: 'newsletter-entity' },
      ...{ template_version: 'v1', resend_email_id: 'm-1', last_error: null, attempt_count: 2 },
      ...{ last_attempt_at: nowText(), sent_at: nowText(), created_at: createdAt },
    });
  });

  it('002-P4-03 `periodKey` defaults to the previous period', async () => {
    const periodOf = async (notificationType: string) =>
      (await world.trigger({ notificationType, dryRun: true })).periodKey;
    const types = ['monthly', 'quarterly', 'yearly'].map((one) => `newsletter_entity_${one}`);
    const periods = () => Promise.all([...types, 'alert_series_analytics'].map(periodOf));
    // It is 17 November 2026.
    expect(await periods()).toEqual(['2026-10', '2026-Q3', '2025', '2026-10']);
    await world.clock.advance(Date.UTC(2027, 0, 1) - world.clock.now() - 1);
    expect(await periods()).toEqual(['2026-11', '2026-Q3', '2025', '2026-11']);
    await world.clock.advance(1);
    expect(await periods()).toEqual(['2026-12', '2026-Q4', '2026', '2026-12']);
  });

  it('002-P4-03 Of a static dataset its own frequency decides', async () => {
    world.budget.known.set('yearly.one', {
      ...{ id: 'yearly.one', titles: { ro: 'Inflația' }, unit: '%', frequency: 'yearly' },
      values: new Map([['2025', '5.1' as never]]),
    });
    const config = { datasetId: 'yearly.one', conditions: [] };
    const order = { userId: 'user-1', type: 'alert_series_static', config };
    await world.newsletters.notifications.subscribe(order);
    await world.trigger({ notificationType: 'alert_series_static' });
    await world.settle();
    expect(await world.record()).toMatchObject({ period_key: '2025', status: 'sent' });
  });

  it('002-P4-04 `dryRun` returns counts without enqueueing', async () => {
    await world.followAll(3);
    const dry = await world.trigger({ dryRun: true });
    expect(dry).toMatchObject({ eligibleCount: 3, collectJobEnqueued: false });
    await world.settle();
    expect([await world.records(), world.provider.ledger]).toEqual([[], []]);
    expect(await world.newsletters.runs.list({ limit: 10 })).toEqual([]);
    // Nor does it stand in the way of the real one.
    expect(await world.trigger()).toMatchObject({ eligibleCount: 3, collectJobEnqueued: true });
  });

  it('002-P4-05 `limit` caps the recipients', async () => {
    await world.followAll(5);
    expect(await world.trigger({ dryRun: true, limit: 2 })).toMatchObject({ eligibleCount: 2 });
    expect(await world.trigger({ limit: 2 })).toMatchObject({ eligibleCount: 2 });
    await world.settle();
    expect(world.provider.ledger).toHaveLength(2);
    expect(await world.records()).toHaveLength(2);
  });

  it('002-P4-06 `force` bypasses deduplication', async () => {
    await world.followAll(2);
    await world.trigger();
    await world.settle();
    await world.follow(3);
    expect(await world.trigger()).toMatchObject({ collectJobEnqueued: false });
    const forced = await world.trigger({ force: true });
    expect(forced).toMatchObject({ collectJobEnqueued: true, eligibleCount: 1 });
    await world.settle();
    // 8.20: it looks again, and tells nobody the same period twice.
    expect(world.provider.ledger.map(({ mail }) => mail.to).sort()).toEqual(
      [1, 2, 3].map((number) => addressOf(`user-${number}`)),
    );
  });

  it('002-P4-07 Trigger response: `runId`, `notificationType`, `periodKey`, `dryRun`, `eligibleCount`, `collectJobEnqueued`', async () => {
    await world.followAll(2);
    const answer = await world.trigger();
    expect(answer).toEqual({
      ...{ runId: expect.any(String), notificationType: monthly, periodKey: '2026-10', dryRun: false },
      ...{ eligibleCount: 2, collectJobEnqueued: true },
    });
    expect(isUuid(answer.runId)).toBe(true);
  });

  it('002-P4-11 Existence of a delivery can be asked by delivery key', async () => {
    const [record] = await world.composed();
    const count = async (key: string) => {
      const { rows } = await sql`SELECT id FROM NotificationDeliveries WHERE delivery_key = ${key}`.execute(
        world.db.read,
      );
      return rows.length;
    };
    const key = record?.delivery_key ?? '';
    expect([await count(key), await count(`${key}-Q1`), await count('')]).toEqual([1, 0, 0]);
    // And by whoever puts it in: the same again is answered as a repeat.
    const again = { source: 'newsletters', occasion: '2026-10', lane: 'bulk' } as const;
    const recipient = `${record?.user_id}:${record?.notification_id}`;
    const answers = await world.outbox.enqueue([
      { ...again, recipient },
      { ...again, recipient: 'user-2:x' },
    ]);
    expect(answers.map(({ isNew }) => isNew)).toEqual([false, true]);
  });

  it('002-P4-12 The email sender takes `to`, `subject`, `html`, `text`, `idempotencyKey`, `unsubscribeUrl`, `tags` and returns an email id or an error, as a result, not an exception', async () => {
    await world.composed();
    await world.turn();
    const [parcel] = world.provider.ledger;
    if (!parcel) throw new Error('nothing was sent');
    const { fake, provider } = await world.resend();
    const accepted = await provider.send(parcel);
    const [mail] = fake.ledger.accepted;
    expect(accepted).toEqual({ kind: 'accepted', messageId: mail?.id });
    expect(mail).toMatchObject({
      key: parcel.key,
      body: {
        ...{ subject: parcel.mail.subject, html: parcel.mail.html, text: parcel.mail.text },
        headers: { 'List-Unsubscribe': parcel.mail.headers['List-Unsubscribe'] },
        tags: expect.arrayContaining([{ name: 'delivery_id', value: parcel.key }]),
      },
    });
    fake.lieOnce({ kind: 'answer', isAccepted: false, status: 422, name: 'validation_error' });
    expect(await provider.send({ ...parcel, key: 'another' })).toMatchObject({ kind: 'refused_for_good' });
    await fake.close();
    expect((await provider.send({ ...parcel, key: 'a-third' })).kind).not.toBe('accepted');
  });

  it('002-P4-13 The user email fetcher returns an address or null, or an error', async () => {
    const { db, clock } = world;
    const [known, unverified] = ['ana@example.org', 'ion@example.org'];
    await db.write
      .insertInto('users')
      .values([
        { user_id: 'ana', email: known, is_verified: 1, updated_at: 1 },
        { user_id: 'ion', email: unverified, is_verified: 0, updated_at: 1 },
      ])
      .execute();
    const settings = { clerkSecretKey: '', clerkApiUrl: '' };
    const local = await openUsers(settings, { db, clock, log: silentLog });
    const found = await local.addressesOf(['ana', 'ion', 'nobody']);
    expect([...found].map(([id, { kind }]) => [id, kind])).toEqual([
      ...[
        ['ana', 'address'],
        ['ion', 'none'],
        ['nobody', 'none'],
      ],
    ]);
    expect(found.get('ana')).toMatchObject({ address: known });
    const clerk = await startFakeClerk();
    clerk.fail({ status: 500 });
    const remote = await openUsers(
      { clerkSecretKey: clerkKey, clerkApiUrl: clerk.url },
      { db, clock, log: silentLog },
    );
    expect((await remote.addressesOf(['ana'])).get('ana')).toMatchObject({
      ...{ kind: 'later', waitMs: expect.any(Number), message: expect.any(String) },
    });
    await remote.close?.();
    await clerk.close();
  });

  it('002-P4-14 Collect finds the eligible notifications', async () => {
    const { notifications } = world.newsletters;
    const [eligible, paused, , told] = await world.followAll(4);
    await world.follow(5, { type: 'newsletter_entity_yearly' });
    await notifications.update('user-2', paused ?? '', { isActive: false });
    await notifications.optOut('user-3');
    await world.outbox.enqueue([
      { source: 'newsletters', occasion: '2026-10', recipient: `user-4:${told}`, lane: 'bulk' },
    ]);
    // Globally off, whatever the notification itself says.
    await world.follow(7);
    const optOut = { user_id: 'user-7', opted_out_at: 1, via: 'account' };
    await world.db.write.insertInto('notification_opt_outs').values(optOut).execute();
    const gone = await world.follow(6);
    await notifications.remove('user-6', gone);
    const { runId, eligibleCount } = await world.trigger();
    const items = await world.newsletters.runs.items(runId, { after: '', limit: 10 });
    expect([eligibleCount, items.map(({ notification_id }) => notification_id)]).toEqual([1, [eligible]]);
  });

  it('002-P4-15 Compose renders, gets or creates the token and persists the record with status `pending`', async () => {
    await world.follow(1);
    world.budget.broken.add('4305857');
    await world.trigger();
    await world.newsletters.runs.runOnce();
    // 8.25: the row exists from collect on, content from compose on.
    const collected = await world.record();
    expect(collected).toMatchObject({ status: 'pending', rendered_html: null, content_hash: null });
    world.budget.broken.clear();
    await world.clock.advance(60_000);
    await world.newsletters.runs.runOnce();
    const record = await world.record();
    expect(record).toMatchObject({
      ...{ id: collected.id, status: 'pending', unsubscribe_token_id: expect.any(String), to_email: null },
      ...{ rendered_subject: expect.stringContaining('Town hall'), template_name: 'newsletter-entity' },
      ...{ rendered_text: expect.stringContaining('1.97B RON'), content_hash: expect.any(String) },
    });
    expect(record.rendered_html).toContain(`/unsubscribe/${record.unsubscribe_token_id}`);
    expect(world.provider.ledger).toEqual([]);
  });
});
