import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Policy } from '../../src/domain/policy.ts';
import { outcomeOf } from '../../src/providers/resend-answer.ts';
import { isoOf } from '../seats/seats-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { busy, type ContractWorld, createContractWorld, type Opened } from './seats-contract-world.ts';

/** Spec 000, "Ack/Nack and retry semantics": what was sent, and what is tried again. */
onBothDatabases('000 ack and retryable nack', (dialect) => {
  let world: ContractWorld;
  beforeAll(async () => {
    world = await createContractWorld(dialect);
  });
  beforeEach(() => world.says());
  afterAll(() => world.close());

  /** Until which moment the row is left alone, from now. */
  const waitOf = async ({ seq }: Opened) => ((await world.find(seq))?.due_at ?? 0) - world.clock.now();
  const sourceWith = (policy: Partial<Policy>) => ({
    ...world.source,
    policy: { ...world.source.policy, ...policy },
  });

  describe('ack', () => {
    let one: Opened;
    beforeAll(async () => {
      one = await world.opened();
      world.says();
      await world.turn();
    });

    it('000-45 A send that was accepted is one attempt', async () => {
      expect((await world.row(one.seq)).fanout_attempts).toBe(1);
      // After one that was refused, the second.
      const other = await world.opened();
      world.says(busy());
      await world.turn();
      world.says();
      await world.turn();
      expect(await world.words(other.seq)).toBe('sent 2');
    });

    it('000-46 It is sent, and nobody takes it again', async () => {
      expect((await world.row(one.seq)).fanout_status).toBe('sent');
      await world.turn();
      expect(world.parcelsOf(one)).toHaveLength(1);
    });

    it('000-47 Its error is the last attempt: which provider, under which number, sent', async () => {
      const { error } = await world.row(one.seq);
      expect(error).toEqual({
        ...{ provider: 'fake', providerMessageId: `id-${world.parcelsOf(one)[0]?.key}`, status: 'sent' },
      });
    });

    it('000-48 Nobody holds it', async () => {
      expect(await world.row(one.seq)).toMatchObject({ locked_by: null, locked_at: null });
    });

    it.each(['Open', 'Closed'] as const)(
      '000-49 The subscription’s story says that it was told, and what the section was then: %s',
      async (status) => {
        const other = await world.opened();
        expect(await world.eventsOf(other.subscriptionId)).toEqual([]);
        await world.believe(status, other.index);
        await world.turn();
        expect(await world.eventsOf(other.subscriptionId)).toEqual([
          `notify_sent ${other.openEventId} ${status}`,
        ]);
      },
    );
  });

  it('000-50 Whether it is tried again is decided by the code of the answer', async () => {
    const answered = (status: number, name: string) =>
      outcomeOf(
        { kind: 'answered', status, headers: {}, bodyText: JSON.stringify({ name, message: 'why' }) },
        world.clock.now(),
      );
    const [again, never] = [await world.opened(), await world.opened()];
    world.provider.answer(({ mail: { tags } }) =>
      tags.subscription_id === String(again.subscriptionId)
        ? answered(451, 'security_error')
        : answered(422, 'validation_error'),
    );
    await world.turn();
    expect([await world.words(again.seq), await world.words(never.seq)]).toEqual([
      'pending security_error 1',
      'failed validation_error 1',
    ]);
  });

  describe('retryable nack', () => {
    let one: Opened;
    let at: string;
    beforeAll(async () => {
      one = await world.opened();
      await world.clock.advance(5_000);
      at = isoOf(world.clock.now());
      world.says(busy(90_000));
      await world.turn();
    });

    it('000-51 A send that was refused for now is one attempt', async () => {
      expect((await world.row(one.seq)).fanout_attempts).toBe(1);
    });

    it('000-52 It stays pending', async () => {
      expect((await world.row(one.seq)).fanout_status).toBe('pending');
    });

    it('000-53 The moment of the last attempt is that of the last attempt', async () => {
      expect((await world.row(one.seq)).last_attempt_at).toBe(at);
      const other = await world.opened();
      const moments: (string | null)[] = [];
      for (let times = 0; times < 2; times++) {
        world.says(busy());
        await world.turn();
        moments.push((await world.row(other.seq)).last_attempt_at, isoOf(world.clock.now()));
        await world.clock.advance(1_000);
      }
      expect([moments[0], moments[2]]).toEqual([moments[1], moments[3]]);
    });

    it('000-54 Its error is the last attempt, with the wait that was asked for, if one was', async () => {
      const attempt = { code: 'mailbox_busy', provider: 'fake', message: 'come again' };
      expect((await world.row(one.seq)).error).toEqual({ ...attempt, retryAfterSeconds: 90 });
      const other = await world.opened();
      world.says(busy());
      await world.turn();
      expect((await world.row(other.seq)).error).toEqual(attempt);
    });

    it('000-55 Nobody holds it', async () => {
      expect(await world.row(one.seq)).toMatchObject({ locked_by: null, locked_at: null });
    });
  });

  it('000-56 The next try waits by the slot of the attempts that have ended: 0, then 2, then 7 seconds', async () => {
    // With the specification's three attempts the third is the last, and its slot is not waited for (000-66).
    const source = sourceWith({ attemptsMax: 5 });
    const one = await world.opened();
    world.says(busy());
    const waits: number[] = [];
    for (let times = 0; times < 3; times++) {
      await world.turn({ source });
      waits.push(await waitOf(one));
      await world.clock.advance(Math.max(0, (waits.at(-1) ?? 0) - 1));
      if ((waits.at(-1) ?? 0) > 0) await world.turn({ source });
      expect(world.parcelsOf(one)).toHaveLength(times + 1);
      await world.clock.advance(1);
    }
    expect(waits).toEqual([0, 2_000, 7_000]);
    expect((await world.job(one.seq)).deliveryPolicy.retryScheduleMs).toEqual(waits);
    world.says();
    await world.turn({ source });
    expect(await world.words(one.seq)).toBe('sent 4');
  });

  it('000-57 Our own wait is never longer than a lock; the provider’s wish may be, and locks nothing', async () => {
    const source = sourceWith({ scheduleMs: { kind: 'list', delaysMs: [600_000] } });
    const [ours, theirs] = [await world.opened(), await world.opened()];
    world.provider.answer(({ mail: { tags } }) =>
      busy(tags.subscription_id === String(theirs.subscriptionId) ? 600_000 : undefined),
    );
    await world.turn({ source });
    expect([await waitOf(ours), await waitOf(theirs)]).toEqual([120_000, 600_000]);
    expect(await world.row(theirs.seq)).toMatchObject({ fanout_status: 'pending', locked_at: null });
  });
});
