import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { type DialectName, namesOf, rowsOf } from '../db/dialect.ts';
import { seqsInBlocks } from '../db/in-blocks.ts';
import { type Address, parseAddress } from '../domain/address.ts';
import { deliveryId, type Identity, type Lane, requireIntent } from '../domain/delivery.ts';
import { applyEvidence, applyWork, type DeliveryError, type DeliveryState } from '../domain/transition.ts';
import { isUuid } from '../std/ids.ts';
import { countMoves } from './counts.ts';
import type { Report } from './record.ts';
import { type StoryEvent, storyOf, writeStory } from './story.ts';

/**
 * Deliveries that another system has made: they come in where they ended, so that nobody is told the same again, and nothing of them is
 * ever due. What the other system says of a mail is the evidence for it, and the story says so: without it every one of them would be
 * doubted later, and a person asked. What it did not finish is not finished here either. No source and no consent is told: they
 * kept their own books.
 */
export interface ImportedDelivery extends Identity {
  /** The other system's own id, if it was a UUID: what providers tell of its mails may name it. */
  id: string | null;
  lane: Lane;
  end: ImportedEnd;
  toEmail: string | null;
  attempts: number;
  lastAttemptAt: number | null;
  /** When it was accepted, as far as anybody knows; for what has an end that says so, its creation otherwise. */
  sentAt: number | null;
  providerMessageId: string | null;
  error: DeliveryError | null;
  createdAt: number;
}

/** How it ended there. `unsent`: nothing had left. `in_doubt`: it was about to leave, and nobody said what came of it. */
export type ImportedEnd =
  | 'sent'
  | 'delivered'
  | 'suppressed'
  | 'failed'
  | 'unsubscribed'
  | 'no_address'
  | 'unsent'
  | 'in_doubt';

/** By whom the story of what was brought here is told: by this name it is known that nothing of it is news. */
export const importActor = 'import';
/** What is kept of whose word it is, in the story. */
const word = { evidence: 'import' } as const;

const columns = {
  id: 'uuid',
  source: 'text',
  occasion: 'text',
  recipient: 'text',
  lane: 'text',
  status: 'text',
  evidence: 'number',
  round: 'number',
  attempts: 'number',
  to_email: 'text',
  provider_message_id: 'text',
  first_possible_accept_at: 'number',
  last_attempt_at: 'number',
  last_error: 'text',
  sent_at: 'number',
  delivered_at: 'number',
  created_at: 'number',
} as const;

/** Answers which of them are new here, by their places; the others were there, from an earlier import or by our own doing. */
export async function importDeliveries(
  tx: Tx,
  dialect: DialectName,
  namespace: string,
  deliveries: readonly ImportedDelivery[],
  now: number,
): Promise<ReadonlySet<number>> {
  if (deliveries.length === 0) return new Set();
  const own = deliveries.flatMap(({ id }) => (id !== null && isUuid(id) ? [id] : []));
  // Unlike ours, these are made of nothing that is unique here: one that has come under another identity is no second delivery.
  const known = await seqsInBlocks(tx, dialect, 'id', own);
  const ended = new Map<
    string,
    { place: number; state: DeliveryState; told: Omit<StoryEvent, 'delivery_seq'>[] }
  >();
  const rows = deliveries.flatMap((delivery, place) => {
    const { source, occasion, recipient, lane } = delivery;
    requireIntent({ source, occasion, recipient, lane });
    const id = delivery.id !== null && isUuid(delivery.id) ? delivery.id : deliveryId(namespace, delivery);
    if (ended.has(id) || known.has(id)) return [];
    const { state, told } = endOf(delivery, now);
    ended.set(id, { place, state, told });
    return [cellsOf(id, delivery, state)];
  });
  const names = namesOf(columns);
  // In one order for everybody, as `enqueue` has it. `WHERE true`: without it SQLite reads ON CONFLICT as part of a join.
  rows.sort((a, b) => (`${a.occasion}:${a.recipient}` < `${b.occasion}:${b.recipient}` ? -1 : 1));
  const { rows: made } = await sql<{ seq: number; id: string; to_email: string | null }>`
    INSERT INTO deliveries (${names}) SELECT ${names} FROM ${rowsOf(dialect, columns, rows)} WHERE true
    ON CONFLICT DO NOTHING RETURNING seq, id, to_email
  `.execute(tx);
  // Retention finds here what has an address to be forgotten.
  const addressed = made.filter(({ to_email }) => to_email !== null).map(({ seq }) => ({ seq }));
  await sql`
    INSERT INTO delivery_mails (delivery_seq, round) SELECT seq, 0 FROM ${rowsOf(dialect, { seq: 'number' }, addressed)}
  `.execute(tx);
  const news = made.flatMap(({ seq, id }) => {
    const found = ended.get(id);
    return found ? [{ seq, ...found }] : [];
  });
  const sourceAt = (place: number) => deliveries[place]?.source ?? '';
  await countMoves(
    tx,
    dialect,
    news.map(({ place, state }) => ({ source: sourceAt(place), before: null, after: state.status })),
  );
  await writeStory(
    tx,
    dialect,
    news.flatMap(({ seq, told }) => told.map((event) => ({ ...event, delivery_seq: seq }))),
  );
  return new Set(news.map(({ place }) => place));
}

