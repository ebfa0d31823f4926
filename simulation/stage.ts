import { CompiledQuery } from 'kysely';
import { type Database, openDatabase } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { render } from '../src/emails/render.ts';
import { readNamespace } from '../src/outbox/outbox.ts';
import { validateMailJob } from '../src/sources/course-seats/mail/validate-mail-job.ts';
import { systemClock } from '../src/std/clock.ts';
import { silentLog } from '../src/std/log.ts';
import { notes } from './touched.ts';

/** One database in memory with the real tables, swept clean between runs: making it anew costs more than a run. */
export interface Stage {
  db: Database;
  /** Which of the watched tables were written to since this was last asked. */
  touched(): ReadonlySet<Watched>;
  namespace: string;
  clear(): Promise<void>;
  /** All that is in it now, to go back to. */
  copy(): Promise<Copy>;
  restore(copy: Copy): Promise<void>;
}

/** Deliveries with all that stands beside them, what says whether mail may leave, and the tables of course seats, newsletters and code reviews. */
const watched = ['deliveries', 'pace', 'seats', 'civic', 'reviews'] as const;
export type Watched = (typeof watched)[number];

export type Copy = ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>;

const seatTables = [
  'subscription_events',
  'subscriptions',
  'open_event_fanouts',
  'open_events',
  'open_list_indexes',
  'open_lists',
  'open_section_snapshots',
  'section_status_events',
  'sections',
  'courses',
];
const civicTables = ['notification_run_items', 'notification_runs', 'notification_opt_outs', 'notifications'];
const reviewTables = ['review_replays', 'review_job_recipients', 'review_jobs', 'review_changelists'];
/** Parents after children. `sqlite_sequence` too: a run must not see how many rows earlier runs made. */
const tables = [
  ...seatTables,
  ...civicTables,
  ...reviewTables,
  'leases',
  'delivery_mails',
  'delivery_events',
  'delivery_counts',
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
const seatsWritten = new RegExp(`\\b(${seatTables.join('|')})\\b`);
const civicWritten = new RegExp(`\\b(${civicTables.join('|')})\\b`);
const reviewsWritten = new RegExp(`\\b(${reviewTables.join('|')})\\b`);
/** Whether somebody has said no stands there, too. */
const wishesWritten = /\b(notifications|notification_opt_outs)\b/;
// A fixed namespace: the ids of deliveries are part of a run, and a run depends on its seed alone.
const fixedIds = { uuid: () => '6f1d2c3b-0000-4000-8000-000000000001', secret: () => '' };

export async function openStage(): Promise<Stage> {
  const { onStatement, touched, touch } = watchStatements();
  const db = await openDatabase('sqlite::memory:', { clock: systemClock, log: silentLog, onStatement });
  await migrate(db, { clock: systemClock, ids: fixedIds });
  // The templates are read from disk here, in real time; in a run they are there at once.
  for (const template of ['plain', 'open-seat', 'verification', 'newsletter-entity', 'alert-series'])
    await render({ template, locale: null, props: {} });
  await validateMailJob({});
  await db.transaction((tx) => db.script(notes, tx));
  await db.write.updateTable('instance').set({ namespace: fixedIds.uuid() }).execute();
  const run = (sql: string, values: readonly unknown[] = []) =>
    db.write.executeQuery(CompiledQuery.raw(sql, [...values])) as Promise<{
      rows: Record<string, unknown>[];
    }>;
  return {
    db,
    touched,
    namespace: await readNamespace(db),
    async clear() {
      // The notes as the last: whatever is deleted leaves some.
      const text = [...tables, 'touched'].map((table) => `DELETE FROM ${table};`).join('\n');
      await db.transaction((tx) => db.script(text, tx));
      touch(watched);
    },
    async copy() {
      const copied = new Map<string, Record<string, unknown>[]>();
      for (const table of tables) copied.set(table, (await run(`SELECT * FROM ${table}`)).rows);
      return copied;
    },
    async restore(copy) {
      for (const table of tables) await run(`DELETE FROM ${table}`);
      for (const table of tables.toReversed()) {
        for (const row of copy.get(table) ?? []) {
          const names = Object.keys(row);
          const places = names.map(() => '?').join(', ');
          await run(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`, Object.values(row));
        }
      }
    },
  };
}

const sourcesWritten: readonly (readonly [Watched, RegExp])[] = [
  ['seats', seatsWritten],
  ['civic', civicWritten],
  ['reviews', reviewsWritten],
];

function watchStatements() {
  const kinds = new Map<string, readonly Watched[]>();
  let seen = new Set<Watched>();
  const touch = (written: readonly Watched[]) => {
    for (const kind of written) seen.add(kind);
  };
  const kindsOf = (text: string): Watched[] => {
    if (!/^\s*(insert|update|delete)/i.test(text)) return [];
    const written = sourcesWritten.filter(([, pattern]) => pattern.test(text)).map(([kind]) => kind);
    if (wishesWritten.test(text)) return [...written, 'deliveries'];
    if (/\b(provider_pace|pauses)\b/.test(text)) return [...written, 'pace'];
    const isBeside = /\b(deliveries|delivery_mails|delivery_events|suppressions|unsubscribe_tokens)\b/.test(
      text,
    );
    return isBeside ? [...written, 'deliveries'] : written;
  };
  return {
    onStatement: ({ sql }: { sql: string }) => {
      let written = kinds.get(sql);
      if (written === undefined) {
        written = kindsOf(sql);
        kinds.set(sql, written);
      }
      touch(written);
    },
    touch,
    touched: () => {
      const before = seen;
      if (seen.size > 0) seen = new Set();
      return before;
    },
  };
}
