import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Consent, createConsent } from '../../src/consent/consent.ts';
import type { Owner, OwnerListener } from '../../src/consent/tell-source.ts';
import { systemIds } from '../../src/std/ids.ts';
import { baseUrl, tokenSecret } from '../support/consent.ts';
import { createDispatchWorld, type DispatchWorld } from '../support/dispatch-world.ts';
import { type Recipient, recipientIn, unknownToken } from '../support/recipients.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { onBothDatabases } from '../support/world.ts';

/** A source keeps books of its own on who has left it: it hears of it in the transaction that makes it so. */
onBothDatabases('a source that is told who left', (dialect) => {
  let world: DispatchWorld;
  let consent: Consent;
  let ana: Recipient;
  let told: { what: 'left' | 'returned'; owner: Owner; statuses: string[] }[];
  let fails: (() => unknown) | undefined;
  const log = createRecordingLog();
  beforeEach(async () => {
    world = await createDispatchWorld(dialect);
    told = [];
    fails = undefined;
    log.lines.length = 0;
    const tell =
      (what: 'left' | 'returned'): OwnerListener =>
      async (owner, tx) => {
        const rows = await tx.selectFrom('deliveries').select('status').orderBy('seq').execute();
        told.push({ what, owner, statuses: rows.map(({ status }) => status) });
        // Of its own books: what it writes is there with the wish, or not at all.
        await tx
          .updateTable('deliveries')
          .set({ trace_id: what })
          .where('recipient', '=', owner.recipient)
          .execute();
        await fails?.();
      };
    const { db, clock } = world;
    consent = createConsent({
      ...{ db, clock, ids: systemIds, log, secrets: [tokenSecret], baseUrl: () => baseUrl },
      ...{ onLeft: tell('left'), onReturned: tell('returned') },
    });
    ana = await recipientIn(world, consent, 'ana');
  });
  afterEach(() => world.close());

  const owner = { source: 'plain', recipient: 'ana-id' };
  const books = async () =>
    (await world.db.read.selectFrom('deliveries').select('trace_id').execute()).map((row) => row.trace_id);

  test('hears it after what waited was stopped, and again when it waits again', async () => {
    await consent.unsubscribe.stop(ana.token, 'page');
    expect(told).toEqual([{ what: 'left', owner, statuses: ['skipped_unsubscribed'] }]);
    await consent.unsubscribe.undo(ana.token);
    expect(told[1]).toEqual({ what: 'returned', owner, statuses: ['pending'] });
    expect(await books()).toEqual(['returned']);
  });

  test('hears of everything, too, and of taking that back', async () => {
    await consent.unsubscribe.stopEverything(ana.token);
    await consent.unsubscribe.undo(ana.token);
    expect(told.map(({ what }) => what)).toEqual(['left', 'returned']);
    expect(await consent.suppressions.list({ limit: 9 })).toEqual([]);
  });

  test('hears of an operator who brings somebody back, and of nobody who had not left', async () => {
    const why = { by: 'an operator', because: 'they called' };
    expect(await consent.unsubscribe.reopen(owner, why)).toBe(false);
    await consent.unsubscribe.undo(ana.token);
    expect(told).toEqual([]);
    await consent.unsubscribe.stop(ana.token, 'page');
    expect(await consent.unsubscribe.reopen(owner, why)).toBe(true);
    expect(told.map(({ what }) => what)).toEqual(['left', 'returned']);
  });

  test('hears nothing of a link that nobody gave out, nor of an undo that comes too late', async () => {
    await consent.unsubscribe.stop(unknownToken, 'page');
    await consent.unsubscribe.stop(ana.token, 'page');
    await world.clock.advance(24 * 3_600_000 + 1);
    await consent.unsubscribe.undo(ana.token);
    expect(told.map(({ what }) => what)).toEqual(['left']);
  });

  test('and fails keeps nobody from leaving: its own books are undone, and the next press tells it again', async () => {
    fails = () => {
      throw new Error('the books are full');
    };
    await consent.unsubscribe.stop(ana.token, 'page');
    expect(await ana.statuses()).toEqual(['skipped_unsubscribed']);
    expect((await ana.wish())?.at).toBe(world.clock.now());
    expect(await books()).toEqual([null]);
    expect(log.lines.map(({ event }) => event)).toContain('consent.source_failed');
    fails = undefined;
    await consent.unsubscribe.stop(ana.token, 'page');
    expect(await books()).toEqual(['left']);
  });

  test('a failed statement that it keeps to itself does not undo the wish either', async () => {
    consent = createConsent({
      ...{ db: world.db, clock: world.clock, ids: systemIds, log, secrets: [tokenSecret] },
      baseUrl: () => baseUrl,
      onLeft: async (_, tx) => {
        await tx
          .insertInto('unsubscribe_tokens')
          .values({ token_id: ana.token.slice(0, 22), source: 'x', recipient: 'x', created_at: 1 })
          .execute()
          .catch(() => {});
      },
    });
    await consent.unsubscribe.stop(ana.token, 'page');
    expect((await ana.wish())?.at).toBe(world.clock.now());
    expect(await ana.statuses()).toEqual(['skipped_unsubscribed']);
  });

  test('takes somebody back by itself in its own transaction, and is not told what it says', async () => {
    await consent.unsubscribe.stop(ana.token, 'page');
    const bob = await recipientIn(world, consent, 'bob');
    const owners = [
      owner,
      { source: 'plain', recipient: 'bob-id' },
      { source: 'other', recipient: 'ana-id' },
    ];
    const back = await world.db.transaction((tx) => consent.unsubscribe.undoFor(owners, tx));
    expect(back).toBe(1);
    expect(await ana.statuses()).toEqual(['pending']);
    expect(await bob.statuses()).toEqual(['pending']);
    expect(told.map(({ what }) => what)).toEqual(['left']);
    expect((await ana.wish())?.at).toBeNull();
  });
});
