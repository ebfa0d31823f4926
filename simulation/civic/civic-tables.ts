import { CompiledQuery } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import type { NotificationRow, RunItemRow, RunRow } from '../../src/db/newsletters-schema.ts';
import type { Watched } from '../stage.ts';

/** What the tables of newsletters say after a commit. */
export interface CivicTables {
  wishes: ReadonlyMap<string, NotificationRow>;
  optOuts: ReadonlyMap<string, { user_id: string; via: string }>;
  runs: ReadonlyMap<string, RunRow>;
  /** By run, then by notification. */
  items: ReadonlyMap<string, ReadonlyMap<string, RunItemRow>>;
  /** By recipient: whose link was used. */
  links: ReadonlyMap<string, LinkRow>;
  /** By delivery: what was composed ahead, the last time that it was. It is dropped when it leaves. */
  words: ReadonlyMap<number, Words>;
}

export interface Words {
  subject: string;
  html: string;
  text: string;
}
interface LinkRow {
  token_id: string;
  recipient: string;
  unsubscribed_at: number | null;
}

export const noTables: CivicTables = {
  ...{ wishes: new Map(), optOuts: new Map(), runs: new Map(), items: new Map() },
  ...{ links: new Map(), words: new Map() },
};

const all = <T>(text: string) => CompiledQuery.raw(text) as CompiledQuery<T>;
const queries = {
  wishes: all<NotificationRow>('SELECT * FROM notifications ORDER BY id'),
  optOuts: all<{ user_id: string; via: string }>('SELECT user_id, via FROM notification_opt_outs'),
  runs: all<RunRow>('SELECT * FROM notification_runs ORDER BY created_at, run_id'),
  items: all<RunItemRow>('SELECT * FROM notification_run_items ORDER BY run_id, notification_id'),
  links: all<LinkRow>(
    "SELECT token_id, recipient, unsubscribed_at FROM unsubscribe_tokens WHERE source = 'newsletters'",
  ),
  words: all<Words & { seq: number }>(
    'SELECT delivery_seq AS seq, subject, html, text FROM delivery_mails WHERE round = 0 AND html IS NOT NULL',
  ),
};

export function createCivicReader(db: Database) {
  const rowsOf = async <T>(query: CompiledQuery<T>) => (await db.write.executeQuery(query)).rows;
  return async (before: CivicTables, written: ReadonlySet<Watched>): Promise<CivicTables> => {
    let tables = before;
    if (written.has('civic')) {
      const items = new Map<string, Map<string, RunItemRow>>();
      for (const row of await rowsOf(queries.items)) {
        const ofRun = items.get(row.run_id) ?? new Map<string, RunItemRow>();
        items.set(row.run_id, ofRun.set(row.notification_id, row));
      }
      tables = {
        ...{ ...tables, items },
        wishes: new Map((await rowsOf(queries.wishes)).map((row) => [row.id, row])),
        optOuts: new Map((await rowsOf(queries.optOuts)).map((row) => [row.user_id, row])),
        runs: new Map((await rowsOf(queries.runs)).map((row) => [row.run_id, row])),
      };
    }
    if (written.has('deliveries')) {
      const words = (await rowsOf(queries.words)).map(({ seq, ...rest }) => [seq, rest] as const);
      tables = {
        ...tables,
        links: new Map((await rowsOf(queries.links)).map((row) => [row.recipient, row])),
        words: new Map([...tables.words, ...words]),
      };
    }
    return tables;
  };
}
