import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { type HistorySpan, spans } from './spans.ts';

/** How many sections opened and closed, in steps of equal length, also those in which nothing happened. */
export interface EdgeHistory {
  stepMinutes: number;
  /** Oldest first; the last one is not over. */
  steps: readonly { at: number; opened: number; closed: number }[];
}

const minuteMs = 60_000;
const minuteLength = '2026-11-17T10:30'.length;

export async function readHistory(db: Database, span: HistorySpan, now: number): Promise<EdgeHistory> {
  const { steps: count, stepMinutes } = spans[span];
  const stepMs = stepMinutes * minuteMs;
  const last = Math.floor(now / stepMs) * stepMs;
  const first = last - (count - 1) * stepMs;
  const steps = Array.from({ length: count }, (_, index) => ({
    ...{ at: first + index * stepMs, opened: 0, closed: 0 },
  }));
  // Minutes, whatever the step: ISO times are texts, and a minute is what they have in common.
  const { rows } = await sql<{ minute: string; status_after: string; count: number | string }>`
    SELECT substr(event_at, 1, ${sql.lit(minuteLength)}) AS minute, status_after, COUNT(*) AS count
    FROM open_events WHERE event_at >= ${new Date(first).toISOString()} GROUP BY 1, 2
  `.execute(db.read);
  for (const { minute, status_after, count: text } of rows) {
    const step = steps[Math.floor((Date.parse(`${minute}Z`) - first) / stepMs)];
    if (step) step[status_after === 'Open' ? 'opened' : 'closed'] += Number(text);
  }
  return { stepMinutes, steps };
}
