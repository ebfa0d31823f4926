import { type Kysely, sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { namesOf, rowsOf } from '../../../db/dialect.ts';
import type { Schema } from '../../../db/schema.ts';
import type { SectionStatus, SubscriptionRow } from '../../../db/seats-schema.ts';
import type { Address } from '../../../domain/address.ts';
import type { Outbox } from '../../../outbox/outbox.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Ids } from '../../../std/ids.ts';
import { listOf } from '../term.ts';
import { lockContact } from './contact.ts';
import type { Limits } from './limits.ts';
import { preferenceCells } from './preferences.ts';
import { lockBeliefs, readBelieved } from './section-beliefs.ts';
import { type EventLine, writeEvents } from './subscription-events.ts';
import type { CreateRefusal } from './subscriptions.ts';
import { sendVerification } from './verification.ts';
import { changeWatch } from './watch-link.ts';
import type { WatchOrder } from './watch-order.ts';
import { begunAnew, noRoom, planFor, statusOfNew } from './watch-plan.ts';
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
  const { db, outbox, clock, limits } = parts;
  const { dialect } = db;
  const hash = parts.contactHash(order.address);
  return db.transaction(async (tx) => {
    const now = clock.now();
    await lockContact(tx, dialect, hash);
    const indexes = targets.map(({ indexNumber }) => indexNumber).sort();
    await lockBeliefs(tx, dialect, listOf(order.termId, order.campusCode), indexes);
    const believed = await readBelieved(tx, dialect, targets);
    const live = await liveWatches(tx, hash);
    const plan = await planFor(tx, parts, { ...order, targets, live }, now);
    if (plan.kind !== 'plan') return plan;
    const { fresh, known, revived, leftOut } = plan;

    for (const row of revived)
      await changeWatch(tx, parts, row, begunAnew(parts), 'resumed', { via: 'asked for again' });
    const made = await insertWatches(tx, parts, { order, hash, targets: fresh, believed }, now);
    const lines: EventLine[] = made.map((row) => ({
      ...{ subscriptionId: row.subscription_id, event: 'created' as const },
      sectionStatus: row.last_known_section_status,
    }));
    const mailed = plan.mail && (plan.mail.to ?? made[0]);
    if (plan.mail && mailed)
      lines.push(await sendVerification(tx, outbox, mailed, order.address, now, plan.mail.asks));
    await writeEvents(tx, dialect, lines, now);
    if (made.length === 0 && known.length === 0) return noRoom(live, limits);
    const answer = (isNew: boolean) => (row: SubscriptionRow) => {
      const { term_id: termId, campus_code: campusCode, index_number: indexNumber } = row;
      return { row, isNew, sectionStatus: believed({ termId, campusCode, indexNumber }) };
    };
    return { kind: 'made', watches: [...made.map(answer(true)), ...known.map(answer(false))], leftOut };
  });
}

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
