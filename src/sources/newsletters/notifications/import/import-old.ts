import type { Suppressions } from '../../../../consent/suppressions.ts';
import type { Database, Tx } from '../../../../db/database.ts';
import type { ForeignDatabase } from '../../../../db/foreign.ts';
import type { ImportedEnd } from '../../../../outbox/import.ts';
import type { Outbox } from '../../../../outbox/outbox.ts';
import type { Clock } from '../../../../std/clock.ts';
import { importDeliveriesOf } from './import-deliveries.ts';
import { importLinks } from './import-links.ts';
import { importNotifications } from './import-notifications.ts';
import { findOldTables, type OldRow, type OldTable } from './old-tables.ts';

/**
 * Takes over an older system's notifications, the links in its mails, and what it has sent (8.15), from its own database. It can be run
 * again, and broken off at any moment: what is here stays as it is, and every page is one transaction. Nothing that it brings is ever
 * sent.
 */
export interface ImportParts {
  db: Database;
  outbox: Pick<Outbox, 'importEnded'>;
  suppressions: Pick<Suppressions, 'add'>;
  clock: Clock;
  /** Only says what would come of it: every page is done, and taken back. */
  isDryRun?: boolean;
  /** Who does it, for what is put on the list of suppressions. */
  by: string;
  onProgress?: (progress: ImportProgress) => void;
  /** Heard between two pages. */
  signal?: AbortSignal;
}

export interface ImportProgress {
  what: 'notifications' | 'links' | 'deliveries';
  done: number;
  total: number;
}

export interface Imported {
  notifications: Counted & { active: number };
  links: Counted;
  deliveries: Counted & {
    ends: Partial<Record<ImportedEnd, number>>;
    suppressed: number;
    /** Of the new ones, by the older system's own words for which we have none. */
    unknownStatuses: Record<string, number>;
  };
  /** The first of what cannot be taken over. */
  problems: { table: string; id: string; problem: string }[];
  isWhole: boolean;
}

interface Counted {
  read: number;
  taken: number;
  /** That were here, from an earlier run or by our own doing. */
  known: number;
  bad: number;
}

const pageMax = 500;
const problemsMax = 100;

export async function importOld(from: ForeignDatabase, parts: ImportParts): Promise<Imported> {
  const { db, isDryRun = false, onProgress, signal } = parts;
  const tables = await findOldTables(from);
  const none = { read: 0, taken: 0, known: 0, bad: 0 };
  const result: Imported = {
    notifications: { ...none, active: 0 },
    links: { ...none },
    deliveries: { ...none, ends: {}, suppressed: 0, unknownStatuses: {} },
    ...{ problems: [], isWhole: true },
  };
  /** An older notification whose wish is here under another id: what was told of the one was told of the other. */
  const otherIds = new Map<string, string>();

  async function each(
    what: ImportProgress['what'],
    table: OldTable | null,
    take: (rows: readonly OldRow[], tx: Tx) => Promise<Taken>,
  ): Promise<void> {
    if (!table) return;
    const counted = result[what];
    const total = await table.count();
    for await (const rows of table.pages(pageMax)) {
      if (signal?.aborted) {
        result.isWhole = false;
        return;
      }
      const { taken, known, problems } = await inTransaction((tx) => take(rows, tx));
      counted.read += rows.length;
      counted.taken += taken;
      counted.known += known;
      counted.bad += problems.length;
      const room = problemsMax - result.problems.length;
      result.problems.push(...problems.slice(0, Math.max(0, room)).map((one) => ({ table: what, ...one })));
      onProgress?.({ what, done: counted.read, total });
    }
  }

  const inTransaction = isDryRun ? takingBack(db) : db.transaction;
  const shared = { ...parts, otherIds };
  await each('notifications', tables.notifications, (rows, tx) =>
    importNotifications(tx, shared, rows, result.notifications),
  );
  await each('links', tables.links, (rows, tx) => importLinks(tx, shared, rows));
  await each('deliveries', tables.deliveries, (rows, tx) =>
    importDeliveriesOf(tx, shared, rows, result.deliveries),
  );
  return result;
}

/** Of one page. */
export interface Taken {
  taken: number;
  known: number;
  problems: { id: string; problem: string }[];
}

class TakenBack extends Error {}

function takingBack(db: Database): Database['transaction'] {
  return async (work) => {
    const done: Awaited<ReturnType<typeof work>>[] = [];
    try {
      await db.transaction(async (tx) => {
        done.splice(0, 1, await work(tx));
        throw new TakenBack();
      });
    } catch (error) {
      if (!(error instanceof TakenBack)) throw error;
    }
    return done[0] as Awaited<ReturnType<typeof work>>;
  };
}
