import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CatalogQuestion } from '../../src/sources/course-seats/catalog/catalog.ts';
import { onBothDatabases } from '../support/world.ts';
import { type CatalogWorld, courseOf, createCatalogWorld, sectionOf, termId } from './catalog-world.ts';

const intro = { title: 'INTRO COMPUTER SCI', expandedTitle: 'INTRODUCTION TO COMPUTER SCIENCE' };
const mathematics = { subject: '640', subjectDescription: 'Mathematics' };
const nb = [
  courseOf('111', [sectionOf('00002', { number: '02' }), sectionOf('00001', { openStatus: false })], intro),
  courseOf('112', [sectionOf('00003')], { title: 'DATA STRUCTURES' }),
  courseOf('211', [sectionOf('00004')], { title: 'COMPUTER ARCHITECTURE' }),
  courseOf('x', [sectionOf('00005')], {
    ...{
      ...mathematics,
      courseString: '01:640:151',
      title: 'CALCULUS I',
      expandedTitle: 'Calculus for Café Owners',
    },
  }),
  courseOf('y', [sectionOf('00006')], {
    ...mathematics,
    courseString: '01:640:111',
    title: '100% PRE_CALCULUS',
  }),
  courseOf('z', [sectionOf('00007')], { courseString: '04:198:111', title: "WOMEN'S COMPUTING" }),
];

onBothDatabases('the catalog is searched', (dialect) => {
  let world: CatalogWorld;
  beforeAll(async () => {
    world = await createCatalogWorld(dialect);
    world.answer(nb);
    await world.ingest();
    world.answer([courseOf('111', [sectionOf('10001')], { ...intro, campusCode: 'CM' })]);
    await world.ingest({ campusCode: 'CM' });
    world.answer([courseOf('111', [sectionOf('00001')], { title: 'INTRO OF LAST FALL' })]);
    await world.ingest({ termId: '92025' });
  });
  afterAll(() => world.close());

  const found = async (text: string, more: Partial<CatalogQuestion> = {}) =>
    (await world.catalog.search({ text, termId, campusCode: 'NB', ...more })).map(
      ({ courseString, title }) => `${courseString} ${title}`,
    );
  const introFound = '01:198:111 INTRODUCTION TO COMPUTER SCIENCE';
  const womens = "04:198:111 WOMEN'S COMPUTING";

  test('by its code, as far as it is known and however it is written', async () => {
    for (const text of ['01:198:111', ' 01 198 111 ', '01:198:111:02', '01.198.111']) {
      expect([text, await found(text)]).toEqual([text, [introFound]]);
    }
    for (const text of ['198:111', '198 111', '198-111', '198:111:02']) {
      expect([text, await found(text)]).toEqual([text, [introFound, womens]]);
    }
    expect(await found('198:11')).toEqual([introFound, '01:198:112 DATA STRUCTURES', womens]);
    expect(await found('01:640:')).toHaveLength(2);
  });

  test('by what the subject is called and a number', async () => {
    expect(await found('cs 111')).toEqual([introFound, womens]);
    expect(await found('math 151')).toEqual(['01:640:151 Calculus for Café Owners']);
    expect(await found('Computer Science 112')).toEqual(['01:198:112 DATA STRUCTURES']);
  });

  test('by beginnings of words, all of them, with accents and case folded', async () => {
    expect(await found('stru DATA')).toEqual(['01:198:112 DATA STRUCTURES']);
    expect(await found('cafe calc')).toEqual(['01:640:151 Calculus for Café Owners']);
    expect(await found('CAFÉ')).toEqual(['01:640:151 Calculus for Café Owners']);
    expect(await found('womens')).toEqual([womens]);
    expect(await found('data cooking')).toEqual([]);
    expect(await found('tructures')).toEqual([]);
  });

  test('best first: titles that begin so, titles with the word, then the subject', async () => {
    expect(await found('comput')).toEqual([
      ...['01:198:211 COMPUTER ARCHITECTURE', introFound, womens, '01:198:112 DATA STRUCTURES'],
    ]);
    expect(await found('comput', { limit: 1 })).toEqual(['01:198:211 COMPUTER ARCHITECTURE']);
  });

  test("a pattern's own signs find nothing by themselves", async () => {
    for (const text of ['%', '_', '%%', '\\', "'", '', '   ', '|', '#'])
      expect(await found(text)).toEqual([]);
    expect(await found('100%')).toEqual(['01:640:111 100% PRE_CALCULUS']);
    expect(await found('c_lculus')).toEqual([]);
    expect(await found('x'.repeat(100_000))).toEqual([]);
  });

  test('a letter beside longer words is passed over; letters alone are as good as one of them', async () => {
    expect(await found('a computer architecture q')).toEqual(['01:198:211 COMPUTER ARCHITECTURE']);
    expect(await found('d q q q')).toEqual(await found('d'));
    expect(await found('d')).toContain('01:198:112 DATA STRUCTURES');
  });

  test('an index finds its section, in each term that has it', async () => {
    const courses = await world.catalog.search({ text: '00001' });
    expect(courses.map((course) => [course.termId, course.title, course.sections.length])).toEqual([
      ['12026', 'INTRODUCTION TO COMPUTER SCIENCE', 1],
      ['92025', 'INTRO OF LAST FALL', 1],
    ]);
    expect(await found('00001')).toEqual([introFound]);
    expect(await found('99999')).toEqual([]);
  });

  test('courses come with their sections, by number, and what is believed of them', async () => {
    const [course] = await world.catalog.search({ text: '01:198:111', termId, campusCode: 'NB' });
    expect(course?.sections.map((one) => [one.sectionNumber, one.indexNumber, one.status])).toEqual([
      ['01', '00001', 'Closed'],
      ['02', '00002', 'Open'],
    ]);
    expect(course?.sections[0]).toMatchObject({ courseId: course?.courseId, meetingSummary: 'TBA' });
  });

  test('without a term or a campus it is all of them, newest first', async () => {
    const all = await world.catalog.search({ text: 'intro' });
    expect(all.map((course) => `${course.termId} ${course.campusCode}`)).toEqual([
      ...['12026 CM', '12026 NB', '92025 NB'],
    ]);
    expect(await world.catalog.terms()).toEqual(['12026', '92025']);
  });
});

