import { createSeededRandom, integerBelow, pick, type Random } from '../../../std/random.ts';
import { drawMeetings, type SampleMeeting } from './sample-meetings.ts';
import {
  type SampleSubject,
  sampleCampuses,
  sampleEligibilities,
  sampleForms,
  sampleInstructors,
  samplePermissions,
  sampleSubjects,
} from './sample-words.ts';

/** A term's courses, the same for the same seed. Kept small: what the feed says of them is written when it is asked. */
export interface SampleCourse {
  /** Whose catalog it is in. */
  campusCode: string;
  /** What it says of itself: some are held elsewhere. */
  offeringCampus: string;
  unit: string;
  subject: SampleSubject;
  courseNumber: string;
  supplementCode: string;
  title: string;
  fullTitle: string;
  credits: number | null;
  isGraduate: boolean;
  sections: SampleSection[];
}

export interface SampleSection {
  course: SampleCourse;
  index: string;
  number: string;
  meetings: SampleMeeting[];
  instructors: readonly string[];
  permission: { code: string; description: string } | null;
  /** Whose seats these are; empty where they are everybody's. */
  openTo: string;
  eligibility: string;
  /** The same seats under another course; the primary one is that with the lower index. */
  twin: SampleSection | undefined;
  /** While nothing moves it. */
  isOpen: boolean;
}

export interface SampleTerm {
  courses: SampleCourse[];
  sections: SampleSection[];
  /** Open, and in nobody's catalog. */
  unlisted: string[];
}

/** As a real term is: 13,780 of 16,000 are open, a quarter needs a permission, 31 % are not for everybody, 90 are in no catalog. */
const shares = { open: 0.855, permission: 0.25, restricted: 0.31, unlisted: 90 / 16_000, twin: 0.04 };
const indexesMax = 99_000;

export function drawTerm(order: {
  seed: number;
  sections: number;
  campusCodes: readonly string[];
}): SampleTerm {
  const { sections: count, campusCodes } = order;
  const unlistedCount = Math.ceil(count * shares.unlisted);
  if (count + unlistedCount > indexesMax) {
    throw new RangeError(`a term has five digits for its indexes: ${count} sections are too many`);
  }
  const random = createSeededRandom(order.seed);
  const weightAll = campusCodes.reduce((sum, code) => sum + weightOf(code), 0);
  const courses: SampleCourse[] = [];
  let left = count;
  for (const [position, campusCode] of campusCodes.entries()) {
    const isLast = position === campusCodes.length - 1;
    const share = isLast ? left : Math.min(left, Math.round((count * weightOf(campusCode)) / weightAll));
    courses.push(...drawCourses(random, campusCode, share));
    left -= share;
  }
  const sections = courses.flatMap((course) => course.sections);
  const unlisted = giveIndexes(random, sections, unlistedCount);
  pairTwins(random, sections);
  return { courses, sections, unlisted };
}

const weightOf = (campusCode: string) => sampleCampuses[campusCode]?.weight ?? 500;

function drawCourses(random: Random, campusCode: string, count: number): SampleCourse[] {
  const courses: SampleCourse[] = [];
  const taken = new Set<string>();
  for (let made = 0, ordinal = 0; made < count; ordinal++) {
    const course = drawCourse(random, campusCode, ordinal);
    const key = () => `${course.unit}:${course.subject.code}:${course.courseNumber}`;
    while (taken.has(key())) course.courseNumber = String(Number(course.courseNumber) + 1);
    taken.add(key());
    // Some are given twice under one number: for honors, told apart by the supplement, or off campus, by the campus alone.
    const dice = random.next();
    const again =
      dice < 0.03
        ? { supplementCode: 'HN', fullTitle: `${course.fullTitle} Honors` }
        : dice < 0.04
          ? { offeringCampus: 'OC' }
          : undefined;
    for (const each of again ? [course, { ...course, ...again, sections: [] }] : [course]) {
      const size = Math.min(count - made, drawSize(random, each));
      for (let number = 1; number <= size; number++) each.sections.push(drawSection(random, each, number));
      made += size;
      if (size > 0) courses.push(each);
    }
  }
  return courses;
}

