import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Consent, createConsent } from '../../src/consent/consent.ts';
import { createTokens } from '../../src/consent/token.ts';
import { openDatabase } from '../../src/db/database.ts';
import type { Address } from '../../src/domain/address.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import { systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { baseUrl, consentOf, tokenSecret } from '../support/consent.ts';
import { createDispatchWorld, type DispatchWorld, signal } from '../support/dispatch-world.ts';
import { recipientIn } from '../support/recipients.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { onBothDatabases } from '../support/world.ts';

/** What a wish does in the database, whoever brings it. */
onBothDatabases('unsubscribing', (dialect) => {
  let world: DispatchWorld;
  let consent: Consent;
  beforeEach(async () => {
    world = await createDispatchWorld(dialect);
    consent = consentOf(world);
  });
  afterEach(() => world.close());

  const hourMs = 3_600_000;
  const log = createRecordingLog();
  const secretsTold = () => log.lines.filter(({ event }) => event === 'links.signature_unknown');
  const somebody = (name: string, more?: Parameters<typeof recipientIn>[3]) =>
    recipientIn(world, consent, name, more);
  const withSecrets = (...secrets: string[]) =>
    createConsent({
      db: world.db,
      clock: world.clock,
      ids: systemIds,
      log,
      secrets,
      baseUrl: () => baseUrl,
    });
  const send = () => world.dispatch().runOnce(signal());
  const toldOf = () => world.provider.ledger.map(({ mail }) => mail.to);

  test('a link signed with an older secret still works while that one is kept, and then no longer', async () => {
    const ana = await somebody('ana');
    await withSecrets('a newer secret').unsubscribe.stop(ana.token, 'page');
    expect(await ana.statuses()).toEqual(['pending']);
    await withSecrets('a newer secret', tokenSecret).unsubscribe.stop(ana.token, 'page');
    expect(await ana.statuses()).toEqual(['skipped_unsubscribed']);
  });

  test('a link of ours that our secret has not signed is told once: its secret is missing, and nobody hears who follows it', async () => {
    const [ana, bob] = [await somebody('ana'), await somebody('bob')];
    log.lines.length = 0;
    const replaced = withSecrets('a newer secret').unsubscribe;
    const madeUp = createTokens(['a guess'], 'unsubscribe').of(systemIds.secret());
    for (const token of [madeUp, 'no token', ana.token.slice(0, 22)]) await replaced.stop(token, 'one-click');
    expect(secretsTold()).toEqual([]);
    await Promise.all([ana, ana, bob].map(({ token }) => replaced.stop(token, 'one-click')));
    expect(secretsTold()).toMatchObject([{ level: 'warn', remedy: expect.stringContaining('TOKEN_SECRET') }]);
    expect(JSON.stringify(log.lines)).not.toContain(ana.token.slice(0, 22));
    await withSecrets('a newer secret', tokenSecret).unsubscribe.stop(ana.token, 'page');
    expect(secretsTold()).toHaveLength(1);
  });

  test('whoever has the database and no secret can make no link', async () => {
    const ana = await somebody('ana');
    const { token_id } = await world.db.read
      .selectFrom('unsubscribe_tokens')
      .select('token_id')
      .executeTakeFirstOrThrow();
    expect(token_id).toBe(ana.token.slice(0, 22));
    const { unsubscribe } = consent;
    for (const made of [
      token_id,
      token_id + token_id,
      createTokens(['a guess'], 'unsubscribe').of(token_id),
    ]) {
      for (const work of [() => unsubscribe.stop(made, 'page'), () => unsubscribe.stopEverything(made)])
        await work();
    }
    expect(await ana.statuses()).toEqual(['pending']);
    expect(await consent.suppressions.count()).toBe(0);
  });

  test('a link says nothing of its owner, and every source has its own', async () => {
    const links = await consent.unsubscribe.linksFor([
      { seq: 1, source: 'plain', recipient: 'ana@example.org' },
      { seq: 2, source: 'other', recipient: 'ana@example.org' },
      { seq: 3, source: 'plain', recipient: 'ana@example.org' },
    ]);
    expect(links.get(1)).toBe(links.get(3));
    expect(links.get(1)).not.toBe(links.get(2));
    expect([...links.values()].join()).not.toContain('ana');
    for (const link of links.values())
      expect(link).toMatch(/^https:\/\/mail\.example\.org\/api\/v1\/notifications\/unsubscribe\/[\w-]{44}$/);
  });

  test('two workers that need a link at the same moment get the same one', async () => {
    const other = await openDatabase(world.url, { clock: systemClock, log });
    try {
      const owners = Array.from({ length: 50 }, (_, seq) => ({
        seq,
        source: 'plain',
        recipient: `person-${seq}`,
      }));
      const consents = [consent, consentOf({ db: other, clock: world.clock })];
      const given = await Promise.all(
        consents.map(({ unsubscribe }, at) =>
          unsubscribe.linksFor(at === 0 ? owners : [...owners].reverse()),
        ),
      );
      const [one, two] = given.map((links) => owners.map(({ seq }) => links.get(seq)));
      expect(one).toEqual(two);
      expect(new Set(one).size).toBe(50);
      expect(await world.db.read.selectFrom('unsubscribe_tokens').select('token_id').execute()).toHaveLength(
        50,
      );
    } finally {
      await other.close();
    }
  });

  test('stops what waits of this source to this person, and nothing else', async () => {
    const ana = await somebody('ana', { waiting: 3 });
    const hers = await somebody('ana', { source: 'other' });
    const bob = await somebody('bob');
    await consent.unsubscribe.stop(ana.token, 'page');
    expect(await ana.statuses()).toEqual(Array(3).fill('skipped_unsubscribed'));
    expect(await hers.statuses()).toEqual(['pending']);
    expect(await bob.statuses()).toEqual(['pending']);
    await ana.waitForMore('later');
    await send();
    expect(toldOf()).toEqual([bob.address]);
    expect((await ana.statuses()).at(-1)).toBe('skipped_unsubscribed');
  });

  test('while claimed: a mail that a worker has in hand, and has not begun, is not sent', async () => {
    const ana = await somebody('ana');
    const bob = await somebody('bob');
    const draft: typeof plainSource.draft = async (...args) => {
      expect(await ana.statuses()).toEqual(['claimed']);
      await consent.unsubscribe.stop(ana.token, 'one-click');
      expect(await ana.statuses()).toEqual(['skipped_unsubscribed']);
      return plainSource.draft(...args);
    };
    await world.dispatch({ source: { ...plainSource, draft } }).runOnce(signal());
    expect(toldOf()).toEqual([bob.address]);
    expect(await ana.statuses()).toEqual(['skipped_unsubscribed']);
  });

  test('what has been sent stays sent', async () => {
    const ana = await somebody('ana');
    await send();
    await consent.unsubscribe.stop(ana.token, 'page');
    await consent.unsubscribe.undo(ana.token);
    expect(await ana.statuses()).toEqual(['sent']);
  });

  test('undo brings back exactly what it stopped, and what came meanwhile; they are sent once', async () => {
    const ana = await somebody('ana');
    const [before = 0] = ana.seqs;
    // Skipped on an earlier occasion, of which nobody took anything back.
    await world.outbox.record([{ seq: before, event: 'unsubscribed', actor: 'a gate' }]);
    await world.clock.advance(hourMs);
    await ana.waitForMore('waits');
    await consent.unsubscribe.stop(ana.token, 'page');
    await ana.waitForMore('comes meanwhile');
    await send();
    expect(await ana.statuses()).toEqual(Array(3).fill('skipped_unsubscribed'));
    await world.clock.advance(hourMs);
    await consent.unsubscribe.undo(ana.token);
    expect(await ana.statuses()).toEqual(['skipped_unsubscribed', 'pending', 'pending']);
    expect(await ana.wish()).toEqual({ at: null, via: null });
    await send();
    await consent.unsubscribe.undo(ana.token);
    await send();
    expect(toldOf()).toEqual([ana.address, ana.address]);
    expect(await ana.statuses()).toEqual(['skipped_unsubscribed', 'sent', 'sent']);
  });

  test('undo is for 24 hours, counted from the first time', async () => {
    const ana = await somebody('ana');
    const bob = await somebody('bob');
    await consent.unsubscribe.stop(ana.token, 'one-click');
    await consent.unsubscribe.stop(bob.token, 'one-click');
    await world.clock.advance(24 * hourMs);
    await consent.unsubscribe.undo(bob.token);
    expect(await bob.statuses()).toEqual(['pending']);
    await world.clock.advance(1);
    await consent.unsubscribe.stop(ana.token, 'page');
    await consent.unsubscribe.undo(ana.token);
    expect(await ana.statuses()).toEqual(['skipped_unsubscribed']);
    expect(await ana.wish()).toMatchObject({ via: 'one-click' });
  });

  test('stop everything is by address, whatever the source and the spelling; undo brings all of it back', async () => {
    const ana = await somebody('ana', { address: 'Ana@example.org' });
    const elsewhere = await somebody('ana-elsewhere', { source: 'other', address: 'ana@example.org' });
    const bob = await somebody('bob');
    await consent.unsubscribe.stopEverything(ana.token);
    expect([...(await ana.statuses()), ...(await elsewhere.statuses()), ...(await bob.statuses())]).toEqual([
      'skipped_unsubscribed',
      'skipped_unsubscribed',
      'pending',
    ]);
    const [line] = await consent.suppressions.list({ limit: 9 });
    expect(line).toMatchObject({ address_key: 'ana@example.org', scope: '*', reason: 'unsubscribed' });
    await consent.unsubscribe.undo(ana.token);
    expect([...(await ana.statuses()), ...(await elsewhere.statuses())]).toEqual(['pending', 'pending']);
    expect(await consent.suppressions.count()).toBe(0);
  });

  test('undo leaves alone what somebody else put on the list', async () => {
    const ana = await somebody('ana');
    await consent.suppressions.add([{ address: ana.address as Address, reason: 'operator' }], 'an operator');
    await consent.unsubscribe.stopEverything(ana.token);
    await consent.unsubscribe.undo(ana.token);
    expect(await consent.suppressions.count()).toBe(1);
    await ana.waitForMore('later');
    await send();
    expect(toldOf()).toEqual([]);
    expect(await ana.statuses()).toEqual(['suppressed', 'suppressed']);
  });

  test('whoever left long ago can still take back that they stopped everything; the first stays as it was', async () => {
    const ana = await somebody('ana');
    const elsewhere = await somebody('elsewhere', { source: 'other', address: ana.address });
    await consent.unsubscribe.stop(ana.token, 'page');
    await world.clock.advance(48 * hourMs);
    await consent.unsubscribe.stopEverything(ana.token);
    expect(await elsewhere.statuses()).toEqual(['skipped_unsubscribed']);
    await consent.unsubscribe.undo(ana.token);
    expect(await elsewhere.statuses()).toEqual(['pending']);
    expect(await ana.wish()).toMatchObject({ via: 'page' });
    await send();
    expect(await ana.statuses()).toEqual(['skipped_unsubscribed']);
  });

  test('that everything is stopped stays so after 24 hours, also for whoever presses once more', async () => {
    const ana = await somebody('ana');
    await consent.unsubscribe.stopEverything(ana.token);
    await world.clock.advance(24 * hourMs + 1);
    await consent.unsubscribe.stopEverything(ana.token);
    await consent.unsubscribe.undo(ana.token);
    expect(await consent.suppressions.count()).toBe(1);
    expect(await ana.statuses()).toEqual(['skipped_unsubscribed']);
  });

  test('stop everything knows the address also after retention, where the recipient is one', async () => {
    const owner = { seq: 1, source: 'plain', recipient: 'ana@example.org' };
    const [link = ''] = (await consent.unsubscribe.linksFor([owner])).values();
    const nameless = await somebody('bob', { waiting: 0 });
    await consent.unsubscribe.stopEverything(link.slice(-44));
    await consent.unsubscribe.stopEverything(nameless.token);
    const lines = await consent.suppressions.list({ limit: 9 });
    expect(lines.map(({ address_key }) => address_key)).toEqual(['ana@example.org']);
    expect(await nameless.wish()).toMatchObject({ via: 'page' });
  });

  test('a hundred clicks at once are one', async () => {
    const ana = await somebody('ana', { waiting: 5 });
    await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        consent.unsubscribe.stop(ana.token, at % 2 === 0 ? 'page' : 'one-click'),
      ),
    );
    for (const seq of ana.seqs) {
      const { events } = await world.queries.story(seq);
      expect(events.filter(({ event }) => event === 'unsubscribed')).toHaveLength(1);
    }
  });
});
