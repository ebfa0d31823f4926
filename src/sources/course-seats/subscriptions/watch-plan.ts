import { sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { rowsOf } from '../../../db/dialect.ts';
import type { SubscriptionRow, SubscriptionStatus } from '../../../db/seats-schema.ts';
import type { Address } from '../../../domain/address.ts';
import { isListed } from './address-lines.ts';
import type { Limits } from './limits.ts';
import type { CreateRefusal } from './subscriptions.ts';
import { type MailPurpose, mayMailLink, verificationNeed } from './verification.ts';
import type { Cells } from './watch-link.ts';
import type { Target } from './watch-target.ts';

/** What is to become of an order: as much as the limits allow, and the one mail that follows from it. */
export interface Plan {
  kind: 'plan';
  fresh: readonly Target[];
  /** Those that there are, as they will be; of these, those whose address bounced, as they are. */
  known: readonly SubscriptionRow[];
  revived: readonly SubscriptionRow[];
  leftOut: number;
  /** One, whatever was asked for: about this watch, or else about the first that is made. */
  mail?: { asks: MailPurpose; to: SubscriptionRow | undefined } | undefined;
}

export interface PlanParts {
  db: Database;
  limits: Limits;
  verifiesAddresses: boolean;
}

interface Order {
  address: Address;
  /** Null for a service with a key. */
  caller: string | null;
  targets: readonly Target[];
  /** All that this address watches, under the lock of its contact. */
  live: readonly SubscriptionRow[];
}

/** Without changing anything: a refusal leaves everything as it was. */
export async function planFor(
  tx: Tx,
  parts: PlanParts,
  { address, caller, targets, live }: Order,
  now: number,
): Promise<Plan | CreateRefusal> {
  const { db, limits, verifiesAddresses } = parts;
  const isPublic = caller !== null;
  const keyOf = (one: Target) => `${one.termId} ${one.indexNumber}`;
  const watched = new Map(live.map((row) => [`${row.term_id} ${row.index_number}`, row]));
  const found = targets.flatMap((one) => watched.get(keyOf(one)) ?? []);
  const wanted = targets.filter((one) => !watched.has(keyOf(one)));
  // Whoever asks without a key hears of a crowd whether they are in it or not: the answer must not tell which.
  const open = await withoutCrowded(tx, db, isPublic ? targets : wanted, limits.sectionWatchesMax);
  const fresh = wanted.filter((one) => open.includes(one)).slice(0, roomFor(live, isPublic, limits));
  const isNothing = fresh.length === 0 && found.length === 0;
  if (open.length === 0 && (isPublic || isNothing)) return crowded;

  // A bounce of long ago is no reason once nothing stands against the address: they are asked like anybody new.
  const isGood = found.some(isSuppressed) && !(await isListed(tx, address));
  const revived = isGood ? found.filter(isSuppressed) : [];
  const known = found.map((row) => (revived.includes(row) ? { ...row, ...begunAnew(parts) } : row));
  const plan = { kind: 'plan', fresh, known, revived, leftOut: wanted.length - fresh.length } as const;

  // Where there is no room, the owner is shown what takes it: any such link leads to all that waits.
  const waiting = known.find(isPending) ?? (isPublic && isNothing ? live.find(isPending) : undefined);
  if (verifiesAddresses && (fresh.length > 0 || waiting)) {
    const need = await verificationNeed(tx, { address, live, limits }, now);
    if (need.kind === 'send')
      return { ...plan, mail: { asks: 'to confirm', to: fresh.length > 0 ? undefined : waiting } };
    const isRefused = need.kind === 'too_many' && fresh.length + revived.length > 0;
    return isRefused ? askedTooOften(need.retryAfterMs) : plan;
  }
  // Whoever has a key was given the link in the answer; others may have lost it.
  const lost = isPublic ? known.find((row) => !isSuppressed(row)) : undefined;
  const isMailed = lost && (await mayMailLink(tx, { address, limits }, now));
  return isMailed ? { ...plan, mail: { asks: 'for the link', to: lost } } : plan;
}

const isPending = ({ status }: SubscriptionRow) => status === 'pending';
const isSuppressed = ({ status }: SubscriptionRow) => status === 'suppressed';
export const statusOfNew = ({
  verifiesAddresses,
}: Pick<PlanParts, 'verifiesAddresses'>): SubscriptionStatus => (verifiesAddresses ? 'pending' : 'active');
export const begunAnew = (parts: Pick<PlanParts, 'verifiesAddresses'>): Cells => ({
  status: statusOfNew(parts),
  ...(parts.verifiesAddresses && { verified_at: null }),
});

const crowded: CreateRefusal = {
  ...{ kind: 'rate_limited', limit: 'section', retryAfterMs: null },
  message: 'So many watch this section that nobody else can.',
};
/** A service answers for whom it names; anybody else may be a stranger, whose wishes its owner has not confirmed. */
function roomFor(live: readonly SubscriptionRow[], isPublic: boolean, limits: Limits): number {
  const unconfirmed = live.filter(isPending).length;
  const unconfirmedMax = isPublic ? limits.contactUnconfirmedMax : limits.contactWatchesMax;
  const confirmed = live.length - unconfirmed;
  return Math.max(0, Math.min(limits.contactWatchesMax - confirmed, unconfirmedMax - unconfirmed));
}

export function noRoom(live: readonly SubscriptionRow[], { contactWatchesMax }: Limits): CreateRefusal {
  const isFull = live.filter((row) => !isPending(row)).length >= contactWatchesMax;
  const message = isFull
    ? `This address watches ${contactWatchesMax} sections already; stop watching one first.`
    : 'Too many watches of this address wait for a confirmation; confirm or stop them first.';
  return { kind: 'rate_limited', limit: 'contact', retryAfterMs: null, message };
}
const askedTooOften = (retryAfterMs: number): CreateRefusal => ({
  ...{ kind: 'rate_limited', limit: 'contact', retryAfterMs },
  message: 'This address was asked to confirm too often; confirm with a mail that it got, or wait.',
});

async function withoutCrowded(
  tx: Tx,
  { dialect }: Database,
  targets: readonly Target[],
  watchesMax: number,
): Promise<Target[]> {
  if (targets.length === 0) return [];
  const rows = targets.map(({ termId, indexNumber }) => ({ term_id: termId, index_number: indexNumber }));
  const counted = await sql<{ index_number: string; watchers: number }>`
    SELECT input.index_number, (
      SELECT count(*) FROM subscriptions WHERE subscriptions.term_id = input.term_id
        AND subscriptions.index_number = input.index_number AND subscriptions.status IN ('active', 'pending')
    ) AS watchers FROM ${rowsOf(dialect, { term_id: 'text', index_number: 'text' }, rows)}
  `.execute(tx);
  const watchers = new Map(counted.rows.map((row) => [row.index_number, Number(row.watchers)]));
  return targets.filter(({ indexNumber }) => (watchers.get(indexNumber) ?? 0) < watchesMax);
}
