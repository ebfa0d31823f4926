import { type Kysely, sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { namesOf, rowsOf } from '../../../db/dialect.ts';
import type { Schema } from '../../../db/schema.ts';
import type { SectionStatus, SubscriptionRow, SubscriptionStatus } from '../../../db/seats-schema.ts';
import type { Address } from '../../../domain/address.ts';
import type { Outbox } from '../../../outbox/outbox.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Ids } from '../../../std/ids.ts';
import { listOf } from '../term.ts';
import { isListed } from './address-lines.ts';
import { lockContact } from './contact.ts';
import type { Limits } from './limits.ts';
import { preferenceCells } from './preferences.ts';
import { lockBeliefs, readBelieved } from './section-beliefs.ts';
import { writeEvents } from './subscription-events.ts';
import type { CreateRefusal } from './subscriptions.ts';
import { sendVerification, verificationNeed } from './verification.ts';
import { changeWatch } from './watch-link.ts';
import type { WatchOrder } from './watch-order.ts';
import type { Target } from './watch-target.ts';

/** Watches come into being, with their first line and the mail that asks their owner, in one transaction. */
export interface CreatingParts {
  db: Database;
  outbox: Pick<Outbox, 'enqueue'>;
  clock: Clock;
  ids: Ids;
  contactHash: (address: Address) => string;
  verifiesAddresses: boolean;
  limits: Limits;
}

export interface Made {
  row: SubscriptionRow;
  isNew: boolean;
  sectionStatus: SectionStatus;
}

export type Creation = { kind: 'made'; watches: Made[]; leftOut: number } | CreateRefusal;

/** As many of these as the limits allow; where they allow none, that is the answer. */
export function createWatches(
  parts: CreatingParts,
  order: WatchOrder,
  targets: readonly Target[],
): Promise<Creation> {
  const { db, outbox, clock, limits, verifiesAddresses } = parts;
  const { dialect } = db;
  const hash = parts.contactHash(order.address);
  return db.transaction(async (tx) => {
    const now = clock.now();
    await lockContact(tx, dialect, hash);
    const indexes = targets.map(({ indexNumber }) => indexNumber).sort();
    await lockBeliefs(tx, dialect, listOf(order.termId, order.campusCode), indexes);
    const believed = await readBelieved(tx, dialect, targets);
    const live = await liveWatches(tx, hash);
    const watched = new Map(live.map((row) => [`${row.term_id} ${row.index_number}`, row]));
    const found = targets.flatMap((one) => watched.get(`${one.termId} ${one.indexNumber}`) ?? []);
    // A bounce of long ago is no reason once nothing stands against the address: they are asked like anybody new.
    const isGood = found.some(isSuppressed) && !(await isListed(tx, order.address));
    const begun = { ...(verifiesAddresses && { verified_at: null }), status: statusOfNew(parts) };
    const known = found.map((row) => (isGood && isSuppressed(row) ? { ...row, ...begun } : row));
    const wanted = targets.filter((one) => !watched.has(`${one.termId} ${one.indexNumber}`));

    const open = await withoutCrowded(tx, db, wanted, limits.sectionWatchesMax);
    const fresh = open.slice(0, Math.max(0, limits.contactWatchesMax - live.length));
    if (fresh.length === 0 && known.length === 0) return open.length === 0 ? crowded : tooMany(limits);

    const needsMail = verifiesAddresses && (fresh.length > 0 || known.some(isPending));
    const need = needsMail && (await verificationNeed(tx, { address: order.address, live, limits }, now));
    if (need && need.kind === 'too_many' && (fresh.length > 0 || isGood))
      return askedTooOften(need.retryAfterMs);

    for (const row of isGood ? found.filter(isSuppressed) : [])
      await changeWatch(tx, parts, row, begun, 'resumed', { via: 'asked for again' });
    const made = await insertWatches(tx, parts, { order, hash, targets: fresh, believed }, now);
    const lines = made.map((row) => ({
      ...{ subscriptionId: row.subscription_id, event: 'created' as const },
      sectionStatus: row.last_known_section_status,
    }));
    await writeEvents(tx, dialect, lines, now);
    const asked = made[0] ?? known.find(isPending);
    if (asked && need && need.kind === 'send') {
      const line = await sendVerification(tx, outbox, asked, order.address, now);
      await writeEvents(tx, dialect, [line], now);
    }
    const statusOf = (row: SubscriptionRow) =>
      believed({ termId: row.term_id, campusCode: row.campus_code, indexNumber: row.index_number });
    const answer = (isNew: boolean) => (row: SubscriptionRow) => ({
      ...{ row, isNew, sectionStatus: statusOf(row) },
    });
    return {
      ...{ kind: 'made', watches: [...made.map(answer(true)), ...known.map(answer(false))] },
      leftOut: wanted.length - fresh.length,
    };
  });
}

const isPending = ({ status }: SubscriptionRow) => status === 'pending';
const isSuppressed = ({ status }: SubscriptionRow) => status === 'suppressed';
const statusOfNew = ({ verifiesAddresses }: CreatingParts): SubscriptionStatus =>
  verifiesAddresses ? 'pending' : 'active';

const crowded: CreateRefusal = {
  ...{ kind: 'rate_limited', limit: 'section', retryAfterMs: null },
  message: 'So many watch this section that nobody else can.',
};
const tooMany = ({ contactWatchesMax }: Limits): CreateRefusal => ({
  ...{ kind: 'rate_limited', limit: 'contact', retryAfterMs: null },
  message: `This address watches ${contactWatchesMax} sections already; stop watching one first.`,
});
const askedTooOften = (retryAfterMs: number): CreateRefusal => ({
  ...{ kind: 'rate_limited', limit: 'contact', retryAfterMs },
  message: 'This address was asked to confirm too often; confirm with a mail that it got, or wait.',
});

/** All that somebody watches: as many as the limit at most. */
export function liveWatches(tx: Tx | Kysely<Schema>, contactHash: string): Promise<SubscriptionRow[]> {
  return tx
    .selectFrom('subscriptions')
    .selectAll()
    .where('contact_hash', '=', contactHash)
    .where('status', '<>', sql.lit('unsubscribed'))
    .orderBy('subscription_id')
    .execute();
}

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

const columns = {
  section_id: 'number',
  term_id: 'text',
  campus_code: 'text',
  index_number: 'text',
  contact_type: 'text',
  contact_value: 'text',
  contact_hash: 'text',
  locale: 'text',
  status: 'text',
  last_known_section_status: 'text',
  notify_on: 'text',
  max_notifications: 'number',
  window_start_minutes: 'number',
  window_end_minutes: 'number',
  snooze_until: 'number',
  token_id: 'text',
  created_at: 'number',
  updated_at: 'number',
} as const;

interface NewWatches {
  order: WatchOrder;
  hash: string;
  targets: readonly Target[];
  believed: (target: Target) => SectionStatus;
}

async function insertWatches(
  tx: Tx,
  parts: CreatingParts,
  { order, hash, targets, believed }: NewWatches,
  now: number,
): Promise<SubscriptionRow[]> {
  if (targets.length === 0) return [];
  const { db, ids } = parts;
  const rows = targets.map((target) => {
    const status = believed(target);
    return {
      ...{ section_id: target.sectionId, term_id: target.termId, campus_code: target.campusCode },
      ...{ index_number: target.indexNumber, contact_type: 'email', contact_value: order.address },
      ...{ contact_hash: hash, locale: order.locale, status: statusOfNew(parts) },
      // Who starts to watch an open section sees that at once (8.12), and is told of the next opening.
      last_known_section_status: status === 'Unknown' ? null : status,
      ...preferenceCells(order.preferences),
      ...{ token_id: ids.secret(), created_at: now, updated_at: now },
    };
  });
  const names = namesOf(columns);
  const made = await sql<SubscriptionRow>`
    INSERT INTO subscriptions (${names}) SELECT ${names} FROM ${rowsOf(db.dialect, columns, rows)} WHERE true RETURNING *
  `.execute(tx);
  return made.rows.sort((one, other) => one.subscription_id - other.subscription_id);
}
