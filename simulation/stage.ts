import { CompiledQuery } from 'kysely';
import { type Database, openDatabase } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { render } from '../src/emails/render.ts';
import { readNamespace } from '../src/outbox/outbox.ts';
import { systemClock } from '../src/std/clock.ts';
import { silentLog } from '../src/std/log.ts';

/** One database in memory with the real tables, swept clean between runs: making it anew costs more than a run. */
export interface Stage {
  db: Database;
  namespace: string;
  clear(): Promise<void>;
}

/** Parents after children. `sqlite_sequence` too: a run must not see how many rows earlier runs made. */
const tables = [
  'delivery_mails',
  'delivery_events',
  'owed_facts',
  'operator_requests',
  'suppressions',
  'unsubscribe_tokens',
  'webhook_events',
  'provider_pace',
  'pauses',
  'deliveries',
  'sqlite_sequence',
];
// A fixed namespace: the ids of deliveries are part of a run, and a run depends on its seed alone.
const fixedIds = { uuid: () => '6f1d2c3b-0000-4000-8000-000000000001', secret: () => '' };

export async function openStage(): Promise<Stage> {
  const db = await openDatabase('sqlite::memory:', { clock: systemClock, log: silentLog });
  await migrate(db, { clock: systemClock, ids: fixedIds });
  // The templates are read from disk here, in real time; in a run they are there at once.
  await render({ template: 'plain', locale: null, props: {} });
  await db.write.updateTable('instance').set({ namespace: fixedIds.uuid() }).execute();
  return {
    db,
    namespace: await readNamespace(db),
    async clear() {
      for (const table of tables) await db.write.executeQuery(CompiledQuery.raw(`DELETE FROM ${table}`));
    },
  };
}
