import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { lowerMark, type SetBack } from '../db/time-mark.ts';
import { statuses, statusNames } from '../domain/status.ts';
import { statusList } from './rows.ts';

const forPersons = statusNames.filter((status) => !statuses[status].isFinal && !statuses[status].isDue);

/**
 * The clock was set back: whatever waits for a moment of the old time would wait for as much longer, and who counts from one would
 * count wrong. So all that waits moves with the clock. How long it really has been nobody knows, if nobody was running: no key is
 * relied on any more, and what is in doubt is looked up, or asked of a person.
 */
export async function setTimesBack(tx: Tx, setBack: SetBack): Promise<boolean> {
  if (!(await lowerMark(tx, setBack))) return false;
  const byMs = setBack.from - setBack.to;
  // What has ended has no times that anybody waits for; what waits for a person has, who may look again.
  const isOpen = sql`(due_at IS NOT NULL OR status IN (${statusList(forPersons)}))`;
  await sql`
    UPDATE delivery_mails SET frozen_at = frozen_at - ${byMs}
    WHERE frozen_at IS NOT NULL AND delivery_seq IN (SELECT seq FROM deliveries WHERE ${isOpen})
  `.execute(tx);
  await sql`
    UPDATE deliveries SET due_at = due_at - ${byMs}, locked_at = locked_at - ${byMs},
      last_attempt_at = last_attempt_at - ${byMs}, first_possible_accept_at = first_possible_accept_at - ${byMs},
      resubmit_until = CASE WHEN resubmit_until > ${setBack.to} THEN CAST(${setBack.to} AS bigint) ELSE resubmit_until END
    WHERE ${isOpen}
  `.execute(tx);
  await sql`UPDATE webhook_events SET due_at = due_at - ${byMs} WHERE due_at IS NOT NULL`.execute(tx);
  await sql`UPDATE owed_facts SET due_at = due_at - ${byMs}`.execute(tx);
  await sql`
    UPDATE provider_pace SET next_slot_at = next_slot_at - ${byMs}, paused_until = paused_until - ${byMs},
      probe_at = probe_at - ${byMs}, open_since = open_since - ${byMs}
  `.execute(tx);
  return true;
}
