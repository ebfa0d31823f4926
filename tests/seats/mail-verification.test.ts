import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Tx } from '../../src/db/database.ts';
import {
  createVerificationSource,
  linkVariables,
} from '../../src/sources/course-seats/mail/verification-source.ts';
import type { Source } from '../../src/sources/source.ts';
import { onBothDatabases } from '../support/world.ts';
import { timeZone } from './mail-world.ts';
import { createSeatsWorld, type SeatsWorld } from './seats-world.ts';

onBothDatabases('a verification mail', (dialect) => {
  let world: SeatsWorld;
  let source: Source;
  let heard: string[];
  beforeEach(async () => {
    world = await createSeatsWorld(dialect);
    heard = [];
    source = createVerificationSource({
      ...{ db: world.db, clock: world.clock, timeZone },
      tokenOf: (tokenId) => `t-${tokenId}`,
      links: {
        confirmUrl: (token) => `https://seats.example.org/confirm/${token}`,
        manageUrl: (token) => `https://seats.example.org/manage/${token}`,
      },
      subscriptions: {
        left: async (id) => void heard.push(`left ${id}`),
        returned: async (id) => void heard.push(`returned ${id}`),
        recipientsAt: async () => [],
      },
    });
    world.keepBooks(source);
  });
  afterEach(() => world.close());

  const pending = { status: 'pending', verified_at: null, verifications: 1 } as const;
  const hour = 3_600_000;

  async function ask(subscription: number, request = 1, more: object = {}): Promise<number> {
    const [made] = await world.outbox.enqueue([
      {
        ...{ source: source.name, lane: 'urgent', occasion: `${subscription}-${request}` },
        ...{ recipient: String(subscription), expiresAt: world.clock.now() + 48 * hour, ...more },
      },
    ]);
    return made?.seq ?? 0;
  }

  const stateOf = async (seq: number) => {
    const row = await world.find(seq);
    const { code } = JSON.parse(row?.last_error ?? '{}') as { code?: string };
    return code === undefined ? row?.status : `${row?.status} ${code}`;
  };

  it('says what was asked, and has one link', async () => {
    const subscription = await world.addSubscription({ ...pending, token_id: 'abc' });
    const seq = await ask(subscription);
    await world.send(source);
    expect(await stateOf(seq)).toBe('sent');
    const [mail] = world.provider.ledger.map((parcel) => parcel.mail);
    expect(mail?.subject).toBe('Confirm: watch 01:198:111 section 05, index 09214');
    expect(mail?.text).toContain('Introduction to Computer Science\n01:198:111 section 05, index 09214');
    expect(mail?.text).toContain('\nhttps://seats.example.org/confirm/t-abc\n');
    expect(mail?.text).toMatch(/Please confirm by Fri,? 2 January, 19:00 EST\./);
    expect(mail?.tags).toMatchObject({ subscription_id: String(subscription), term: '12026' });
    // To be asked is not to be told: no seat mail is counted.
    expect(await world.subscription(subscription)).toMatchObject({
      notifications_sent: 0,
      status: 'pending',
    });
    expect(await world.eventsOf(subscription)).toEqual([]);
  });

  it('brings whoever watches already the link to their watch, and asks nothing', async () => {
    const watching = { status: 'paused', verified_at: 1, verifications: 2, token_id: 'abc' } as const;
    const seq = await ask(await world.addSubscription(watching), 2, { variables: linkVariables });
    await world.send(source);
    expect(await stateOf(seq)).toBe('sent');
    const [mail] = world.provider.ledger.map((parcel) => parcel.mail);
    expect(mail?.subject).toBe('Your link: 01:198:111 section 05, index 09214');
    expect(mail?.text).toContain('\nhttps://seats.example.org/manage/t-abc\n');
    expect(mail?.text).not.toContain('/confirm/');
    const gone = await ask(
      await world.addSubscription({ ...watching, status: 'unsubscribed', token_id: 'x' }),
      2,
      {
        variables: linkVariables,
      },
    );
    await world.send(source);
    expect(await stateOf(gone)).toBe('skipped_unsubscribed unsubscribed');
  });

  it.each([
    [{ status: 'active', verified_at: 1 }, 'skipped_ineligible already_verified'],
    [{ status: 'unsubscribed' }, 'skipped_unsubscribed unsubscribed'],
    [{ status: 'suppressed', verified_at: 1 }, 'skipped_ineligible already_verified'],
    [{ verifications: 2 }, 'expired superseded'],
    [{ contact_type: 'sms' }, 'failed_permanent not_email'],
    [{ contact_value: 'nobody' }, 'failed_permanent invalid_recipient'],
    [{ contact_value: null }, 'skipped_no_email no_address'],
  ] as const)('is not sent to a watch %j', async (change, state) => {
    const seq = await ask(await world.addSubscription({ ...pending, ...change }));
    await world.send(source);
    expect(await stateOf(seq)).toBe(state);
    expect(world.provider.ledger).toEqual([]);
  });

  it('is of no use after two days', async () => {
    const seq = await ask(await world.addSubscription(pending));
    await world.clock.advance(48 * hour);
    await world.send(source);
    expect(await stateOf(seq)).toBe('expired expired');
    expect(world.provider.ledger).toEqual([]);
  });

  it('that bounces suppresses the watch', async () => {
    const subscription = await world.addSubscription(pending);
    const seq = await ask(subscription);
    await world.send(source);
    const row = await world.find(seq);
    await world.outbox.record([
      {
        seq,
        event: 'bounced_for_good',
        round: 1,
        at: world.clock.now(),
        actor: 'webhook',
        id: row?.id ?? '',
      },
    ]);
    expect((await world.subscription(subscription)).status).toBe('suppressed');
    expect(await world.eventsOf(subscription)).toEqual(['suppressed']);
  });

  it('whose way out is used ends the watch, in the same transaction', async () => {
    await world.db.transaction(async (tx: Tx) => {
      await source.left?.(['7'], tx);
      await source.returned?.(['7'], tx);
    });
    expect(heard).toEqual(['left 7', 'returned 7']);
  });

  it("speaks spec 000's words", () => {
    const told = { wasAccepted: false, errorCode: null };
    expect(source.words({ ...told, status: 'skipped_ineligible' })).toBe('skipped');
    expect(source.words({ ...told, status: 'reconciling' })).toBe('pending');
  });
});
