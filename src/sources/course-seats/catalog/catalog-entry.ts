import { meetingSummaryOf, toBeAnnounced } from './meeting-summary.ts';
import { searchWordsOf } from './search-words.ts';
import {
  courseStringOf,
  indexOf,
  instructorsOf,
  notesOf,
  openStatusOf,
  restrictionsOf,
  specialPermissionOf,
  twinsOf,
} from './section-facts.ts';
import { isObject, objectsIn, tidyText } from './tidy-text.ts';

/**
 * One course of the catalog as our rows have it. Nothing in it is trusted: what is missing or odd gets a stand-in, and only
 * a section without an index is left out, because nobody could watch it.
 */
export interface CatalogEntry {
  course: EntryCourse;
  sections: EntrySection[];
  /** Sections, or whatever stood in their place, that could not be used. */
  unusable: number;
}

export interface EntryCourse {
  course_string: string;
  supplement_code: string;
  offering_campus: string;
  subject_code: string;
  title: string;
  expanded_title: string | null;
  search_words: string;
}

export interface EntrySection {
  index_number: string;
  section_number: string;
  subtitle: string | null;
  meeting_summary: string;
  instructors: string | null;
  special_permission: string | null;
  restrictions: string | null;
  cross_listed: string | null;
  notes: string | null;
  /** Null where the catalog does not say. */
  status: 'Open' | 'Closed' | null;
}

/** Ten times what the largest course of a campus has. */
const sectionsMax = 5_000;
const titleCharactersMax = 200;

export function catalogEntryOf(given: unknown): CatalogEntry | undefined {
  if (!isObject(given)) return undefined;
  const listed = Array.isArray(given.sections) ? given.sections.length : 0;
  const sections = objectsIn(given.sections, sectionsMax).flatMap(sectionOf);
  return { course: courseOf(given, sections), sections, unusable: listed - sections.length };
}

function courseOf(given: Record<string, unknown>, sections: readonly EntrySection[]): EntryCourse {
  const courseString =
    tidyText(given.courseString, 40) ??
    courseStringOf(given.offeringUnitCode, given.subject, given.courseNumber) ??
    // It is a part of the key: two courses without a code must not become one.
    `index ${sections[0]?.index_number ?? '?'}`;
  const expandedTitle = tidyText(given.expandedTitle, titleCharactersMax);
  const title = tidyText(given.title, titleCharactersMax) ?? expandedTitle ?? courseString;
  const subjectCode = tidyText(given.subject, 20) ?? courseString.split(':')[1] ?? toBeAnnounced;
  return {
    course_string: courseString,
    supplement_code: tidyText(given.supplementCode, 20) ?? '',
    offering_campus: tidyText(given.campusCode, 20) ?? '',
    subject_code: subjectCode,
    title,
    expanded_title: expandedTitle,
    search_words: searchWordsOf({
      ...{ courseString, subjectCode, title, expandedTitle },
      subjectDescription: tidyText(given.subjectDescription, 100),
    }),
  };
}

function sectionOf(given: Record<string, unknown>): EntrySection[] {
  const index = indexOf(given.index);
  if (index === undefined) return [];
  const twins = twinsOf(given, index);
  return [
    {
      index_number: index,
      section_number: tidyText(given.number, 20) ?? toBeAnnounced,
      subtitle: tidyText(given.subtitle, titleCharactersMax) ?? tidyText(given.subtopic, titleCharactersMax),
      meeting_summary: meetingSummaryOf(given.meetingTimes),
      instructors: instructorsOf(given),
      special_permission: specialPermissionOf(given),
      restrictions: restrictionsOf(given),
      cross_listed: twins.length === 0 ? null : JSON.stringify(twins),
      notes: notesOf(given),
      status: openStatusOf(given),
    },
  ];
}
