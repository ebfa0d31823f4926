import { afterEach, expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { intents } from './engine-world.ts';
import { createHonestWorld, everyMs, type HonestWorld, times } from './honest-world.ts';
import { dayMs, hourMs, minuteMs } from './times.ts';

/**
 * What docs/proof.md says about a day of outage, clause by clause. What cannot be helped is told here, too: a limit that nobody
 * tests is a promise.
 */
onBothDatabases('what happens when', (dialect) => {
  let world: HonestWorld;
  afterEach(() => world.close());

  it('the provider refuses connections for a day: nothing is tried in vain, given up or lost, and urgent mail goes first', async () => {
    world = await createHonestWorld(dialect);
    world.provider.mood = 'unreachable';
    const bulk = await world.enqueue(...intents(1, 6, { lane: 'bulk' }));
    const normal = await world.enqueue(...intents(11, 16, { lane: 'normal' }));
    await world.live(12 * hourMs, everyMs);
    const urgent = await world.enqueue(...intents(21, 24, { lane: 'urgent' }));
    const tooLate = await world.enqueue(
      ...intents(31, 32, { lane: 'urgent', expiresAt: world.clock.now() + 6 * hourMs }),
    );
    await world.live(12 * hourMs, everyMs);

    expect(await world.statuses()).toEqual({ pending: 16, expired: 2 });
    // The four that were on their way when the connections were refused; after them nobody was sent.
    expect(world.provider.calls).toHaveLength(4);
    expect(world.provider.probes).toBeGreaterThanOrEqual(36);
    expect(world.told('provider.circuit_opened', 'provider.circuit_closed')).toEqual([1, 0]);
    expect(world.told('provider.still_down')).toEqual([world.provider.probes]);
    const waiting = await Promise.all([...bulk, ...normal, ...urgent].map((seq) => world.find(seq)));
    expect(waiting.map(({ attempts, lapses }) => attempts + lapses)).toEqual(times(16, 0));

    world.provider.mood = 'well';
    await world.live(5 * minuteMs);
    expect(await world.statuses()).toEqual({ sent: 16, expired: 2 });
    expect(await world.timesAccepted([...bulk, ...normal, ...urgent])).toEqual(times(16, 1));
    expect(await world.timesAccepted(tooLate)).toEqual([0, 0]);
    expect(await world.story(tooLate[0] ?? 0)).toEqual(['expired → expired']);
    const lanes = await Promise.all(world.provider.ledger.map(async ({ key }) => laneOf(key)));
    // Of the others the last keep their share.
    expect(lanes.slice(0, 4)).toEqual(times(4, 'urgent'));
    expect(world.told('provider.circuit_closed')).toEqual([1]);
    const sent = await Promise.all([...bulk, ...normal, ...urgent].map((seq) => world.find(seq)));
    expect(sent.map(({ attempts }) => attempts)).toEqual(times(16, 1));

    async function laneOf(id: string): Promise<string> {
      const rows = await Promise.all([...bulk, ...normal, ...urgent].map((seq) => world.find(seq)));
      return rows.find((row) => row.id === id)?.lane ?? '';
    }
  });

  it.each([
    ['a look-up finds what had arrived, and what had not goes out', true, ['sent', 'sent'], [1, 1], 1],
    ['without a look-up a person decides', false, ['needs_review', 'needs_review'], [1, 0], 0],
  ] as const)(
    'mails were in doubt when the provider went away for a day: afterwards their keys are not relied on; %s',
    async (_, canLookUp, ends, accepted, alerts) => {
      world = await createHonestWorld(dialect, { canLookUp });
      world.provider.mood = 'mute';
      const [arrived = 0] = await world.enqueue(...intents(1, 1));
      await world.sendAndDie();
      world.provider.mood = 'deaf';
      const [lost = 0] = await world.enqueue(...intents(2, 2));
      await world.sendAndDie();
      // Somebody finds out that nobody is there, so that what is in doubt is left alone, too.
      world.provider.mood = 'unreachable';
      const others = await world.enqueue(...intents(3, 5));
      await world.live(dayMs, everyMs);
      expect(await world.statusesOf([arrived, lost])).toEqual(['reconciling', 'reconciling']);
      expect(await world.timesAccepted([arrived, lost])).toEqual([1, 0]);

      world.provider.mood = 'well';
      await world.live(10 * minuteMs);
      expect(await world.statusesOf([arrived, lost])).toEqual(ends);
      expect(await world.timesAccepted([arrived, lost])).toEqual(accepted);
      expect(await world.timesAccepted(others)).toEqual([1, 1, 1]);
      expect(world.told('delivery.not_at_provider')).toEqual([alerts]);
      expect(world.told('delivery.undecidable')).toEqual([canLookUp ? 0 : 2]);
    },
  );

  it.each([
    ['can be asked later', true],
    ['cannot be asked', false],
  ] as const)(
    'every answer is lost for a day, of a provider that %s: what it accepted is never accepted twice, and a person is asked when its key is over',
    async (_, canLookUp) => {
      world = await createHonestWorld(dialect, { canLookUp });
      world.provider.mood = 'mute';
      const first = await world.enqueue(...intents(1, 3));
      const startedAt = world.clock.now();
      await world.live(23 * hourMs - 10 * minuteMs, everyMs);
      expect(await world.statusesOf(first)).toEqual(times(3, 'reconciling'));
      const callsBefore = world.provider.calls.length;
      expect(callsBefore).toBeGreaterThan(20);
      const later = await world.enqueue(...intents(4, 5));
      await world.live(70 * minuteMs, 5 * minuteMs);

      // The second submission under a key is the same mail to a provider that knows it, and there is none after 23 hours.
      expect(await world.timesAccepted([...first, ...later])).toEqual(times(5, 1));
      const keys = new Set(await Promise.all(first.map(async (seq) => (await world.find(seq)).id)));
      const latest = Math.max(...world.provider.calls.filter(({ key }) => keys.has(key)).map(({ at }) => at));
      expect(latest - startedAt).toBeGreaterThan(22 * hourMs);
      expect(latest - startedAt).toBeLessThan(23 * hourMs);
      expect(await world.statusesOf(first)).toEqual(times(3, 'needs_review'));
      expect(world.told('delivery.undecidable')).toEqual([3]);
      // None of the tries counts against the mail: an answer that was lost is no refusal.
      expect(world.log.lines.filter(({ event }) => event === 'delivery.not_at_provider')).toEqual([]);

      world.provider.mood = 'well';
      await world.live(35 * minuteMs);
      expect(await world.statusesOf(later)).toEqual(['sent', 'sent']);
      // A webhook that was late by a day still settles it, with nobody's help.
      const { deliveryId, messageId } = world.provider.ledger[0] ?? { deliveryId: '', messageId: '' };
      const tags = { delivery_id: deliveryId, round: '1', env: 'test' };
      await world.tell('late', { type: 'email.sent', messageId, tags });
      expect((await world.statuses()).needs_review).toBe(2);
      expect(await world.timesAccepted([...first, ...later])).toEqual(times(5, 1));
    },
  );

  it('a process comes back after 23 hours to mails that are in doubt: their keys are used no more, and a look-up finds them', async () => {
    world = await createHonestWorld(dialect);
    world.provider.mood = 'mute';
    const seqs = await world.enqueue(...intents(1, 3));
    await world.sendAndDie();
    world.provider.mood = 'well';
    await world.clock.advance(23 * hourMs);
    await world.live(minuteMs);
    expect(await world.statusesOf(seqs)).toEqual(times(3, 'sent'));
    // By the look-up alone: the window of the key is over, so that nothing was handed over again.
    expect(
      world.provider.calls.filter(({ at }) => at > (world.provider.ledger[0]?.at ?? 0) + hourMs),
    ).toEqual([]);
    expect(await world.story(seqs[0] ?? 0)).toEqual(['lease_expired → reconciling', 'accepted → sent']);
  });

  it('the database is away for a day: nothing leaves, nobody is told that anything was taken, and afterwards all goes on', async () => {
    world = await createHonestWorld(dialect);
    const before = await world.enqueue(...intents(1, 5));
    world.isDatabaseAway = true;
    await expect(world.enqueue(...intents(6, 6))).rejects.toThrow('the database is away');
    await world.live(dayMs, everyMs);
    expect(world.provider.calls).toEqual([]);
    expect(world.told('loop.failed')[0]).toBeGreaterThan(36);
    world.isDatabaseAway = false;
    const after = await world.enqueue(...intents(6, 6));
    await world.live(minuteMs);
    expect(await world.statuses()).toEqual({ sent: 6 });
    expect(await world.timesAccepted([...before, ...after])).toEqual(times(6, 1));
    const rows = await Promise.all(before.map((seq) => world.find(seq)));
    expect(rows.map(({ attempts, lapses }) => [attempts, lapses])).toEqual(times(5, [1, 0]));
  });

  it.each([
    ['a look-up finds them', true, 'sent'],
    ['without a look-up a person decides', false, 'needs_review'],
  ] as const)(
    'the database goes away for a day while mails are on the wire: what was heard is kept for a quarter of an hour, then %s',
    async (_, canLookUp, end) => {
      world = await createHonestWorld(dialect, { canLookUp });
      const seqs = await world.enqueue(...intents(1, 3));
      const { send } = world.provider;
      world.provider.send = (parcel) => {
        world.isDatabaseAway = true;
        return send(parcel);
      };
      await world.restart({ provider: world.provider });
      await world.live(dayMs, everyMs);
      expect(world.provider.ledger).toHaveLength(3);
      expect(world.told('record.given_up')[0]).toBeGreaterThan(0);
      world.provider.send = send;
      world.isDatabaseAway = false;
      await world.live(10 * minuteMs);
      expect(await world.statusesOf(seqs)).toEqual(times(3, end));
      expect(await world.timesAccepted(seqs)).toEqual([1, 1, 1]);
    },
  );
});
