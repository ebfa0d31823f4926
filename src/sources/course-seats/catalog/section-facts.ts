import { isIndex } from '../term.ts';
import { joined, objectsIn, tidyText } from './tidy-text.ts';

/** What somebody has to know of a section before they run for its seat: each a line, or null where the catalog says nothing. */
type Raw = Record<string, unknown>;

export interface Twin {
  index: string;
  courseString: string;
  sectionNumber: string;
}

const lineCharactersMax = 500;
const entriesMax = 40;

/** Who has to say yes: `Department staff`. */
export function specialPermissionOf(section: Raw): string | null {
  const code = tidyText(section.specialPermissionAddCode, 20);
  const description = tidyText(section.specialPermissionAddCodeDescription, lineCharactersMax);
  return description ?? (code === null ? null : `code ${code}`);
}

/** Who may take it. The catalog has a text for most of it, and codes for whoever wants to compute; the text is better read. */
export function restrictionsOf(section: Raw): string | null {
  const openTo = tidyText(section.openToText, lineCharactersMax);
  const eligibility = tidyText(section.sectionEligibility, lineCharactersMax);
  const codes = openTo === null ? codesOf(section) : [];
  return joined([openTo, eligibility, ...codes], '; ', lineCharactersMax);
}

function codesOf(section: Raw): string[] {
  const unitMajors = objectsIn(section.unitMajors, entriesMax).map(({ unitCode, majorCode }) =>
    joined([tidyText(unitCode, 20), tidyText(majorCode, 20)], ':', 50),
  );
  const groups = {
    majors: [...codesIn(section.majors), ...unitMajors],
    minors: codesIn(section.minors),
    'honors programs': codesIn(section.honorPrograms),
  };
  return Object.entries(groups).flatMap(([name, codes]) => {
    const list = joined(codes, ', ', lineCharactersMax);
    return list === null ? [] : [`${name} ${list}`];
  });
}

const codesIn = (list: unknown) => objectsIn(list, entriesMax).map(({ code }) => tidyText(code, 20));

/** The same seats under another course: whichever of them opens, this one may not. */
export function twinsOf(section: Raw, ownIndex: string): Twin[] {
  const twins = objectsIn(section.crossListedSections, entriesMax).map((given) => ({
    index: indexOf(given.registrationIndex) ?? '',
    courseString: courseStringOf(given.offeringUnitCode, given.subjectCode, given.courseNumber) ?? 'TBA',
    sectionNumber: tidyText(given.sectionNumber, 20) ?? 'TBA',
  }));
  const known = new Map(twins.map((twin) => [twin.index, twin]));
  known.delete('');
  known.delete(ownIndex);
  return [...known.values()].sort((one, other) => (one.index < other.index ? -1 : 1));
}

/** A number has lost its leading zeros on the way. */
export function indexOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value).padStart(5, '0') : tidyText(value, 20);
  return text !== null && isIndex(text) ? text : undefined;
}

export function courseStringOf(unit: unknown, subject: unknown, number: unknown): string | null {
  const parts = [unit, subject, number].map((part) => tidyText(part, 20));
  return parts.includes(null) ? null : parts.join(':');
}

export function instructorsOf(section: Raw): string | null {
  const names = objectsIn(section.instructors, entriesMax).map(({ name }) => tidyText(name, 100));
  return joined(names, '; ', lineCharactersMax) ?? tidyText(section.instructorsText, lineCharactersMax);
}

export function notesOf(section: Raw): string | null {
  const notes = [section.sectionNotes, section.commentsText].map((text) => tidyText(text, lineCharactersMax));
  return joined(notes, '; ', lineCharactersMax);
}

/** Null where it does not say, which is not the same as closed. */
export function openStatusOf({ openStatus, openStatusText }: Raw): 'Open' | 'Closed' | null {
  if (typeof openStatus === 'boolean') return openStatus ? 'Open' : 'Closed';
  const words = { OPEN: 'Open', CLOSED: 'Closed' } as const;
  return words[(tidyText(openStatusText, 20) ?? '').toUpperCase() as keyof typeof words] ?? null;
}
