import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { failed, listed } from '../seats/poller-world.ts';
import { index } from '../seats/seats-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { type Campus, createCampus, neighbour, pollMs, type Term } from './campus.ts';

const windowMs = 180_000;
const opened = 'open_sections Closed→Open +1';
const closed = 'open_sections Open→Closed -1';

/** Spec 004, what resets a section, and what only flickers: all of it from the list to the mail. */
onBothDatabases('004 resetting and oscillation', (dialect) => {
  let world: Campus;
  let term: Term;
  let watcher: number;
  beforeAll(async () => {
    world = await createCampus(dialect);
  });
  beforeEach(async () => {
    term = await world.term();
    watcher = await term.watch();
  });
  afterAll(() => world.close());

  const known = async (subscription = watcher) =>
    (await world.subscription(subscription)).last_known_section_status;
  const mails = () => term.parcels().length;
  const opensAndTells = async () => {
    await term.opens();
    await term.tell();
  };
  /** So that the next three quarters of a minute, and more, are in one of the fixed three minutes. */
  const toFreshBucket = () => world.clock.advance(windowMs - (world.clock.now() % windowMs));

  it('004-54 When two lists lack it, everybody who watches is set back to Closed, who rests too, and nobody else', async () => {
    const resting = await term.watch({ status: 'paused', last_known_section_status: 'Open' });
    const other = await term.watch({ index_number: '00002', last_known_section_status: 'Open' });
    await opensAndTells();
    expect(await known()).toBe('Open');
    await term.hears();
    expect([await known(), await known(resting)], 'one is not enough').toEqual(['Open', 'Open']);
    await term.hears();
    expect([await known(), await known(resting), await known(other)]).toEqual(['Closed', 'Closed', 'Open']);
  });

  it('004-55 When the catalog says so, and no list is there to contradict it, as well', async () => {
    await opensAndTells();
    await term.catalogSays(true);
    await term.silence();
    expect(await known()).toBe('Open');
    await term.catalogSays(false);
    expect(await known()).toBe('Closed');
    expect(await term.story()).toEqual([opened, 'section_status_event Open→Closed -1']);
  });

  it('004-56 After that, an opening is an event and a mail again, however often', async () => {
    for (let times = 1; times <= 3; times++) {
      await opensAndTells();
      expect(mails()).toBe(times);
      await term.closes();
    }
    expect(await term.story()).toEqual([opened, closed, opened, closed, opened, closed]);
  });

  it('004-58 A section that flickers in and out of the list is told of once, until a closing is recorded', async () => {
    await opensAndTells();
    for (let turn = 0; turn < 4; turn++) {
      await term.hears();
      await term.hears(index);
      await term.tell();
    }
    expect(await term.story()).toEqual([opened]);
    expect(mails()).toBe(1);
    await term.closes();
    await opensAndTells();
    expect(mails()).toBe(2);
  });

  it('004-59 Two lists without it are enough, within the three minutes too', async () => {
    await toFreshBucket();
    await opensAndTells();
    const startedAt = world.clock.now();
    await term.closes();
    await opensAndTells();
    expect(world.clock.now() - startedAt).toBeLessThan(windowMs);
    expect(mails()).toBe(2);
  });

  it('004-60 So is one list without it when the catalog has seen it close; while the list has it, the catalog’s word is not enough', async () => {
    await opensAndTells();
    await term.catalogSays(true);
    await term.catalogSays(false);
    expect(await term.story(), 'the list has it').toEqual([opened]);
    await term.catalogSays(true);
    await term.hears();
    await term.catalogSays(false);
    expect(await term.story()).toEqual([opened, 'section_status_event Open→Closed -1']);
    await opensAndTells();
    expect(mails()).toBe(2);
  });

  it('004-61 A reopening has a key of its own, also in the same three minutes', async () => {
    await toFreshBucket();
    const bucket = Math.floor(world.clock.now() / windowMs);
    await term.opens();
    await term.closes();
    await term.opens();
    expect(Math.floor(world.clock.now() / windowMs), 'still the same three minutes').toBe(bucket);
    const key = (status: string, times: string) =>
      createHash('sha1').update(`${term.termId}|NB|${index}|${status}|${bucket}${times}`).digest('hex');
    expect((await term.recorded()).map(({ dedupe_key }) => dedupe_key)).toEqual([
      ...[key('Open', ''), key('Closed', ''), key('Open', '|2')],
    ]);
    await term.closes();
    await toFreshBucket();
    await term.opens();
    const next = createHash('sha1')
      .update(`${term.termId}|NB|${index}|Open|${bucket + 1}`)
      .digest('hex');
    expect((await term.recorded()).at(-1)?.dedupe_key).toBe(next);
  });

  it('004-62 While it stays open the delta is 0, and nothing is written for that', async () => {
    await term.opens();
    for (let turn = 0; turn < 5; turn++)
      expect(await term.hears(index)).toMatchObject({ opened: [], closed: [] });
    expect(await term.story()).toEqual([opened]);
  });

  it('004-63 Only the first +1 is told: polls after it, and a second sighting by a person, are not', async () => {
    await opensAndTells();
    for (let turn = 0; turn < 2; turn++) {
      await term.hears(index);
      await term.tell();
    }
    const { termId } = term;
    expect(await world.events.reportOpening({ termId, indexNumber: index, traceId: 'by hand' })).toEqual({
      kind: 'repeated',
    });
    await term.tell();
    expect(mails()).toBe(1);
  });

  it('004-66 Whatever the feed does, a mail goes out for an opening and for nothing else', async () => {
    const poller = world.poller({ events: world.events });
    const others = Array.from({ length: 60 }, (_, number) => String(20_000 + number));
    const poll = async (answer: Parameters<typeof world.feed.answers.set>[1]) => {
      await world.clock.advance(pollMs);
      world.feed.answers.set('NB', answer);
      await poller.pollNow({ termId: term.termId, campusCode: 'NB' });
    };
    const edges = async () =>
      (await term.recorded())
        .filter(({ index_number }) => index_number === index)
        .map((event) => event.status_after);
    const whole = listed(neighbour, index, ...others);
    await poll(listed(neighbour, ...others));
    await poll(whole);
    await term.tell();
    expect(mails()).toBe(1);
    const hiccups = [
      ...[listed(), listed(), whole, listed(neighbour, ...others), whole],
      ...[
        failed(500),
        failed(429),
        failed(404),
        whole,
        listed(index),
        listed(neighbour),
        listed(index),
        whole,
      ],
      ...[listed(neighbour, ...others.slice(0, 20)), listed(neighbour, ...others.slice(0, 20)), whole],
      ...[listed(neighbour, ...others), listed(), listed(neighbour, index, ...others)],
    ];
    for (const hiccup of hiccups) await poll(hiccup);
    await term.tell();
    expect(await edges(), 'it was open all the time').toEqual(['Open']);
    expect(mails()).toBe(1);
    await poll(listed(neighbour, ...others));
    await poll(listed(neighbour, ...others));
    await term.tell();
    expect(mails(), 'a closing is no news').toBe(1);
    await poll(whole);
    await term.tell();
    expect(await edges()).toEqual(['Open', 'Closed', 'Open']);
    expect(mails()).toBe(2);
    expect(new Set(term.parcels().map(({ mail }) => mail.tags.subscription_id))).toEqual(
      new Set([String(watcher)]),
    );
  });
});
