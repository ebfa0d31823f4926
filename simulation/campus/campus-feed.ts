import { createHash } from 'node:crypto';
import type {
  CatalogAnswer,
  Feed,
  FeedFailure,
  ListAnswer,
} from '../../src/sources/course-seats/feed/feed.ts';
import type { ListKey } from '../../src/sources/course-seats/term.ts';
import { secondMs } from '../chance.ts';
import type { Strike, What } from '../faults.ts';
import type { FaultName } from '../tally.ts';
import type { World } from '../world.ts';
import type { Campus, Section } from './campus.ts';

/** Everything that a process awaits goes through here. */
type Call = <T>(what: What, work: (strike: Strike) => Promise<T>) => Promise<T>;

/** The section feed as it tells of the campus: mostly so, and in times of trouble empty, by halves, late, old, or not at all. */
export interface CampusFeed {
  /** As one process asks it. */
  of(who: string, call: Call): Feed;
  /** Something goes wrong with it, for so long. */
  trouble(kind: Trouble, ms: number): void;
  endTrouble(): void;
  /** The catalog is a copy of this moment from now on. */
  copyCatalog(): void;
  /** Every list that was told, by its hash. */
  readonly told: ReadonlyMap<string, readonly string[]>;
  /** Everybody who ever asked for a list. */
  readonly questions: readonly Question[];
  /** A process begins to ask for what is due, or for everything, at an operator's wish. */
  begins(who: string, isForced: boolean): void;
}

interface Question {
  list: string;
  who: string;
  at: number;
  answeredAt: number | null;
  /** What it wants: to be left alone by whoever heard it, until then. */
  restUntil: number;
}

export const troubles = {
  empty: 'the feed answers with an empty list',
  part: 'the feed loses a part of its list',
  torn: 'the feed loses another part of its list each time',
  old: 'the feed tells an old list',
  flutter: 'the feed names a section, and then not, and then again',
  throttled: 'the feed wants to be asked less',
  broken: 'the feed is out of order',
  page: 'the feed answers with a page',
  slow: 'the feed is slow',
  unreachable: 'the feed cannot be reached',
} as const satisfies Readonly<Record<string, FaultName>>;
export type Trouble = keyof typeof troubles;

const failures: Readonly<Partial<Record<Trouble, Omit<FeedFailure, 'kind' | 'message'>>>> = {
  throttled: { status: 429, code: 'http_429', retryAfterMs: 20 * secondMs },
  broken: { status: 503, code: 'http_503' },
  page: { status: 200, code: 'not_json' },
  unreachable: { status: null, code: 'unreachable' },
};

/** As was seen for real: 28 % of a list that is otherwise in order. */
const lostShare = 0.28;

type FeedWorld = Pick<World, 'chance' | 'clock' | 'story' | 'watch' | 'tally'>;

const failurePauseMs = 15 * secondMs; // 004-27

