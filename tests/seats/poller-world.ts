import { createHash } from 'node:crypto';
import type { DialectName } from '../../src/db/dialect.ts';
import type { Seen } from '../../src/sources/course-seats/events/open-events.ts';
import type { Feed, ListAnswer } from '../../src/sources/course-seats/feed/feed.ts';
import { createPoller, type Poller, type PollerParts } from '../../src/sources/course-seats/feed/poller.ts';
import { systemIds } from '../../src/std/ids.ts';
import { createRecordingLog, type RecordingLog } from '../support/recording-log.ts';
import { createSeatsWorld, type SeatsWorld, termId } from './seats-world.ts';

/** The small campus, a feed that says what it is told to, and pollers. */
export interface PollerWorld extends SeatsWorld {
  log: RecordingLog;
  feed: FakeFeed;
  /** What was recorded, in committed transactions or not. */
  seen: Seen[];
  /** `09214 opened`, of all of them. */
  edges(): string[];
  poller(more?: Partial<PollerParts>): Poller;
  /** Each list after `afterMs`, polled by this poller when the time has come; answers the edges that came of it. */
  hear(poller: Poller, afterMs: number, ...indexes: string[]): Promise<string[]>;
}

export interface FakeFeed extends Feed {
  /** By list's campus. */
  answers: Map<string, ListAnswer | (() => ListAnswer | Promise<ListAnswer>)>;
  /** Campuses in the order in which they were asked for, and when. */
  asked: { campusCode: string; at: number }[];
  says(...indexes: string[]): void;
}

export const signal = () => new AbortController().signal;
export const nb = { termId, campusCode: 'NB' };

export const listed = (...indexes: string[]): ListAnswer => ({
  ...{ kind: 'list', indexes: [...indexes].sort() },
  sourceHash: createHash('sha1')
    .update([...indexes].sort().join(','))
    .digest('hex'),
});

export const failed = (status: number, retryAfterMs?: number): ListAnswer => ({
  ...{ kind: 'failed', status, code: `http_${status}`, message: `the feed answered ${status}` },
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});

export async function createPollerWorld(dialect: DialectName): Promise<PollerWorld> {
  const world = await createSeatsWorld(dialect);
  const { db, clock } = world;
  const log = createRecordingLog();
  const seen: Seen[] = [];
  const feed: FakeFeed = {
    ...{ answers: new Map(), asked: [] },
    says(...indexes) {
      feed.answers.set('NB', listed(...indexes));
    },
    async openSections({ campusCode }) {
      feed.asked.push({ campusCode, at: clock.now() });
      const answer = feed.answers.get(campusCode) ?? listed();
      return typeof answer === 'function' ? answer() : answer;
    },
    courses: () => Promise.reject(new Error('nobody asks for a catalog here')),
    close: async () => {},
  };
  const edges = () =>
    seen.flatMap((each) =>
      each.edges.map(
        ({ indexNumber, statusAfter }) => `${indexNumber} ${statusAfter === 'Open' ? 'opened' : 'closed'}`,
      ),
    );
  return {
    ...world,
    ...{ log, feed, seen, edges },
    poller: (more = {}) =>
      createPoller({
        ...{ db, feed, clock, log, ids: systemIds, holder: 'one', random: { next: () => 0.5 } },
        configured: { termIds: [termId], campusCodes: ['NB'] },
        events: {
          async record(_tx, each) {
            seen.push(each);
            return { opened: [], closed: [], repeated: [] };
          },
        },
        ...more,
      }),
    async hear(poller, afterMs, ...indexes) {
      await clock.advance(afterMs);
      feed.says(...indexes);
      const before = edges().length;
      await poller.runOnce(signal());
      return edges().slice(before);
    },
  };
}
