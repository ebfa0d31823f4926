import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { bodyHash } from '../../src/domain/message.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';
import { signal } from '../support/dispatch-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { busy, type ContractWorld, createContractWorld, type Opened } from './seats-contract-world.ts';

/** Spec 000, "Ack/Nack and retry semantics": how a row ends without a mail, comes back, and changes hands. */
onBothDatabases('000 terminal nack, dead letter, lock expiry', (dialect) => {
  let world: ContractWorld;
  beforeAll(async () => {
    world = await createContractWorld(dialect);
  });
  beforeEach(() => world.says());
  afterAll(() => world.close());

  const rejected: Outcome = {
    ...{ kind: 'refused_for_good', error: { code: 'rejected', provider: 'fake', message: 'not this one' } },
  };
  const noMailbox: Outcome = {
    ...{ kind: 'refused_for_good', error: { code: 'mailbox_unknown', message: 'no such user' } },
  };
  const leaves = async ({ subscriptionId }: Opened) => {
    await world.db.write
      .updateTable('subscriptions')
      .set({ status: 'unsubscribed' })
      .where('subscription_id', '=', subscriptionId)
      .execute();
  };

  it('000-58 A recipient that is none ends the row, by our word or by the provider’s', async () => {
    const [none, unknown] = [await world.opened({ contact_value: 'nobody' }), await world.opened()];
    world.says(noMailbox);
    await world.turn();
    expect(await world.words(none.seq)).toBe('skipped invalid_recipient 1');
    expect(await world.words(unknown.seq)).toBe('skipped mailbox_unknown 1');
    expect(world.parcelsOf(none)).toEqual([]);
  });

  it('000-59 A language or a variable that is missing ends the row', async () => {
    const foreign = await world.opened({ locale: 'fr' });
    await world.turn();
    const short = await world.opened();
    const untitled = world.drafting(short, ({ props: { courseTitle: _, ...props } }) => ({ props }));
    await world.turn({ source: untitled });
    expect(await world.words(foreign.seq)).toBe('skipped missing_locale 1');
    expect(await world.words(short.seq)).toBe('skipped missing_variable 1');
    expect([foreign, short].flatMap(world.parcelsOf)).toEqual([]);
  });

  it('000-60 Who has left meanwhile is not told', async () => {
    const one = await world.opened();
    await leaves(one);
    await world.turn();
    expect(await world.words(one.seq)).toBe('skipped unsubscribed 1');
    expect(world.parcelsOf(one)).toEqual([]);
  });

  it('000-61 A contact that is no address ends the row', async () => {
    const one = await world.opened({ contact_type: 'webpush', contact_value: 'https://push.example.org/1' });
    await world.turn();
    expect(await world.words(one.seq)).toBe('skipped not_email 1');
  });

  it('000-62 An end is an attempt, also where no sender was asked (decision 0024), and counts on', async () => {
    const [left, refused, none] = [
      await world.opened(),
      await world.opened(),
      await world.opened({ contact_value: null }),
    ];
    world.says(busy());
    await world.turn();
    await leaves(left);
    world.says(rejected);
    await world.turn();
    expect(await world.words(left.seq)).toBe('skipped unsubscribed 2');
    expect(await world.words(refused.seq)).toBe('failed rejected 2');
    expect(await world.words(none.seq)).toBe('skipped no_address 1');
  });

  it.each([
    ['paused', { status: 'paused' }],
    ['unverified', { status: 'pending' }],
    ['not_wanted', { notify_on: '["closed"]' }],
    ['max_notifications', { max_notifications: 1, notifications_sent: 1 }],
  ] as const)('000-63 What nobody can do anything about is skipped: %s', async (code, change) => {
    const one = await world.opened();
    await world.db.write
      .updateTable('subscriptions')
      .set(change)
      .where('subscription_id', '=', one.subscriptionId)
      .execute();
    await world.turn();
    expect(await world.words(one.seq)).toBe(`skipped ${code} 1`);
  });

  it('000-64 What somebody should look into has failed: a refusal of the provider, a template that is not there', async () => {
    const [refused, misnamed] = [await world.opened(), await world.opened()];
    const source = world.drafting(misnamed, () => ({ template: 'no-such-template' }));
    world.says(rejected);
    await world.turn({ source });
    expect(await world.words(refused.seq)).toBe('failed rejected 1');
    expect(await world.words(misnamed.seq)).toBe('failed missing_template 1');
  });

  it('000-65 An end says why, in a code and a sentence, and nobody holds it', async () => {
    const stopped = await world.opened({ contact_value: 'stopped.65@example.org' });
    await world.suppress('stopped.65@example.org');
    const [left, refused] = [await world.opened(), await world.opened({ contact_value: 'nobody' })];
    await leaves(left);
    const none = await world.opened({ contact_value: null });
    await world.turn();
    const codes = ['address_suppressed', 'unsubscribed', 'invalid_recipient', 'no_address'];
    for (const [at, { seq }] of [stopped, left, refused, none].entries()) {
      expect(await world.row(seq)).toMatchObject({
        ...{ fanout_status: 'skipped', locked_by: null, locked_at: null },
        error: { code: codes[at], message: expect.stringMatching(/^[A-Z].*\.$/) },
      });
    }
  });

  it('000-66 After as many refusals as there are attempts the row has failed', async () => {
    const one = await world.opened();
    world.says(busy());
    const words: string[] = [];
    for (const waitMs of [0, 0, 2_000, 60_000]) {
      await world.clock.advance(waitMs);
      await world.turn();
      words.push(await world.words(one.seq));
    }
    const dead = 'failed mailbox_busy 3';
    expect(words).toEqual(['pending mailbox_busy 1', 'pending mailbox_busy 2', dead, dead]);
    expect(world.parcelsOf(one)).toHaveLength(3);
  });

  it('000-67 But not regardless of the result: what the last attempt has sent is sent', async () => {
    const one = await world.opened();
    world.says(busy());
    await world.turn();
    await world.turn();
    world.says();
    await world.clock.advance(2_000);
    await world.turn();
    expect(await world.words(one.seq)).toBe('sent 3');
  });

  it('000-68 What has failed says what the last attempt came to, also where its mail had left and came back', async () => {
    const dead = await world.opened();
    world.says(busy(3_000));
    for (let times = 0; times < 3; times++) {
      await world.turn();
      await world.clock.advance(3_000);
    }
    world.says();
    expect(await world.row(dead.seq)).toMatchObject({
      fanout_status: 'failed',
      error: { code: 'mailbox_busy', provider: 'fake', message: 'come again', retryAfterSeconds: 3 },
    });
    const bounced = await world.opened();
    await world.turn();
    const error = { code: 'bounced', message: 'bounced: MailboxFull' };
    const round = (await world.find(bounced.seq))?.round ?? 0;
    const back = { event: 'bounced_for_now', round, at: world.clock.now(), roundsMax: 1, error } as const;
    await world.outbox.record([{ seq: bounced.seq, actor: 'webhook', ...back }]);
    expect(await world.row(bounced.seq)).toMatchObject({ fanout_status: 'failed', error });
  });

  it('000-70 A row whose worker died in mid-attempt is taken over when the lock is over, and not before', async () => {
    const one = await sendAndDie();
    await world.clock.advance(119_999);
    await world.lookAfter();
    expect(await world.row(one.seq)).toMatchObject({ fanout_status: 'pending', locked_by: 'worker-1' });
    expect(world.parcelsOf(one)).toHaveLength(1);
    await world.clock.advance(1);
    await world.lookAfter();
    expect(await world.row(one.seq)).toMatchObject({ fanout_status: 'sent', locked_by: null });
  });

  it('000-71 Who takes over sends the same under the same key, so that the provider makes one mail of it (decision 0023)', async () => {
    const one = await sendAndDie();
    await world.clock.advance(120_000);
    await world.lookAfter();
    const parcels = world.parcelsOf(one);
    expect(parcels).toHaveLength(2);
    expect(new Set(parcels.map(({ key, mail }) => `${key} ${bodyHash(mail)}`)).size).toBe(1);
    expect(await world.eventsOf(one.subscriptionId)).toEqual([`notify_sent ${one.openEventId} Open`]);
  });

  /** A worker hands the mail over and dies before it has written anything down. */
  async function sendAndDie(): Promise<Opened> {
    const one = await world.opened();
    const dead: Outbox = { ...world.outbox, record: () => new Promise(() => {}) };
    void world.dispatch({ outbox: dead, source: world.source }).runOnce(signal());
    while (world.parcelsOf(one).length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    return one;
  }
});