export function createCampusFeed(
  { chance, clock, story, tally, watch }: FeedWorld,
  campus: Campus,
): CampusFeed {
  const { violate } = watch;
  const told = new Map<string, readonly string[]>();
  const questions: Question[] = [];
  let kind: Trouble | null = null;
  let until = 0;
  let lost = new Set<string>();
  let fluttering: Section | undefined;
  let isThere = false;
  let old = new Map<string, string[]>();
  let catalog = catalogOf(campus);
  const turns = new Map<string, { at: number; isForced: boolean }>();
  const present = () => (clock.now() < until ? kind : null);
  const some = () =>
    new Set(campus.sections.filter(() => chance.isTrue(lostShare)).map(({ index }) => index));

  function indexesOf({ campusCode }: ListKey): string[] {
    // Whoever asks for one of three campuses gets the list of all three.
    const list = campusCode === 'ONLINE_NB' ? campusCode : 'NB';
    const open = campus.openOf(list);
    switch (present()) {
      case 'empty':
        return [];
      case 'torn':
        lost = some();
        return open.filter((index) => !lost.has(index));
      case 'part':
        return open.filter((index) => !lost.has(index));
      case 'old':
        return old.get(list) ?? open;
      case 'flutter':
        isThere = !isThere;
        return isThere ? open : open.filter((index) => index !== fluttering?.index);
      default:
        return open;
    }
  }

  /** By one name for all who share a list, and not while it wants to be left alone. */
  function checkManners({ list, who, at }: Question): void {
    if (list !== 'NB' && list !== 'ONLINE_NB')
      violate('the feed is spared', `${who} asks for ${list} as well`);
    const turn = turns.get(who);
    // Who had begun by then may not have heard of it.
    const rest = questions.find(
      (each) => each.who === who && each.restUntil > (turn?.at ?? at) && each.restUntil > at,
    );
    if (rest && turn && turn.at > (rest.answeredAt ?? at) && !turn.isForced) {
      violate('the feed is spared', `${who} asks, ${rest.restUntil - at} ms too early`);
    }
    const other = questions.find(
      (each) => each.list === list && each.who !== who && each.answeredAt === null,
    );
    if (other) tally.fault('two processes ask the feed at once');
  }

  function answerTo(list: ListKey): ListAnswer {
    const failure = failures[present() ?? 'empty'];
    if (failure) return { kind: 'failed', message: 'as it goes', ...failure };
    const indexes = indexesOf(list);
    const sourceHash = createHash('sha1').update(indexes.join(' ')).digest('hex');
    told.set(sourceHash, indexes);
    return { kind: 'list', indexes, sourceHash };
  }

  return {
    told,
    questions,
    begins(who, isForced) {
      turns.set(who, { at: clock.now(), isForced });
    },
    trouble(next, ms) {
      kind = next;
      until = clock.now() + ms;
      lost = some();
      fluttering = chance.one(campus.chosen.filter(({ isOpen }) => isOpen));
      old = new Map(['NB', 'ONLINE_NB'].map((list) => [list, campus.openOf(list)]));
      story.tell(`${troubles[next]}, for ${ms / 1000} s`);
    },
    endTrouble() {
      until = 0;
    },
    copyCatalog() {
      catalog = catalogOf(campus);
    },
    of: (who, call) => ({
      openSections: (list) =>
        call('a question to the feed', async () => {
          const at = clock.now();
          const question: Question = { list: list.campusCode, who, at, answeredAt: null, restUntil: 0 };
          checkManners(question);
          questions.push(question);
          const answer = answerTo(list);
          await clock.sleep(
            present() === 'slow' ? chance.between(3 * secondMs, 40 * secondMs) : chance.between(0, 400),
          );
          question.answeredAt = clock.now();
          if (answer.kind === 'failed') {
            question.restUntil = question.answeredAt + Math.max(failurePauseMs, answer.retryAfterMs ?? 0);
          }
          const what = answer.kind === 'list' ? `${answer.indexes.length} open` : answer.code;
          story.tell(`the feed tells ${who} of ${list.campusCode}: ${what}`);
          return answer;
        }),
      courses: (list) =>
        call('a question to the feed', async (): Promise<CatalogAnswer> => {
          const failure = failures[present() ?? 'empty'];
          if (failure) return { kind: 'failed', message: 'as it goes', ...failure };
          const bytes = Buffer.from(JSON.stringify(catalog.get(list.campusCode) ?? []));
          return {
            kind: 'catalog',
            pieces: (async function* () {
              yield bytes;
            })(),
          };
        }),
      close: async () => {},
    }),
  };
}

/** As `courses.json` has it, in a copy: nobody hears of later changes through it. */
function catalogOf({ sections }: Campus): ReadonlyMap<string, readonly object[]> {
  const known = sections.filter(({ isKnown }) => isKnown);
  const campuses = [...new Set(known.map(({ campusCode }) => campusCode))];
  return new Map(
    campuses.map((campusCode) => {
      const mine = known.filter((section) => section.campusCode === campusCode);
      const course = {
        ...{ subject: '198', courseNumber: '111', courseString: '01:198:111', supplementCode: '' },
        ...{
          title: 'INTRO COMPUTER SCI',
          expandedTitle: '',
          campusCode: campusCode.slice(-2),
          mainCampus: campusCode,
        },
        sections: mine.map(sectionJson),
      };
      return [campusCode, [course]] as const;
    }),
  );
}

function sectionJson({ index, isOpen }: Section) {
  return {
    ...{ index, number: index.slice(-2), openStatus: isOpen, openStatusText: isOpen ? 'OPEN' : 'CLOSED' },
    ...{ meetingTimes: [], instructors: [], crossListedSections: [], openToText: '', sectionNotes: '' },
    ...{ specialPermissionAddCode: null, subtitle: '', sectionEligibility: '' },
  };
}
