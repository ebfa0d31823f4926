import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createVerificationSource } from '../../src/sources/course-seats/mail/verification-source.ts';
import { tokenSecret } from '../support/consent.ts';
import { onBothDatabases } from '../support/world.ts';
import { index } from './seats-world.ts';
import { createWatchWorld, dayMs, type WatchWorld } from './watch-world.ts';

onBothDatabases('a watch begins', (dialect) => {
  let world: WatchWorld;
  beforeEach(async () => {
    world = await createWatchWorld(dialect);
    await world.believe('Closed');
  });
  afterEach(() => world.close());

  const create = (more?: Parameters<WatchWorld['order']>[0]) => world.subscriptions.create(world.order(more));
  const rows = () =>
    world.db.read.selectFrom('subscriptions').selectAll().orderBy('subscription_id').execute();

  test('row, story and the mail that asks its owner are there together', async () => {
    const made = await world.watch({ locale: 'ro' });
    expect(made).toMatchObject({
      ...{ kind: 'created', status: 'pending', sectionResolved: true, sectionStatus: 'Closed' },
    });
    const row = await world.subscription(made.subscriptionId);
    expect(row).toMatchObject({
      ...{ section_id: world.sectionId, campus_code: 'NB', index_number: index, contact_type: 'email' },
      ...{ contact_value: 'ana@example.org', status: 'pending', last_known_section_status: 'Closed' },
      ...{ locale: 'ro', notify_on: '["open"]', max_notifications: null, notifications_sent: 0 },
      ...{ verifications: 1, verified_at: null, left_at: null, created_at: world.clock.now() },
    });
    expect(await world.eventsOf(made.subscriptionId)).toEqual(['created Closed', 'verification_sent Closed']);
    const [mail] = await world.db.read.selectFrom('deliveries').selectAll().execute();
    expect(mail).toMatchObject({
      ...{ source: 'course-seats-verification', occasion: `${made.subscriptionId}-1`, lane: 'urgent' },
      ...{ recipient: String(made.subscriptionId), to_email: 'ana@example.org', locale: 'ro' },
      expires_at: world.clock.now() + 2 * dayMs,
    });
    expect(await world.subscriptions.find(made.token)).toMatchObject({
      ...{ subscriptionId: made.subscriptionId, status: 'pending', sectionStatus: 'Closed', undoUntil: null },
      section: { courseString: '01:198:111', indexNumber: index },
      preferences: { notifyOn: ['open'], maxNotifications: null, deliveryWindow: null, snoozeUntil: null },
    });
  });

  test('preferences are kept as they were asked for', async () => {
    const snoozeUntil = world.clock.now() + dayMs;
    const preferences = {
      ...{ notifyOn: ['open', 'waitlist'], maxNotifications: 2, snoozeUntil },
      deliveryWindow: { startMinutes: 1320, endMinutes: 420 },
    };
    const { token } = await world.watch({ preferences });
    expect((await world.subscriptions.find(token))?.preferences).toEqual(preferences);
  });

  test('where nobody is asked whether an address is theirs, it is active at once and nothing is mailed', async () => {
    const made = await world.watch({}, world.subscriptionsWith({ verifiesAddresses: false }));
    expect(made.status).toBe('active');
    expect(await world.mails()).toEqual([]);
    expect(await world.eventsOf(made.subscriptionId)).toEqual(['created Closed']);
  });

  test('8.12 who starts to watch an open section is told so by the answer, and known to have been told', async () => {
    await world.believe('Open');
    const made = await world.watch();
    expect(made.sectionStatus).toBe('Open');
    expect(await world.subscription(made.subscriptionId)).toMatchObject({
      last_known_section_status: 'Open',
    });
  });

  test('the same section again is the same watch, however the address is written', async () => {
    const first = await world.watch();
    const again = await world.watch({ email: 'ANA@Example.ORG' });
    expect(again).toMatchObject({
      ...{ kind: 'existing', subscriptionId: first.subscriptionId, token: first.token },
    });
    expect(await rows()).toHaveLength(1);
    expect(await world.mails()).toHaveLength(1);
  });

  test('in another term it is another section', async () => {
    const first = await world.watch();
    const other = await world.watch({ termId: '92026' });
    expect(other).toMatchObject({ kind: 'created', sectionResolved: false });
    expect(other.subscriptionId).not.toBe(first.subscriptionId);
  });

  describe('what is refused', () => {
    test.each([
      [{ termId: '32026' }, 'section_not_found', /no such term/],
      [{ termId: '12025' }, 'section_not_found', /is over/],
      [{ campusCode: 'XX' }, 'section_not_found', /NB, NK, CM/],
      [{ indexNumber: '9214' }, 'section_not_found', /five digits/],
      [{ indexNumber: '0921４' }, 'section_not_found', /five digits/],
      [{ email: 'ana' }, 'invalid_contact', /no @/],
      [{ email: 'ana@example.org, bob@example.org' }, 'invalid_contact', /one address at a time/],
      [{ locale: 'en\r\nBcc: x' }, 'invalid_preferences', /language/],
      [{ preferences: { notifyOn: [] } }, 'invalid_preferences', /notifyOn/],
      [{ preferences: { notifyOn: ['waitlist'] } }, 'invalid_preferences', /"open"/],
      [{ preferences: { maxNotifications: 0 } }, 'invalid_preferences', /whole number/],
      [{ preferences: { maxNotifications: 1.5 } }, 'invalid_preferences', /whole number/],
      [
        { preferences: { deliveryWindow: { startMinutes: 1440, endMinutes: 0 } } },
        'invalid_preferences',
        /0 to 1439/,
      ],
      [
        { preferences: { deliveryWindow: { startMinutes: 0, endMinutes: -1 } } },
        'invalid_preferences',
        /minutes/,
      ],
      [{ preferences: { snoozeUntil: 5 } }, 'invalid_preferences', /has passed/],
      [{ preferences: { snoozeUntil: Number.NaN } }, 'invalid_preferences', /must be a time/],
      [{ preferences: { snoozeUntil: Date.UTC(2030, 0) } }, 'invalid_preferences', /a year/],
    ])('%j is %s', async (more, kind, message) => {
      const answer = await create(more);
      expect(answer).toMatchObject({ kind, message: expect.stringMatching(message) });
      expect(JSON.stringify(answer)).not.toContain('ana');
      expect(await rows()).toEqual([]);
    });

    test('a section at another campus, with the right one', async () => {
      expect(await create({ campusCode: 'NK' })).toMatchObject({
        ...{ kind: 'section_conflict', campusCode: 'NB' },
      });
      expect(await create({ campusCode: 'ONLINE_NB' })).toMatchObject({ campusCode: 'NB' });
    });

    test('an index that a whole catalog does not know, and no list', async () => {
      expect(await create({ indexNumber: '99999' })).toMatchObject({ kind: 'section_not_found' });
    });

    test('a section that is gone from the catalog, unless it is in the list of open ones', async () => {
      await world.addSection('11111', { gone_at: world.clock.now() });
      expect(await create({ indexNumber: '11111' })).toMatchObject({
        ...{ kind: 'section_not_found', message: expect.stringMatching(/no longer/) },
      });
      await world.believe('Open', '11111');
      expect(await create({ indexNumber: '11111' })).toMatchObject({ kind: 'created' });
    });
  });

  test('an index that only the list knows can be watched, and what the list says is believed', async () => {
    await world.believe('Open', '77777');
    expect(await create({ indexNumber: '77777' })).toMatchObject({
      ...{ kind: 'created', sectionResolved: false, sectionStatus: 'Open' },
    });
    // NK has no list of its own: it is in the one of NB.
    expect(await create({ indexNumber: '77777', campusCode: 'NK', email: 'bob@example.org' })).toMatchObject({
      sectionStatus: 'Open',
    });
  });

  test('before the catalog was read to its end, an index that is not in it may still come', async () => {
    await world.db.write.updateTable('courses').set({ seen_at: 0 }).execute();
    const made = await world.watch({ indexNumber: '99999' });
    expect(made).toMatchObject({ kind: 'created', sectionResolved: false, sectionStatus: 'Unknown' });
    // 8.4: nothing is known, and so nothing was told.
    expect(await world.subscription(made.subscriptionId)).toMatchObject({ last_known_section_status: null });
  });

  test('whoever has the table cannot tell whose hash it is, and no rotation of a secret changes it', async () => {
    await world.watch();
    const [row] = await rows();
    for (const plain of ['ana@example.org', 'ANA@EXAMPLE.ORG'])
      for (const name of ['sha1', 'sha256', 'md5'])
        expect(row?.contact_hash).not.toBe(createHash(name).update(plain).digest('hex'));
    expect(row?.contact_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(row)).not.toContain(tokenSecret);
  });

  test('a suppressed address hears what everybody hears, and gets no mail', async () => {
    await world.suppress('ana@example.org');
    const [theirs, others] = [await world.watch(), await world.watch({ email: 'bob@example.org' })];
    expect({ ...theirs, subscriptionId: 0, token: '' }).toEqual({ ...others, subscriptionId: 0, token: '' });
    const { db, clock, subscriptions } = world;
    const linkTo = (token: string) => `https://mail.example.org/${token}`;
    await world.send(
      createVerificationSource({
        ...{ db, clock, subscriptions, timeZone: 'America/New_York', tokenOf: (id) => id },
        links: { confirmUrl: linkTo, manageUrl: linkTo },
      }),
    );
    expect(world.provider.ledger.map(({ mail }) => mail.to)).toEqual(['bob@example.org']);
  });
});
