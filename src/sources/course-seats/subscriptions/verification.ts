import { sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import type { SubscriptionRow } from '../../../db/seats-schema.ts';
import { type Address, addressKey } from '../../../domain/address.ts';
import type { Outbox } from '../../../outbox/outbox.ts';
import { verificationPolicy, verificationSourceName } from '../mail/verification-source.ts';
import type { Limits } from './limits.ts';
import type { EventLine } from './subscription-events.ts';

/**
 * The mail that asks whether an address is its owner's. Anybody can type in anybody's, so that these mails are few: following the
 * link of one confirms all that waits, and while such a link is on its way nobody needs a second. The mail may come too late; the
 * link in it works as long as the watch waits for it.
 */
export type Need = { kind: 'send' | 'on_its_way' } | { kind: 'too_many'; retryAfterMs: number };

const dayMs = 86_400_000;

export async function verificationNeed(
  tx: Tx,
  { address, live, limits }: { address: Address; live: readonly SubscriptionRow[]; limits: Limits },
  now: number,
): Promise<Need> {
  // By the address, not by the watches: those that were cancelled count too. The source is hidden from SQLite's planner.
  const { rows } = await sql<{ created_at: number }>`
    SELECT created_at FROM deliveries WHERE lower(to_email) = ${addressKey(address)}
      AND source || '' = ${verificationSourceName} AND created_at > ${now - dayMs} ORDER BY created_at
  `.execute(tx);
  const last = rows.at(-1)?.created_at;
  const isWaitedFor = live.some(({ status, verifications }) => status === 'pending' && verifications > 0);
  if (isWaitedFor && last !== undefined && now - last < limits.verificationPauseMs)
    return { kind: 'on_its_way' };
  if (rows.length < limits.verificationsPerDay) return { kind: 'send' };
  if (isWaitedFor) return { kind: 'on_its_way' };
  const counting = rows.at(-limits.verificationsPerDay)?.created_at ?? now;
  return { kind: 'too_many', retryAfterMs: Math.max(1, counting + dayMs - now) };
}

/** Asks for the next mail of this watch, whose row nobody else changes meanwhile. Answers the line for its story. */
export async function sendVerification(
  tx: Tx,
  outbox: Pick<Outbox, 'enqueue'>,
  watch: Pick<SubscriptionRow, 'subscription_id' | 'verifications' | 'locale' | 'last_known_section_status'>,
  address: Address,
  now: number,
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
      },
    ],
    tx,
  );
  const sectionStatus = watch.last_known_section_status;
  return { subscriptionId, event: 'verification_sent', sectionStatus, detail: { request } };
}
