import type { Database } from '../../db/database.ts';
import { Refusal } from '../../std/refusal.ts';

/**
 * A database belongs to one kind of feed. Both number their terms and sections alike: whoever tried the sample campus and then named
 * a real feed would have courses that nobody teaches among the others, and people would be told of seats that are not there.
 */
export type FeedKind = 'sample' | 'real';

async function readFeedKind(db: Database): Promise<FeedKind | null> {
  const { seats_feed } = await db.read.selectFrom('instance').select('seats_feed').executeTakeFirstOrThrow();
  return seats_feed;
}

/** For whoever is about to poll. */
export async function claimFor(kind: FeedKind, db: Database): Promise<void> {
  await db.transaction((tx) =>
    tx.updateTable('instance').set({ seats_feed: kind }).where('seats_feed', 'is', null).execute(),
  );
  const refusal = await refusalOf(kind, db);
  if (refusal) throw refusal;
}

/** Why somebody with such a feed may not poll for this database, if it is another's. */
export async function refusalOf(kind: FeedKind, db: Database): Promise<Refusal | undefined> {
  if (((await readFeedKind(db)) ?? kind) === kind) return undefined;
  return new Refusal(
    'other_feed',
    kind === 'real'
      ? 'The sections in this database are those of the sample campus, and must not stand among real ones. Set DATABASE_URL to a new database, such as sqlite:./data/seats.db, or delete this one.'
      : 'The sections in this database are those of a real feed. Set SOC_BASE_URL to that feed again; or to off, to do without course seats.',
  );
}
