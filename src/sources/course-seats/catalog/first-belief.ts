import { sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import { type DialectName, rowsOf } from '../../../db/dialect.ts';
import type { SectionStatus } from '../../../db/seats-schema.ts';
import type { ListKey } from '../term.ts';

/**
 * What to believe of a section that the catalog brings for the first time. The catalog may be a quarter of an hour old, the list of open
 * sections half a minute: where there is a list, the list decides, also by not naming it. To take an open section for a closed one
 * costs nothing, because the list corrects it; the other way round somebody who watches it would not hear of its opening.
 */
export interface Belief {
  of(sections: readonly Listed[]): Promise<(section: Listed) => SectionStatus>;
}

interface Listed {
  index_number: string;
  status: 'Open' | 'Closed' | null;
}

const columns = { index_number: 'text' } as const;

/** First in its transaction: whoever polls this list waits for the end of it, or we wait for theirs. */
export async function createBelief(
  tx: Tx,
  dialect: DialectName,
  { termId, campusCode }: ListKey,
): Promise<Belief> {
  const lock = dialect === 'postgres' ? sql`FOR SHARE` : sql``;
  const { rows: lists } = await sql<{ baseline_at: number | null }>`
    SELECT baseline_at FROM open_lists WHERE term_id = ${termId} AND campus_code = ${campusCode} ${lock}
  `.execute(tx);
  const hasList = lists.some(({ baseline_at }) => baseline_at !== null);
  return {
    async of(sections) {
      const { rows } = await sql<{ index_number: string; is_open: number }>`
        SELECT index_number, is_open FROM open_list_indexes
        WHERE term_id = ${termId} AND campus_code = ${campusCode}
        AND index_number IN (SELECT input.index_number FROM ${rowsOf<'index_number'>(dialect, columns, sections)})
      `.execute(tx);
      const listed = new Map(rows.map(({ index_number, is_open }) => [index_number, is_open === 1]));
      return ({ index_number, status }) => {
        const isOpen = listed.get(index_number);
        if (isOpen !== undefined) return isOpen ? 'Open' : 'Closed';
        return hasList ? 'Closed' : (status ?? 'Unknown');
      };
    },
  };
}
