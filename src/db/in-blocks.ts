import { type Kysely, sql } from 'kysely';
import { type DialectName, rowsOf } from './dialect.ts';
import type { Schema } from './schema.ts';

/**
 * Deliveries by what is as good as random: their ids, and their providers'. The indexes keep these in blocks of 8,192 deliveries, so that
 * new ones are written beside each other; here the blocks are asked one after the other, newest first, until all are found. What somebody has
 * in hand is nearly always new, and found in the first; what was never there costs a look into each, some microseconds. A block of which
 * nothing is left, or of which nothing ever was, is not asked.
 */
export async function seqsInBlocks(
  db: Kysely<Schema>,
  dialect: DialectName,
  column: 'id' | 'provider_message_id',
  values: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const distinct = [...new Set(values)];
  for (let start = 0; start < distinct.length; start += together) {
    const wanted = distinct.slice(start, start + together).map((value) => ({ wanted: value }));
    const { rows } = await sql<{ seq: number; wanted: string }>`
      WITH RECURSIVE blocks (block) AS (
        SELECT max(seq) / 8192 FROM deliveries
        UNION ALL
        SELECT (SELECT max(seq) FROM deliveries WHERE seq < block * 8192) / 8192 FROM blocks WHERE block IS NOT NULL
      )
      SELECT input.wanted, found.seq FROM blocks CROSS JOIN ${rowsOf(dialect, wantedColumns[column], wanted)}
      CROSS JOIN ${inBlock(dialect, column)} LIMIT ${wanted.length}
    `.execute(db);
    for (const { wanted, seq } of rows) found.set(wanted, Number(seq));
  }
  return found;
}

/** In one statement, which SQLite answers while everything else waits: some milliseconds among a million deliveries, if all of them are nowhere. */
const together = 32;

/** PostgreSQL would gladly read the whole table once instead of many small looks; a LATERAL with a LIMIT leaves it no choice. */
function inBlock(dialect: DialectName, column: 'id' | 'provider_message_id') {
  const isIt = sql`found.seq / 8192 = blocks.block AND found.${sql.ref(column)} = input.wanted`;
  return dialect === 'postgres'
    ? sql`LATERAL (SELECT seq FROM deliveries AS found WHERE ${isIt} LIMIT 1) AS found`
    : sql`deliveries AS found WHERE ${isIt}`;
}

const wantedColumns = {
  id: { wanted: 'uuid' },
  provider_message_id: { wanted: 'text' },
} as const;
