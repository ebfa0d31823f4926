import { sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import type { SubscriptionRow } from '../../../db/seats-schema.ts';
import { type Address, addressKey } from '../../../domain/address.ts';
import type { Outbox } from '../../../outbox/outbox.ts';
import { linkVariables, verificationPolicy, verificationSourceName } from '../mail/verification-source.ts';
import type { Limits } from './limits.ts';
import type { EventLine } from './subscription-events.ts';

/**
 * The mail that asks whether an address is its owner's. Anybody can type in anybody's, so that these mails are few: following the
 * link of one confirms all that waits, and while such a link is on its way nobody needs a second. The mail may come too late; the
 * link in it works as long as the watch waits for it.
 */
export type MailPurpose = 'to confirm' | 'for the link';
export type Need = { kind: 'send' | 'on_its_way' } | { kind: 'too_many'; retryAfterMs: number };

const dayMs = 86_400_000;

export async function verificationNeed(
  tx: Tx,
  { address, live, limits }: { address: Address; live: readonly SubscriptionRow[]; limits: Limits },
  now: number,
): Promise<Need> {
  const asked = await readUnanswered(tx, address, now);
  const last = asked.at(-1);
  const isWaitedFor = live.some(({ status, verifications }) => status === 'pending' && verifications > 0);
  if (isWaitedFor && last !== undefined && now - last < limits.verificationPauseMs)
    return { kind: 'on_its_way' };
  if (asked.length < limits.verificationsPerDay) return { kind: 'send' };
  if (isWaitedFor) return { kind: 'on_its_way' };
  const counting = asked.at(-limits.verificationsPerDay) ?? now;
  return { kind: 'too_many', retryAfterMs: Math.max(1, counting + dayMs - now) };
}

/**
 * When mails were asked for in the last day that nobody has confirmed since. Who answers each is nobody's victim, and may go on. By
 * the address, not by the watches: those that were cancelled count too. The source is hidden from SQLite's planner.
 */
async function readUnanswered(tx: Tx, address: Address, now: number): Promise<number[]> {
  const { rows } = await sql<{ created_at: number }>`
    SELECT deliveries.created_at FROM deliveries WHERE lower(deliveries.to_email) = ${addressKey(address)}
      AND deliveries.source || '' = ${verificationSourceName} AND deliveries.created_at > ${now - dayMs}
      AND NOT EXISTS (
        SELECT 1 FROM subscriptions WHERE subscriptions.subscription_id = CAST(deliveries.recipient AS bigint)
          AND subscriptions.verified_at >= deliveries.created_at
      )
    ORDER BY deliveries.created_at
  `.execute(tx);
  return rows.map(({ created_at }) => created_at);
}

/** May the link to what they watch be mailed to them? Anybody may have asked. */
export async function mayMailLink(
  tx: Tx,
  { address, limits }: { address: Address; limits: Limits },
  now: number,
): Promise<boolean> {
  const asked = await readUnanswered(tx, address, now);
  const last = asked.at(-1);
  if (last !== undefined && now - last < limits.verificationPauseMs) return false;
  return asked.length < limits.linksPerDay;
}

/**
 * Asks for the next mail of this watch, whose row nobody else changes meanwhile: to confirm it, or with nothing but the link to it.
 * Answers the line for its story.
 */
export async function sendVerification(
  tx: Tx,
  outbox: Pick<Outbox, 'enqueue'>,
  watch: Pick<SubscriptionRow, 'subscription_id' | 'verifications' | 'locale' | 'last_known_section_status'>,
  address: Address,
  now: number,
  asks: MailPurpose = 'to confirm',
): Promise<EventLine> {
  const { subscription_id: subscriptionId, locale } = watch;
  const request = watch.verifications + 1;
  await tx
    .updateTable('subscriptions')
    .set({ verifications: request, updated_at: now })
    .where('subscription_id', '=', subscriptionId)
    .execute();
  await outbox.enqueue(
    [
      {
        ...{ source: verificationSourceName, occasion: `${subscriptionId}-${request}` },
        ...{ recipient: String(subscriptionId), lane: 'urgent', toEmail: address },
        ...(locale !== null && { locale }),
        expiresAt: now + verificationPolicy.expiresAfterMs,
        ...(asks === 'for the link' && { variables: linkVariables }),
      },
    ],
    tx,
  );
  const sectionStatus = watch.last_known_section_status;
  const event = asks === 'for the link' ? 'link_sent' : 'verification_sent';
  return { subscriptionId, event, sectionStatus, detail: { request } };
}
