import type { Insertable } from 'kysely';
import type { DialectName } from '../../src/db/dialect.ts';
import type { OpenEventRow, SeatsSchema } from '../../src/db/seats-schema.ts';
import type { Outcome } from '../../src/domain/outcome.ts';
import type { Parcel } from '../../src/providers/provider.ts';
import { createCatalog } from '../../src/sources/course-seats/catalog/catalog.ts';
import { createFanOut } from '../../src/sources/course-seats/events/fan-out.ts';
import { createOpenEvents, type OpenEvents } from '../../src/sources/course-seats/events/open-events.ts';
import type { Polled } from '../../src/sources/course-seats/feed/poll-list.ts';
import type { Source } from '../../src/sources/source.ts';
import { systemIds } from '../../src/std/ids.ts';
import { courseOf, inPieces, sectionOf } from '../seats/catalog-world.ts';
import { seatSourceOf, timeZone } from '../seats/mail-world.ts';
import { createPollerWorld, type PollerWorld } from '../seats/poller-world.ts';
import { index } from '../seats/seats-world.ts';

/**
 * The whole way of a seat, with nothing left out: a list of the feed, the poller, open events, fan-out, the queue, a provider. One
 * campus serves all tests of a file; each of them has a term of its own, and so a list, sections, watchers and mails.
 */
export interface Campus extends PollerWorld {
  events: OpenEvents;
  source: Source;
  /** A term that nobody else uses. `index` is in its catalog; the first list, without it, has been taken as the baseline. */
  term(): Promise<Term>;
}

export interface Term {
  termId: string;
  sectionId: number;
  /** The next list of NB, 15 s after the last, whatever it holds besides these. */
  hears(...indexes: string[]): Promise<Polled>;
  /** The section opens, 15 s after the last list; answers the number of its event. */
  opens(indexNumber?: string): Promise<number>;
  /** It is missed twice. */
  closes(): Promise<void>;
  /** The catalog is read, and says this of the section; then its word is weighed. */
  catalogSays(isOpen: boolean, indexNumber?: string): Promise<void>;
  /** The feed is silent for so long that it is no longer believed, and that a catalog which is read then is of after it. */
  silence(): Promise<void>;
  section(indexNumber: string, more?: Partial<Insertable<SeatsSchema['sections']>>): Promise<number>;
  watch(more?: Partial<Insertable<SeatsSchema['subscriptions']>>): Promise<number>;
  /** All that follows from what was recorded: its fan-out, and a turn of the dispatch. */
  tell(): Promise<void>;
  fanOut(): Promise<void>;
  recorded(): Promise<OpenEventRow[]>;
  /** `open_sections Closed→Open +1`, in order. */
  story(): Promise<string[]>;
  /** Spec 000's queue. */
  queue(): Promise<QueueRow[]>;
  /** What the provider was handed, and how it answers to this term's mails from now on. */
  parcels(): Parcel[];
  answer(reply: (parcel: Parcel) => Outcome | Promise<Outcome>): void;
}

type QueueRow = SeatsSchema['open_event_notifications'];

/** Listed in every list, so that none is empty. */
export const neighbour = '00001';
export const pollMs = 15_000;

export async function createCampus(dialect: DialectName): Promise<Campus> {
  const world = await createPollerWorld(dialect);
  const { db, clock, outbox, log, provider, feed } = world;
  const events = createOpenEvents({ db, outbox, clock, ids: systemIds, log });
  const fanOut = createFanOut({ db, outbox, clock, log, timeZone });
  const source = seatSourceOf(world);
  world.keepBooks(source);
  const poller = world.poller({ events, configured: { termIds: [], campusCodes: [] } });
  let courses: unknown[] = [];
  const catalog = createCatalog({
    ...{ db, clock, log },
    feed: { courses: async () => ({ kind: 'catalog', pieces: inPieces(JSON.stringify(courses)) }) },
  });
  const answers = new Map<string, (parcel: Parcel) => Outcome | Promise<Outcome>>();
  provider.answer((parcel) => {
    const reply = answers.get(parcel.mail.tags.term ?? '');
    return reply ? reply(parcel) : { kind: 'accepted', messageId: `id-${parcel.key}` };
  });
  let year = 2025;

  async function term(): Promise<Term> {
    year += 1;
    const termId = `9${year}`;
    const list = { termId, campusCode: 'NB' };
    const section: Term['section'] = (indexNumber, more = {}) =>
      world.addSection(indexNumber, { term_id: termId, last_known_section_status: 'Closed', ...more });
    const sectionId = await section(index);
    const recorded: Term['recorded'] = () =>
      db.read
        .selectFrom('open_events')
        .selectAll()
        .where('term_id', '=', termId)
        .orderBy('open_event_id')
        .execute();
    const hears: Term['hears'] = async (...indexes) => {
      await clock.advance(pollMs);
      feed.says(neighbour, ...indexes);
      const [polled] = await poller.pollNow(list);
      if (!polled) throw new Error('nobody was asked');
      return polled;
    };
    const drain = async () => {
      while ((await fanOut.runOnce()) > 0) {}
    };
    await hears();
    return {
      ...{ termId, sectionId, hears, section, recorded, fanOut: drain },
      async opens(indexNumber = index) {
        await hears(indexNumber);
        return (await recorded()).at(-1)?.open_event_id ?? 0;
      },
      async closes() {
        await hears();
        await hears();
      },
      async catalogSays(openStatus, indexNumber = index) {
        courses = [courseOf('111', [sectionOf(indexNumber, { openStatus })])];
        const signal = new AbortController().signal;
        const ingested = await catalog.ingest({ ...list, signal });
        if (ingested.kind !== 'ingested') throw new Error('the catalog was not read');
        while ((await events.weighCatalog()) > 0) {}
      },
      silence: () => clock.advance(900_001),
      watch: (more = {}) => world.addSubscription({ term_id: termId, section_id: sectionId, ...more }),
      async tell() {
        await drain();
        await world.send(source);
      },
      async story() {
        return (await recorded()).map(
          ({ detected_by, status_before, status_after, seat_delta }) =>
            `${detected_by} ${status_before}→${status_after} ${seat_delta > 0 ? '+' : ''}${seat_delta}`,
        );
      },
      async queue() {
        const numbers = (await recorded()).map(({ open_event_id }) => open_event_id);
        if (numbers.length === 0) return [];
        return db.read
          .selectFrom('open_event_notifications')
          .selectAll()
          .where('open_event_id', 'in', numbers)
          .orderBy('open_event_id')
          .orderBy('subscription_id')
          .execute();
      },
      parcels: () => provider.ledger.filter(({ mail }) => mail.tags.term === termId),
      answer(reply) {
        answers.set(termId, reply);
      },
    };
  }

  return { ...world, events, source, term };
}
