import { sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import { type DialectName, rowsOf } from '../../../db/dialect.ts';
import type { SectionStatus } from '../../../db/seats-schema.ts';
import { listOf } from '../term.ts';
import { keyOf, type ListState, lockLists, readBeliefs, writeBeliefs } from './beliefs.ts';
import type { Edge } from './open-events.ts';
import { recordEdges } from './record.ts';
import { type Belief, weigh } from './weigh.ts';

/**
 * A batch of the catalog's words, oldest first, each weighed once: they are marked in the transaction that does what follows
 * from them. A second process waits for the first and takes the next: of two words about one section the later must come last.
 */
export interface WeighOrder {
  limit: number;
  traceId: string;
  now: number;
}

export interface WeighedWords {
  count: number;
  opened: number;
  closed: number;
}

interface WordRow {
  status_event_id: number;
  term_id: string;
  index_number: string;
  status_before: SectionStatus;
  status_after: SectionStatus;
  campus_code: string;
  believed: SectionStatus;
  seen_at: number;
}

/** How long the feed lets its catalog be cached: so old it may be when a reading of it begins. */
const catalogAgeMaxMs = 900_000;

export async function weighWords(
  tx: Tx,
  dialect: DialectName,
  { limit, traceId, now }: WeighOrder,
): Promise<WeighedWords> {
  const words = await takeWords(tx, dialect, limit, now);
  if (words.length === 0) return { count: 0, opened: 0, closed: 0 };
  const lists = new Map(words.map(({ list }) => [keyOf(list), list]));
  const states = await lockLists(tx, dialect, [...lists.values()], now);
  const beliefs = await beliefsOf(tx, dialect, words, states);
  let opened = 0;
  let closed = 0;
  for (const [key, list] of lists) {
    const edges = edgesOf(
      words.filter((word) => keyOf(word.list) === key),
      beliefs,
    );
    if (edges.length === 0) continue;
    const seen = {
      list,
      edges,
      detectedBy: 'section_status_event',
      snapshot: null,
      traceId,
      at: now,
    } as const;
    const recorded = await recordEdges(tx, dialect, seen);
    opened += recorded.opened.length;
    closed += recorded.closed.length;
    const believed = new Map(edges.map(({ indexNumber, statusAfter }) => [indexNumber, statusAfter]));
    if (states.get(key)?.hasBaseline) await writeBeliefs(tx, dialect, list, believed, now);
  }
  return { count: words.length, opened, closed };
}

async function takeWords(tx: Tx, dialect: DialectName, limit: number, now: number) {
  const { rows } = await sql<WordRow>`
    SELECT word.status_event_id, word.term_id, word.index_number, word.status_before, word.status_after,
      sections.campus_code, sections.last_known_section_status AS believed, sections.seen_at
    FROM section_status_events AS word JOIN sections ON sections.section_id = word.section_id
    WHERE word.weighed_at IS NULL ORDER BY word.status_event_id LIMIT ${limit}
    ${dialect === 'postgres' ? sql`FOR UPDATE OF word` : sql``}
  `.execute(tx);
  if (rows.length > 0) {
    const taken = rowsOf(
      dialect,
      { id: 'number' },
      rows.map(({ status_event_id }) => ({ id: status_event_id })),
    );
    await sql`
      UPDATE section_status_events SET weighed_at = ${now} WHERE status_event_id IN (SELECT id FROM ${taken})
    `.execute(tx);
  }
  return rows.map((row) => ({
    ...{ termId: row.term_id, indexNumber: row.index_number, list: listOf(row.term_id, row.campus_code) },
    ...{ statusBefore: row.status_before, statusAfter: row.status_after, believed: row.believed },
    // Counted from the beginning of the last reading that had it so, which is later than this word if another has confirmed it.
    saidAfter: row.seen_at - catalogAgeMaxMs,
  }));
}

type Word = Awaited<ReturnType<typeof takeWords>>[number];

const sectionKey = ({ termId, indexNumber }: Word) => `${termId}|${indexNumber}`;

/** Where there is a list, its word; where there is none, what is known of the section. */
async function beliefsOf(
  tx: Tx,
  dialect: DialectName,
  words: readonly Word[],
  states: ReadonlyMap<string, ListState>,
): Promise<Map<string, Belief>> {
  const listed = words.filter(({ list }) => states.get(keyOf(list))?.hasBaseline);
  const asked = new Map(listed.map((word) => [sectionKey(word), word]));
  const inList = await readBeliefs(
    tx,
    dialect,
    [...asked.values()].map(({ list, indexNumber }) => ({ ...list, indexNumber })),
  );
  const edges = await readEdges(tx, dialect, words);
  return new Map(
    words.map((word) => {
      const key = sectionKey(word);
      const { isFresh: isFeedFresh = false, lost = null } = states.get(keyOf(word.list)) ?? {};
      const isInHeldList = lost !== null && !lost.has(word.indexNumber);
      const seen = { isFeedFresh, isInHeldList, edgeAt: edges.get(key) ?? null };
      if (!asked.has(key)) return [key, { ...seen, isOpen: word.believed === 'Open', misses: 0 }];
      return [key, { ...seen, ...(inList.get(key) ?? { isOpen: false, misses: 0 }) }];
    }),
  );
}

/** When the feed or an operator last saw each open or close; the catalog's own words are in their order anyway. */
async function readEdges(
  tx: Tx,
  dialect: DialectName,
  words: readonly Word[],
): Promise<ReadonlyMap<string, number>> {
  const rows = words.map(({ termId, indexNumber }) => ({ term_id: termId, index_number: indexNumber }));
  const { rows: edges } = await sql<{ term_id: string; index_number: string; edge_at: string | null }>`
    SELECT input.term_id, input.index_number, (
      SELECT max(event_at) FROM open_events WHERE open_events.term_id = input.term_id
      AND open_events.index_number = input.index_number AND detected_by <> 'section_status_event'
    ) AS edge_at FROM ${rowsOf(dialect, { term_id: 'text', index_number: 'text' }, rows)}
  `.execute(tx);
  return new Map(
    edges.flatMap(({ term_id, index_number, edge_at }) =>
      edge_at === null ? [] : [[`${term_id}|${index_number}`, Date.parse(edge_at)] as const],
    ),
  );
}

/** One word after the other: what the first changes, the second finds changed. */
function edgesOf(words: readonly Word[], beliefs: Map<string, Belief>): Edge[] {
  return words.flatMap((word): Edge[] => {
    const belief = beliefs.get(sectionKey(word));
    if (!belief) return [];
    const weight = weigh(word, belief);
    if (weight === 'kept') return [];
    const isOpen = weight === 'opens';
    beliefs.set(sectionKey(word), { ...belief, isOpen, misses: 0 });
    const { indexNumber, statusBefore } = word;
    return isOpen
      ? [{ indexNumber, statusBefore, statusAfter: 'Open' }]
      : [{ indexNumber, statusBefore: 'Open', statusAfter: 'Closed' }];
  });
}
