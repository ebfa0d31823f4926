import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { RunItemState, RunStatus } from '../../../db/newsletters-schema.ts';
import { wisherOf } from '../recipient.ts';

/** For whoever explains: a run that is paused, or figures that are waited for, keep a mail back. */
export async function readWhyWait(db: Database, recipient: string): Promise<string | null> {
  const { notificationId } = wisherOf(recipient);
  const { rows } = await sql<{
    state: RunItemState;
    reason: string | null;
    tries: number;
    status: RunStatus;
    status_because: string | null;
  }>`
    SELECT items.state, items.reason, items.tries, runs.status, runs.status_because
    FROM notification_runs AS runs JOIN notification_run_items AS items
      ON items.run_id = runs.run_id AND items.notification_id = ${notificationId}
    WHERE items.delivery_seq IS NOT NULL ORDER BY runs.created_at DESC LIMIT 1
  `.execute(db.read);
  const [item] = rows;
  if (!item) return null;
  if (item.status === 'paused' || item.status === 'halted') {
    return `Its run is ${item.status}${item.status_because ? `: ${item.status_because}` : ''}.`;
  }
  if (item.state !== 'collected') return null;
  return item.tries > 0
    ? `Its figures are waited for; the last try: ${item.reason ?? 'no answer'}`
    : 'It waits to be composed.';
}
