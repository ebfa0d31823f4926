import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Consent, createConsent } from '../../src/consent/consent.ts';
import { suppressionJson } from '../../src/consent/suppression-export.ts';
import { takeOverLinks } from '../../src/consent/taken-over.ts';
import { requireAddress } from '../../src/domain/address.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { baseUrl, tokenSecret } from '../support/consent.ts';
import { createDispatchWorld, type DispatchWorld } from '../support/dispatch-world.ts';
import { type Recipient, recipientIn } from '../support/recipients.ts';
import { onBothDatabases } from '../support/world.ts';

const dayMs = 86_400_000;

/** Somebody tells a source that they want its mails again; when they had left does not matter. */
onBothDatabases('coming back by the word of a source', (dialect) => {
  let world: DispatchWorld;
  let consent: Consent;
  let ana: Recipient;
  let told: string[];
  beforeEach(async () => {
    world = await createDispatchWorld(dialect);
    told = [];
    const { db, clock } = world;
    consent = createConsent({
      ...{ db, clock, ids: systemIds, log: silentLog, secrets: [tokenSecret], baseUrl: () => baseUrl },
      onLeft: async ({ recipient }, _, extent) => void told.push(`${recipient} left ${extent}`),
      onReturned: async ({ recipient }) => void told.push(`${recipient} is back`),
    });
    ana = await recipientIn(world, consent, 'ana');
  });
  afterEach(() => world.close());

  const owner = { source: 'plain', recipient: 'ana-id' };
  const comeBack = (links = [owner]) =>
    world.db.transaction((tx) => consent.unsubscribe.comeBack([owner], links, tx));

  /** What the gate would say of a mail of this source to Ana's address. */
  const against = async (source: string) => {
    const mail = { seq: 1, source, recipient: 'somebody', to: requireAddress(ana.address) };
    return (await world.db.transaction((tx) => consent.against([mail], tx))).get(1);
  };

  test('a source is told how much somebody has left', async () => {
    await consent.unsubscribe.stop(ana.token, 'page');
    await consent.unsubscribe.stopEverything(ana.token);
    expect(told).toEqual(['ana-id left these mails', 'ana-id left everything']);
  });

  test('within the day what was stopped waits again, later not; either way the link counts no more', async () => {
    await consent.unsubscribe.stop(ana.token, 'page');
    await comeBack();
    expect([await ana.statuses(), (await ana.wish())?.at]).toEqual([['pending'], null]);
    await consent.unsubscribe.stop(ana.token, 'page');
    await world.clock.advance(2 * dayMs);
    await comeBack();
    expect([await ana.statuses(), (await ana.wish())?.at]).toEqual([['skipped_unsubscribed'], null]);
    const row = await world.db.read.selectFrom('unsubscribe_tokens').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ reopened_by: 'the recipient', reopened_because: 'they want mail again' });
    // The source said so itself, and is not told.
    expect(told.filter((line) => line.endsWith('is back'))).toEqual([]);
  });

  test('who stopped everything through another of their links may be mailed again', async () => {
    const other = await recipientIn(world, consent, 'other', { address: ana.address });
    await consent.unsubscribe.stopEverything(other.token);
    await world.clock.advance(2 * dayMs);
    await comeBack();
    expect(await against('plain')).toBe('unsubscribed');
    await comeBack([owner, { source: 'plain', recipient: 'other-id' }]);
    expect(await against('plain')).toBeUndefined();
    // But from what that link was for they have still gone.
    expect((await other.wish())?.at).not.toBeNull();
  });

  test('of that source alone: for all others they have stopped everything still, until they say so there', async () => {
    await consent.unsubscribe.stopEverything(ana.token);
    await comeBack();
    expect(await ana.statuses()).toEqual(['pending']);
    expect([await against('plain'), await against('course-seats')]).toEqual([undefined, 'unsubscribed']);
    const lines = () => consent.suppressions.list({ address: requireAddress(ana.address), limit: 9 });
    expect((await lines()).map(suppressionJson)).toMatchObject([{ scope: '*', exceptFor: ['plain'] }]);
    await world.db.transaction((tx) => consent.unsubscribe.startAgain(requireAddress(ana.address), tx));
    expect(await against('course-seats')).toBeUndefined();
  });

  test('whoever then stops everything once more has no exception', async () => {
    await consent.unsubscribe.stopEverything(ana.token);
    await world.clock.advance(2 * dayMs);
    await comeBack();
    expect(await against('plain')).toBeUndefined();
    await consent.unsubscribe.stopEverything(ana.token);
    expect([await against('plain'), await against('course-seats')]).toEqual(['unsubscribed', 'unsubscribed']);
    await comeBack();
    expect([await against('plain'), await against('course-seats')]).toEqual([undefined, 'unsubscribed']);
  });

  test('what others have said of an address stays', async () => {
    await consent.unsubscribe.stopEverything(ana.token);
    const address = requireAddress(ana.address);
    await consent.suppressions.add([{ address, reason: 'complained' }], 'evidence');
    await comeBack();
    expect(await against('plain')).toBe('address_suppressed');
  });

  test('a link of another system is as good as one of ours', async () => {
    const token = 'f47ac10b-58cc-4372-a567-0e02b2c3d479';
    const link = { ...owner, token };
    const take = (...tokens: string[]) =>
      world.db.transaction((tx) =>
        takeOverLinks(
          tx,
          dialect,
          tokens.map((one) => ({ ...link, token: one })),
          world.clock.now(),
        ),
      );
    expect(await take(token, 'too short', 'with spaces in it, and long')).toBe(1);
    expect(await take(token)).toBe(0);
    await consent.unsubscribe.stop(token, 'one-click');
    expect([told, await ana.statuses()]).toEqual([['ana-id left these mails'], ['skipped_unsubscribed']]);
    await consent.unsubscribe.undo(token);
    expect(await ana.statuses()).toEqual(['pending']);
    // For somebody who never had one of ours, too.
    await world.db.transaction((tx) =>
      takeOverLinks(tx, dialect, [{ source: 'plain', recipient: 'bo-id', token: `${token}-bo` }], 1),
    );
    await consent.unsubscribe.stop(`${token}-bo`, 'page');
    expect(await consent.unsubscribe.leftBy('bo-id')).toMatchObject([{ source: 'plain' }]);
  });
});