onBothDatabases('a large catalog is searched', (dialect) => {
  test('each course comes with its own sections, however many the others have, and old terms are passed over', async () => {
    const world = await createCatalogWorld(dialect);
    try {
      const indexOf = (course: number, section: number) => String(10_000 + course * 600 + section);
      world.answer(
        [0, 1, 2].map((course) =>
          courseOf(
            `11${course}`,
            Array.from({ length: 510 }, (_, section) =>
              sectionOf(indexOf(course, section), { number: String(section).padStart(3, '0') }),
            ),
            intro,
          ),
        ),
      );
      await world.ingest();
      const courses = await world.catalog.search({ text: 'introduction' });
      expect(courses.map(({ sections }) => sections.length)).toEqual([500, 500, 500]);
      expect(courses[2]?.sections[0]?.indexNumber).toBe(indexOf(2, 0));

      world.answer([courseOf('115', [sectionOf('00001')], intro)]);
      for (const old of ['92025', '72025', '12025', '02025', '92024']) await world.ingest({ termId: old });
      const terms = (await world.catalog.search({ text: 'introduction' })).map((course) => course.termId);
      expect([...new Set(terms)]).toEqual(['12026', '92025', '72025', '12025']);
      expect(await world.catalog.search({ text: 'introduction', termId: '92024' })).toHaveLength(1);
    } finally {
      await world.close();
    }
  });
});

onBothDatabases('a catalog of which nothing is left', (dialect) => {
  test('finds nothing in no catalog, and no course whose sections are gone', async () => {
    const world = await createCatalogWorld(dialect);
    try {
      expect(await world.catalog.search({ text: 'intro' })).toEqual([]);
      expect(await world.catalog.terms()).toEqual([]);
      world.answer(nb);
      await world.ingest();
      world.answer(nb.slice(1));
      await world.ingest();
      expect(await world.catalog.search({ text: 'introduction' })).toEqual([]);
      expect(await world.catalog.search({ text: '00001' })).toMatchObject([{ sections: [{ isGone: true }] }]);
    } finally {
      await world.close();
    }
  });
});
