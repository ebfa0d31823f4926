import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import { type DialectName, forUpdate } from '../../../db/dialect.ts';
import type { SectionStatus } from '../../../db/seats-schema.ts';
import { campusCodes, listOf } from '../term.ts';
import { keyOf, lockLists, readBeliefs, writeBeliefs } from './beliefs.ts';
import type { Reported } from './open-events.ts';
import { recordEdges } from './record.ts';

/**
 * An operator's word that a section is open. It is believed like the feed's: whoever watches is told, and if the feed does not
 * list it, two misses close it again. Of a section that is believed open already nothing is recorded.
 */
export async function recordReport(
  tx: Tx,
  dialect: DialectName,
  { termId, indexNumber, traceId }: { termId: string; indexNumber: string; traceId: string },
  now: number,
): Promise<Reported> {
  const found = await findSection(tx, termId, indexNumber, sql``);
  if (!found) return { kind: 'section_not_found' };
  const list = listOf(termId, found.campus_code);
  // The list before the section, as everybody else locks them.
  const state = (await lockLists(tx, dialect, [list], now)).get(keyOf(list));
  const known = (await findSection(tx, termId, indexNumber, forUpdate(dialect))) ?? found;
  const believed = state?.hasBaseline
    ? await readBeliefs(tx, dialect, [{ ...list, indexNumber }])
    : undefined;
  const isOpen = believed
    ? believed.get(`${termId}|${indexNumber}`)?.isOpen === true
    : known.status === 'Open';
  if (isOpen) return { kind: 'repeated' };
  const statusBefore = known.status === 'Open' ? 'Closed' : known.status;
  const recorded = await recordEdges(tx, dialect, {
    ...{ list, edges: [{ indexNumber, statusBefore, statusAfter: 'Open' }], detectedBy: 'manual' },
    ...{ snapshot: null, traceId, at: now },
  });
  if (state?.hasBaseline) await writeBeliefs(tx, dialect, list, new Map([[indexNumber, 'Open']]), now);
  const openEventId = recorded.eventIds.get(indexNumber);
  return openEventId === undefined ? { kind: 'repeated' } : { kind: 'reported', openEventId };
}

interface Known {
  campus_code: string;
  status: SectionStatus;
}

/** In the catalog; or watched, or in a list, although no catalog knows it. Locked, one of two who report it at once comes after the other. */
async function findSection(tx: Tx, termId: string, indexNumber: string, lock: RawBuilder<unknown>) {
  const section = await sql<Known>`
    SELECT campus_code, last_known_section_status AS status FROM sections
    WHERE term_id = ${termId} AND index_number = ${indexNumber} ${lock}
  `.execute(tx);
  if (section.rows[0]) return section.rows[0];
  const watched = await sql<Known>`
    SELECT campus_code, 'Unknown' AS status FROM subscriptions
    WHERE term_id = ${termId} AND index_number = ${indexNumber} AND status IN ('active', 'pending')
    ORDER BY subscription_id LIMIT 1 ${lock}
  `.execute(tx);
  if (watched.rows[0]) return watched.rows[0];
  const listed = await sql<Known>`
    SELECT campus_code, 'Unknown' AS status FROM open_list_indexes
    WHERE term_id = ${termId} AND campus_code IN (${listCampuses}) AND index_number = ${indexNumber}
    ORDER BY is_open DESC, campus_code LIMIT 1 ${lock}
  `.execute(tx);
  return listed.rows[0];
}

/** By whose names lists are asked for: with them an index is found by the key. */
const listCampuses = sql.join(
  [...new Set(campusCodes.map((campusCode) => listOf('', campusCode).campusCode))].map((campus) =>
    sql.lit(campus),
  ),
);
