import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { type DialectName, rowsOf } from '../db/dialect.ts';
import type { Address } from '../domain/address.ts';
import { type EvidenceEvent, evidenceEventNames, evidenceEvents, rankOf } from '../domain/evidence.ts';
import type { DeliveryState, EvidenceReport, Transition } from '../domain/transition.ts';
import type { Fact } from './facts.ts';

/** Evidence that stops an address: whether it says something new of a delivery that is stopped, and which address it means. */

/** A fact with what was said of the mail that it is about. */
export interface Learnt {
  fact: Fact;
  round: number;
  address: Address | null;
}

const suppressing: readonly EvidenceEvent[] = evidenceEventNames.filter(
  (event) => evidenceEvents[event].next === 'suppressed',
);

const wordOn = (seq: number, event: string) => `${seq} ${event}`;

/** What was said before about deliveries of which something is said now that suppresses. */
export async function wordsTold(
  tx: Tx,
  dialect: DialectName,
  reports: readonly { seq: number; event: string }[],
): Promise<Set<string>> {
  const seqs = reports
    .filter(({ event }) => suppressing.some((one) => one === event))
    .map(({ seq }) => ({ seq }));
  if (seqs.length === 0) return new Set();
  const { rows } = await sql<{ delivery_seq: number; event: string; detail: string | null }>`
    SELECT delivery_seq, event, detail FROM delivery_events
    WHERE delivery_seq IN (SELECT seq FROM ${rowsOf(dialect, { seq: 'number' }, seqs)})
      AND event IN (${sql.join(suppressing.map((event) => sql.lit(event)))})
  `.execute(tx);
  // What contradicted the mail that we know was about another.
  const heard = rows.filter(({ detail }) => !Object.hasOwn(JSON.parse(detail ?? '{}'), 'ignored'));
  return new Set(heard.map(({ delivery_seq, event }) => wordOn(delivery_seq, event)));
}

/**
 * A complaint about what has bounced for good, or the other way round: it moves nothing, and is told all the same, once. The
 * word is put to those that were told.
 */
export function isFurtherWord(
  { seq, event, round }: EvidenceReport & { seq: number },
  { evidence }: DeliveryState,
  result: Transition,
  told: Set<string>,
): boolean {
  if (!suppressing.includes(event) || (!result.changed && result.why === 'contradicts')) return false;
  const isNew = !told.has(wordOn(seq, event));
  told.add(wordOn(seq, event));
  return isNew && rankOf(event, round) === evidence;
}

/**
 * An address is stopped for what happened to a mail to it, so the mail's own round says which: the delivery's is that of the
 * latest. What has been forgotten is still known by who told us.
 */
export async function withAddresses(
  tx: Tx,
  dialect: DialectName,
  learnt: readonly Learnt[],
): Promise<Fact[]> {
  const mails = learnt
    .filter(({ fact }) => fact.kind === 'suppressed')
    .map(({ fact, round }) => ({ seq: fact.delivery.seq, round }));
  if (mails.length === 0) return learnt.map(({ fact }) => fact);
  const { rows } = await sql<{ seq: number; round: number; to_email: string | null }>`
    SELECT input.seq, input.round, delivery_mails.to_email
    FROM ${rowsOf(dialect, { seq: 'number', round: 'number' }, mails)} JOIN delivery_mails
    ON delivery_mails.delivery_seq = input.seq AND delivery_mails.round = input.round
  `.execute(tx);
  return learnt.map(({ fact, round, address }) => {
    if (fact.kind !== 'suppressed') return fact;
    const { delivery } = fact;
    const mail = rows.find((row) => row.seq === delivery.seq && row.round === round);
    return { ...fact, delivery: { ...delivery, toEmail: mail?.to_email ?? delivery.toEmail ?? address } };
  });
}
