import type { Database } from '../../../db/database.ts';
import type { Clock } from '../../../std/clock.ts';
import { campusesOf, type ListKey } from '../term.ts';
import { nameOf } from './active-lists.ts';
import type { Held } from './held-list.ts';
import { keyOf, type ListRow, readOpenIndexes } from './list-rows.ts';
import type { ListBelief } from './open-list.ts';

/**
 * What is believed of each list, in memory: the database has it, and to read 14,000 rows at every poll would be most of its cost.
 * It is good for one version of the list's row; who finds another there reads all of it again, after a restart as well.
 */
export interface ListBeliefs {
  of(row: ListRow): Promise<KnownList>;
  /** This is committed, as this version. */
  keep(list: ListKey, version: number, belief: ListBelief): void;
  /** Nobody knows what was committed: all of it is read again. */
  drop(list: ListKey): void;
}

export interface KnownList {
  belief: ListBelief;
  /**
   * Indexes that the catalog has at a campus with another list: this one's word on them makes no edge (8.9). It is believed all the
   * same, so that one which the other campus gives up was open before, and does not open by that.
   */
  foreign: ReadonlySet<string>;
  /** What was read just now: nothing, the same as before, or others, so that sections have come to this list or left it. */
  foreignRead: 'not' | 'same' | 'others';
}

interface Foreign {
  indexes: ReadonlySet<string>;
  lastSectionId: number;
  readAt: number;
}

/** Sections hardly ever move; new ones are noticed at once, by their numbers. */
const foreignReadEveryMs = 600_000;

export function createListBeliefs({ db, clock }: { db: Database; clock: Clock }): ListBeliefs {
  const beliefs = new Map<string, { version: number; belief: ListBelief }>();
  const foreigners = new Map<string, Foreign>();

  async function beliefOf(row: ListRow): Promise<ListBelief> {
    const list = keyOf(row);
    const kept = beliefs.get(nameOf(list));
    if (kept?.version === row.version) return kept.belief;
    // After the row: if somebody writes in between, these are newer than the version, and the fence refuses what follows from them.
    const open = await readOpenIndexes(db, list);
    const held = row.held === null ? null : (JSON.parse(row.held) as Held);
    const belief = { baselineAt: row.baseline_at, open, held };
    beliefs.set(nameOf(list), { version: row.version, belief });
    return belief;
  }

  async function foreignTo(list: ListKey): Promise<Pick<KnownList, 'foreign' | 'foreignRead'>> {
    const { last } = await db.read
      .selectFrom('sections')
      .select(({ fn }) => fn.max<number | null>('section_id').as('last'))
      .executeTakeFirstOrThrow();
    const lastSectionId = last ?? 0;
    const known = foreigners.get(nameOf(list));
    const isRecent = known && clock.monotonic() - known.readAt < foreignReadEveryMs;
    if (isRecent && known.lastSectionId === lastSectionId)
      return { foreign: known.indexes, foreignRead: 'not' };
    const rows = await db.read
      .selectFrom('sections')
      .select('index_number')
      .where('term_id', '=', list.termId)
      .where('campus_code', 'not in', [...campusesOf(list)])
      .where('gone_at', 'is', null)
      .execute();
    const indexes = new Set(rows.map((row) => row.index_number));
    foreigners.set(nameOf(list), { indexes, lastSectionId, readAt: clock.monotonic() });
    const isSame =
      known?.indexes.size === indexes.size && rows.every((row) => known.indexes.has(row.index_number));
    return { foreign: indexes, foreignRead: isSame ? 'same' : 'others' };
  }

  return {
    async of(row) {
      const known = await foreignTo(keyOf(row));
      return { ...known, belief: await beliefOf(row) };
    },
    keep: (list, version, belief) => beliefs.set(nameOf(list), { version, belief }),
    drop(list) {
      beliefs.delete(nameOf(list));
      foreigners.delete(nameOf(list));
    },
  };
}
