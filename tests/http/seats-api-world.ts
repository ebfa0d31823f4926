import type { Insertable } from 'kysely';
import { expect } from 'vitest';
import { createTokens } from '../../src/consent/token.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import type { SeatsSchema } from '../../src/db/seats-schema.ts';
import { readNamespace } from '../../src/outbox/outbox.ts';
import { searchWordsOf } from '../../src/sources/course-seats/catalog/search-words.ts';
import { type CourseSeats, createCourseSeats } from '../../src/sources/course-seats/course-seats.ts';
import type { Feed } from '../../src/sources/course-seats/feed/feed.ts';
import { systemIds } from '../../src/std/ids.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import { baseUrl, tokenSecret } from '../support/consent.ts';
import { type Api, type ApiWorld, createApiWorld } from './api-world.ts';

/**
 * The whole source behind a real server, with a catalog of two courses and a feed that says what the test says. Section 09214 is
 * closed and has a warning of every kind; 09215 is open; 09216 is gone; 21000 is at Newark.
 */
export interface SeatsApiWorld extends ApiWorld {
  seats: CourseSeats;
  courseId: number;
  /** What the feed answers from now on. */
  list: { indexes: string[]; fails: boolean };
  poll(): Promise<void>;
  serveSeats(changes?: Parameters<ApiWorld['serve']>[0]): Promise<Api>;
  /** The token of the newest watch of a section. */
  tokenOf(index?: string): Promise<string>;
  statusOf(token: string): Promise<string | undefined>;
  /** Every token that was ever given out here, for a look into the log. */
  tokens(): Promise<string[]>;
}

export const term = '12026';
const list = { termId: term, campusCode: 'NB' };
/** Open, and in no catalog. */
export const unlisted = Array.from({ length: 40 }, (_, number) => String(55_000 + number));
const many = 1e6;
export const noSeatLimits = { looks: many, watches: many, links: many };

export async function createSeatsApiWorld(
  dialect: DialectName,
  { verifiesAddresses = true, isSample = false } = {},
): Promise<SeatsApiWorld> {
  const world = await createApiWorld(dialect);
  const { db, clock, outbox } = world;
  const said = { indexes: ['09215', ...unlisted], fails: false };
  const feed: Feed = {
    openSections: async () =>
      said.fails
        ? { kind: 'failed', status: 503, code: 'http_503', message: 'out of order' }
        : { kind: 'list', indexes: said.indexes, sourceHash: said.indexes.join() },
    courses: async () => ({ kind: 'failed', status: 503, code: 'http_503', message: 'out of order' }),
    close: async () => {},
  };
  const seats = createCourseSeats({
    ...{ feed, isSample, configured: { termIds: [term], campusCodes: ['NB'] } },
    ...{ db, outbox, clock, ids: systemIds, random: createSeededRandom(1), log: world.parts.log },
    ...{ unsubscribe: world.parts.api.consent.unsubscribe, namespace: await readNamespace(db) },
    ...{ secrets: [tokenSecret], baseUrl: () => baseUrl, timeZone: 'America/New_York' },
    ...{ verifiesAddresses, holder: 'a test', onEnqueued: () => {} },
  });
  const courseId = await fillCatalog(world);
  const made = createTokens([tokenSecret], 'seats');
  const rows = (index?: string) => {
    const all = db.read.selectFrom('subscriptions').select('token_id').orderBy('subscription_id', 'desc');
    return (index === undefined ? all : all.where('index_number', '=', index)).execute();
  };

  return {
    ...world,
    ...{ seats, courseId, list: said },
    async poll() {
      await seats.poller.pollNow(list);
    },
    serveSeats: ({ api, server } = {}) =>
      world.serve({ api: { seats, seatLimits: noSeatLimits, ...api }, ...(server && { server }) }),
    async tokenOf(index = '09214') {
      const [row] = await rows(index);
      if (!row) throw new Error(`nobody watches ${index}`);
      return made.of(row.token_id);
    },
    statusOf: async (token) => (await seats.subscriptions.find(token))?.status,
    tokens: async () => (await rows()).map(({ token_id }) => made.of(token_id)),
  };
}

/** No line of the log has a token. That there were more than a few of them is what makes this worth a look. */
export async function closeWithoutTokens(world: SeatsApiWorld, moreThan: number): Promise<void> {
  const tokens = await world.tokens();
  expect(tokens.length).toBeGreaterThan(moreThan);
  expect(world.logged.filter((line) => tokens.some((token) => line.includes(token)))).toEqual([]);
  await world.close();
}

async function fillCatalog({ db, clock }: ApiWorld): Promise<number> {
  const course = async (campus_code: string, title: string, number: string) => {
    const course_string = `01:198:${number}`;
    const findable = { courseString: course_string, subjectCode: '198', subjectDescription: null, title };
    const { course_id } = await db.write
      .insertInto('courses')
      .values({
        ...{ term_id: term, campus_code, course_string, supplement_code: '', offering_campus: campus_code },
        ...{ subject_code: '198', title, expanded_title: null, seen_at: clock.now() },
        search_words: searchWordsOf({ ...findable, expandedTitle: null }),
      })
      .returning('course_id')
      .executeTakeFirstOrThrow();
    return course_id;
  };
  const section = (course_id: number, more: Partial<Insertable<SeatsSchema['sections']>>) =>
    db.write
      .insertInto('sections')
      .values({
        ...{ course_id, term_id: term, campus_code: 'NB', index_number: '09214', section_number: '05' },
        ...{ subtitle: null, last_known_section_status: 'Closed', content_hash: 'h', seen_at: clock.now() },
        ...{ meeting_summary: 'M 10:20-11:40 BUS HIL 114; H 10:20-11:40 BUS HIL 114', instructors: null },
        ...{ special_permission: null, restrictions: null, cross_listed: null, notes: null, gone_at: null },
        ...more,
      })
      .execute();
  const first = await course('NB', 'INTRO <COMPUTER> SCI & "MORE"', '111');
  await section(first, {
    ...{ special_permission: 'Department staff', restrictions: 'MAJ: 198 (Computer Science)' },
    ...{ instructors: 'SMITH', notes: 'Bring <b>paper</b>' },
    cross_listed: JSON.stringify([{ index: '09300', courseString: '04:547:111', sectionNumber: '01' }]),
  });
  await section(first, {
    ...{ index_number: '09215', section_number: '06', last_known_section_status: 'Open' },
    meeting_summary: 'TBA',
  });
  await section(first, { index_number: '09216', section_number: '07', gone_at: clock.now() });
  const second = await course('NK', 'DATA STRUCTURES', '112');
  await section(second, { index_number: '21000', section_number: '01', campus_code: 'NK' });
  return first;
}

let networks = 0;

/** Without following: a redirect is an answer. Each comes from a network of its own, because those are limited. */
export async function post(
  api: Api,
  path: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
) {
  networks = (networks + 1) % 250;
  const response = await fetch(`${api.url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': `203.0.113.${networks}`,
      ...headers,
    },
    body: new URLSearchParams(fields).toString(),
  });
  const location = response.headers.get('location');
  return {
    status: response.status,
    headers: response.headers,
    text: await response.text(),
    /** As a browser would understand it, without the server's name. */
    goesTo: location === null ? null : new URL(location, response.url).href.slice(api.url.length),
  };
}
