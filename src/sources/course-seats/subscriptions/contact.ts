import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import type { DialectName } from '../../../db/dialect.ts';
import { type Address, addressKey } from '../../../domain/address.ts';

/**
 * Who somebody is after their address is gone. Under a key, because a plain hash of an address is found by trying addresses; the
 * key is made of the instance's namespace, which never changes, and not of a secret that is replaced: otherwise nobody would
 * be recognised after that.
 */
export function createContactHash(namespace: string): (address: Address) => string {
  const key = `tidings seats contact ${namespace}`;
  return (address) => createHmac('sha256', key).update(addressKey(address)).digest('hex');
}

/**
 * All that counts or adds to somebody's watches is done by one at a time, also for somebody who has none yet, so that there is no
 * row to lock. The lock is the transaction's and ends with it: a pooler may stand between. SQLite's writer is alone.
 */
export async function lockContact(tx: Tx, dialect: DialectName, contactHash: string): Promise<void> {
  if (dialect !== 'postgres') return;
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${contactHash}, 0))`.execute(tx);
}
