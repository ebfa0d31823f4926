import type { Database } from '../../db/database.ts';

/** Places in the story of all deliveries, which is in the order of its numbers and has no index by time. */

/** A transaction may still be open that has taken a lower number; ours are over long before this. */
const settledMs = 5_000;

/** The number before the first event since then, found by halving. */
export async function numberBefore(db: Database, since: number): Promise<number> {
  const ends = await db.read
    .selectFrom('delivery_events')
    .select((eb) => [eb.fn.min('event_seq').as('low'), eb.fn.max('event_seq').as('high')])
    .executeTakeFirst();
  let [low, high] = [Number(ends?.low ?? 1) - 1, Number(ends?.high ?? 0)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const found = await db.read
      .selectFrom('delivery_events')
      .select('at')
      .where('event_seq', '>=', middle)
      .orderBy('event_seq')
      .limit(1)
      .executeTakeFirst();
    if (found && Number(found.at) < since) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Up to which number behind `seen` nothing is added any more; `seen` itself where nothing is new. */
export async function settledUntil(db: Database, seen: number, now: number): Promise<number> {
  const last = await db.read
    .selectFrom('delivery_events')
    .select((eb) => eb.fn.max('event_seq').as('seq'))
    .where('event_seq', '>', seen)
    .executeTakeFirst();
  if (last?.seq == null) return seen;
  const open = await db.read
    .selectFrom('delivery_events')
    .select((eb) => eb.fn.min('event_seq').as('seq'))
    .where('event_seq', '>', seen)
    .where('at', '>', now - settledMs)
    .executeTakeFirst();
  return Math.max(seen, open?.seq == null ? Number(last.seq) : Number(open.seq) - 1);
}
