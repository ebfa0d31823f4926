import { sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import type { RunRow } from '../../../db/newsletters-schema.ts';
import { rankOf } from '../../../domain/evidence.ts';

/** The first few of a run: may the others follow? Of those who cannot be mailed the next on the list take the place. */
export interface CanaryCounts {
  /** The provider took their mail, whatever became of it then. */
  accepted: number;
  /** Not composed, not accepted, or being settled. */
  open: number;
  /** Their figures were asked for again and again, and are still asked for. */
  stuck: number;
  /** Bounced, complained about, or refused for good. */
  bad: number;
  /** Some on the list were not taken up yet. */
  isAnybodyLeft: boolean;
  lastAcceptedAt: number | null;
}

export type CanaryVerdict =
  | { kind: 'wait'; waitMs: number }
  | { kind: 'passed' }
  | { kind: 'halt'; because: string };

type Size = Pick<RunRow, 'canary_size' | 'canary_bounces_max'>;

export const isCanary = ({ canary_size, canary_passed_at }: RunRow): boolean =>
  canary_size !== null && canary_passed_at === null;

/**
 * How many more may be taken up, so that as many as were asked for can arrive. Those who are stuck do not stand in the way, up to as
 * many again: while no figures can be had at all, the list is not taken up for nothing. None where it will be halted.
 */
export function roomIn(counts: CanaryCounts, { canary_size, canary_bounces_max }: Size): number {
  const { accepted, open, stuck, bad } = counts;
  const size = canary_size ?? 0;
  if (bad > (canary_bounces_max ?? 0)) return 0;
  return size - accepted - open - Math.max(0, stuck - size);
}

/** Pure: too many bounces stop it at once, and silence has to last before it counts as good news. */
export function judgeCanary(
  counts: CanaryCounts,
  limits: Size & { waitMs: number },
  now: number,
): CanaryVerdict {
  const { accepted, open, stuck, bad, isAnybodyLeft, lastAcceptedAt } = counts;
  const bouncesMax = limits.canary_bounces_max ?? 0;
  if (bad > bouncesMax) {
    const because = `Of the first mails ${bad} bounced, were refused or were complained about; at most ${bouncesMax} may.`;
    return { kind: 'halt', because };
  }
  const isTooSmall = isAnybodyLeft && roomIn(counts, limits) > 0;
  // What nobody was mailed by proves nothing.
  const isUnproven = accepted === 0 && stuck > 0;
  if (open > 0 || isTooSmall || isUnproven) return { kind: 'wait', waitMs: lookAgainMs };
  const leftMs = lastAcceptedAt === null ? 0 : lastAcceptedAt + limits.waitMs - now;
  return leftMs > 0 ? { kind: 'wait', waitMs: Math.min(leftMs, lookAgainMs) } : { kind: 'passed' };
}

/** Bounces come by webhooks, seconds or hours later. */
const lookAgainMs = 1_000;
/** Tries for somebody's figures before they are called stuck: some two minutes and a half. */
const patience = 5;

export async function countCanary(
  executor: Tx | Database['read'],
  { run_id }: Pick<RunRow, 'run_id'>,
): Promise<CanaryCounts> {
  const { rows } = await sql<
    Record<'accepted' | 'open' | 'stuck' | 'bad' | 'planned', number | string> & Last
  >`
    SELECT ${count(sql`items.state = 'composed' AND sent_at IS NOT NULL AND NOT ${isOpen}`)} AS accepted,
      ${count(sql`(items.state = 'collected' AND items.tries < ${sql.lit(patience)}) OR (items.state = 'composed' AND ${isOpen})`)} AS open,
      ${count(sql`items.state = 'collected' AND items.tries >= ${sql.lit(patience)}`)} AS stuck,
      ${count(sql`items.state = 'composed' AND ${isBad}`)} AS bad,
      MAX(CASE WHEN items.state = 'composed' THEN sent_at END) AS last_accepted_at,
      (SELECT COUNT(*) FROM (
        SELECT 1 FROM notification_run_items WHERE run_id = ${run_id} AND state = 'planned' LIMIT 1
      ) AS left_over) AS planned
    FROM notification_run_items AS items LEFT JOIN deliveries ON deliveries.seq = items.delivery_seq
    WHERE items.run_id = ${run_id} AND items.state IN ('collected', 'composed')
  `.execute(executor);
  const { accepted = 0, open = 0, stuck = 0, bad = 0, planned = 0, last_accepted_at = null } = rows[0] ?? {};
  return {
    ...{ accepted: Number(accepted), open: Number(open), stuck: Number(stuck), bad: Number(bad) },
    ...{ isAnybodyLeft: Number(planned) > 0, lastAcceptedAt: last_accepted_at },
  };
}

interface Last {
  last_accepted_at: number | null;
}

const count = (which: ReturnType<typeof sql>) => sql`COALESCE(SUM(CASE WHEN ${which} THEN 1 ELSE 0 END), 0)`;

/** What bounced for now is tried again hours later; the run need not wait for that. */
const isOpen = sql`(deliveries.status IN ('pending', 'claimed', 'sending', 'reconciling')
  OR (deliveries.status = 'failed_transient' AND deliveries.sent_at IS NULL))`;
/** An address that was on the list of suppressions before any mail left says nothing about this run. */
const isBad = sql`(deliveries.status = 'failed_permanent'
  OR (deliveries.status = 'suppressed' AND deliveries.evidence >= ${sql.lit(rankOf('bounced_for_good', 1))})
  OR (deliveries.status = 'failed_transient' AND deliveries.sent_at IS NOT NULL))`;
