import type { Database } from '../db/database.ts';
import { addressKey, parseAddress } from '../domain/address.ts';
import type { Circumstances, Suppression } from '../domain/hindrances.ts';
import { holdsFor } from '../domain/suppression.ts';
import type { Clock } from '../std/clock.ts';
import { readPace } from './pace.ts';
import { createPauses } from './pauses.ts';

/** Why a delivery may be waiting although nothing is wrong with it: read for whoever explains it. */
export interface Surroundings {
  around(whose: Whose): Promise<Circumstances>;
}

/** Whose delivery; of a person who is known by an address alone there is no source. */
interface Whose {
  address: string | null;
  source?: string;
  recipient?: string;
}

export async function readSurroundings(db: Database, clock: Clock, account: string): Promise<Surroundings> {
  const pauses = await createPauses(db, clock).list();
  const pace = await readPace(db, account);
  return {
    async around(whose) {
      const suppression = await readSuppression(db, whose);
      const unsubscribedAt = await readUnsubscribed(db, whose);
      return { now: clock.now(), suppression, unsubscribedAt, pauses, account, pace };
    },
  };
}

async function readSuppression(db: Database, { address, source }: Whose): Promise<Suppression | null> {
  if (address === null) return null;
  const parsed = parseAddress(address);
  const key = parsed.ok ? addressKey(parsed.address) : address.toLowerCase();
  const rows = await db.read
    .selectFrom('suppressions')
    .selectAll()
    .where('address_key', '=', key)
    .where('lifted_at', 'is', null)
    .orderBy('suppression_seq')
    .execute();
  const holding = rows.filter((line) => source === undefined || holdsFor(line, source));
  // Their own is the last to be told: they can take it back, and whatever else there is holds on.
  const row = holding.find(({ reason }) => reason !== 'unsubscribed') ?? holding[0];
  if (!row) return null;
  const { scope, created_by: by, reason, note, created_at: at, delivery_seq: deliverySeq } = row;
  return { scope, by, reason, note, at, deliverySeq };
}

async function readUnsubscribed(db: Database, { source, recipient }: Whose): Promise<number | null> {
  if (source === undefined || recipient === undefined) return null;
  const row = await db.read
    .selectFrom('unsubscribe_tokens')
    .select('unsubscribed_at')
    .where('recipient', '=', recipient)
    .where('source', '=', source)
    .executeTakeFirst();
  return row?.unsubscribed_at ?? null;
}
