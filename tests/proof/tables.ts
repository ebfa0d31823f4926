import type { Database } from '../../src/db/database.ts';

/** All that reports may write: to compare before and after. */
export type Tables = Awaited<ReturnType<typeof tablesOf>>;

export async function tablesOf({ read }: Database) {
  return {
    deliveries: await read.selectFrom('deliveries').selectAll().orderBy('seq').execute(),
    mails: await read
      .selectFrom('delivery_mails')
      .selectAll()
      .orderBy('delivery_seq')
      .orderBy('round')
      .execute(),
    events: await read.selectFrom('delivery_events').selectAll().orderBy('event_seq').execute(),
    suppressions: await read.selectFrom('suppressions').selectAll().execute(),
    owed: await read.selectFrom('owed_facts').selectAll().execute(),
  };
}
