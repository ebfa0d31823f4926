import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../std/clock.ts';
import { numberBefore, settledUntil } from './story.ts';

/**
 * How many mails the provider has taken today and this month, by UTC, beside what the account's plan has. Counted from the story, and each
 * look reads only what is new; where no quota is known nothing is counted. Mails that others send by the same account are not in it.
 */
export interface Quotas {
  day: number | null;
  month: number | null;
}

export interface QuotaNow {
  per: 'day' | 'month';
  used: number;
  of: number;
}

const dayMs = 86_400_000;

export function createMailsTaken(
  quotas: Quotas | undefined,
  { db, clock }: { db: Database; clock: Clock },
): () => Promise<QuotaNow[]> {
  const { day = null, month = null } = quotas ?? {};
  /** By the number of the day since the epoch. */
  const days = new Map<number, number>();
  let seen: number | undefined;

  async function readNew(from: number): Promise<void> {
    seen ??= await numberBefore(db, from);
    const until = await settledUntil(db, seen, clock.now());
    if (until === seen) return;
    const { rows } = await sql<{ day: number | string; count: number | string }>`
      SELECT at / ${sql.lit(dayMs)} AS day, count(*) AS count FROM delivery_events
      WHERE event_seq > ${seen} AND event_seq <= ${until} AND event = 'accepted' GROUP BY 1
    `.execute(db.read);
    for (const { day, count } of rows) days.set(Number(day), (days.get(Number(day)) ?? 0) + Number(count));
    seen = until;
  }

  return async () => {
    if (day === null && month === null) return [];
    const now = new Date(clock.now());
    const today = Math.floor(now.getTime() / dayMs);
    const first = month === null ? today : today - now.getUTCDate() + 1;
    await readNew(first * dayMs);
    for (const known of days.keys()) if (known < first) days.delete(known);
    let used = 0;
    for (const count of days.values()) used += count;
    return [
      ...(day === null ? [] : [{ per: 'day' as const, used: days.get(today) ?? 0, of: day }]),
      ...(month === null ? [] : [{ per: 'month' as const, used, of: month }]),
    ];
  };
}
