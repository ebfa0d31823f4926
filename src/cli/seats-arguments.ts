import type { Engine } from '../engine.ts';
import type { SectionDetails } from '../sources/course-seats/catalog/catalog.ts';
import type { CourseSeats } from '../sources/course-seats/course-seats.ts';
import { campusCodes, isIndex, type ListKey, parseTermId } from '../sources/course-seats/term.ts';
import { nearest } from '../std/nearest.ts';
import { Refusal } from '../std/refusal.ts';
import { printable } from './printable.ts';

/** Terms, campuses and indexes as people give them to a command, and how they are called back. */

export function requireSeats({ seats, seatsRefusal }: Pick<Engine, 'seats' | 'seatsRefusal'>): CourseSeats {
  if (seats) return seats;
  if (seatsRefusal) throw seatsRefusal;
  throw new Refusal(
    'no_section_feed',
    'There is no section feed: SOC_BASE_URL is off, or is not set while mail leaves this machine. Set it to where the feed is, such as https://classes.rutgers.edu/soc/api.',
  );
}

/** The one that is given, or the only one that there is. */
export async function requireTerm(seats: CourseSeats, given: string | undefined): Promise<string> {
  if (given !== undefined) {
    if (parseTermId(given)) return given;
    throw new Refusal(
      'invalid_term',
      `--term ${JSON.stringify(given)} is no term. Give the season's number (0 winter, 1 spring, 7 summer, 9 fall) and the year, such as 12026 for spring 2026.`,
    );
  }
  const terms = [...new Set((await seats.poller.status()).map(({ termId }) => termId))];
  const [only] = terms;
  if (only !== undefined && terms.length === 1) return only;
  throw new Refusal(
    'term_required',
    terms.length === 0
      ? 'Say which term with --term, such as --term 12026: none is polled (SOC_TERMS), and nobody watches anything.'
      : `Say which term with --term: ${terms.join(' or ')}.`,
  );
}

export function requireCampus(text: string): string {
  const known = campusCodes.find((code) => code === text.toUpperCase());
  if (known) return known;
  const meant = nearest(text.toUpperCase(), campusCodes);
  throw new Refusal(
    'unknown_campus',
    `There is no campus ${JSON.stringify(text)}.${meant ? ` Did you mean ${meant}?` : ''} The campuses are ${campusCodes.join(', ')}.`,
  );
}

export function requireIndex(text: string | undefined): string {
  if (text !== undefined && isIndex(text)) return text;
  throw new Refusal(
    'invalid_index',
    text === undefined
      ? "Say which section with --index, by the five digits of its index: it stands beside the section in the catalog, and isn't its number."
      : `--index ${JSON.stringify(text)} is no index. It has five digits, leading zeros included, such as 04711.`,
  );
}

/** `spring 2026` */
export function termName(termId: string): string {
  const term = parseTermId(termId);
  return term ? `${term.season} ${term.year}` : printable(termId);
}

export function listName({
  termId,
  campuses,
}: Pick<ListKey, 'termId'> & { campuses: readonly string[] }): string {
  return `${termName(termId)} ${campuses.join(', ')}`;
}

/** What a section is called, as far as the catalog knows it. */
export function sectionName(indexNumber: string, section: SectionDetails | undefined): string {
  if (!section) return `index ${indexNumber}, which is in no catalog yet`;
  const { courseString, courseTitle, sectionNumber } = section;
  return printable(`${courseString} ${courseTitle}, section ${sectionNumber} (index ${indexNumber})`);
}
