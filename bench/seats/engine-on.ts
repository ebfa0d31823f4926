import { createConsent } from '../../src/consent/consent.ts';
import { type Database, openDatabase, type StatementListener } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createDispatch, type Dispatch } from '../../src/dispatch/dispatch.ts';
import { createPace } from '../../src/dispatch/pace.ts';
import type { Sender } from '../../src/domain/message.ts';
import { createOutbox, readNamespace } from '../../src/outbox/outbox.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { type CourseSeats, createCourseSeats } from '../../src/sources/course-seats/course-seats.ts';
import type { Feed } from '../../src/sources/course-seats/feed/feed.ts';
import type { Source } from '../../src/sources/source.ts';
import type { Clock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog as log } from '../../src/std/log.ts';
import { createSeededRandom } from '../../src/std/random.ts';

/** Course seats and what sends for them, put together as in production, and moved by the bench instead of a runner. */
export interface SeatsEngine {
  db: Database;
  seats: CourseSeats;
  dispatch: Dispatch;
  close(): Promise<void>;
}

export interface SeatsEngineParts {
  databaseUrl: string;
  feed: Feed;
  clock: Clock;
  termIds: readonly string[];
  provider?: Provider;
  onStatement?: StatementListener;
}

export async function openSeatsEngine(parts: SeatsEngineParts): Promise<SeatsEngine> {
  const { databaseUrl, feed, clock, termIds, provider = nobody, onStatement } = parts;
  const db = await openDatabase(databaseUrl, { clock, log, ...(onStatement && { onStatement }) });
  await migrate(db, { clock, ids: systemIds });
  const namespace = await readNamespace(db);
  const links = { secrets: ['only for the bench'], baseUrl: () => 'https://mail.example.com' };
  const consent = createConsent({ db, clock, ids: systemIds, log, ...links });
  const sources: Source[] = [];
  const sourceNamed = (name: string) => sources.find((source) => source.name === name);
  const outbox = createOutbox({
    ...{ db, clock, log, namespace },
    listeners: { consent: consent.learn, source: (name) => sourceNamed(name)?.changed },
  });
  const random = createSeededRandom(1);
  const seats = createCourseSeats({
    ...{ db, outbox, clock, log, namespace, random, ids: systemIds, ...links, feed, holder: 'bench' },
    ...{ isSample: false, configured: { termIds, campusCodes: ['NB', 'NK', 'CM'] } },
    ...{ unsubscribe: consent.unsubscribe, timeZone: 'America/New_York', verifiesAddresses: true },
    onEnqueued: () => {},
  });
  sources.push(...seats.sources);
  const dispatch = createDispatch({
    ...{ outbox, sources, consent, provider, clock, log, random, worker: 'bench', environment: 'bench' },
    pace: createPace({ db, provider, clock, log }),
    from: 'Tidings <tidings@example.com>' as Sender,
  });
  return {
    ...{ db, seats, dispatch },
    async close() {
      await seats.close();
      await db.close();
    },
  };
}

/** Takes every mail at once, and has no limit. */
export const nobody: Provider = {
  ...{ name: 'nobody', account: 'nobody:1' },
  guarantees: {
    ...{ idempotencyWindowMs: 86_400_000, indexingDelayMs: 0, longestCallMs: 10_000 },
    ...{ concurrency: 64, ratePerSecond: null },
  },
  send: async ({ key }) => ({ kind: 'accepted', messageId: key }),
  probe: async () => ({ isUp: true }),
};
