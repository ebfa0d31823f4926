import { afterAll, beforeAll, expect, test } from 'vitest';
import { tellWatch } from '../../src/cli/watch-words.ts';
import { requireAddress } from '../../src/domain/address.ts';
import { recipientsAt } from '../../src/sources/recipients-at.ts';
import type { Source } from '../../src/sources/source.ts';
import { onBothDatabases } from '../support/world.ts';
import { seatSourceOf } from './mail-world.ts';
import { index, termId } from './seats-world.ts';
import { createWatchWorld, dayMs, hourMs, type WatchWorld } from './watch-world.ts';

/** Each test goes on where the last one ended. */
onBothDatabases('watches as an operator sees them', (dialect) => {
  const ana = requireAddress('Ana@example.org');
  const why = { by: 'operator eve', because: 'she asked on the phone' };
  let world: WatchWorld;
  let source: Source;
  let first: Awaited<ReturnType<WatchWorld['confirmed']>>;
  let second: typeof first;
  let mail: number;
  beforeAll(async () => {
    world = await createWatchWorld(dialect);
    source = seatSourceOf(world, { subscriptions: world.subscriptions });
    await world.believe('Closed');
    await world.addSection('00007');
    first = await world.confirmed({ email: 'ana@example.org' });
    second = await world.confirmed({ email: 'ana@example.org', indexNumber: '00007' });
    await world.confirmed({ email: 'bob@example.org' });
    const dueAt = world.clock.now() + hourMs;
    mail = await world.tell(await world.addOpenEvent(), first.subscriptionId, { dueAt });
  });
  afterAll(() => world.close());

  const list = (limit = 10) => world.subscriptions.list({ address: ana }, limit);
  const lines = async () => (await list()).map((watch) => tellWatch(watch, world.clock.now()));
  const toAna = async (more: { limit?: number; below?: number; status?: ['pending'] } = {}) => {
    const alsoTo = await recipientsAt([source], ana);
    const page = await world.queries.page({
      limit: 10,
      ...more,
      source: 'course-seats',
      address: ana,
      alsoTo,
    });
    return { seqs: page.rows.map(({ seq }) => seq), next: page.next };
  };

  test('of a person and of a section, newest first, as many as asked for, and never the link', async () => {
    const found = await list();
    expect(found.map(({ subscriptionId }) => subscriptionId)).toEqual([
      second.subscriptionId,
      first.subscriptionId,
    ]);
    expect(found[0]).toMatchObject({ address: 'ana@example.org', status: 'active', ended: null });
    expect(JSON.stringify(found)).not.toContain(first.token);
    expect(await list(1)).toHaveLength(1);
    const ofSection = await world.subscriptions.list({ termId, indexNumber: index }, 10);
    expect(ofSection.map(({ address }) => address)).toEqual(['bob@example.org', 'ana@example.org']);
  });

  test('a mail that nobody has written yet is found by the address of whoever it is for', async () => {
    expect((await world.queries.page({ limit: 10, source: 'course-seats', address: ana })).rows).toEqual([]);
    expect(await toAna({ status: ['pending'] })).toEqual({ seqs: [mail], next: null });
    expect(await recipientsAt([source], requireAddress('carol@example.org'))).toEqual([]);
  });

  test('what was written and what was not are one list, each row once, page after page', async () => {
    const later = await world.tell(await world.addOpenEvent(), second.subscriptionId);
    const written = await world.tell(await world.addOpenEvent(), first.subscriptionId);
    const to = { to_email: 'ana@example.org' };
    await world.db.write.updateTable('deliveries').set(to).where('seq', '=', written).execute();
    expect((await toAna()).seqs).toEqual([written, later, mail]);
    expect(await toAna({ limit: 2 })).toEqual({ seqs: [written, later], next: later });
    expect(await toAna({ limit: 2, below: later })).toEqual({ seqs: [mail], next: null });
    expect((await toAna({ limit: 1 })).next).toBe(written);
  });

  test('why a mail waits: the hour, or a snooze', async () => {
    const whyWait = () => source.whyWait?.(String(first.subscriptionId));
    expect(await whyWait()).toBeNull();
    await world.subscriptions.snooze(first.token, world.clock.now() + hourMs);
    expect(await whyWait()).toBe('They asked for silence until then.');
    expect((await lines())[1]).toMatch(/: active, silent for 60 min more\.$/);
    await world.subscriptions.snooze(first.token, null);
    // It is 19:00 at the campus.
    await world.subscriptions.setWindow(first.token, { startMinutes: 7 * 60, endMinutes: 18 * 60 });
    expect(await whyWait()).toBe('Mail is not welcome at this hour.');
  });

  test('an operator ends a watch: with what waits, with the reason in its line, and once', async () => {
    expect(await world.subscriptions.stop(first.subscriptionId, why)).toBe('changed');
    expect(await world.subscriptions.stop(first.subscriptionId, why)).toBe('unchanged');
    expect(await world.subscriptions.stop(4711, why)).toBe('unknown');
    expect(await world.statusOf(mail)).toBe('skipped_unsubscribed');
    const { events } = await world.queries.story(mail);
    expect(events.at(-1)).toMatchObject({ event: 'unsubscribed', actor: 'operator eve' });
    expect((await world.eventsOf(first.subscriptionId)).filter((line) => /^unsub/.test(line))).toHaveLength(
      1,
    );
    expect((await lines())[1]).toBe(
      `Watch ${first.subscriptionId}, of 01:198:111 Introduction to Computer Science, section 05 (index ${index}), spring 2026: ended just now, by operator eve (she asked on the phone).`,
    );
    expect(await world.subscriptions.undoCancel(first.token)).toMatchObject({ kind: 'changed' });
    expect((await list())[1]).toMatchObject({ status: 'active', ended: null });
  });

  test('who left by the link in a mail is found by the address, also when that is deleted', async () => {
    await world.consent.unsubscribe.stop(await world.linkIn(second.subscriptionId), 'page');
    expect((await lines())[0]).toMatch(/: ended just now, by the link in a mail\.$/);
    await world.clock.advance(dayMs + hourMs);
    await world.subscriptions.housekeep(100);
    expect((await list())[0]).toMatchObject({
      ...{ subscriptionId: second.subscriptionId, address: null },
      ended: { how: 'link in a mail', because: null },
    });
    expect(await world.subscriptions.recipientsAt(ana, 1)).toEqual([String(second.subscriptionId)]);
  });
});
