import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createSampleCampus } from '../../src/sources/course-seats/sample/sample-campus.ts';
import { onBothDatabases } from '../support/world.ts';
import { createCatalogWorld, termId } from './catalog-world.ts';

/** A part of a real catalog, where this work tree has it beside itself; the project ships none. */
const folder = new URL('../../../shared/data/soc/', import.meta.url);
const hasReal = existsSync(folder);

const meeting =
  /^(?:[MTWHFSU] \d\d:\d\d-\d\d:\d\d(?: [^;]+)?|Online|Hours by arrangement|Online, hours by arrangement)$/;

onBothDatabases('whole catalogs', (dialect) => {
  test('every section of a sample campus is found, Saturdays and Sundays included', async () => {
    const world = await createCatalogWorld(dialect);
    try {
      const campus = createSampleCampus({ clock: world.clock, termIds: [termId], sections: 600 });
      const courses = [...campus.courses({ termId, campusCode: 'NB' })];
      world.answer(courses);
      const sections = courses.flatMap((course) => course.sections);
      expect(await world.ingest()).toMatchObject({ sections: sections.length, unusable: 0 });
      const rows = await world.sections();
      expect(rows.map(({ index_number }) => index_number)).toEqual(sections.map(({ index }) => index).sort());
      const meetings = rows.flatMap(({ meeting_summary }) => meeting_summary.split('; '));
      expect(meetings.filter((line) => !meeting.test(line))).toEqual([]);
      expect(new Set(meetings.map((line) => /^[MTWHFSU](?= )/.exec(line)?.[0]))).toEqual(
        new Set([...'MTWHFSU', undefined]),
      );
      for (const [column, share] of [
        ['special_permission', 0.25],
        ['restrictions', 0.31],
      ] as const) {
        expect(
          Math.abs(rows.filter((row) => row[column] !== null).length / rows.length - share),
        ).toBeLessThan(0.1);
      }
      expect(rows.some(({ cross_listed }) => cross_listed !== null)).toBe(true);
      expect(await world.ingest()).toMatchObject({ changed: 0, flips: 0, gone: 0 });
    } finally {
      await world.close();
    }
  });

  // Not everybody has it: then the sample campus above is all.
  if (hasReal) {
    test('every section of a real campus resolves, with its day (Thursdays are H), its twin and its permission', async () => {
      const world = await createCatalogWorld(dialect);
      try {
        const text = readFileSync(new URL('courses-CM-198.json', folder), 'utf8');
        const open = JSON.parse(
          readFileSync(new URL('openSections-CM-198.json', folder), 'utf8'),
        ) as string[];
        world.answer(text);
        expect(await world.ingest({ campusCode: 'CM' })).toMatchObject({
          courses: 33,
          sections: 49,
          unusable: 0,
        });
        const rows = await world.sections();
        const openRows = rows.filter((row) => row.last_known_section_status === 'Open');
        const known = new Set(rows.map(({ index_number }) => index_number));
        expect(open.filter((index) => !known.has(index))).toEqual([]);
        expect(openRows.length).toBeGreaterThan(40);
        expect((await world.catalog.section(termId, '04070'))?.meetingSummary).toBe(
          'T 09:35-10:55 CAM BSB 416; H 09:35-10:55 CAM BSB 416; H 14:00-15:00 CAM BSB 416',
        );
        const meetings = rows.flatMap(({ meeting_summary }) => meeting_summary.split('; '));
        expect(meetings.filter((line) => !meeting.test(line))).toEqual([]);
        expect((await world.catalog.section(termId, '04107'))?.crossListed).toEqual([
          { index: '04115', courseString: '56:198:541', sectionNumber: '40' },
        ]);
        expect(new Set(rows.map((row) => row.special_permission))).toEqual(
          new Set([null, 'Department staff', 'Instructor']),
        );
        const found = await world.catalog.search({ text: 'cs 111', termId });
        expect(found.map(({ title }) => title)).toEqual(['PROGRAMMING FUNDAMENTALS']);
      } finally {
        await world.close();
      }
    });
  }
});
