import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Ingested } from '../../src/sources/course-seats/catalog/catalog.ts';
import { createIngestChore } from '../../src/sources/course-seats/catalog/ingest-chore.ts';
import type { ListKey } from '../../src/sources/course-seats/term.ts';
import { onBothDatabases } from '../support/world.ts';
import { type CatalogWorld, courseOf, createCatalogWorld, sectionOf, termId } from './catalog-world.ts';

const campus = (campusCode: string): ListKey => ({ termId, campusCode });
const failure = (more = {}): Ingested => ({ kind: 'failed', code: 'http_503', message: 'down', ...more });

onBothDatabases('catalogs are read again', (dialect) => {
  let world: CatalogWorld;
  let wanted: ListKey[];
  let read: string[];
  /** What comes instead of the catalog's own answer. */
  let instead: ((list: ListKey) => Ingested | undefined) | undefined;
  beforeEach(async () => {
    world = await createCatalogWorld(dialect);
    [wanted, read, instead] = [[campus('NB'), campus('NB')], [], undefined];
    world.answer([courseOf('111', [sectionOf('00001')])]);
  });
  afterEach(() => world.close());

  function start() {
    const { db, clock, log, catalog } = world;
    return createIngestChore({
      ...{ db, clock, log, wanted: async () => wanted },
      catalog: {
        async ingest(order) {
          read.push(order.campusCode);
          return instead?.(order) ?? catalog.ingest(order);
        },
      },
    });
  }

  /** Runs it until nothing is due, as a loop would; answers how long it wants to wait then. */
  async function settle(chore: ReturnType<typeof start>): Promise<number> {
    for (let runs = 0; runs < 20; runs++) {
      const next = await chore.once(new AbortController().signal);
      if (next !== 'again') return next === 'pause' ? chore.pauseMs : next;
    }
    throw new Error('it never rests');
  }

  /** The minutes at which something is read, over a time in which the loop runs as it is told to. */
  async function minutesOf(chore: ReturnType<typeof start>, minutes: number): Promise<number[]> {
    const startedAt = world.clock.now();
    const result: number[] = [];
    while (world.clock.now() < startedAt + minutes * 60_000) {
      const before = read.length;
      const waitMs = await settle(chore);
      for (let count = before; count < read.length; count++)
        result.push((world.clock.now() - startedAt) / 60_000);
      await world.clock.advance(waitMs);
    }
    return result;
  }

  test('at once where there is none, then every 15 minutes', async () => {
    expect(await minutesOf(start(), 40)).toEqual([0, 15, 30]);
  });

  test('a restart reads nothing again before its time', async () => {
    await settle(start());
    await world.clock.advance(6 * 60_000);
    expect(await minutesOf(start(), 20)).toEqual([9]);
  });

  test('a reading that was cut short is none', async () => {
    const text = JSON.stringify([
      courseOf('111', [sectionOf('00001')]),
      courseOf('112', [sectionOf('00002')]),
    ]);
    world.answer(text.slice(0, -5));
    await settle(start());
    expect(await world.sections()).toHaveLength(1);
    await settle(start());
    expect(read).toEqual(['NB', 'NB']);
  });

  test('what fails waits longer each time, up to the interval, and holds up no other', async () => {
    wanted = [campus('CM'), campus('NB')];
    instead = ({ campusCode }) => (campusCode === 'CM' ? failure() : undefined);
    const minutes = await minutesOf(start(), 45);
    const cm = minutes.filter((_, position) => read[position] === 'CM');
    expect(cm).toEqual([0, 0.5, 1.5, 3.5, 7.5, 15.5, 30.5]);
    expect(read.filter((code) => code === 'NB')).toHaveLength(3);
    expect(world.log.lines.find(({ event }) => event === 'seats.catalog_put_off')).toMatchObject({
      ...{ campusCode: 'CM', failures: 1, retryInMs: 30_000 },
    });
  });

  test('the feed may ask for more patience, and a success makes it forget', async () => {
    instead = () => failure({ retryAfterMs: 120_000 });
    const chore = start();
    expect(await minutesOf(chore, 1)).toEqual([0]);
    instead = undefined;
    expect(await minutesOf(chore, 20)).toEqual([1, 16]);
  });

  test('what is thrown is thrown on, and not tried again at once', async () => {
    instead = () => {
      throw new Error('no database');
    };
    const chore = start();
    await expect(settle(chore)).rejects.toThrow('no database');
    expect(await settle(chore)).toBe(30_000);
    expect(read).toHaveLength(1);
  });

  test('what comes to be wanted is read soon, and nothing where nothing is', async () => {
    wanted = [];
    const chore = start();
    expect(await settle(chore)).toBe(30_000);
    wanted = [campus('ONLINE_NB')];
    await settle(chore);
    expect(read).toEqual(['ONLINE_NB']);
  });

  test('a clock that was set back does not make it read again and again', async () => {
    await settle(start());
    await world.db.write
      .updateTable('courses')
      .set({ seen_at: world.clock.now() + 86_400_000 })
      .execute();
    const chore = start();
    expect(await minutesOf(chore, 20)).toEqual([0, 15]);
  });
});
