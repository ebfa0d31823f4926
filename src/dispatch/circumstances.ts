import type { Database } from '../db/database.ts';
import { addressKey, parseAddress } from '../domain/address.ts';
import type { Circumstances, Suppression } from '../domain/hindrances.ts';
import type { Clock } from '../std/clock.ts';
import { readPace } from './pace.ts';
import { createPauses } from './pauses.ts';

/** Why a delivery may be waiting although nothing is wrong with it: read for whoever explains it. */
export interface Surroundings {
  /** As they are for a delivery to this address; null where none is known. */
  around(address: string | null): Promise<Circumstances>;
}

export async function readSurroundings(db: Database, clock: Clock, account: string): Promise<Surroundings> {
  const pauses = await createPauses(db, clock).list();
  const pace = await readPace(db, account);
  return {
    async around(address) {
      const suppression = address === null ? null : await readSuppression(db, address);
      return { now: clock.now(), suppression, pauses, account, pace };
    },
  };
}

async function readSuppression(db: Database, address: string): Promise<Suppression | null> {
  const parsed = parseAddress(address);
  const key = parsed.ok ? addressKey(parsed.address) : address.toLowerCase();
  const row = await db.read
    .selectFrom('suppressions')
    .selectAll()
    .where('address_key', '=', key)
    .executeTakeFirst();
  return row ? { reason: row.reason, at: row.created_at, deliverySeq: row.delivery_seq } : null;
}
