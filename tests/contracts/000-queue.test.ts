import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { seatPolicy } from '../../src/sources/course-seats/mail/seat-source.ts';
import { opening } from '../seats/events-world.ts';
import { isoOf } from '../seats/seats-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { busy, type ContractWorld, createContractWorld, type QueueRow } from './seats-contract-world.ts';

/** Spec 000, "Queue surface": `open_event_notifications`, as whoever reads and takes from it meets it. */
onBothDatabases('000 queue surface', (dialect) => {
  let world: ContractWorld;
  beforeAll(async () => {
    world = await createContractWorld(dialect);
  });
  beforeEach(() => world.says());
  afterAll(() => world.close());

  const lockTtlMs = 120_000;
  const fanOut = async () => {
    while ((await world.fanOut.runOnce()) > 0) {}
  };
  const rowsOf = (subscriptionId: number) =>
    world.db.read
      .selectFrom('open_event_notifications')
      .selectAll()
      .where('subscription_id', '=', subscriptionId)
      .execute();
  const watchOf = async ({ index, sectionId }: { index: string; sectionId: number }) =>
    world.addSubscription({ index_number: index, section_id: sectionId });

  /** The row while its mail is with the provider, and until when it is held. */
  async function inFlight({ seq }: { seq: number }): Promise<QueueRow & { heldUntil: number | null }> {
    const seen: (QueueRow & { heldUntil: number | null })[] = [];
    world.provider.answer(async ({ key, mail }) => {
      const delivery = await world.find(seq);
      if (mail.tags.delivery_id === delivery?.id)
        seen.push({ ...(await world.row(seq)), heldUntil: delivery?.due_at ?? null });
      return { kind: 'accepted', messageId: key };
    });
    await world.turn();
    const [row] = seen;
    if (!row) throw new Error('nothing left for this row');
    return row;
  }

  it('000-01 Between the fan-out and the worker there is the queue: told once, tried again, and read by who knows less', async () => {
    const one = await world.opened();
    await world.db.write
      .updateTable('open_event_fanouts')
      .set({ after_subscription_id: 0, finished_at: null })
      .where('open_event_id', '=', one.openEventId)
      .execute();
    await fanOut();
    world.says(busy());
    await world.turn();
    world.says();
    await world.turn();
    // Idempotent and retryable; and a payload with what nobody here knows is read all the same.
    expect(await rowsOf(one.subscriptionId)).toMatchObject([{ fanout_status: 'sent', fanout_attempts: 2 }]);
    const { index, sectionId } = await world.newSection();
    const payload = JSON.stringify({ courseTitle: 'TITLE', ofTheFuture: { seats: 3 }, snapshotHash: null });
    const event = await world.addOpenEvent({ index_number: index, section_id: sectionId, payload });
    const seq = await world.tell(event, await watchOf({ index, sectionId }));
    await world.turn();
    expect(await world.words(seq)).toBe('sent 1');
  });

  it('000-02 All that is known of a delivery is in the database: whoever starts anew goes on where the others stopped', async () => {
    const one = await world.opened();
    world.says(busy(9_000));
    await world.turn();
    // Each turn is a dispatch of its own, which remembers nothing; so does one that comes too early.
    world.says();
    await world.turn();
    expect(await world.words(one.seq)).toBe('pending mailbox_busy 1');
    await world.clock.advance(9_000);
    await world.turn();
    expect(await world.words(one.seq)).toBe('sent 2');
    const [first, second] = world.parcelsOf(one);
    expect(second).toMatchObject({ key: first?.key, mail: first?.mail });
  });

  it.each(['Closed', 'Wait'] as const)(
    '000-03 A row is made when a section flips to Open: from %s, and not when it closes or stays',
    async (before) => {
      const section = await world.newSection(before);
      const watcher = await watchOf(section);
      await world.record([{ indexNumber: section.index, statusBefore: before, statusAfter: 'Open' }]);
      await fanOut();
      expect(await rowsOf(watcher)).toMatchObject([{ fanout_status: 'pending', fanout_attempts: 0 }]);
      await world.closes(section.index);
      await fanOut();
      expect(await rowsOf(watcher)).toHaveLength(1);
    },
  );

  it('000-04 A row has the ten fields, and no others', async () => {
    const { seq, openEventId, subscriptionId } = await world.opened();
    const [event] = (await world.recorded()).slice(-1);
    expect(await world.row(seq)).toEqual({
      ...{ notification_id: seq, open_event_id: openEventId, subscription_id: subscriptionId },
      ...{ dedupe_key: event?.dedupe_key, fanout_status: 'pending', fanout_attempts: 0 },
      ...{ last_attempt_at: null, locked_by: null, locked_at: null, error: null },
    });
  });

  it('000-05 Its status is one of five words, whatever became of it', async () => {
    const [pending, sent, skipped, failed, expired] = [
      await world.opened({ snooze_until: world.clock.now() + 3_600_000 }),
      await world.opened(),
      await world.opened({ contact_type: 'sms' }),
      await world.opened(),
      await world.opened(),
    ];
    await world.closes(expired.index);
    const error = { code: 'rejected', message: 'no' };
    world.provider.answer(({ key, mail: { tags } }) =>
      tags.subscription_id === String(failed.subscriptionId)
        ? { kind: 'refused_for_good', error }
        : { kind: 'accepted', messageId: key },
    );
    await world.turn();
    const words = await Promise.all(
      [pending, sent, skipped, failed, expired].map(async ({ seq }) => (await world.row(seq)).fanout_status),
    );
    expect(words).toEqual(['pending', 'sent', 'skipped', 'failed', 'expired']);
  });

  it('000-06 Its error is JSON text, when it was sent as when it was not', async () => {
    const [sent, skipped] = [await world.opened(), await world.opened({ contact_type: 'sms' })];
    await world.turn();
    for (const { subscriptionId } of [sent, skipped]) {
      const [row] = await rowsOf(subscriptionId);
      expect(typeof row?.error).toBe('string');
      expect(JSON.parse(row?.error ?? '')).toBeTypeOf('object');
    }
  });

  it('000-07 Only pending rows whose lock is free or old are taken', async () => {
    const ended = await world.opened();
    await world.turn();
    const held = await world.opened();
    const hold = { source: 'course-seats', worker: 'another', limit: 100, leaseMs: lockTtlMs } as const;
    await world.outbox.claim({ ...hold, from: 'urgent' });
    const free = await world.opened();
    await world.turn();
    expect([free, held, ended].map((each) => world.parcelsOf(each).length)).toEqual([1, 0, 1]);
    await world.clock.advance(lockTtlMs - 1);
    await world.lookAfter();
    await world.turn();
    expect(await world.row(held.seq)).toMatchObject({ fanout_status: 'pending', locked_by: 'another' });
    await world.clock.advance(2);
    await world.lookAfter();
    await world.turn();
    expect(await world.words(held.seq)).toBe('sent 1');
    expect([free, held, ended].map((each) => world.parcelsOf(each).length)).toEqual([1, 1, 1]);
  });

  it('000-08 A lock lasts for 120 seconds', async () => {
    const { heldUntil } = await inFlight(await world.opened());
    expect(heldUntil).toBe(world.clock.now() + lockTtlMs);
    expect(seatPolicy.leaseMs).toBe(lockTtlMs);
  });

  it('000-09 Who takes a row writes its name and the hour into it', async () => {
    const one = await world.opened();
    expect(await inFlight(one)).toMatchObject({
      ...{ fanout_status: 'pending', locked_by: 'worker-1', locked_at: isoOf(world.clock.now()) },
    });
  });

  it('000-10 Each try that has ended is counted once, with its result: retryable, sent, failed', async () => {
    const [one, other] = [await world.opened(), await world.opened()];
    world.says(busy());
    await world.turn();
    expect(await world.words(one.seq)).toBe('pending mailbox_busy 1');
    const error = { code: 'rejected', message: 'no' };
    world.provider.answer(({ key, mail: { tags } }) =>
      tags.subscription_id === String(other.subscriptionId)
        ? { kind: 'refused_for_good', error }
        : { kind: 'accepted', messageId: key },
    );
    await world.turn();
    expect([await world.words(one.seq), await world.words(other.seq)]).toEqual([
      'sent 2',
      'failed rejected 2',
    ]);
    expect(world.parcelsOf(one)).toHaveLength(2);
  });

  it('000-11 To take a row counts nothing, neither does to lose it', async () => {
    const one = await world.opened();
    expect(await inFlight(one)).toMatchObject({ fanout_attempts: 0 });
    const lost = await world.opened();
    const hold = { source: 'course-seats', worker: 'another', limit: 100, leaseMs: lockTtlMs } as const;
    await world.outbox.claim({ ...hold, from: 'urgent' });
    expect(await world.row(lost.seq)).toMatchObject({ fanout_attempts: 0, locked_by: 'another' });
    await world.clock.advance(lockTtlMs);
    await world.lookAfter();
    expect(await world.row(lost.seq)).toMatchObject({ fanout_attempts: 0, locked_by: null });
  });

  it('000-12 Event and subscription are a row at most once, also by the hand of who writes SQL', async () => {
    const { seq, openEventId, subscriptionId } = await world.opened();
    expect(await world.tell(openEventId, subscriptionId)).toBe(seq);
    const found = await world.db.read
      .selectFrom('deliveries')
      .selectAll()
      .where('seq', '=', seq)
      .executeTakeFirstOrThrow();
    const copy = { ...found, seq: undefined as never, id: randomUUID() };
    await expect(world.db.write.insertInto('deliveries').values(copy).execute()).rejects.toThrow(/unique/i);
    expect(await rowsOf(subscriptionId)).toHaveLength(1);
  });

  it('000-13 Its dedupe key is that of its event', async () => {
    const [one, other] = [await world.opened(), await world.opened()];
    for (const { seq, openEventId } of [one, other]) {
      const event = (await world.recorded()).find(({ open_event_id }) => open_event_id === openEventId);
      expect(event?.dedupe_key).toMatch(/^[0-9a-f]{40}$/);
      expect((await world.row(seq)).dedupe_key).toBe(event?.dedupe_key);
    }
  });

  it('000-14 One mail for an opening and a watcher within three minutes, also where the minutes are cut (decision 0020)', async () => {
    const bucketMs = 180_000;
    await world.clock.advance(bucketMs - (world.clock.now() % bucketMs) - 1_000);
    const one = await world.opened();
    await world.turn();
    // Into the next bucket of the dedupe key, and within three minutes of the first sighting.
    await world.clock.advance(2_000);
    expect((await world.record([opening(one.index)])).repeated).toEqual([one.index]);
    await fanOut();
    await world.turn();
    expect(world.parcelsOf(one)).toHaveLength(1);
    expect(await rowsOf(one.subscriptionId)).toHaveLength(1);
  });

  it('000-15 The mail carries the dedupe key, and a key of its own for the provider (decision 0023)', async () => {
    const section = await world.newSection();
    const [one, other] = [await watchOf(section), await watchOf(section)];
    await world.opens(section.index);
    await fanOut();
    await world.turn();
    const sent = [one, other].flatMap((subscriptionId) => world.parcelsOf({ subscriptionId }));
    const [row] = await rowsOf(one);
    expect(sent.map(({ mail }) => mail.tags.dedupe_key)).toEqual([row?.dedupe_key, row?.dedupe_key]);
    // As the provider's key it would merge the two into one mail.
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
  });
});
