import type { DeliveryRow } from '../db/schema.ts';

/** A delivery for programs: our words, times in ISO 8601. Fields may be added; none changes its meaning. */
export function deliveryJson(row: DeliveryRow) {
  return {
    seq: row.seq,
    id: row.id,
    source: row.source,
    occasion: row.occasion,
    recipient: row.recipient,
    to: row.to_email,
    lane: row.lane,
    status: row.status,
    round: row.round,
    attempts: row.attempts,
    claims: row.claims,
    lapses: row.lapses,
    account: row.account,
    providerMessageId: row.provider_message_id,
    lastError: row.last_error === null ? null : (JSON.parse(row.last_error) as unknown),
    lockedBy: row.locked_by,
    lockedAt: iso(row.locked_at),
    traceId: row.trace_id,
    createdAt: iso(row.created_at),
    dueAt: iso(row.due_at),
    lastAttemptAt: iso(row.last_attempt_at),
    inDoubtSince: iso(row.first_possible_accept_at),
    sentAt: iso(row.sent_at),
    deliveredAt: iso(row.delivered_at),
    expiresAt: iso(row.expires_at),
  };
}

export function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
