import type { Clock } from '../../../std/clock.ts';
import { campusesOf, type ListKey, listOf, parseTermId } from '../term.ts';
import { drawTerm, type SampleCourse, type SampleSection, type SampleTerm } from './sample-catalog.ts';
import { courseJson } from './sample-course-json.ts';
import { createSampleSchedule, type Opening, type SampleSchedule, turnsCount } from './sample-schedule.ts';

/**
 * A campus that is not there: a catalog and lists of open sections of any size, for whoever has no real feed, for tests and for
 * the simulator. Everything follows from the seed and the clock, so that two processes see the same campus; only what a person
 * opens or closes by hand is this one's own. It holds nothing of any real catalog.
 */
export interface SampleCampus {
  readonly termIds: readonly string[];
  readonly campusCodes: readonly string[];
  /** What is open now, in no order; undefined for a term or campus that is not there. */
  openIndexes(list: ListKey): string[] | undefined;
  /** The catalog of one campus, course by course, as the feed writes it. */
  courses(list: ListKey): Iterable<ReturnType<typeof courseJson>>;
  sections(termId: string): readonly SampleSection[];
  isOpen(termId: string, indexNumber: string): boolean;
  /** The sections that open and close by themselves. */
  popular(list: ListKey): readonly string[];
  /** When they do, in [from, to): what whoever watches them should hear of. */
  openings(list: ListKey, from: number, to: number): (Omit<Opening, 'number'> & { indexNumber: string })[];
  /** By hand, in every term, until it is released. An index that is in no catalog is opened in the first list. */
  open(indexNumber: string): void;
  close(indexNumber: string): void;
  /** Open and closed by turns, beginning with open. */
  oscillate(indexNumber: string, everyMs?: number): void;
  release(indexNumber: string): void;
  /** What is held by hand. */
  byHand(): Record<string, 'open' | 'closed' | 'oscillating'>;
}

export interface SampleCampusOptions {
  clock: Clock;
  termIds: readonly string[];
  campusCodes?: readonly string[];
  seed?: number;
  sections?: number;
  /** Between two openings, on average; null for a campus on which nothing moves. */
  openingEveryMs?: number | null;
}

const sampleDefaults = {
  seed: 2026,
  /** Enough to search in, and made in a few milliseconds; a real term has 16,000. */
  sections: 600,
  campusCodes: ['NB', 'NK', 'CM'],
  openingEveryMs: 30_000,
} as const;

type ByHand = { is: 'open' | 'closed' } | { is: 'oscillating'; everyMs: number; since: number };

interface List {
  term: SampleTerm;
  listed: SampleSection[];
  unlisted: readonly string[];
  popular: SampleSection[];
  numbers: ReadonlyMap<string, number>;
  schedule: SampleSchedule;
}

