import type { Database } from '../db/database.ts';
import { Refusal } from '../std/refusal.ts';

/**
 * A database holds sample people or real ones, never both: whoever tried the first minute and then named a real provider would write to
 * people who are not there. So it is marked before the first of them is in it.
 */
export async function claimForSamples(db: Database, now: number): Promise<boolean> {
  if (await holdsSamples(db)) return true;
  if (!(await isEmpty(db))) return false;
  await db.transaction((tx) =>
    tx.updateTable('instance').set({ samples_since: now }).where('samples_since', 'is', null).execute(),
  );
  return true;
}

export async function requireNoSamples(db: Database): Promise<void> {
  const refusal = await refusalForSamples(db);
  if (refusal) throw refusal;
}

/** Why nobody may write in earnest from this database, if it is one of samples. */
export async function refusalForSamples(db: Database): Promise<Refusal | undefined> {
  if (!(await holdsSamples(db))) return undefined;
  return new Refusal(
    'samples_inside',
    'This database holds the sample people of the first minute, and they must not be written to in earnest. Set DATABASE_URL to a new database, such as sqlite:./data/live.db, or delete this one.',
  );
}

async function holdsSamples(db: Database): Promise<boolean> {
  const { samples_since } = await db.read
    .selectFrom('instance')
    .select('samples_since')
    .executeTakeFirstOrThrow();
  return samples_since !== null;
}

/** Nobody has been told anything, and nobody has asked for something. */
async function isEmpty(db: Database): Promise<boolean> {
  for (const table of [
    'deliveries',
    'subscriptions',
    'notifications',
    'users',
    'review_jobs',
    'suppressions',
  ] as const) {
    const row = await db.read
      .selectFrom(table)
      .select((eb) => eb.val(1).as('one'))
      .limit(1)
      .executeTakeFirst();
    if (row) return false;
  }
  return true;
}
