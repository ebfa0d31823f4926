import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Status } from '../../src/domain/status.ts';
import { statuses, statusNames } from '../../src/domain/status.ts';
import { createWorld, intentNumber, onBothDatabases, type World } from '../support/world.ts';

const dayMs = 86_400_000;

onBothDatabases('remove', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());

  const occasion = 'old-occasion';
  const remove = (more: { occasions?: string[]; before?: number; limit?: number } = {}) =>
    world.outbox.remove({
      ...{ source: 'plain', occasions: [occasion], before: world.clock.now() - 30 * dayMs, limit: 100 },
      ...more,
    });
  const seqsLeft = async () =>
    (await world.db.read.selectFrom('deliveries').select('seq').orderBy('seq').execute()).map(
      ({ seq }) => seq,
    );

  /** By the outbox itself, so that the counts are its own. */
  async function expired(count: number, of = occasion): Promise<number[]> {
    const expiresAt = world.clock.now() + 1;
    const intents = Array.from({ length: count }, (_, number) =>
      intentNumber(number, { occasion: of, expiresAt }),
    );
    const made = await world.outbox.enqueue(intents);
    await world.clock.advance(1);
    await world.outbox.expire(count);
    return made.map(({ seq }) => seq);
  }

  it('004-57 what has ended goes with all that was kept beside it, and what is of another occasion stays', async () => {
    const [gone = 0] = await expired(1);
    const [stays = 0] = await expired(1, 'another');
    for (const seq of [gone, stays]) {
      await sql`INSERT INTO owed_facts (delivery_seq, source, fact, at, due_at, last_error) VALUES (${seq}, 'x', '{}', 1, 1, 'x')`.execute(
        world.db.write,
      );
      await sql`INSERT INTO operator_requests (delivery_seq, verb, reason, requested_by, requested_at, performed_at) VALUES (${seq}, 'requeued', 'x', 'x', 1, 1)`.execute(
        world.db.write,
      );
      await sql`INSERT INTO webhook_events (provider, provider_event_id, type, delivery_seq, received_at, processed_at, payload) VALUES ('resend', ${`event-${seq}`}, 'email.sent', ${seq}, 1, 1, '{}')`.execute(
        world.db.write,
      );
      await sql`INSERT INTO unsubscribe_tokens (token_id, source, recipient, created_at) VALUES (${`token-${seq}`}, 'plain', ${`person-${seq}`}, 1)`.execute(
        world.db.write,
      );
    }
    await world.clock.advance(31 * dayMs);
    expect(await remove()).toEqual({ count: 1, left: [] });
    expect(await seqsLeft()).toEqual([stays]);
    for (const table of ['delivery_mails', 'delivery_events', 'owed_facts', 'operator_requests'] as const) {
      const rows = await world.db.read.selectFrom(table).select('delivery_seq').execute();
      expect(new Set(rows.map(({ delivery_seq }) => delivery_seq)), table).toEqual(new Set([stays]));
    }
    // That a webhook came is known for ever: a repeat of it must not look new.
    const webhooks = await world.db.read
      .selectFrom('webhook_events')
      .selectAll()
      .orderBy('event_seq')
      .execute();
    expect(webhooks.map(({ delivery_seq, payload }) => [delivery_seq, payload])).toEqual([
      [null, null],
      [stays, '{}'],
    ]);
    expect(await world.db.read.selectFrom('unsubscribe_tokens').selectAll().execute()).toHaveLength(2);
  });

  it('only what has ended, whatever the status', async () => {
    const made = await expired(statusNames.length);
    for (const [place, status] of statusNames.entries()) await put(made[place] ?? 0, status);
    await world.clock.advance(31 * dayMs);
    const ended = statusNames.filter((status) => statuses[status].isFinal);
    expect(await remove()).toEqual({ count: ended.length, left: [occasion] });
    const left = await world.db.read.selectFrom('deliveries').select('status').execute();
    expect(left.map(({ status }) => status).sort()).toEqual(
      statusNames.filter((status) => !statuses[status].isFinal).sort(),
    );
  });

  it('the counts are the rows, before and after, and after they are folded', async () => {
    await expired(5);
    await expired(3, 'another');
    await world.outbox.enqueue([intentNumber(99)]);
    await world.clock.advance(31 * dayMs);
    expect(await world.queries.counts()).toEqual([
      { source: 'plain', status: 'pending', count: 1 },
      { source: 'plain', status: 'expired', count: 8 },
    ]);
    await remove();
    const after = [
      { source: 'plain', status: 'pending', count: 1 },
      { source: 'plain', status: 'expired', count: 3 },
    ];
    expect(await world.queries.counts()).toEqual(after);
    await world.outbox.foldCounts();
    expect(await world.queries.counts()).toEqual(after);
  });

  it('batch by batch, until nothing is left; a number is not given out again', async () => {
    const made = await expired(5);
    await world.clock.advance(31 * dayMs);
    expect(await remove({ limit: 2 })).toEqual({ count: 2, left: [occasion] });
    expect(await remove({ limit: 2 })).toEqual({ count: 2, left: [occasion] });
    expect(await remove({ limit: 2 })).toEqual({ count: 1, left: [] });
    expect(await remove({ limit: 2 })).toEqual({ count: 0, left: [] });
    const [again] = await world.outbox.enqueue([intentNumber(0, { occasion })]);
    expect(again?.isNew).toBe(true);
    expect(again?.seq).toBeGreaterThan(Math.max(...made));
  });

  it('not of which something was heard lately, nor what an operator has just asked for', async () => {
    const [asked = 0, attempted = 0, arrived = 0] = await expired(3);
    await world.clock.advance(31 * dayMs);
    const now = world.clock.now();
    await sql`INSERT INTO operator_requests (delivery_seq, verb, reason, requested_by, requested_at) VALUES (${asked}, 'requeued', 'x', 'x', 1)`.execute(
      world.db.write,
    );
    await world.db.write
      .updateTable('deliveries')
      .set({ last_attempt_at: now })
      .where('seq', '=', attempted)
      .execute();
    await world.db.write
      .updateTable('deliveries')
      .set({ delivered_at: now })
      .where('seq', '=', arrived)
      .execute();
    expect(await remove()).toEqual({ count: 0, left: [occasion] });
    await world.outbox.performRequests();
    await world.clock.advance(31 * dayMs);
    expect(await remove()).toEqual({ count: 2, left: [occasion] });
    expect(await seqsLeft()).toEqual([asked]);
  });

  it('in a transaction that comes to nothing, nothing is gone', async () => {
    const made = await expired(2);
    await world.clock.advance(31 * dayMs);
    const order = { source: 'plain', occasions: [occasion], before: world.clock.now(), limit: 10 };
    const broken = world.db.transaction(async (tx) => {
      await world.outbox.remove(order, tx);
      throw new Error('the power fails');
    });
    await expect(broken).rejects.toThrow('the power fails');
    expect(await seqsLeft()).toEqual(made);
    expect(await world.queries.counts()).toEqual([{ source: 'plain', status: 'expired', count: 2 }]);
    expect(await world.outbox.remove({ ...order, occasions: [] })).toEqual({ count: 0, left: [] });
  });

  it('is of one source', async () => {
    await expired(1);
    await world.clock.advance(31 * dayMs);
    const order = { source: 'other', occasions: [occasion], before: world.clock.now(), limit: 10 };
    expect(await world.outbox.remove(order)).toEqual({ count: 0, left: [] });
    expect(await seqsLeft()).toHaveLength(1);
  });

  /** As the constraints want it. */
  async function put(seq: number, status: Status): Promise<void> {
    const isHeld = status === 'claimed' || status === 'sending';
    const isInDoubt = ['sending', 'reconciling', 'needs_review'].includes(status);
    await world.db.write
      .updateTable('deliveries')
      .set({
        ...{ status, due_at: statuses[status].isDue ? 1 : null, locked_by: isHeld ? 'w' : null },
        ...{ first_possible_accept_at: isInDoubt ? 1 : null, sent_at: 1 },
      })
      .where('seq', '=', seq)
      .execute();
  }
});
