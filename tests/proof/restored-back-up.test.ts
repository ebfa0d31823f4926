import { afterEach, expect, it } from 'vitest';
import { requireAddress } from '../../src/domain/address.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import type { Source } from '../../src/sources/source.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';
import { createHonestWorld, everyMs, type HonestWorld } from './honest-world.ts';
import { dayMs, hourMs, minuteMs } from './times.ts';

/**
 * What docs/proof.md says about a restore from a back-up that was taken before a send, clause by clause. What cannot be helped
 * is told here, too: a limit that nobody tests is a promise.
 */
onBothDatabases('what happens when', (dialect) => {
  let world: HonestWorld;
  afterEach(() => world.close());

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
    world = await createHonestWorld(dialect);
    const seq = await acquaintance();
    await sendAfterBackUp();
    const { provider_message_id } = await world.find(seq);
    await world.clock.advance(20 * hourMs);
    await world.restore();
    expect(await world.find(seq)).toMatchObject({ status: 'pending', round: 0, sent_at: null });
    await world.live(minuteMs);
    expect(await world.find(seq)).toMatchObject({ status: 'sent', provider_message_id });
    expect(await world.timesAccepted([seq])).toEqual([1]);
    expect(await world.story(seq)).toEqual(['accepted → sent']);
  });

  it.each([
    ['a look-up finds the first', true, 'sent'],
    ['without a look-up a person decides', false, 'needs_review'],
  ] as const)(
    'a back-up is restored within a day, and the mail is another one now: the provider refuses the key, and %s; there is no second mail',
    async (_, canLookUp, end) => {
      world = await createHonestWorld(dialect, { canLookUp });
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
      expect(await world.timesAccepted([seq])).toEqual([1]);
      expect(world.provider.ledger.filter(({ text }) => text.includes('Another text'))).toEqual([]);
      expect(world.told('delivery.not_at_provider')).toEqual([0]);
    },
  );

  it('who had their first mail after the back-up has another link after the restore: that is another mail, and the old link is dead', async () => {
    world = await createHonestWorld(dialect);
    const [seq = 0] = await world.enqueue(intentNumber(1));
    await sendAfterBackUp();
    await world.clock.advance(hourMs);
    await world.restore();
    await world.live(10 * minuteMs);
    expect((await world.story(seq))[0]).toBe('key_conflict → reconciling');
    expect(await world.find(seq)).toMatchObject({ status: 'sent' });
    expect(await world.timesAccepted([seq])).toEqual([1]);
    await world.consent.unsubscribe.stop(tokenIn(world.provider.ledger[0]?.text), 'page');
    expect(await world.consent.unsubscribe.leftBy('person-1@example.org')).toEqual([]);
  });

  it('seed 1909: a look-up that denies a mail whose key is refused is not believed', async () => {
    world = await createHonestWorld(dialect);
    const seq = await acquaintance();
    await sendAfterBackUp();
    await world.clock.advance(hourMs);
    world.provider.lookUp = async () => ({ kind: 'absent' });
    await world.restore({ source: rewritten, provider: world.provider });
    await world.live(dayMs, everyMs);
    expect(await world.find(seq)).toMatchObject({ status: 'needs_review' });
    expect(await world.timesAccepted([seq])).toEqual([1]);
  });

  it('seed 9744: a mail that was written before the back-up is looked for since then, whatever the row knows of attempts', async () => {
    world = await createHonestWorld(dialect);
    const seq = await acquaintance();
    world.provider.mood = 'unreachable';
    await world.live(minuteMs);
    expect(await world.find(seq)).toMatchObject({ status: 'pending', sent_at: null });
    await world.backUp();
    world.provider.mood = 'well';
    await world.live(hourMs, minuteMs);
    expect(await world.timesAccepted([seq])).toEqual([1]);
    await world.clock.advance(2 * hourMs);
    await world.restore();
    // The same bytes under the same key: it is the same mail, but nobody hears so, and then nobody works for a day.
    world.provider.mood = 'mute';
    await world.live(minuteMs);
    expect(await world.find(seq)).toMatchObject({ status: 'reconciling' });
    await world.clock.advance(dayMs);
    world.provider.mood = 'well';
    await world.live(2 * hourMs, everyMs);
    expect(await world.find(seq)).toMatchObject({ status: 'sent' });
    expect(await world.timesAccepted([seq])).toEqual([1]);
  });

  it.each([
    ['the provider has no keys', { hasKeys: false }, hourMs],
    ['more than a day has passed', {}, dayMs + minuteMs],
  ] as const)(
    'a back-up is restored, and %s: a second mail, because nothing says that the first has left',
    async (_, kind, afterMs) => {
      world = await createHonestWorld(dialect, kind);
      const seq = await acquaintance();
      await sendAfterBackUp();
      await world.clock.advance(afterMs);
      await world.restore();
      await world.live(minuteMs);
      expect(await world.find(seq)).toMatchObject({ status: 'sent' });
      expect(await world.timesAccepted([seq])).toEqual([2]);
    },
  );

  it('who unsubscribed after the back-up is written to again, unless a pause and an import come first', async () => {
    world = await createHonestWorld(dialect);
    await acquaintance();
    await world.enqueue(intentNumber(2, { occasion: 'an earlier one' }));
    await world.live(minuteMs);
    await world.backUp();
    for (const { text } of world.provider.ledger) await world.consent.unsubscribe.stop(tokenIn(text), 'page');
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
    expect(await world.timesAccepted(next)).toEqual([0, 0]);
    const address = requireAddress('person-1@example.org');
    await world.consent.suppressions.add([{ address, scope: 'plain', reason: 'unsubscribed' }], 'an import');
    next.push(...(await world.enqueue(intentNumber(1, { occasion: 'a last one' }))));
    await world.pauses.resume('*');
    await world.live(minuteMs);
    // Whoever is on no list is written to: the database has forgotten their word, and nobody else had it.
    expect(await world.statusesOf(next)).toEqual(['skipped_unsubscribed', 'sent', 'skipped_unsubscribed']);
    expect(await world.timesAccepted(next)).toEqual([0, 1, 0]);
  });
});

function tokenIn(text = ''): string {
  return /unsubscribe\/([\w-]{44})/.exec(text)?.[1] ?? '';
}
