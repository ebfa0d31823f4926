import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { busy, type ContractWorld, createContractWorld, type Opened } from './seats-contract-world.ts';

/** Spec 000: the operator's requeue, by the statement that the specification gives its parts of, on the queue that it names. */
onBothDatabases('000 requeue', (dialect) => {
  let world: ContractWorld;
  beforeAll(async () => {
    world = await createContractWorld(dialect);
  });
  beforeEach(() => world.says());
  afterAll(() => world.close());

  const resetting = sql`UPDATE open_event_notifications SET fanout_status='pending', fanout_attempts=0, error=NULL`;
  const requeue = ({ seq }: Opened) =>
    sql`${resetting} WHERE notification_id = ${seq}`.execute(world.db.write);

  async function deadLetter(): Promise<Opened> {
    const one = await world.opened();
    world.says(busy());
    for (const waitMs of [0, 0, 2_000]) {
      await world.clock.advance(waitMs);
      await world.turn();
    }
    world.says();
    expect(await world.words(one.seq)).toBe('failed mailbox_busy 3');
    return one;
  }
  const answers = async ({ seq }: Opened) => {
    const requests = await world.db.read
      .selectFrom('operator_requests')
      .select('answer')
      .where('delivery_seq', '=', seq)
      .orderBy('request_seq')
      .execute();
    return requests.map(({ answer }) => answer);
  };

  it('000-69 A dead letter that an operator resets is pending, as if never tried, and sent', async () => {
    const one = await deadLetter();
    await requeue(one);
    // A wish at first, which whoever looks after the queue grants: the outbox alone writes what becomes of a row.
    await world.sweep().runOnce();
    expect(await world.row(one.seq)).toMatchObject({
      ...{ fanout_status: 'pending', fanout_attempts: 0, error: null, locked_by: null, locked_at: null },
    });
    await world.turn();
    expect(await world.words(one.seq)).toBe('sent 1');
    expect(await world.eventsOf(one.subscriptionId)).toEqual([`notify_sent ${one.openEventId} Open`]);
  });

  it('000-69 It has all its attempts again', async () => {
    const one = await deadLetter();
    await requeue(one);
    await world.sweep().runOnce();
    world.says(busy());
    await world.turn();
    await world.turn();
    expect(await world.words(one.seq)).toBe('pending mailbox_busy 2');
    await world.clock.advance(2_000);
    await world.turn();
    expect(await world.words(one.seq)).toBe('failed mailbox_busy 3');
  });

  it('000-69 What bounced for the last time has no error either, once it was reset', async () => {
    const one = await world.opened();
    await world.turn();
    const back = { event: 'bounced_for_now', round: 1, at: world.clock.now(), roundsMax: 1 } as const;
    const error = { code: 'bounced', message: 'bounced: MailboxFull' };
    await world.outbox.record([{ seq: one.seq, actor: 'webhook', ...back, error }]);
    expect((await world.row(one.seq)).fanout_status).toBe('failed');
    await requeue(one);
    await world.sweep().runOnce();
    expect(await world.row(one.seq)).toMatchObject({ fanout_status: 'pending', error: null });
  });

  it('000-69 For all rows at once it repeats no mail, and leaves alone what somebody holds', async () => {
    const [dead, sent] = [await deadLetter(), await world.opened()];
    await world.turn();
    const held = await world.opened();
    const hold = { source: 'course-seats', worker: 'another', limit: 100, leaseMs: 120_000 } as const;
    await world.outbox.claim({ ...hold, from: 'urgent' });
    await resetting.execute(world.db.write);
    await world.sweep().runOnce();
    expect([await answers(dead), await answers(sent), await answers(held)]).toEqual([
      ['done'],
      ['no arrow'],
      ['no arrow'],
    ]);
    expect(await world.words(sent.seq)).toBe('sent 1');
    expect(await world.row(held.seq)).toMatchObject({ fanout_status: 'pending', locked_by: 'another' });
    await world.turn();
    expect(await world.words(dead.seq)).toBe('sent 1');
    expect(world.parcelsOf(sent)).toHaveLength(1);
  });
});
