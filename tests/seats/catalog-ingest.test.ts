import { afterEach, beforeEach, expect, test } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { type CatalogWorld, courseOf, createCatalogWorld, sectionOf, termId } from './catalog-world.ts';

onBothDatabases('the catalog is read', (dialect) => {
  let world: CatalogWorld;
  beforeEach(async () => {
    world = await createCatalogWorld(dialect);
  });
  afterEach(() => world.close());

  const two = (first = {}, second = {}) => [
    courseOf('111', [sectionOf('00001', first), sectionOf('00002', { number: '02', ...second })]),
  ];
  const done = { kind: 'ingested', courses: 1, sections: 2, changed: 0, gone: 0, flips: 0, unusable: 0 };

  test('courses and sections become rows, and the same again changes nothing but the time', async () => {
    world.answer(two());
    expect(await world.ingest()).toEqual({ ...done, changed: 2 });
    const before = await world.sections();
    await world.clock.advance(900_000);
    expect(await world.ingest()).toEqual(done);
    const seen_at = world.clock.now();
    expect(await world.sections()).toEqual(before.map((section) => ({ ...section, seen_at })));
    expect(await world.catalog.section(termId, '00002')).toMatchObject({
      ...{ courseString: '01:198:111', courseTitle: 'COURSE 111', sectionNumber: '02', status: 'Open' },
      ...{ campusCode: 'NB', crossListed: [], isGone: false },
    });
    expect(await world.catalog.section(termId, '99999')).toBeUndefined();
  });

  test('a change of a section is written, that of its course as well, and numbers stay', async () => {
    world.answer(two());
    await world.ingest();
    const before = await world.section('00002');
    const twin = {
      registrationIndex: '00009',
      offeringUnitCode: '56',
      subjectCode: '198',
      courseNumber: '541',
    };
    const changed = { crossListedSections: [{ ...twin, sectionNumber: '40' }], subtitle: 'Games' };
    world.answer([{ ...two({}, changed)[0], title: 'RENAMED' }]);
    expect(await world.ingest()).toEqual({ ...done, changed: 1 });
    expect(await world.catalog.section(termId, '00002')).toMatchObject({
      ...{ sectionId: before.section_id, courseId: before.course_id, subtitle: 'Games' },
      courseTitle: 'RENAMED',
      crossListed: [{ index: '00009', courseString: '56:198:541', sectionNumber: '40' }],
    });
  });

  test('004-32 Course ingest writes section_status_events: a first word is weighed, a changed one waits', async () => {
    world.answer(two({}, { openStatus: false }));
    await world.ingest();
    const first = ['00001 Unknown→Open weighed', '00002 Unknown→Closed weighed'];
    expect((await world.words()).sort()).toEqual(first);
    world.answer(two({}, { openStatus: true }));
    expect(await world.ingest()).toEqual({ ...done, changed: 1, flips: 1 });
    expect((await world.words()).slice(2)).toEqual(['00002 Closed→Open waits']);
    // What is believed is the feed's to say, and the weighing's.
    expect((await world.section('00002')).last_known_section_status).toBe('Closed');
    expect(await world.ingest()).toEqual(done);
    expect(await world.words()).toHaveLength(3);
  });

  test('a word is compared with the last one of the catalog, not with what the feed has said since', async () => {
    world.answer(two({ openStatus: false }));
    await world.ingest();
    await world.db.write
      .updateTable('sections')
      .set({ last_known_section_status: 'Open' })
      .where('index_number', '=', '00001')
      .execute();
    world.answer(two({ openStatus: false, subtitle: 'New' }));
    expect(await world.ingest()).toMatchObject({ changed: 1, flips: 0 });
    expect((await world.section('00001')).last_known_section_status).toBe('Open');
  });

  test('of a new section the list of open ones decides, also by its silence', async () => {
    await world.poll({ '00001': false, '00002': true });
    const closed = { openStatus: false };
    world.answer([courseOf('111', [sectionOf('00001'), sectionOf('00002', closed), sectionOf('00003')])]);
    await world.ingest({ campusCode: 'CM' });
    const believed = (await world.sections()).map((section) => section.last_known_section_status);
    expect(believed).toEqual(['Closed', 'Open', 'Closed']);
  });

  test('who says nothing of a status is believed to be unknown, until somebody does', async () => {
    world.answer(two({ openStatus: null }));
    await world.ingest();
    expect((await world.section('00001')).last_known_section_status).toBe('Unknown');
    expect(await world.words()).toEqual(['00002 Unknown→Open weighed']);
    world.answer(two({ openStatus: false }));
    await world.ingest();
    expect((await world.section('00001')).last_known_section_status).toBe('Closed');
    expect((await world.words())[1]).toBe('00001 Unknown→Closed weighed');
  });

  test('watches of an index that was unknown get their section and its campus, whatever their status', async () => {
    const ids = [
      await world.watch('00001', { campusCode: 'NK' }),
      await world.watch('00002', { status: 'paused' }),
    ];
    await world.watch('00099');
    world.answer(two());
    await world.ingest();
    const rows = await world.db.read
      .selectFrom('subscriptions')
      .selectAll()
      .orderBy('subscription_id')
      .execute();
    const sections = await world.sections();
    expect(rows.map(({ section_id, campus_code }) => [section_id, campus_code])).toEqual([
      [sections[0]?.section_id, 'NB'],
      [sections[1]?.section_id, 'NB'],
      [null, 'NB'],
    ]);
    expect(rows.slice(0, 2).map(({ subscription_id }) => subscription_id)).toEqual(ids);
  });

  test('what cannot be used is counted, and the first of two with one index is taken', async () => {
    world.answer([
      ...two(),
      courseOf('112', [sectionOf('00001', { openStatus: false }), sectionOf('x')]),
      'nonsense',
      courseOf('113', []),
    ]);
    expect(await world.ingest()).toEqual({ ...done, changed: 2, unusable: 3 });
    expect(await world.ingest()).toEqual({ ...done, unusable: 3 });
    expect(await world.words()).toHaveLength(2);
  });

  test('courses that share everything but one part of their key are several', async () => {
    const others = [{ supplementCode: 'LA' }, { campusCode: 'NK' }, { courseString: '56:198:111' }, {}];
    world.answer(others.map((more, number) => courseOf('111', [sectionOf(`0000${number}`)], more)));
    expect(await world.ingest()).toMatchObject({ courses: 4, sections: 4 });
    expect(new Set((await world.sections()).map(({ course_id }) => course_id)).size).toBe(4);
  });

  test('a section that two campuses list stays with the first until that one lists it no longer', async () => {
    const shared = [courseOf('111', [sectionOf('00001')])];
    world.answer([...two(), courseOf('112', [sectionOf('00003')])]);
    await world.ingest();
    world.answer(shared);
    expect(await world.ingest({ campusCode: 'ONLINE_NB' })).toMatchObject({ changed: 0 });
    expect((await world.section('00001')).campus_code).toBe('NB');
    world.answer([courseOf('112', [sectionOf('00003')])]);
    expect(await world.ingest()).toMatchObject({ gone: 2 });
    world.answer(shared);
    expect(await world.ingest({ campusCode: 'ONLINE_NB' })).toMatchObject({ changed: 1 });
    expect(await world.section('00001')).toMatchObject({ campus_code: 'ONLINE_NB', gone_at: null });
  });

  test('texts that a database could choke on arrive as they may stand in a line', async () => {
    world.answer(two({ subtitle: 'a\u0000b\ud800 "c\\d" 🎓', sectionNotes: "'; DROP TABLE sections; --" }));
    await world.ingest();
    const { subtitle, notes } = await world.section('00001');
    expect([subtitle, notes]).toEqual(['a b\ufffd "c\\d" 🎓', "'; DROP TABLE sections; --"]);
    expect(await world.ingest()).toMatchObject({ changed: 0 });
  });
});