export function createSampleCampus(options: SampleCampusOptions): SampleCampus {
  const { clock, termIds, campusCodes, seed, sections, openingEveryMs } = { ...sampleDefaults, ...options };
  const lists = new Map<string, List>();
  const terms = new Map<string, SampleTerm>();
  const indexes = new Map<string, Map<string, SampleSection>>();
  const hand = new Map<string, ByHand>();
  const keyOf = ({ termId, campusCode }: ListKey) => {
    const list = listOf(termId, campusCode);
    return `${list.termId} ${list.campusCode}`;
  };

  for (const termId of termIds) {
    const { term: season, year } = requireTerm(termId);
    const termSeed = Math.imul(seed, 31) + year * 10 + Number(season);
    const term = drawTerm({ seed: termSeed, sections, campusCodes });
    terms.set(termId, term);
    indexes.set(termId, new Map(term.sections.map((section) => [section.index, section])));
    const names = new Set(campusCodes.map((campusCode) => listOf(termId, campusCode).campusCode));
    for (const [position, campusCode] of [...names].entries()) {
      const shared = campusesOf({ campusCode });
      const listed = term.sections.filter(({ course }) => shared.includes(course.campusCode));
      const popular = choosePopular(listed);
      lists.set(`${termId} ${campusCode}`, {
        term,
        listed,
        unlisted: position === 0 ? term.unlisted : [],
        popular,
        numbers: new Map(popular.map(({ index }, number) => [index, number])),
        schedule: createSampleSchedule({
          seed: termSeed + position,
          popular: popular.length,
          everyMs: openingEveryMs,
        }),
      });
    }
  }

  function isHeldOpen(held: ByHand): boolean {
    if (held.is !== 'oscillating') return held.is === 'open';
    return Math.floor((clock.now() - held.since) / held.everyMs) % 2 === 0;
  }

  /** What one answer goes by: the schedule is asked once, not once a section. */
  function statusNow({ schedule, numbers }: List): (section: SampleSection) => boolean {
    const openNumbers = schedule.openAt(clock.now());
    return (section) => {
      const held = hand.get(section.index);
      if (held) return isHeldOpen(held);
      const number = numbers.get(section.index);
      return number === undefined ? section.isOpen : openNumbers.has(number);
    };
  }

  function listOfSection(termId: string, section: SampleSection): List {
    return lists.get(keyOf({ termId, campusCode: section.course.campusCode })) as List;
  }

  return {
    termIds,
    campusCodes,
    openIndexes(key) {
      const list = campusCodes.includes(key.campusCode) ? lists.get(keyOf(key)) : undefined;
      if (!list) return undefined;
      const isOpen = statusNow(list);
      const open = list.listed.filter(isOpen).map(({ index }) => index);
      const strangers = [...hand].filter(([index]) => !indexes.get(key.termId)?.has(index));
      const isFirst = list.unlisted.length > 0;
      open.push(...list.unlisted.filter((index) => !hand.has(index)));
      if (isFirst) open.push(...strangers.filter(([, held]) => isHeldOpen(held)).map(([index]) => index));
      // Their order is not guaranteed: who relies on it must notice here.
      const start = open.length === 0 ? 0 : Math.floor(clock.now() / 1_000) % open.length;
      return [...open.slice(start), ...open.slice(0, start)];
    },
    *courses(key) {
      const list = lists.get(keyOf(key));
      if (!list || !campusCodes.includes(key.campusCode)) return;
      const isOpen = statusNow(list);
      const ofCampus = ({ campusCode }: SampleCourse) => campusCode === key.campusCode;
      for (const course of list.term.courses.filter(ofCampus)) yield courseJson(course, key.termId, isOpen);
    },
    sections: (termId) => terms.get(termId)?.sections ?? [],
    isOpen(termId, indexNumber) {
      const section = indexes.get(termId)?.get(indexNumber);
      if (section) return statusNow(listOfSection(termId, section))(section);
      const held = hand.get(indexNumber);
      return held ? isHeldOpen(held) : (terms.get(termId)?.unlisted.includes(indexNumber) ?? false);
    },
    popular: (key) => lists.get(keyOf(key))?.popular.map(({ index }) => index) ?? [],
    openings(key, from, to) {
      const list = lists.get(keyOf(key));
      return (list?.schedule.openings(from, to) ?? []).map(({ number, ...times }) => ({
        ...times,
        indexNumber: list?.popular[number]?.index as string,
      }));
    },
    open: (indexNumber) => void hand.set(indexNumber, { is: 'open' }),
    close: (indexNumber) => void hand.set(indexNumber, { is: 'closed' }),
    oscillate: (indexNumber, everyMs = 20_000) =>
      void hand.set(indexNumber, { is: 'oscillating', everyMs, since: clock.now() }),
    release: (indexNumber) => void hand.delete(indexNumber),
    byHand: () => Object.fromEntries([...hand].map(([index, held]) => [index, held.is])),
  };
}

function requireTerm(termId: string) {
  const term = parseTermId(termId);
  if (!term) throw new RangeError(`no term: ${termId}`);
  return term;
}

/** One of each of the first courses, for everybody, and with a time and a place: what people wait for. */
function choosePopular(sections: readonly SampleSection[]): SampleSection[] {
  const courses = new Set<SampleCourse>();
  const wanted = sections.filter(({ course, permission, openTo, twin, meetings }) => {
    const isPlain =
      !permission && openTo === '' && !twin && meetings.every(({ meetingDay }) => meetingDay !== '');
    return isPlain && !courses.has(course) && courses.add(course);
  });
  return (wanted.length > 0 ? wanted : sections).slice(0, turnsCount);
}
