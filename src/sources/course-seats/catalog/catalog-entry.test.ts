import fc from 'fast-check';
import { expect, test } from 'vitest';
import { catalogEntryOf } from './catalog-entry.ts';

const section = {
  ...{ index: '09214', number: '05', openStatus: true, subtitle: '  ', subtopic: 'Games' },
  meetingTimes: [{ meetingDay: 'M', startTimeMilitary: '1020', endTimeMilitary: '1140' }],
  instructors: [{ name: 'SMITH, ANN' }, { name: 'LEE' }, { name: 'LEE' }],
  sectionNotes: 'PREREQ  01:640:115 ',
  commentsText: 'Go to the library',
};
const course = {
  ...{ courseString: '01:198:111', supplementCode: '  ', campusCode: 'NB', subject: '198' },
  ...{ title: 'INTRO COMPUTER SCI', expandedTitle: 'INTRODUCTION TO COMPUTER SCIENCE   ' },
  ...{ subjectDescription: 'Computer Science', sections: [section] },
};

const only = (more: Record<string, unknown>) =>
  catalogEntryOf({ ...course, sections: [{ ...section, ...more }] })?.sections[0];

test('a course and its section as rows', () => {
  expect(catalogEntryOf(course)).toEqual({
    course: {
      ...{ course_string: '01:198:111', supplement_code: '', offering_campus: 'NB', subject_code: '198' },
      ...{ title: 'INTRO COMPUTER SCI', expanded_title: 'INTRODUCTION TO COMPUTER SCIENCE' },
      search_words:
        ' 01:198:111 198:111 111 198 cs | intro computer sci | introduction to computer science # computer science ',
    },
    sections: [
      {
        ...{ index_number: '09214', section_number: '05', subtitle: 'Games', status: 'Open' },
        ...{ meeting_summary: 'M 10:20-11:40', instructors: 'SMITH, ANN; LEE' },
        ...{ special_permission: null, restrictions: null, cross_listed: null },
        notes: 'PREREQ 01:640:115; Go to the library',
      },
    ],
    unusable: 0,
  });
});

test('special permission is in the words of the catalog', () => {
  const permission = {
    specialPermissionAddCode: '03',
    specialPermissionAddCodeDescription: 'Department staff',
  };
  expect(only(permission)?.special_permission).toBe('Department staff');
  expect(only({ specialPermissionAddCode: '03' })?.special_permission).toBe('code 03');
});

test('restrictions are one line: its text, or its codes where it has none', () => {
  const codes = {
    majors: [{ code: '198', isMajorCode: true }],
    unitMajors: [{ unitCode: '04', majorCode: '547' }],
    minors: [{ code: '090' }],
    honorPrograms: [{ code: 'SASH' }],
  };
  const eligibility = { sectionEligibility: 'JUNIORS AND SENIORS' };
  expect(only({ openToText: 'MAJ: 198', ...codes, ...eligibility })?.restrictions).toBe(
    'MAJ: 198; JUNIORS AND SENIORS',
  );
  expect(only({ openToText: '', ...codes })?.restrictions).toBe(
    'majors 198, 04:547; minors 090; honors programs SASH',
  );
});

test('cross-listed twins have their index, course and section; itself and nonsense are none', () => {
  const twin = { offeringUnitCode: '56', subjectCode: '198', courseNumber: '541', sectionNumber: '40' };
  const crossListedSections = [
    { ...twin, registrationIndex: '04115' },
    { ...twin, registrationIndex: '04107', sectionNumber: '01' },
    { ...twin, registrationIndex: '09214' },
    { ...twin, registrationIndex: 'none' },
    'nonsense',
  ];
  expect(JSON.parse(only({ crossListedSections })?.cross_listed ?? '')).toEqual([
    { index: '04107', courseString: '56:198:541', sectionNumber: '01' },
    { index: '04115', courseString: '56:198:541', sectionNumber: '40' },
  ]);
});

test('open or closed by the flag, else by its text; whoever says nothing is not closed', () => {
  expect(only({ openStatus: false, openStatusText: 'OPEN' })?.status).toBe('Closed');
  expect(only({ openStatus: null, openStatusText: 'Open ' })?.status).toBe('Open');
  expect(only({ openStatus: 'yes', openStatusText: 'constructor' })?.status).toBe(null);
});

test('what cannot be watched is counted and left out, an index that lost its zeros is not', () => {
  const sections = [{ ...section, index: 4070 }, { ...section, index: '' }, null, { number: '01' }, 'x'];
  const entry = catalogEntryOf({ ...course, sections });
  expect(entry?.sections.map(({ index_number }) => index_number)).toEqual(['04070']);
  expect(entry?.unusable).toBe(4);
  expect([null, [], 'x', 1].map(catalogEntryOf)).toEqual([undefined, undefined, undefined, undefined]);
});

test('what is missing has stand-ins', () => {
  const bare = catalogEntryOf({ sections: [{ index: '09214' }] });
  expect(bare?.course).toMatchObject({
    course_string: 'index 09214',
    title: 'index 09214',
    subject_code: 'TBA',
  });
  expect(bare?.sections[0]).toMatchObject({ section_number: 'TBA', meeting_summary: 'TBA', status: null });
  const parts = {
    offeringUnitCode: '01',
    subject: '198',
    courseNumber: '111',
    expandedTitle: 'Long',
    sections: [],
  };
  expect(catalogEntryOf(parts)?.course).toMatchObject({ course_string: '01:198:111', title: 'Long' });
});

test('whatever stands in a field, each text is one line without signs that steer, and ends', () => {
  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u0000a\nb', '\u202eabc', '\ud800', `${'x'.repeat(198)}🎓🎓`, 'long '.repeat(5_000)),
  );
  const withOdd = (base: object) =>
    fc.dictionary(fc.constantFrom(...Object.keys(base)), odd).map((odds) => ({ ...base, ...odds }));
  fc.assert(
    fc.property(withOdd(course), withOdd({ ...section, openToText: '', index: '' }), (given, odds) => {
      const sections = [{ ...odds, index: '09214' }, odds];
      const entry = catalogEntryOf({ ...given, sections });
      expect(entry?.sections[0]?.index_number).toBe('09214');
      const texts = Object.values({ ...entry?.course, ...entry?.sections[0] });
      expect(texts.filter((text) => typeof text === 'string' && isUnfit(text))).toEqual([]);
    }),
  );
});

function isUnfit(text: string): boolean {
  return /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e]/u.test(text) || !text.isWellFormed() || text.length > 2_000;
}
