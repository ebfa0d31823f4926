import { afterEach, beforeEach, expect, it } from 'vitest';
import { raiseMark } from '../../src/db/time-mark.ts';
import type { Verdict } from '../../src/outbox/begin.ts';
import type { Claimed } from '../../src/outbox/claim.ts';
import type { Report } from '../../src/outbox/record.ts';
import { composed, createOutboxWorld, type OutboxWorld } from '../support/outbox-world.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';

/** Whoever holds a row hands over what it knows of it; what has happened to the row meanwhile must not be undone by that. */
onBothDatabases('a row that is known', (dialect) => {
  let world: OutboxWorld;
  beforeEach(async () => {
    world = await createOutboxWorld(dialect);
  });
  afterEach(() => world.close());

  const dayMs = 86_400_000;
  const reportOf = ({ seq, id, lease, known }: Claimed) => ({ seq, id, lease, actor: 'worker-1', known });
  const refused = (claimed: Claimed): Report => ({
    ...reportOf(claimed),
    ...{ event: 'refused_for_now', dueAt: world.clock.now() },
  });
  const accepted = (claimed: Claimed): Report => ({
    ...reportOf(claimed),
    ...{ event: 'accepted', round: claimed.round, at: world.clock.now(), messageId: `m-${claimed.seq}` },
  });
  async function beginAll(): Promise<Claimed[]> {
    const { sending } = await world.begin((await world.claim()).map(composed));
    return sending.map(({ claimed }) => claimed);
  }
  async function setBack(byMs: number): Promise<void> {
    const from = world.clock.now();
    await raiseMark(world.db, from);
    expect(await world.outbox.setBack({ from, to: from - byMs })).toBe(true);
  }

  it('is known from its claim to its record, where nobody has tried it before', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const claimed = await world.claim();
    expect(claimed[0]?.known?.state).toMatchObject({ status: 'claimed', evidence: 0 });
    const { sending } = await world.begin(claimed.map(composed));
    expect(sending[0]?.claimed.known?.state).toMatchObject({ status: 'sending', evidence: 4, round: 1 });
  });

  it('keeps what is heard of an earlier round while a later one is on its way, and tells it once', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [first] = await beginAll();
    if (!first) throw new Error('not begun');
    const { seq } = first;
    const heard = { seq, round: 1, at: world.clock.now(), actor: 'webhook' };
    const dueAt = world.clock.now();
    await world.outbox.record([{ ...heard, event: 'over_quota', dueAt, roundsMax: 3 }]);
    await world.outbox.enqueue([intentNumber(2)]);
    const [again, fresh] = await beginAll();
    if (!again || !fresh) throw new Error('not begun');
    expect([again.seq, again.round]).toEqual([seq, 2]);
    await world.outbox.record([{ ...heard, event: 'accepted' }]);
    const { sent_at: sentAt } = (await world.find(seq)) ?? {};
    expect(sentAt).toBe(heard.at);
    await world.clock.advance(10);
    await world.outbox.record([refused(again), accepted(fresh)]);
    expect(await world.find(seq)).toMatchObject({ status: 'failed_transient', sent_at: sentAt });
    expect(await world.find(fresh.seq)).toMatchObject({ status: 'sent' });
  });

  it('keeps its times as a clock that was set back has left them: from the send to the record', async () => {
    await world.outbox.enqueue([1, 2].map((number) => intentNumber(number)));
    const [doubtful, other] = await beginAll();
    if (!doubtful || !other) throw new Error('not begun');
    await setBack(3 * dayMs);
    const before = await world.find(doubtful.seq);
    await world.outbox.record([
      { ...reportOf(doubtful), event: 'outcome_unknown', dueAt: world.clock.now() },
      accepted(other),
    ]);
    expect(await world.find(doubtful.seq)).toMatchObject({
      status: 'reconciling',
      resubmit_until: before?.resubmit_until,
      first_possible_accept_at: before?.first_possible_accept_at,
    });
  });

  it('and from the claim to the send', async () => {
    const { toEmail: _, ...unaddressed } = intentNumber(2);
    await world.outbox.enqueue([intentNumber(1), unaddressed]);
    const batch = (await world.claim()).map(composed);
    const stopped = batch.find(({ claimed }) => claimed.toEmail === null);
    const left = batch.find((one) => one !== stopped);
    if (!stopped || !left) throw new Error('not claimed');
    await setBack(3 * dayMs);
    const { due_at: leaseEndsAt } = (await world.find(left.claimed.seq)) ?? {};
    const verdicts = new Map<number, Verdict>([[stopped.claimed.seq, { event: 'unsubscribed' }]]);
    await world.begin(batch, verdicts);
    expect(await world.find(left.claimed.seq)).toMatchObject({ status: 'sending', due_at: leaseEndsAt });
    expect(await world.find(stopped.claimed.seq)).toMatchObject({ status: 'skipped_unsubscribed' });
  });
});
