import { readdirSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Outcome } from '../../src/domain/outcome.ts';
import type { Policy } from '../../src/domain/policy.ts';
import { createReliable } from '../../src/providers/reliable.ts';
import { seatPolicy } from '../../src/sources/course-seats/mail/seat-source.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import { advanceUntil, onBothDatabases } from '../support/world.ts';
import { busy, type ContractWorld, createContractWorld, type Opened } from './seats-contract-world.ts';

/** Spec 001: the two texts on counting attempts agree, and `fanout_attempts` is what both say. */
onBothDatabases('001 attempts', (dialect) => {
  let world: ContractWorld;
  beforeAll(async () => {
    world = await createContractWorld(dialect);
  });
  beforeEach(() => world.says());
  afterAll(() => world.close());

  const rejected: Outcome = { kind: 'refused_for_good', error: { code: 'rejected' } };
  const lost: Outcome = { kind: 'unknown', error: { code: 'no_answer' } };
  const attemptsOf = async ({ seq }: Opened) => (await world.row(seq)).fanout_attempts;
  const waitOf = async ({ seq }: Opened) => ((await world.find(seq))?.due_at ?? 0) - world.clock.now();

  const results = [
    ['success', undefined, 'sent'],
    ['retryable', busy(), 'pending'],
    ['terminal', rejected, 'failed'],
  ] as [string, Outcome | undefined, string][];

  it.each(results)(
    '001-01 Each attempt is counted once, when it has ended: %s',
    async (_, outcome, status) => {
      const one = await world.opened();
      world.says(outcome);
      await world.turn();
      expect([await attemptsOf(one), (await world.row(one.seq)).fanout_status]).toEqual([1, status]);
      // As a seat's own end, without a sender (decision 0024).
      const other = await world.opened({ contact_type: 'sms' });
      await world.turn();
      expect(await attemptsOf(other)).toBe(1);
      world.says();
      await world.turn();
    },
  );

  it.each([...results, ['in doubt', lost, 'pending']] as typeof results)(
    '001-02 Nobody holds a row whose attempt has ended: %s',
    async (_, outcome, status) => {
      const one = await world.opened();
      const held: (string | null)[] = [];
      world.provider.answer(async ({ key, mail: { tags } }) => {
        if (tags.subscription_id === String(one.subscriptionId))
          held.push((await world.row(one.seq)).locked_by);
        return outcome ?? { kind: 'accepted', messageId: key };
      });
      await world.turn();
      expect(held).toEqual(['worker-1']);
      expect(await world.row(one.seq)).toMatchObject({
        ...{ fanout_status: status, locked_by: null, locked_at: null },
      });
      world.says();
      await world.clock.advance(5_000);
      await world.lookAfter();
      await world.turn();
    },
  );

  it('001-03 How often and how long is the contract’s word: the job says what the worker goes by', async () => {
    const one = await world.opened();
    const { maxAttempts, retryScheduleMs } = (await world.job(one.seq)).deliveryPolicy;
    world.says(busy());
    for (let attempt = 1; attempt < maxAttempts; attempt++) {
      await world.turn();
      const waitMs = await waitOf(one);
      expect(waitMs).toBe(retryScheduleMs[attempt - 1]);
      await world.clock.advance(waitMs);
    }
    await world.turn();
    expect(await world.words(one.seq)).toBe(`failed mailbox_busy ${maxAttempts}`);
  });

  it('001-04 Nothing is counted before the answer', async () => {
    const one = await world.opened();
    const counted: number[] = [];
    world.provider.answer(async ({ key, mail: { tags } }) => {
      if (tags.subscription_id !== String(one.subscriptionId)) return { kind: 'accepted', messageId: key };
      counted.push(await attemptsOf(one));
      return counted.length === 1 ? busy() : { kind: 'accepted', messageId: key };
    });
    await world.turn();
    await world.turn();
    expect([...counted, await attemptsOf(one)]).toEqual([0, 1, 2]);
  });

  it('001-05 The count is that of the queue: neither the sender’s own tries nor claims are in it', async () => {
    const one = await world.opened();
    const provider = createReliable(world.provider, { clock: world.clock, random: createSeededRandom(1) });
    world.says({ kind: 'refused_for_now', error: { code: 'connection_lost' } });
    await advanceUntil(world.clock, world.turn({ provider }));
    expect([world.parcelsOf(one).length, await attemptsOf(one)]).toEqual([3, 1]);
    const hold = { source: 'course-seats', worker: 'another', limit: 100, leaseMs: 1_000 } as const;
    await world.outbox.claim({ ...hold, from: 'urgent' });
    await world.clock.advance(1_000);
    await world.lookAfter();
    world.says();
    await world.turn();
    expect(await world.find(one.seq)).toMatchObject({ claims: 3, attempts: 2 });
    expect(await world.words(one.seq)).toBe('sent 2');
  });

  it('001-06 The slot is that of the count after the attempt', async () => {
    const scheduleMs: Policy['scheduleMs'] = { kind: 'list', delaysMs: [1_000, 5_000, 9_000] };
    const source = { ...world.source, policy: { ...seatPolicy, scheduleMs, attemptsMax: 4 } };
    const one = await world.opened();
    world.says(busy());
    for (const [attempts, waitMs] of [
      [1, 1_000],
      [2, 5_000],
      [3, 9_000],
    ] as const) {
      await world.turn({ source });
      expect([await attemptsOf(one), await waitOf(one)]).toEqual([attempts, waitMs]);
      await world.clock.advance(waitMs);
    }
  });

  it('001-07 A success is counted, too, and after failures with them', async () => {
    const [first, third] = [await world.opened(), await world.opened()];
    let refusals = 0;
    world.provider.answer(({ key, mail: { tags } }) =>
      tags.subscription_id === String(third.subscriptionId) && ++refusals <= 2
        ? busy()
        : { kind: 'accepted', messageId: key },
    );
    await world.turn();
    await world.turn();
    await world.clock.advance(2_000);
    await world.turn();
    expect([await world.words(first.seq), await world.words(third.seq)]).toEqual(['sent 1', 'sent 3']);
  });

  it('001-09 What was only documented then is enforced: no statement on the queue changes a count', async () => {
    const { seq } = await world.opened();
    for (const change of [
      'fanout_attempts = 1',
      "fanout_status = 'sent'",
      "fanout_attempts = 0, error = '{}'",
    ]) {
      const statement = sql`UPDATE open_event_notifications SET ${sql.raw(change)} WHERE notification_id = ${seq}`;
      await expect(statement.execute(world.db.write)).rejects.toThrow(/takes one change/);
    }
    expect(await world.words(seq)).toBe('pending 0');
  });
});

it('001-08 How many tries and how long between them is said in one place, and the contract’s defaults are the same', () => {
  const folder = new URL('../../src/sources/course-seats/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const saying = files.filter(
    (name) =>
      name.endsWith('.ts') &&
      !name.endsWith('.test.ts') &&
      /attemptsMax: \d|delaysMs: \[/.test(readFileSync(new URL(name, folder), 'utf8')),
  );
  expect(saying).toEqual(['mail/seat-source.ts']);
  const schema = JSON.parse(readFileSync(new URL('mail/mail-job.schema.json', folder), 'utf8'));
  const { maxAttempts, lockTtlSeconds, retryScheduleMs } = schema.properties.deliveryPolicy.properties;
  expect(seatPolicy).toMatchObject({
    ...{ attemptsMax: maxAttempts.default, leaseMs: lockTtlSeconds.default * 1000 },
    scheduleMs: { kind: 'list', delaysMs: retryScheduleMs.default },
  });
});
