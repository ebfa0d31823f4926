import { afterEach, expect, it } from 'vitest';
import { requireAddress } from '../../src/domain/address.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import type { Source } from '../../src/sources/source.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';
import { createEngineWorld, type EngineWorld, intents } from './engine-world.ts';
import { createHonestProvider, type HonestProvider, type ProviderKind } from './honest-provider.ts';
import { dayMs, hourMs, minuteMs, secondMs } from './times.ts';

/**
 * What docs/proof.md says about a day of outage, a restore from a back-up and a provider that forgets its keys, clause by
 * clause. What cannot be helped is told here, too: a limit that nobody tests is a promise.
 */
onBothDatabases('what happens when', (dialect) => {
  let world: EngineWorld;
  let provider: HonestProvider;
  afterEach(() => world.close());

  async function begin(kind: ProviderKind = {}): Promise<void> {
    world = await createEngineWorld(dialect, (clock) => {
      provider = createHonestProvider(clock, kind);
      return provider;
    });
  }

  /** By the provider's own ledger, which is the truth: how often each delivery's mail was accepted. */
  const timesAccepted = (seqs: readonly number[]) =>
    Promise.all(
      seqs.map(async (seq) => {
        const { id } = await world.find(seq);
        return provider.ledger.filter(({ deliveryId }) => deliveryId === id).length;
      }),
    );
  const statusesOf = (seqs: readonly number[]) =>
    Promise.all(seqs.map(async (seq) => (await world.find(seq)).status));
  const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
  /** Long enough between two looks, and far too often for anything to be missed. */
  const everyMs = 40 * minuteMs;

  // A day of outage.

  it('the provider refuses connections for a day: nothing is tried in vain, given up or lost, and urgent mail goes first', async () => {
    await begin();
    provider.mood = 'unreachable';
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
    expect(provider.calls).toHaveLength(4);
    expect(provider.probes).toBeGreaterThanOrEqual(36);
    expect(world.told('provider.circuit_opened', 'provider.circuit_closed')).toEqual([1, 0]);
    expect(world.told('provider.still_down')).toEqual([provider.probes]);
    const waiting = await Promise.all([...bulk, ...normal, ...urgent].map((seq) => world.find(seq)));
    expect(waiting.map(({ attempts, lapses }) => attempts + lapses)).toEqual(times(16, 0));

    provider.mood = 'well';
    await world.live(5 * minuteMs);
    expect(await world.statuses()).toEqual({ sent: 16, expired: 2 });
    expect(await timesAccepted([...bulk, ...normal, ...urgent])).toEqual(times(16, 1));
    expect(await timesAccepted(tooLate)).toEqual([0, 0]);
    expect(await world.story(tooLate[0] ?? 0)).toEqual(['expired → expired']);
    const lanes = await Promise.all(provider.ledger.map(async ({ key }) => laneOf(key)));
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
      await begin({ canLookUp });
      provider.mood = 'mute';
      const [arrived = 0] = await world.enqueue(...intents(1, 1));
      await world.sendAndDie();
      provider.mood = 'deaf';
      const [lost = 0] = await world.enqueue(...intents(2, 2));
      await world.sendAndDie();
      // Somebody finds out that nobody is there, so that what is in doubt is left alone, too.
      provider.mood = 'unreachable';
      const others = await world.enqueue(...intents(3, 5));
      await world.live(dayMs, everyMs);
      expect(await statusesOf([arrived, lost])).toEqual(['reconciling', 'reconciling']);
      expect(await timesAccepted([arrived, lost])).toEqual([1, 0]);

      provider.mood = 'well';
      await world.live(10 * minuteMs);
      expect(await statusesOf([arrived, lost])).toEqual(ends);
      expect(await timesAccepted([arrived, lost])).toEqual(accepted);
      expect(await timesAccepted(others)).toEqual([1, 1, 1]);
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
      await begin({ canLookUp });
      provider.mood = 'mute';
      const first = await world.enqueue(...intents(1, 3));
      const startedAt = world.clock.now();
      await world.live(23 * hourMs - 10 * minuteMs, everyMs);
      expect(await statusesOf(first)).toEqual(times(3, 'reconciling'));
      const callsBefore = provider.calls.length;
      expect(callsBefore).toBeGreaterThan(20);
      const later = await world.enqueue(...intents(4, 5));
      await world.live(70 * minuteMs, 5 * minuteMs);

      // The second submission under a key is the same mail to a provider that knows it, and there is none after 23 hours.
      expect(await timesAccepted([...first, ...later])).toEqual(times(5, 1));
      const keys = new Set(await Promise.all(first.map(async (seq) => (await world.find(seq)).id)));
      const latest = Math.max(...provider.calls.filter(({ key }) => keys.has(key)).map(({ at }) => at));
      expect(latest - startedAt).toBeGreaterThan(22 * hourMs);
      expect(latest - startedAt).toBeLessThan(23 * hourMs);
      expect(await statusesOf(first)).toEqual(times(3, 'needs_review'));
      expect(world.told('delivery.undecidable')).toEqual([3]);
      // None of the tries counts against the mail: an answer that was lost is no refusal.
      expect(world.log.lines.filter(({ event }) => event === 'delivery.not_at_provider')).toEqual([]);

      provider.mood = 'well';
      await world.live(35 * minuteMs);
      expect(await statusesOf(later)).toEqual(['sent', 'sent']);
      // A webhook that was late by a day still settles it, with nobody's help.
      const { deliveryId, messageId } = provider.ledger[0] ?? { deliveryId: '', messageId: '' };
      const tags = { delivery_id: deliveryId, round: '1', env: 'test' };
      await world.tell('late', { type: 'email.sent', messageId, tags });
      expect((await world.statuses()).needs_review).toBe(2);
      expect(await timesAccepted([...first, ...later])).toEqual(times(5, 1));
    },
  );

  it('a process comes back after 23 hours to mails that are in doubt: their keys are used no more, and a look-up finds them', async () => {
    await begin();
    provider.mood = 'mute';
    const seqs = await world.enqueue(...intents(1, 3));
    await world.sendAndDie();
    provider.mood = 'well';
    await world.clock.advance(23 * hourMs);
    await world.live(minuteMs);
    expect(await statusesOf(seqs)).toEqual(times(3, 'sent'));
    // By the look-up alone: the window of the key is over, so that nothing was handed over again.
    expect(provider.calls.filter(({ at }) => at > (provider.ledger[0]?.at ?? 0) + hourMs)).toEqual([]);
    expect(await world.story(seqs[0] ?? 0)).toEqual(['lease_expired → reconciling', 'accepted → sent']);
  });

  it('the database is away for a day: nothing leaves, nobody is told that anything was taken, and afterwards all goes on', async () => {
    await begin();
    const before = await world.enqueue(...intents(1, 5));
    world.isDatabaseAway = true;
    await expect(world.enqueue(...intents(6, 6))).rejects.toThrow('the database is away');
    await world.live(dayMs, everyMs);
    expect(provider.calls).toEqual([]);
    expect(world.told('loop.failed')[0]).toBeGreaterThan(36);
    world.isDatabaseAway = false;
    const after = await world.enqueue(...intents(6, 6));
    await world.live(minuteMs);
    expect(await world.statuses()).toEqual({ sent: 6 });
    expect(await timesAccepted([...before, ...after])).toEqual(times(6, 1));
    const rows = await Promise.all(before.map((seq) => world.find(seq)));
    expect(rows.map(({ attempts, lapses }) => [attempts, lapses])).toEqual(times(5, [1, 0]));
  });

  it.each([
    ['a look-up finds them', true, 'sent'],
    ['without a look-up a person decides', false, 'needs_review'],
  ] as const)(
    'the database goes away for a day while mails are on the wire: what was heard is kept for a quarter of an hour, then %s',
    async (_, canLookUp, end) => {
      await begin({ canLookUp });
      const seqs = await world.enqueue(...intents(1, 3));
      const { send } = provider;
      provider.send = (parcel) => {
        world.isDatabaseAway = true;
        return send(parcel);
      };
      await world.restart({ provider });
      await world.live(dayMs, everyMs);
      expect(provider.ledger).toHaveLength(3);
      expect(world.told('record.given_up')[0]).toBeGreaterThan(0);
      provider.send = send;
      world.isDatabaseAway = false;
      await world.live(10 * minuteMs);
      expect(await statusesOf(seqs)).toEqual(times(3, end));
      expect(await timesAccepted(seqs)).toEqual([1, 1, 1]);
    },
  );

  // A restore from a back-up that was taken before a send.

  /** What changes a mail between two sends: another text, another template. */
  const rewritten: Source = {
    ...plainSource,
    async draft(deliveries) {
      const drafts = await plainSource.draft(deliveries);
      return new Map(
        [...drafts].map(([seq, draft]) => [
          seq,
          draft.kind === 'draft' ? { ...draft, props: { ...draft.props, text: 'Another text' } } : draft,
        ]),
      );
    },
  };
  /** Somebody who has had a mail before the back-up: their link to unsubscribe is in it. */
  async function acquaintance(): Promise<number> {
    await world.enqueue(intentNumber(1, { occasion: 'an earlier one' }));
    await world.live(minuteMs);
    const [seq = 0] = await world.enqueue(intentNumber(1));
    return seq;
  }
  async function sendAfterBackUp(): Promise<void> {
    await world.backUp();
    await world.live(minuteMs);
  }

  it('a back-up is restored within a day, and the mail is the same: the key is known, and one mail is all there is', async () => {
    await begin();
    const seq = await acquaintance();
    await sendAfterBackUp();
    const { provider_message_id } = await world.find(seq);
    await world.clock.advance(20 * hourMs);
    await world.restore();
    expect(await world.find(seq)).toMatchObject({ status: 'pending', round: 0, sent_at: null });
    await world.live(minuteMs);
    expect(await world.find(seq)).toMatchObject({ status: 'sent', provider_message_id });
    expect(await timesAccepted([seq])).toEqual([1]);
    expect(await world.story(seq)).toEqual(['accepted → sent']);
  });

  it.each([
    ['a look-up finds the first', true, 'sent'],
    ['without a look-up a person decides', false, 'needs_review'],
  ] as const)(
    'a back-up is restored within a day, and the mail is another one now: the provider refuses the key, and %s; there is no second mail',
    async (_, canLookUp, end) => {
      await begin({ canLookUp });
      const seq = await acquaintance();
      await sendAfterBackUp();
      await world.clock.advance(20 * hourMs);
      await world.restore({ source: rewritten });
      await world.live(10 * minuteMs);
      expect(await world.find(seq)).toMatchObject({ status: end });
      const story = await world.story(seq);
      expect(story[0]).toBe('key_conflict → reconciling');
      expect(story.at(-1)).toBe(canLookUp ? 'accepted → sent' : 'undecidable → needs_review');
      // And none when the key is over, either.
      await world.live(6 * hourMs, everyMs);
      expect(await timesAccepted([seq])).toEqual([1]);
      expect(provider.ledger.filter(({ text }) => text.includes('Another text'))).toEqual([]);
      expect(world.told('delivery.not_at_provider')).toEqual([0]);
    },
  );

  it('who had their first mail after the back-up has another link after the restore: that is another mail, and the old link is dead', async () => {
    await begin();
    const [seq = 0] = await world.enqueue(intentNumber(1));
    await sendAfterBackUp();
    await world.clock.advance(hourMs);
    await world.restore();
    await world.live(10 * minuteMs);
    expect((await world.story(seq))[0]).toBe('key_conflict → reconciling');
    expect(await world.find(seq)).toMatchObject({ status: 'sent' });
    expect(await timesAccepted([seq])).toEqual([1]);
    await world.consent.unsubscribe.stop(tokenIn(provider.ledger[0]?.text), 'page');
    expect(await world.consent.unsubscribe.leftBy('person-1@example.org')).toEqual([]);
  });

  it('seed 1909: a look-up that denies a mail whose key is refused is not believed', async () => {
    await begin();
    const seq = await acquaintance();
    await sendAfterBackUp();
    await world.clock.advance(hourMs);
    provider.lookUp = async () => ({ kind: 'absent' });
    await world.restore({ source: rewritten, provider });
    await world.live(dayMs, everyMs);
    expect(await world.find(seq)).toMatchObject({ status: 'needs_review' });
    expect(await timesAccepted([seq])).toEqual([1]);
  });

  it('seed 9744: a mail that was written before the back-up is looked for since then, whatever the row knows of attempts', async () => {
    await begin();
    const seq = await acquaintance();
    provider.mood = 'unreachable';
    await world.live(minuteMs);
    expect(await world.find(seq)).toMatchObject({ status: 'pending', sent_at: null });
    await world.backUp();
    provider.mood = 'well';
    await world.live(hourMs, minuteMs);
    expect(await timesAccepted([seq])).toEqual([1]);
    await world.clock.advance(2 * hourMs);
    await world.restore();
    // The same bytes under the same key: it is the same mail, but nobody hears so, and then nobody works for a day.
    provider.mood = 'mute';
    await world.live(minuteMs);
    expect(await world.find(seq)).toMatchObject({ status: 'reconciling' });
    await world.clock.advance(dayMs);
    provider.mood = 'well';
    await world.live(2 * hourMs, everyMs);
    expect(await world.find(seq)).toMatchObject({ status: 'sent' });
    expect(await timesAccepted([seq])).toEqual([1]);
  });

  it.each([
    ['the provider has no keys', { hasKeys: false }, hourMs],
    ['more than a day has passed', {}, dayMs + minuteMs],
  ] as const)(
    'a back-up is restored, and %s: a second mail, because nothing says that the first has left',
    async (_, kind, afterMs) => {
      await begin(kind);
      const seq = await acquaintance();
      await sendAfterBackUp();
      await world.clock.advance(afterMs);
      await world.restore();
      await world.live(minuteMs);
      expect(await world.find(seq)).toMatchObject({ status: 'sent' });
      expect(await timesAccepted([seq])).toEqual([2]);
    },
  );

  it('who unsubscribed after the back-up is written to again, unless a pause and an import come first', async () => {
    await begin();
    await acquaintance();
    await world.enqueue(intentNumber(2, { occasion: 'an earlier one' }));
    await world.live(minuteMs);
    await world.backUp();
    for (const { text } of provider.ledger) await world.consent.unsubscribe.stop(tokenIn(text), 'page');
    const said = await world.consent.unsubscribe.leftBy('person-1@example.org');
    expect(said).toMatchObject([{ source: 'plain' }]);

    await world.restore();
    // A pause that was made before lies in the database that is gone: it belongs here, before the server starts.
    expect(await world.pauses.list()).toEqual([]);
    await world.pauses.pause('*', { reason: 'restored', operator: 'ops' });
    const next = await world.enqueue(
      ...[1, 2].map((number) => intentNumber(number, { occasion: 'a later one' })),
    );
    await world.live(10 * minuteMs);
    expect(await timesAccepted(next)).toEqual([0, 0]);
    const address = requireAddress('person-1@example.org');
    await world.consent.suppressions.add([{ address, scope: 'plain', reason: 'unsubscribed' }], 'an import');
    next.push(...(await world.enqueue(intentNumber(1, { occasion: 'a last one' }))));
    await world.pauses.resume('*');
    await world.live(minuteMs);
    // Whoever is on no list is written to: the database has forgotten their word, and nobody else had it.
    expect(await statusesOf(next)).toEqual(['skipped_unsubscribed', 'sent', 'skipped_unsubscribed']);
    expect(await timesAccepted(next)).toEqual([0, 1, 0]);
  });

  // A provider that forgets its keys.

  it.each([
    ['can be asked', true],
    ['cannot be asked', false],
  ] as const)(
    'a provider that %s forgets its keys after an hour and says a day: twice is only what was in doubt and was handed over again after that',
    async (_, canLookUp) => {
      await begin({ forgetsAfterMs: hourMs, canLookUp });
      const heard = await world.enqueue(...intents(1, 4));
      await world.live(minuteMs);
      provider.mood = 'mute';
      const soon = await world.enqueue(...intents(5, 6));
      await world.sendAndDie();
      provider.mood = 'well';
      await world.live(30 * minuteMs, 5 * minuteMs);
      provider.mood = 'mute';
      const late = await world.enqueue(...intents(7, 8));
      await world.sendAndDie();
      provider.mood = 'well';
      // No process runs for two hours.
      await world.clock.advance(2 * hourMs);
      await world.live(10 * minuteMs);
      expect(await world.statuses()).toEqual({ sent: 8 });
      expect(await timesAccepted(heard)).toEqual([1, 1, 1, 1]);
      expect(await timesAccepted(soon)).toEqual([1, 1]);
      // The key goes before the question: it is what the provider has promised.
      expect(await timesAccepted(late)).toEqual([2, 2]);
    },
  );

  it.each([-1, 0, 1])(
    'a provider forgets its keys at 24 h and %i s: nothing is accepted twice, whenever work goes on',
    async (seconds) => {
      await begin({ forgetsAfterMs: dayMs + seconds * secondMs });
      const all: number[] = [];
      for (const idleMs of [22 * hourMs, 23 * hourMs - minuteMs, 23 * hourMs, dayMs - secondMs, dayMs]) {
        provider.mood = 'mute';
        all.push(...(await world.enqueue(...intents(all.length, all.length + 1))));
        await world.sendAndDie();
        provider.mood = 'well';
        await world.clock.advance(idleMs);
        await world.live(10 * minuteMs);
      }
      expect(await statusesOf(all)).toEqual(times(10, 'sent'));
      expect(await timesAccepted(all)).toEqual(times(10, 1));
    },
  );
});

function tokenIn(text = ''): string {
  return /unsubscribe\/([\w-]{44})/.exec(text)?.[1] ?? '';
}
