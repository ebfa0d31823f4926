import { sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import { type DialectName, namesOf, rowsOf } from '../../../db/dialect.ts';
import type { SectionStatus } from '../../../db/seats-schema.ts';

/** What becomes of a watch, line by line. `notify_sent` and `suppressed` are written with the mails that make them so. */
export type WatchEvent =
  | 'created'
  | 'verification_sent'
  | 'link_sent'
  | 'verified'
  | 'paused'
  | 'resumed'
  | 'snoozed'
  | 'window_set'
  | 'max_set'
  | 'unsubscribed'
  | 'undone'
  | 'mail_again'
  | 'expired';

export interface EventLine {
  subscriptionId: number;
  event: WatchEvent;
  /** What is known of the section at this moment. */
  sectionStatus: SectionStatus | null;
  detail?: Readonly<Record<string, unknown>>;
}

const columns = {
  subscription_id: 'number',
  event_type: 'text',
  section_status: 'text',
  detail: 'text',
  created_at: 'text',
} as const;

export async function writeEvents(
  tx: Tx,
  dialect: DialectName,
  lines: readonly EventLine[],
  now: number,
): Promise<void> {
  if (lines.length === 0) return;
  const created_at = new Date(now).toISOString();
  const rows = lines.map(({ subscriptionId, event, sectionStatus, detail }) => ({
    ...{ subscription_id: subscriptionId, event_type: event, section_status: sectionStatus },
    ...{ detail: detail === undefined ? null : JSON.stringify(detail), created_at },
  }));
  const names = namesOf(columns);
  await sql`
    INSERT INTO subscription_events (${names}) SELECT ${names} FROM ${rowsOf(dialect, columns, rows)}
  `.execute(tx);
}
