import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { type DialectName, seqsOf } from '../db/dialect.ts';
import { type EvidenceEvent, evidenceEvents } from '../domain/evidence.ts';
import { isForgotten } from './forget.ts';

/** What a delivery's own story says about how many rounds it may have. */
export interface RoundsLeft {
  /** There is nothing left of it to send. */
  isForgotten: boolean;
  /** Rounds whose mail met a full quota, and which another followed: no mail server has seen them. */
  overQuota: number;
}

/** Of those about which something is told that would open a new round. */
export async function roundsLeftOf(
  tx: Tx,
  dialect: DialectName,
  reports: readonly { seq: number; event: string }[],
): Promise<ReadonlyMap<number, RoundsLeft>> {
  const soft = reports.filter(({ event }) => event in evidenceEvents && opensRound(event as EvidenceEvent));
  if (soft.length === 0) return new Map();
  const input = seqsOf(
    dialect,
    soft.map(({ seq }) => seq),
  );
  // Only what had its effect before a later round began: what is told of a round that is over comes too late to count, so
  // that the order in which it is told does not matter.
  const { rows } = await sql<{ seq: number; forgotten: number; over_quota: number | string }>`
    SELECT deliveries.seq, CASE WHEN ${isForgotten} THEN 1 ELSE 0 END AS forgotten, (
      SELECT count(DISTINCT delivery_events.round) FROM delivery_events
      WHERE delivery_events.delivery_seq = deliveries.seq AND delivery_events.event = 'over_quota'
        AND delivery_events.status = 'failed_transient'
        AND delivery_events.round < (SELECT max(round) FROM delivery_mails WHERE delivery_mails.delivery_seq = deliveries.seq)
    ) AS over_quota
    FROM deliveries WHERE deliveries.seq IN (SELECT seq FROM ${input})
  `.execute(tx);
  return new Map(
    rows.map(({ seq, forgotten, over_quota }) => [
      seq,
      { isForgotten: forgotten === 1, overQuota: Number(over_quota) },
    ]),
  );
}

const opensRound = (event: EvidenceEvent) => evidenceEvents[event].next === 'failed_transient';

/** A bounce counts the rounds that reached a mail server. Of what is forgotten there is no further round. */
export function roundsMaxOf(
  { event, roundsMax = 1 }: { event: EvidenceEvent; roundsMax?: number },
  left: RoundsLeft,
): number {
  if (left.isForgotten) return 0;
  return event === 'bounced_for_now' ? roundsMax + left.overQuota : roundsMax;
}
