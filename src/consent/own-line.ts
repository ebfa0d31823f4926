import type { Tx } from '../db/database.ts';
import { type Address, addressKey } from '../domain/address.ts';
import { everySource, recipientActor, undoWithinMs } from '../domain/suppression.ts';

/** The line that somebody made by stopping everything, and the two ways in which they take it back themselves. */

export const wantAgain = { lifted_by: recipientActor, lifted_because: 'they want mail again' } as const;

/** By the link that made it, if that was within the time. */
export function takeBackLine(tx: Tx, seq: number, now: number) {
  return tx
    .updateTable('suppressions')
    .set({ lifted_at: now, lifted_by: recipientActor, lifted_because: 'taken back' })
    .where('suppression_seq', '=', seq)
    .where('lifted_at', 'is', null)
    .where('created_at', '>=', now - undoWithinMs)
    .returning(['address_key', 'created_at'])
    .executeTakeFirst();
}

/** The line with exceptions, where there is one: another takes its place. */
export async function liftExcepted(tx: Tx, address: Address, now: number): Promise<void> {
  await tx
    .updateTable('suppressions')
    .set({ lifted_at: now, lifted_by: recipientActor, lifted_because: 'they stopped everything again' })
    .where('address_key', '=', addressKey(address))
    .where('scope', '=', everySource)
    .where('reason', '=', 'unsubscribed')
    .where('lifted_at', 'is', null)
    .where('except_for', 'is not', null)
    .execute();
}

/** At any time later. Answers whether there was one. */
export async function liftOwnLine(tx: Tx, address: Address, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('suppressions')
    .set({ lifted_at: now, ...wantAgain })
    .where('address_key', '=', addressKey(address))
    .where('scope', '=', everySource)
    .where('reason', '=', 'unsubscribed')
    .where('lifted_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
