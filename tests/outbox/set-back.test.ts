import { afterEach, beforeEach, expect, it } from 'vitest';
import { raiseMark, readMark } from '../../src/db/time-mark.ts';
import { type Status, statuses, statusNames } from '../../src/domain/status.ts';
import { rowIn } from '../support/rows.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';

const hourMs = 3_600_000;

onBothDatabases('a clock that was set back', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());

  const setBack = async (byMs = 20 * hourMs) => {
    const from = world.clock.now();
    await raiseMark(world.db, from);
    return { from, to: from - byMs };
  };
  const rowOf = async (seq: number) => {
    const row = await world.queries.find(String(seq));
    if (!row) throw new Error(`no delivery ${seq}`);
    return row;
  };

  it.each(statusNames)(
    'takes with it the times of what waits, is held or in doubt: %s',
    async (status: Status) => {
      const seq = await rowIn(world, status, 1);
      const before = await rowOf(seq);
      const order = await setBack();
      expect(await world.outbox.setBack(order)).toBe(true);
      const after = await rowOf(seq);
      const isOpen = before.due_at !== null || status === 'needs_review';
      expect(isOpen).toBe(!statuses[status].isFinal);
      const moved = (at: number | null) => (at === null || !isOpen ? at : at - 20 * hourMs);
      expect(after).toEqual({
        ...before,
        ...{ due_at: moved(before.due_at), locked_at: moved(before.locked_at) },
        ...{ last_attempt_at: moved(before.last_attempt_at) },
        first_possible_accept_at: moved(before.first_possible_accept_at),
        // Nobody knows how long it has been.
        resubmit_until: before.resubmit_until === null ? null : order.to,
      });
    },
  );

  it('seed 22: makes no key longer known than it was: one that is over stays over', async () => {
    const seq = await rowIn(world, 'reconciling', 1);
    const until = world.clock.now() - 22 * hourMs;
    await world.db.write.updateTable('deliveries').set({ resubmit_until: until }).execute();
    await world.outbox.setBack(await setBack());
    expect((await rowOf(seq)).resubmit_until).toBe(until);
  });

  it('of two processes that notice it, one sees to it', async () => {
    const seq = await rowIn(world, 'pending', 1);
    const { due_at: dueAt } = await rowOf(seq);
    const order = await setBack();
    const answers = await Promise.all([world.outbox.setBack(order), world.outbox.setBack(order)]);
    expect(answers.sort()).toEqual([false, true]);
    expect((await rowOf(seq)).due_at).toBe((dueAt ?? 0) - 20 * hourMs);
    expect(await readMark(world.db)).toBe(order.to);
  });

  it('takes with it when the mail of what is open was written, and of nothing else', async () => {
    const at = world.clock.now();
    const seqs = [await rowIn(world, 'reconciling', 1), await rowIn(world, 'delivered', 2)];
    await world.db.write.updateTable('delivery_mails').set({ frozen_at: at }).execute();
    await world.outbox.setBack(await setBack(hourMs));
    const mails = await world.db.read
      .selectFrom('delivery_mails')
      .select(['delivery_seq', 'frozen_at'])
      .orderBy('delivery_seq')
      .execute();
    expect(mails).toEqual(
      [at - hourMs, at].map((frozen_at, index) => ({ delivery_seq: seqs[index], frozen_at })),
    );
  });

  it('takes with it webhooks that wait, bookkeeping that is owed, and the pace', async () => {
    const { db } = world;
    const at = world.clock.now();
    await db.write
      .insertInto('provider_pace')
      .values({ account: 'a', next_slot_at: at, paused_until: at, open_since: at, probe_at: at })
      .execute();
    await db.write
      .insertInto('webhook_events')
      .values({
        ...{
          provider: 'resend',
          provider_event_id: 'e',
          type: 't',
          provider_message_id: null,
          payload: '{}',
        },
        ...{ happened_at: null, received_at: at, due_at: at },
      })
      .execute();
    const owed = { delivery_seq: await rowIn(world, 'sent', 1), source: 'plain', fact: '{}', last_error: '' };
    await db.write
      .insertInto('owed_facts')
      .values({ ...owed, at, due_at: at })
      .execute();
    await world.outbox.setBack(await setBack(hourMs));
    const [fact] = await db.read.selectFrom('owed_facts').select('due_at').execute();
    expect(fact).toEqual({ due_at: at - hourMs });
    const [pace] = await db.read.selectFrom('provider_pace').selectAll().execute();
    expect(pace).toMatchObject({
      ...{
        next_slot_at: at - hourMs,
        paused_until: at - hourMs,
        open_since: at - hourMs,
        probe_at: at - hourMs,
      },
    });
    const [event] = await db.read.selectFrom('webhook_events').select(['due_at', 'received_at']).execute();
    expect(event).toEqual({ due_at: at - hourMs, received_at: at });
  });
});
