import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { RunRow } from '../../../db/newsletters-schema.ts';

/** The first few of a run: may the others follow? */
export interface CanaryCounts {
  /** Not composed, not accepted, or being settled. */
  open: number;
  /** Bounced, complained about, or refused for good. */
  bad: number;
  lastAcceptedAt: number | null;
}

export type CanaryVerdict =
  | { kind: 'wait'; waitMs: number }
  | { kind: 'passed' }
  | { kind: 'halt'; because: string };

/** Pure: too many bounces stop it at once, and silence has to last before it counts as good news. */
export function judgeCanary(
  { open, bad, lastAcceptedAt }: CanaryCounts,
  limits: { bouncesMax: number; waitMs: number },
  now: number,
): CanaryVerdict {
  if (bad > limits.bouncesMax) {
    const because = `Of the first mails ${bad} bounced, were refused or were complained about; at most ${limits.bouncesMax} may.`;
    return { kind: 'halt', because };
  }
  if (open > 0) return { kind: 'wait', waitMs: lookAgainMs };
  const quietSince = lastAcceptedAt ?? now - limits.waitMs;
  const leftMs = quietSince + limits.waitMs - now;
  return leftMs > 0 ? { kind: 'wait', waitMs: Math.min(leftMs, lookAgainMs) } : { kind: 'passed' };
}

/** Bounces come by webhooks, seconds or hours later. */
const lookAgainMs = 1_000;

export async function countCanary(db: Database, { run_id, canary_size }: RunRow): Promise<CanaryCounts> {
  const { rows } = await sql<{
    open: number | string;
    bad: number | string;
    last_accepted_at: number | null;
  }>`
    SELECT
      COALESCE(SUM(CASE WHEN items.state IN ('planned', 'collected') OR (items.state = 'composed' AND (${isOpen})) THEN 1 ELSE 0 END), 0) AS open,
      COALESCE(SUM(CASE WHEN ${isBad} THEN 1 ELSE 0 END), 0) AS bad,
      MAX(deliveries.sent_at) AS last_accepted_at
    FROM notification_run_items AS items LEFT JOIN deliveries ON deliveries.seq = items.delivery_seq
    WHERE items.run_id = ${run_id} AND items.place <= ${canary_size}
  `.execute(db.read);
  const { open = 0, bad = 0, last_accepted_at = null } = rows[0] ?? {};
  return { open: Number(open), bad: Number(bad), lastAcceptedAt: last_accepted_at };
}

/** What bounced for now is tried again hours later; the run need not wait for that. */
const isOpen = sql`deliveries.sent_at IS NULL AND deliveries.status IN ('pending', 'claimed', 'sending', 'failed_transient', 'reconciling')`;
const isBad = sql`items.state = 'composed' AND (deliveries.status IN ('suppressed', 'failed_permanent')
  OR (deliveries.sent_at IS NOT NULL AND deliveries.status = 'failed_transient'))`;