/** By the same life cycle as everything else, from a row that waits to where it ended. */
function endOf(delivery: ImportedDelivery, now: number) {
  const told: Omit<StoryEvent, 'delivery_seq'>[] = [];
  let state = startOf(delivery);
  for (const report of reportsOf(delivery)) {
    const result = 'at' in report ? applyEvidence(state, report) : applyWork(state, report, now);
    if (!result.changed) throw new Error(`outbox: ${report.event} does not lead on from ${state.status}`);
    told.push(...storyOf(report, state, result, now).map(({ delivery_seq: _, ...event }) => event));
    state = result.state;
  }
  if (delivery.end !== 'in_doubt') return { state: { ...state, attempts: delivery.attempts }, told };
  const doubted = doubtOf(state, delivery);
  const event = {
    at: now,
    event: 'undecidable',
    status: doubted.status,
    round: doubted.round,
    actor: importActor,
  };
  const detail = JSON.stringify({ from: 'sending', ...word, reason: delivery.error?.message });
  return { state: doubted, told: [{ ...event, detail }] };
}

function startOf({ attempts, lastAttemptAt, createdAt }: ImportedDelivery): DeliveryState {
  return {
    ...{ status: 'pending', evidence: 0, round: 0, attempts, lapses: 0, lease: 0, dueAt: createdAt },
    ...{ lockedBy: null, lockedAt: null, account: null, firstPossibleAcceptAt: null, resubmitUntil: null },
    ...{ lastAttemptAt, sentAt: null, deliveredAt: null, providerMessageId: null, lastError: null },
  };
}

/** A mail may exist, at an account that we cannot ask: a person decides. */
function doubtOf(state: DeliveryState, { lastAttemptAt, createdAt, error }: ImportedDelivery): DeliveryState {
  return {
    ...{ ...state, status: 'needs_review', round: 1, evidence: 4, dueAt: null },
    ...{ firstPossibleAcceptAt: lastAttemptAt ?? createdAt, lastError: error },
  };
}

function reportsOf(delivery: ImportedDelivery): Report[] {
  const { end, sentAt, createdAt, providerMessageId, error } = delivery;
  const at = sentAt ?? createdAt;
  const said = { seq: 0, actor: importActor, detail: word };
  const evidence = {
    ...said,
    round: 1,
    at,
    ...(providerMessageId !== null && { messageId: providerMessageId }),
  };
  const accepted: Report = { ...evidence, event: 'accepted' };
  const why = error ? { error } : {};
  const work = { ...said, ...why, isAttempt: false };
  switch (end) {
    case 'sent':
      return [accepted];
    case 'delivered':
      return [accepted, { ...evidence, event: 'confirmed' }];
    case 'suppressed':
      return [...(sentAt === null ? [] : [accepted]), { ...evidence, ...why, event: 'provider_suppressed' }];
    case 'failed':
      return [...(sentAt === null ? [] : [accepted]), { ...evidence, ...why, event: 'provider_failed' }];
    case 'unsubscribed':
      return [{ ...work, event: 'unsubscribed' }];
    case 'no_address':
      return [{ ...work, event: 'no_address' }];
    case 'unsent':
      return [{ ...work, event: 'expired' }];
    case 'in_doubt':
      return [];
  }
}

function cellsOf(id: string, delivery: ImportedDelivery, state: DeliveryState) {
  const { source, occasion, recipient, lane, toEmail, createdAt } = delivery;
  return {
    ...{ id, source, occasion, recipient, lane, created_at: createdAt, to_email: addressOf(toEmail) },
    ...{ status: state.status, evidence: state.evidence, round: state.round, attempts: state.attempts },
    ...{ provider_message_id: state.providerMessageId ?? delivery.providerMessageId },
    ...{ first_possible_accept_at: state.firstPossibleAcceptAt, last_attempt_at: state.lastAttemptAt },
    ...{ last_error: state.lastError === null ? null : JSON.stringify(state.lastError) },
    ...{ sent_at: state.sentAt, delivered_at: state.deliveredAt },
  };
}

/** One that our own rules would not write to is of no use here. */
function addressOf(text: string | null): Address | null {
  const parsed = parseAddress(text);
  return parsed.ok ? parsed.address : null;
}
