/**
 * Terms and campuses as the section feed names them. A term is `<season><year>`: `12026` is spring 2026. Three campuses answer
 * with the same list of open sections whichever of them is asked for, so that one poll serves them all (DESIGN 8.9).
 */
export const campusCodes = ['NB', 'NK', 'CM', 'ONLINE_NB', 'ONLINE_NK', 'ONLINE_CM'] as const;
export type CampusCode = (typeof campusCodes)[number];

/** One list of open sections: what is polled, and by whose name. */
export interface ListKey {
  termId: string;
  /** The campus by whose name it is asked for. */
  campusCode: string;
}

const seasons: Readonly<Record<string, 'winter' | 'spring' | 'summer' | 'fall'>> = {
  0: 'winter',
  1: 'spring',
  7: 'summer',
  9: 'fall',
};

export interface Term {
  season: 'winter' | 'spring' | 'summer' | 'fall';
  /** As the feed wants it. */
  term: string;
  year: number;
}

export function parseTermId(termId: string): Term | undefined {
  const parts = /^([0179])(20\d\d)$/.exec(termId);
  const season = seasons[parts?.[1] ?? ''];
  return parts && season ? { season, term: parts[1] as string, year: Number(parts[2]) } : undefined;
}

/**
 * When a term is over for certain, so that nobody waits for its seats any longer: the feed does not say, and late costs less than
 * early. Winter goes by one year or the other, so it ends with the later. Undefined for what is no term.
 */
export function termEndsAt(termId: string): number | undefined {
  const term = parseTermId(termId);
  return term && Date.UTC(term.year, monthsUntilOver[term.season], 1);
}

const monthsUntilOver = { winter: 13, spring: 5, summer: 8, fall: 12 } as const;

/** The term for which people look for seats now: registration for a term begins some months before it does. */
export function termInRegistration(now: number): string {
  const date = new Date(now);
  const month = date.getUTCMonth() + 1;
  const year = date.getUTCFullYear();
  if (month <= 3) return `1${year}`;
  return month <= 9 ? `9${year}` : `1${year + 1}`;
}

const shared: readonly string[] = ['NB', 'NK', 'CM'];

/** The campuses that a list is for. */
export function campusesOf({ campusCode }: Pick<ListKey, 'campusCode'>): readonly string[] {
  return shared.includes(campusCode) ? shared : [campusCode];
}

/** The list in which a campus's sections are. */
export function listOf(termId: string, campusCode: string): ListKey {
  return { termId, campusCode: campusesOf({ campusCode })[0] as string };
}

/** Sections' indexes: five digits, leading zeros count. */
export function isIndex(text: string): boolean {
  return /^\d{5}$/.test(text);
}
