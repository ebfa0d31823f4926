import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { RunItemRow, RunItemState } from '../../../db/newsletters-schema.ts';
import type { Status } from '../../../domain/status.ts';

/** A line of a run's list, for whoever looks at it: with what became of its delivery. */
export interface ListedItem extends RunItemRow {
  delivery_status: Status | null;
  delivery_error: string | null;
}

export interface ItemsPage {
  after: string;
  limit: number;
  state?: RunItemState;
}

/** By notification, from the index that has this order, also within a state: few may be left out of very many. */
export async function readItemPage(
  { read, dialect }: Database,
  runId: string,
  { after, limit, state }: ItemsPage,
): Promise<ListedItem[]> {
  const inState = state === undefined ? sql`` : sql`AND state = ${state}`;
  const error = dialect === 'postgres' ? sql`deliveries.last_error::json` : sql`deliveries.last_error`;
  const { rows } = await sql<ListedItem>`
    SELECT items.*, deliveries.status AS delivery_status, ${error} ->> 'code' AS delivery_error
    FROM (
      SELECT * FROM notification_run_items WHERE run_id = ${runId} AND notification_id > ${after} ${inState}
      ORDER BY notification_id LIMIT ${limit}
    ) AS items LEFT JOIN deliveries ON deliveries.seq = items.delivery_seq
    ORDER BY items.notification_id
  `.execute(read);
  return rows;
}
