import { afterEach, beforeEach, expect, test } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { type CatalogWorld, courseOf, createCatalogWorld, inPieces, sectionOf } from './catalog-world.ts';

/** Courses of ten sections each; `keep` says which indexes are listed. */
function campusOf(sections: number, keep: (number: number) => boolean = () => true) {
  const numbers = Array.from({ length: sections }, (_, number) => number);
  return Array.from({ length: Math.ceil(sections / 10) }, (_, course) =>
    courseOf(
      String(100 + course),
      numbers
        .slice(course * 10, course * 10 + 10)
        .filter(keep)
        .map((number) => sectionOf(String(number).padStart(5, '0'))),
    ),
  );
}

onBothDatabases('a catalog is whole, or says nothing of what it does not list', (dialect) => {
  let world: CatalogWorld;
  beforeEach(async () => {
    world = await createCatalogWorld(dialect);
  });
  afterEach(() => world.close());

  const goneCount = async () => (await world.sections()).filter(({ gone_at }) => gone_at !== null).length;
  const readAt = async () => {
    const rows = await world.db.read.selectFrom('courses').select('seen_at').execute();
    return Math.max(...rows.map(({ seen_at }) => seen_at));
  };

  test('what is no longer listed is gone, and what returns is back', async () => {
    world.answer(campusOf(30));
    await world.ingest();
    world.answer(campusOf(30, (number) => number !== 7));
    expect(await world.ingest()).toMatchObject({ sections: 29, gone: 1 });
    expect((await world.section('00007')).gone_at).toBe(world.clock.now());
    expect(await world.ingest()).toMatchObject({ gone: 0 });
    world.answer(campusOf(30));
    expect(await world.ingest()).toMatchObject({ changed: 1, flips: 0 });
    expect((await world.section('00007')).gone_at).toBeNull();
  });

  test('one that was cut short, or broke, or is a page, makes nothing go, and says why', async () => {
    world.answer(campusOf(30));
    await world.ingest();
    await world.clock.advance(1_000);
    const text = JSON.stringify(campusOf(30));
    world.answer(text.slice(0, text.length / 2));
    expect(await world.ingest()).toMatchObject({ kind: 'failed', code: 'cut_short' });
    world.answer('<html>Sorry</html>');
    expect(await world.ingest()).toMatchObject({ kind: 'failed', code: 'not_a_list' });
    async function* breaking() {
      yield* inPieces(text.slice(0, 3_000));
      throw Object.assign(new Error('too slow'), { code: 'timed_out' });
    }
    world.answer({ kind: 'catalog', pieces: breaking() });
    expect(await world.ingest()).toMatchObject({
      code: 'timed_out',
      message: expect.stringContaining('too slow'),
    });
    const refused = { kind: 'failed', code: 'http_429', message: 'busy', retryAfterMs: 5_000 } as const;
    world.answer({ ...refused, status: 429 });
    expect(await world.ingest()).toEqual(refused);
    expect(await goneCount()).toBe(0);
    expect(await readAt()).toBe(world.clock.now() - 1_000);
    expect(world.log.lines.filter(({ event }) => event === 'seats.catalog_failed')).toHaveLength(4);
  });

  test('an empty one is a failure, because an unknown campus is answered like that', async () => {
    world.answer(campusOf(10));
    await world.ingest();
    world.answer([]);
    expect(await world.ingest()).toMatchObject({ kind: 'failed', code: 'empty_catalog' });
    expect(await goneCount()).toBe(0);
  });

  test('one that misses more than a tenth and at least 25 is doubted; fewer are believed', async () => {
    world.answer(campusOf(240));
    await world.ingest();
    world.answer(campusOf(240, (number) => number >= 25));
    expect(await world.ingest()).toMatchObject({ kind: 'ingested', gone: 0 });
    expect(world.log.lines.at(-2)).toMatchObject({
      level: 'warn',
      event: 'seats.catalog_doubted',
      missing: 25,
    });
    world.answer(campusOf(240, (number) => number >= 24));
    expect(await world.ingest()).toMatchObject({ gone: 24 });
    expect(await goneCount()).toBe(24);
  });

  test('25 of 250 are a tenth and not more: they are believed', async () => {
    world.answer(campusOf(250));
    await world.ingest();
    world.answer(campusOf(250, (number) => number >= 25));
    expect(await world.ingest()).toMatchObject({ gone: 25 });
  });

  test('stopped after any batch and begun again, it ends as if it had never been stopped', async () => {
    const courses = campusOf(600);
    for (const stopAt of [1, 2]) {
      world.answer(courses);
      const stopping = new AbortController();
      let batches = 0;
      const onProgress = () => {
        batches += 1;
        if (batches === stopAt) stopping.abort();
      };
      expect(await world.ingest({ signal: stopping.signal, onProgress })).toMatchObject({ code: 'stopped' });
      expect(await world.sections()).toHaveLength(stopAt * 200);
      // Nothing says that a whole one was read.
      expect(await readAt()).toBe(0);
    }
    expect(await world.ingest()).toMatchObject({ sections: 600, changed: 200, flips: 0, gone: 0 });
    expect(await world.words()).toHaveLength(600);
    expect(await readAt()).toBe(world.clock.now());
  });

  test('a transaction that fails leaves a part that the next reading completes', async () => {
    world.answer(campusOf(600));
    const onProgress = () => {
      throw new Error('power failure');
    };
    await expect(world.ingest({ onProgress })).rejects.toThrow('power failure');
    expect(await world.sections()).toHaveLength(200);
    expect(await world.ingest()).toMatchObject({ sections: 600, changed: 400 });
  });

  test('two at once write everything once', async () => {
    world.answer(campusOf(600));
    const answers = await Promise.all([world.ingest(), world.ingest(), world.ingest()]);
    expect(answers.map(({ kind }) => kind)).toEqual(['ingested', 'ingested', 'ingested']);
    expect(await world.sections()).toHaveLength(600);
    expect(await world.words()).toHaveLength(600);
    expect(await goneCount()).toBe(0);
  });

  test('a slow reading that ends after a later one takes nothing back', async () => {
    world.answer(campusOf(20, (number) => number !== 3));
    await world.ingest();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* slow() {
      await held;
      yield* inPieces(JSON.stringify(campusOf(20, (number) => number !== 3)));
    }
    world.answer({ kind: 'catalog', pieces: slow() });
    const older = world.ingest();
    await world.clock.advance(60_000);
    const later = campusOf(20);
    later[0]?.sections.splice(0, 1, sectionOf('00000', { openStatus: false }));
    world.answer(later);
    expect(await world.ingest()).toMatchObject({ changed: 2, flips: 1 });
    release();
    expect(await older).toMatchObject({ changed: 0, flips: 0, gone: 0 });
    expect((await world.section('00003')).gone_at).toBeNull();
  });

  test('a clock that was set back does not stop it', async () => {
    world.answer(campusOf(20));
    await world.ingest();
    const ahead = world.clock.now() + 3_600_000;
    await world.db.write.updateTable('sections').set({ seen_at: ahead }).execute();
    const changed = campusOf(20, (number) => number !== 3);
    changed[0]?.sections.splice(0, 1, sectionOf('00000', { subtitle: 'New' }));
    world.answer(changed);
    expect(await world.ingest()).toMatchObject({ changed: 1, gone: 1 });
  });

  test('progress is told as it goes', async () => {
    const courses = campusOf(450);
    world.answer(courses);
    const told: { courses: number; sections: number; octets: number }[] = [];
    await world.ingest({ onProgress: (progress) => told.push(progress) });
    expect(told.map(({ courses, sections }) => [courses, sections])).toEqual([
      [20, 200],
      [40, 400],
      [45, 450],
    ]);
    expect(told.at(-1)?.octets).toBe(JSON.stringify(courses).length);
  });
});
