import type { Tx } from '../db/database.ts';
import { type Address, addressKey } from '../domain/address.ts';
import type { Fact } from '../outbox/facts.ts';
import type { Clock } from '../std/clock.ts';

/** Addresses that must not be mailed. A hard bounce or a complaint puts one here in the transaction that records it. */
export interface Suppressions {
  /** Those of the addresses that are suppressed, as `addressKey`s. */
  among(addresses: readonly Address[], tx: Tx): Promise<ReadonlySet<string>>;
  learn(facts: readonly Fact[], tx: Tx): Promise<void>;
}

export function createSuppressions({ clock }: { clock: Clock }): Suppressions {
  return {
    async among(addresses, tx) {
      if (addresses.length === 0) return new Set();
      const keys = [...new Set(addresses.map(addressKey))];
      const rows = await tx
        .selectFrom('suppressions')
        .select('address_key')
        .where('address_key', 'in', keys)
        .execute();
      return new Set(rows.map((row) => row.address_key));
    },
    async learn(facts, tx) {
      const rows = facts
        .filter(({ kind, delivery }) => kind === 'suppressed' && delivery.toEmail !== null)
        .map(({ event, delivery }) => ({
          address_key: addressKey(delivery.toEmail as Address),
          reason: event,
          delivery_seq: delivery.seq,
          created_at: clock.now(),
        }));
      if (rows.length === 0) return;
      await tx
        .insertInto('suppressions')
        .values(rows)
        .onConflict((conflict) => conflict.column('address_key').doNothing())
        .execute();
    },
  };
}
