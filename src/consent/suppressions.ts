import { sql } from 'kysely';
import type { Database, Tx } from '../db/database.ts';
import { namesOf, rowsOf } from '../db/dialect.ts';
import type { SuppressionRow } from '../db/schema.ts';
import { type Address, addressKey } from '../domain/address.ts';
import { everySource, type SuppressionReason, suppressionReasons } from '../domain/suppression.ts';
import type { Fact } from '../outbox/facts.ts';
import { stopDeliveries } from '../outbox/stop.ts';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';
import { Refusal } from '../std/refusal.ts';
import {
  type BeginningOrder,
  type BeginningPage,
  type ListOrder,
  listSuppressions,
  suppressionsBeginning,
} from './suppression-list.ts';

/**
 * Addresses that must not be mailed, from everything or from one source. Whoever comes onto the list is stopped in the same
 * transaction: what waits for them ends, and no send that begins later goes to them. A line is lifted, never deleted.
 */
export interface Suppressions {
  /** Puts addresses on the list; those that are on it already keep their first reason. Answers how many are new. */
  add(entries: readonly SuppressionEntry[], by: string, tx?: Tx): Promise<Added>;
  /** Takes an address off the list; answers whether it was on it. What was stopped stays stopped: an operator may requeue it. */
  lift(address: Address, scope: string, order: LiftOrder): Promise<boolean>;
  /** Newest first. */
  list(order: ListOrder): Promise<SuppressionRow[]>;
  /** Addresses that begin with some text, in the order of addresses. */
  beginning(order: BeginningOrder): Promise<BeginningPage>;
  /** How many addresses are on it, for whatever scope. */
  count(): Promise<number>;
  /** Retention: lines that were lifted before that moment. Those that hold are kept for ever: that is what they are for. */
  forget(before: number): Promise<void>;
  /** What the provider said of an address, in the transaction that records it. The weightiest of its words is the reason. */
  learn(facts: readonly Fact[], tx: Tx): Promise<void>;
}

export interface SuppressionEntry {
  address: Address;
  scope?: string;
  reason: SuppressionReason;
  note?: string | null;
  deliverySeq?: number | null;
}

interface LiftOrder {
  by: string;
  because: string;
  /** The line that the recipient made by stopping all mails; without it, what others said. Lifting the one leaves the other. */
  isTheirOwn?: boolean;
}

export interface Added {
  added: number;
  /** Deliveries that waited for them. */
  stopped: number;
  /** Those that were on the list before, in lower case. */
  alreadyListed: string[];
}

const columns = {
  address_key: 'text',
  scope: 'text',
  reason: 'text',
  note: 'text',
  delivery_seq: 'number',
  created_by: 'text',
  created_at: 'number',
} as const;

