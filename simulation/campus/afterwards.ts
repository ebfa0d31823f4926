import { CompiledQuery } from 'kysely';
import type { Status } from '../../src/domain/status.ts';
import { readCounts } from '../../src/outbox/counts.ts';
import type { World } from '../world.ts';

/** What the tables say when all is over: the older system's view, and what is kept for how long. */

interface Shown {
  seq: number;
  status: Status;
  sent_at: number | null;
  attempts: number;
  last_error: string | null;
  carried: string | null;
  dedupe_key: string;
  fanout_status: string | null;
  fanout_attempts: number | null;
  shown_key: string | null;
}

const shown = CompiledQuery.raw(
  `SELECT deliveries.seq, status, sent_at, attempts, last_error, deliveries.dedupe_key AS carried, open_events.dedupe_key,
    fanout_status, fanout_attempts, shown.dedupe_key AS shown_key
  FROM deliveries JOIN open_events ON open_events.open_event_id = CAST(deliveries.occasion AS INTEGER)
  LEFT JOIN open_event_notifications AS shown ON shown.notification_id = deliveries.seq
  WHERE source = 'course-seats'`,
) as CompiledQuery<Shown>;

/** Codes of failures about which nobody can do anything. */
const skipped =
  /"(invalid_recipient|not_email|missing_locale|missing_variable|invalid_mail_job|mailbox_unknown)"/;

/** Spec 000's word for a delivery, as its text has it. */
function wordFor({ status, sent_at, last_error }: Shown): string {
  if (status === 'sent' || status === 'delivered') return 'sent';
  if (status === 'expired') return 'expired';
  if (status === 'suppressed') return sent_at === null ? 'skipped' : 'sent';
  if (status.startsWith('skipped_')) return 'skipped';
  if (status === 'failed_permanent') return skipped.test(last_error ?? '') ? 'skipped' : 'failed';
  return status === 'needs_review' ? 'failed' : 'pending';
}

export async function checkView({ db, watch }: World): Promise<void> {
  for (const row of (await db.write.executeQuery(shown)).rows) {
    const word = wordFor(row);
    if (row.fanout_status !== word) {
      watch.violate(
        'the view tells the same',
        `#${row.seq} is ${row.status}, and is shown as ${row.fanout_status}`,
      );
    }
    if (row.fanout_attempts !== row.attempts) {
      watch.violate(
        'the view tells the same',
        `#${row.seq} had ${row.attempts} attempts, and ${row.fanout_attempts} are shown`,
      );
    }
    if (row.carried !== row.dedupe_key || row.shown_key !== row.dedupe_key) {
      watch.violate('keys', `#${row.seq} does not carry the key of its open event`);
    }
  }
}

/** All events and deliveries of seats are there, or none is. */
export async function checkKept({ db, watch, beside }: World, since: number | null): Promise<void> {
  const count = async (text: string) => {
    const { rows } = (await db.write.executeQuery(CompiledQuery.raw(text))) as { rows: { count: number }[] };
    return rows[0]?.count ?? 0;
  };
  const events = await count('SELECT count(*) AS count FROM open_events');
  const mails = await count("SELECT count(*) AS count FROM deliveries WHERE source = 'course-seats'");
  const counted = (await readCounts(db))
    .filter(({ source }) => source === 'course-seats')
    .reduce((sum, line) => sum + line.count, 0);
  const known = since === null ? 0 : (beside.campus?.eventCount ?? 0);
  const when = since === null ? 'a month later' : 'before a month is over';
  if (events !== known)
    watch.violate('retention', `${when} there are ${events} open events, and were ${known}`);
  if (since === null && mails > 0) watch.violate('retention', `${when} there are still ${mails} deliveries`);
  const before = watch.rows.filter(({ source }) => source === 'course-seats').length;
  if (since !== null && mails !== before)
    watch.violate('retention', `${when} ${before - mails} deliveries are gone`);
  if (counted !== mails)
    watch.violate('counts', `${when} ${counted} deliveries are counted, and there are ${mails}`);
}
