import type { SampleCourse, SampleSection } from './sample-catalog.ts';

/** A course as `courses.json` has it, field for field, those that nobody reads included: a reader must find its way. */
export function courseJson(
  course: SampleCourse,
  termId: string,
  isOpen: (section: SampleSection) => boolean,
) {
  const { subject, unit, credits } = course;
  return {
    campusLocations: placesOf(course.sections),
    subject: subject.code,
    openSections: course.sections.filter(isOpen).length,
    synopsisUrl: '',
    title: course.title,
    preReqNotes: '',
    courseString: `${unit}:${subject.code}:${course.courseNumber}`,
    school: { code: unit, description: `School ${unit}` },
    credits,
    subjectDescription: subject.name,
    coreCodes: coreCodes(course, termId),
    expandedTitle:
      course.fullTitle.length > course.title.length ? course.fullTitle.toUpperCase().padEnd(80) : '',
    courseFeeDescr: '',
    mainCampus: course.campusCode,
    subjectNotes: '',
    courseNumber: course.courseNumber,
    creditsObject:
      credits === null
        ? { code: 'BA', description: 'Credits by arrangement' }
        : { code: `${credits}_0`, description: `${credits}.0 credits` },
    level: course.isGraduate ? 'G' : 'U',
    campusCode: course.offeringCampus,
    subjectGroupNotes: '',
    offeringUnitCode: unit,
    offeringUnitTitle: null,
    courseDescription: '',
    sections: course.sections.map((section) => sectionJson(section, isOpen(section))),
    supplementCode: course.supplementCode,
    courseFee: '0',
    unitNotes: '',
    courseNotes: '',
  };
}

function sectionJson(section: SampleSection, isOpen: boolean) {
  const { course, permission, twin, openTo } = section;
  return {
    sectionEligibility: section.eligibility,
    sessionDatePrintIndicator: 'Y',
    examCode: 'C',
    specialPermissionAddCode: permission?.code ?? null,
    crossListedSections: twin ? [twinJson(twin, section)] : [],
    sectionNotes: '',
    specialPermissionDropCode: null,
    crossListedSectionType: twin ? (section.index < twin.index ? '1' : '2') : '0',
    instructors: section.instructors.map((name) => ({ name })),
    number: section.number,
    finalExam: null,
    majors: openTo === '' ? [] : [{ isMajorCode: true, isUnitCode: false, code: course.subject.code }],
    openToText: openTo,
    openStatusText: isOpen ? 'OPEN' : 'CLOSED',
    sessionDates: null,
    specialPermissionDropCodeDescription: null,
    subtopic: '',
    openStatus: isOpen,
    comments: [],
    instructorsText: section.instructors.join('; '),
    minors: [],
    examCodeText: 'During class hour',
    campusCode: course.offeringCampus,
    sectionCampusLocations: placesOf([section]),
    index: section.index,
    unitMajors: [],
    printed: 'Y',
    specialPermissionAddCodeDescription: permission?.description ?? null,
    commentsText: '',
    subtitle: '',
    crossListedSectionsText: twin ? twinText(twin) : '',
    sectionCourseType: 'T',
    meetingTimes: section.meetings,
    legendKey: null,
    honorPrograms: [],
  };
}

function twinJson(twin: SampleSection, own: SampleSection) {
  return {
    courseNumber: twin.course.courseNumber,
    supplementCode: twin.course.supplementCode,
    sectionNumber: twin.number,
    offeringUnitCampus: twin.course.campusCode,
    primaryRegistrationIndex: twin.index < own.index ? twin.index : own.index,
    offeringUnitCode: twin.course.unit,
    registrationIndex: twin.index,
    subjectCode: twin.course.subject.code,
  };
}

const twinText = ({ course: { unit, subject, courseNumber }, number, index }: SampleSection) =>
  `${unit}:${subject.code}:${courseNumber}:${number} (${index})`;

function placesOf(sections: readonly SampleSection[]) {
  const places = new Map(
    sections.flatMap(({ meetings }) =>
      meetings.map(({ campusLocation: code, campusName }) => [code, campusName] as const),
    ),
  );
  return [...places].map(([code, description]) => ({ code, description }));
}

/** Every other undergraduate course counts for something. */
function coreCodes(
  { isGraduate, unit, subject, courseNumber, campusCode, ...course }: SampleCourse,
  termId: string,
) {
  if (isGraduate || Number(courseNumber) % 2 === 0) return [];
  const [term, year] = [termId.slice(0, 1), termId.slice(1)];
  return [
    {
      id: `${year}${term}${unit}${subject.code}${courseNumber}${course.supplementCode}9`,
      year,
      term,
      supplement: course.supplementCode,
      description: 'Reasoning with Numbers',
      effective: `${year}${term}`,
      coreCodeReferenceId: '9',
      coreCode: 'RWN',
      coreCodeDescription: 'Reasoning with Numbers',
      offeringUnitCode: unit,
      offeringUnitCampus: campusCode,
      course: courseNumber,
      subject: subject.code,
      code: 'RWN',
      unit,
      lastUpdated: 1_700_000_000_000,
    },
  ];
}