export function createSuppressions({
  db,
  clock,
  log,
}: {
  db: Database;
  clock: Clock;
  log: Log;
}): Suppressions {
  const parts = { dialect: db.dialect, log };

  async function addIn(tx: Tx, entries: readonly SuppressionEntry[], by: string): Promise<Added> {
    const now = clock.now();
    const byKey = new Map<string, Record<keyof typeof columns, string | number | null>>();
    for (const { address, scope = everySource, reason, note = null, deliverySeq = null } of entries) {
      const address_key = addressKey(address);
      const key = keyOf({ address_key, scope, reason });
      // Of two words on one address the first holds, in one batch as in two; but the recipient's own stands beside others'.
      if (byKey.has(key)) continue;
      const what = { address_key, scope, reason, note, delivery_seq: deliverySeq };
      byKey.set(key, { ...what, created_by: by, created_at: now });
    }
    if (byKey.size === 0) return { added: 0, stopped: 0, alreadyListed: [] };
    // In one order for everybody, so that two lists with the same addresses never wait for each other in a circle.
    const rows = [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
    const names = namesOf(columns);
    const { rows: fresh } = await sql<Pick<SuppressionRow, 'address_key' | 'scope' | 'reason'>>`
      INSERT INTO suppressions (${names}) SELECT ${names} FROM ${rowsOf(db.dialect, columns, rows)} WHERE true
      ON CONFLICT (address_key, scope, (reason = 'unsubscribed')) WHERE lifted_at IS NULL DO NOTHING
      RETURNING address_key, scope, reason
    `.execute(tx);
    let stopped = 0;
    for (const group of groupsOf(fresh)) {
      const { scope, reason } = group;
      const whose = { addressKeys: group.addressKeys, source: scope === everySource ? null : scope };
      const event = reason === 'unsubscribed' ? 'unsubscribed' : 'address_suppressed';
      stopped += await stopDeliveries(
        tx,
        { whose, event, actor: by, detail: { reason: suppressionReasons[reason] } },
        now,
        parts,
      );
    }
    for (const row of fresh) byKey.delete(keyOf(row));
    const alreadyListed = [...byKey.values()].map(({ address_key }) => String(address_key));
    return { added: fresh.length, stopped, alreadyListed };
  }

  /** Who was told first, and when, stays; what an operator or a list said stays altogether. */
  async function outweigh(tx: Tx, key: string, { reason, deliverySeq = null }: SuppressionEntry) {
    const lighter = byWeight.slice(byWeight.indexOf(reason) + 1);
    if (lighter.length === 0) return;
    await tx
      .updateTable('suppressions')
      .set({ reason, delivery_seq: deliverySeq, note: sql`'at first: ' || reason` })
      .where('address_key', '=', key)
      .where('scope', '=', everySource)
      .where('lifted_at', 'is', null)
      .where('reason', 'in', lighter)
      .execute();
  }

  return {
    add: (entries, by, tx) =>
      tx ? addIn(tx, entries, by) : db.transaction((own) => addIn(own, entries, by)),

    async lift(address, scope, { by, because, isTheirOwn = false }) {
      const reason = because.trim();
      if (reason === '' || reason.length > becauseLengthMax) {
        throw new Refusal('reason_required', `Say why, in 1 to ${becauseLengthMax} characters: it is kept.`);
      }
      const { numUpdatedRows } = await db.write
        .updateTable('suppressions')
        .set({ lifted_at: clock.now(), lifted_by: by, lifted_because: reason })
        .where('address_key', '=', addressKey(address))
        .where('scope', '=', scope)
        .where('reason', isTheirOwn ? '=' : '!=', 'unsubscribed')
        .where('lifted_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    list: (order) => listSuppressions(db, order),
    beginning: (order) => suppressionsBeginning(db, order),

    async count() {
      const { count } = await db.read
        .selectFrom('suppressions')
        .select((eb) => eb.fn.count<number | string>('address_key').distinct().as('count'))
        .where('lifted_at', 'is', null)
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    async forget(before) {
      await db.write.deleteFrom('suppressions').where('lifted_at', '<', before).execute();
    },

    async learn(facts, tx) {
      const entries = facts
        .flatMap(({ kind, event, delivery }) =>
          kind === 'suppressed' && delivery.toEmail !== null
            ? [
                {
                  address: delivery.toEmail as Address,
                  reason: event as SuppressionReason,
                  deliverySeq: delivery.seq,
                },
              ]
            : [],
        )
        // Of two words in one batch the first holds.
        .sort((one, other) => byWeight.indexOf(one.reason) - byWeight.indexOf(other.reason));
      const { alreadyListed } = await addIn(tx, entries, 'evidence');
      for (const key of alreadyListed.sort()) {
        const weightiest = entries.find(({ address }) => addressKey(address) === key);
        if (weightiest) await outweigh(tx, key, weightiest);
      }
    },
  };
}

/** What evidence says of an address, the weightiest first: which came first must not decide what is shown. */
const byWeight: readonly SuppressionReason[] = [
  'complained',
  'bounced_for_good',
  'mailbox_unknown',
  'provider_suppressed',
];

const becauseLengthMax = 500;

const keyOf = ({ address_key, scope, reason }: Pick<SuppressionRow, 'address_key' | 'scope' | 'reason'>) =>
  JSON.stringify([address_key, scope, reason === 'unsubscribed']);

/** What ends in the same way, together. */
function groupsOf(rows: readonly Pick<SuppressionRow, 'address_key' | 'scope' | 'reason'>[]) {
  const groups = new Map<string, { scope: string; reason: SuppressionReason; addressKeys: string[] }>();
  for (const { address_key, scope, reason } of rows) {
    const key = JSON.stringify([scope, reason]);
    const group = groups.get(key) ?? { scope, reason, addressKeys: [] };
    group.addressKeys.push(address_key);
    groups.set(key, group);
  }
  return groups.values();
}
