import { sql } from 'kysely';
import { isDeadlock, type Tx } from '../db/database.ts';
import type { Log } from '../std/log.ts';

/** Whose link it is: one recipient of one source. */
export interface Owner {
  source: string;
  recipient: string;
}

/** Who leaves, leaves the mails that the link came with, or everything that there is. */
export type Extent = 'these mails' | 'everything';

/** What a source does in its own tables when somebody has left it, or is back: in the transaction that makes it so. */
export type OwnerListener = (owner: Owner, tx: Tx, extent: Extent) => Promise<void>;

/**
 * A source that fails must keep nobody from leaving: what it had begun is undone, and the wish holds all the same, because the
 * last check before a send asks consent itself. Pressing the button once more tells the source again.
 */
export async function tellSource(
  listener: OwnerListener | undefined,
  owner: Owner,
  tx: Tx,
  log: Log,
  extent: Extent = 'these mails',
): Promise<void> {
  if (!listener) return;
  await sql`SAVEPOINT source_told`.execute(tx);
  try {
    await listener(owner, tx, extent);
    // Inside: on PostgreSQL this is where a failed statement that the listener kept to itself comes out.
    await sql`RELEASE SAVEPOINT source_told`.execute(tx);
  } catch (error) {
    // The whole transaction is tried again then.
    if (isDeadlock(error)) throw error;
    await sql`ROLLBACK TO SAVEPOINT source_told`.execute(tx);
    log.error('consent.source_failed', { source: owner.source, error });
  }
}
