import type { DeliveryEventRow, DeliveryMailRow, DeliveryRow } from '../db/schema.ts';
import { tellNext } from '../domain/explain.ts';
import { idempotencyKey } from '../domain/message.ts';
import { tellStory } from '../domain/sentences.ts';
import { statuses } from '../domain/status.ts';
import { tellNow } from '../domain/tell-now.ts';
import { stateOf } from './rows.ts';

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

/** Everything that is known of one delivery. */
export interface Story {
  row: DeliveryRow;
  events: readonly DeliveryEventRow[];
  mails: readonly DeliveryMailRow[];
  now: number;
}

export const told = (row: DeliveryRow, events: readonly DeliveryEventRow[]) =>
  tellStory({ source: row.source, lane: row.lane, createdAt: row.created_at }, events);

/** Who moves it next, and when. */
export const nextOf = (row: DeliveryRow, now: number) =>
  tellNext({ state: stateOf(row), expiresAt: row.expires_at }, now);

/** Round 0 is what the intent brought, and no mail. */
export const frozen = (mails: readonly DeliveryMailRow[]) => mails.filter(({ round }) => round > 0);

export function storyJson({ row, events, mails, now }: Story) {
  const standing = tellNow(stateOf(row), now);
  const [created, ...sentences] = told(row, events);
  return {
    delivery: deliveryJson(row),
    now: { ...standing, next: nextOf(row, now), movedOutBy: statuses[row.status].movedOutBy },
    story: [
      { at: iso(row.created_at), event: 'created', sentence: created?.sentence },
      ...events.map((event, index) => ({
        at: iso(event.at),
        event: event.event,
        status: event.status,
        round: event.round,
        actor: event.actor,
        detail: JSON.parse(event.detail ?? '{}') as unknown,
        sentence: sentences[index]?.sentence,
      })),
    ],
    variables: mails
      .filter(({ round, variables }) => round === 0 && variables !== null)
      .map(({ variables }) => JSON.parse(variables ?? '{}') as unknown)[0],
    mails: frozen(mails).map((mail) => mailJson(row, mail)),
  };
}

/** A mail's parts, as they were frozen. */
export function mailJson(row: DeliveryRow, mail: DeliveryMailRow) {
  return {
    round: mail.round,
    key: idempotencyKey(row.id, mail.round),
    from: mail.sender,
    to: mail.to_email,
    replyTo: mail.reply_to,
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    headers: JSON.parse(mail.headers ?? '{}') as unknown,
    tags: JSON.parse(mail.tags ?? '{}') as unknown,
    bodyHash: mail.body_hash,
    // The id of the round that is under way stands on the delivery, until the next one begins.
    providerMessageId:
      mail.provider_message_id ?? (mail.round === row.round ? row.provider_message_id : null),
    frozenAt: iso(mail.frozen_at),
  };
}