/** Every subject has each topic in each form once before a school gives it again. */
function drawCourse(random: Random, campusCode: string, ordinal: number): SampleCourse {
  const subject = sampleSubjects[ordinal % sampleSubjects.length] as SampleSubject;
  const turn = Math.floor(ordinal / sampleSubjects.length);
  const { topics } = subject;
  const topic = turn % topics.length;
  const formNumber = (turn * 5) % sampleForms.length;
  const form = sampleForms[formNumber] as (typeof sampleForms)[number];
  const isGraduate = formNumber >= 10;
  const { units } = sampleCampuses[campusCode] ?? { units: ['01', '16'] };
  const schools = isGraduate ? units.slice(-1) : units.slice(0, -1);
  const round = Math.floor(turn / (topics.length * sampleForms.length));
  const jitter = turn === 0 ? 0 : integerBelow(random, 4);
  const brief = form.brief.replace('{}', topics[topic] as string).toUpperCase();
  return {
    campusCode,
    offeringCampus: campusCode,
    unit: schools[round % schools.length] as string,
    subject,
    courseNumber: String(111 + formNumber * 40 + topic * 4 + jitter),
    supplementCode: '  ',
    title: brief.slice(0, 20).trimEnd(), // As wide as the column of a printed schedule.
    fullTitle: form.full.replace('{}', topics[topic] as string),
    credits: random.next() < 0.05 ? null : pick(random, [3, 3, 3, 4, 1]),
    isGraduate,
    sections: [],
  };
}

/** Three and a half on average; what everybody must take is held often. */
function drawSize(random: Random, { courseNumber }: SampleCourse): number {
  return 1 + integerBelow(random, Number(courseNumber) < 200 ? 11 : 4);
}

function drawSection(random: Random, course: SampleCourse, number: number): SampleSection {
  const { places } = sampleCampuses[course.campusCode] ?? { places: [] };
  const isRestricted = random.next() < shares.restricted;
  return {
    course,
    index: '',
    number: String(number).padStart(2, '0'),
    meetings: drawMeetings(random, places),
    instructors: random.next() < 0.06 ? [] : drawInstructors(random),
    permission: random.next() < shares.permission ? pick(random, samplePermissions) : null,
    openTo: isRestricted ? `MAJ: ${course.subject.code} (${course.subject.name})` : '',
    eligibility: isRestricted && random.next() < 0.4 ? pick(random, sampleEligibilities) : '',
    twin: undefined,
    isOpen: random.next() < shares.open,
  };
}

function drawInstructors(random: Random): string[] {
  const first = pick(random, sampleInstructors);
  const second = pick(random, sampleInstructors);
  return random.next() < 0.08 && second !== first ? [first, second] : [first];
}

/** In the order of the catalog, with gaps where there is room, from low ones with leading zeros on. Answers those in no catalog. */
function giveIndexes(random: Random, sections: readonly SampleSection[], unlistedCount: number): string[] {
  const all = sections.length + unlistedCount;
  const stride = Math.max(1, Math.floor(24_000 / all));
  const unlistedEvery = all / unlistedCount;
  const unlisted: string[] = [];
  let index = 100;
  let given = 0;
  for (let number = 1; number <= all; number++) {
    index += 1 + integerBelow(random, 2 * stride - 1);
    const text = String(index).padStart(5, '0');
    const isUnlisted = unlisted.length < Math.floor(number / unlistedEvery);
    const section = isUnlisted ? undefined : sections[given++];
    if (section) section.index = text;
    else unlisted.push(text);
  }
  return unlisted;
}

/** Neighbours of one campus under different courses. Most open and close together; a tenth is split. */
function pairTwins(random: Random, sections: readonly SampleSection[]): void {
  for (const [position, section] of sections.entries()) {
    const next = sections[position + 1];
    if (!next || section.twin || next.course === section.course) continue;
    if (next.course.campusCode !== section.course.campusCode) continue;
    if (random.next() >= shares.twin * 3.5) continue; // One in three and a half is the last of its course.
    section.twin = next;
    next.twin = section;
    if (random.next() >= 0.1) next.isOpen = section.isOpen;
  }
}
