import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { rowsOf } from '../db/dialect.ts';
import { seqsInBlocks } from '../db/in-blocks.ts';
import type { DeliveryRow } from '../db/schema.ts';
import type { Identity } from '../domain/delivery.ts';
import { isUuid } from '../std/ids.ts';
import { Refusal } from '../std/refusal.ts';

/** One delivery by whatever somebody has in hand: its number, its id, the provider's message id, its key. */
export async function findDelivery(db: Database, reference: string): Promise<DeliveryRow | undefined> {
  const query = db.read.selectFrom('deliveries').selectAll();
  if (/^\d{1,15}$/.test(reference)) return query.where('seq', '=', Number(reference)).executeTakeFirst();
  const columns = isUuid(reference)
    ? (['id', 'provider_message_id'] as const)
    : (['provider_message_id'] as const);
  for (const column of columns) {
    const seq = (await seqsInBlocks(db.read, db.dialect, column, [reference])).get(reference);
    if (seq !== undefined) return query.where('seq', '=', seq).executeTakeFirst();
  }
  const earlier = await db.read
    .selectFrom('delivery_mails')
    .select('delivery_seq')
    .where('provider_message_id', '=', reference)
    .executeTakeFirst();
  if (earlier) return query.where('seq', '=', earlier.delivery_seq).executeTakeFirst();
  return byKey(db, reference);
}

/** `source:occasion:recipient`. A colon may also stand within a part, so that one text can be the key of two. */
async function byKey(db: Database, key: string): Promise<DeliveryRow | undefined> {
  const meant = identitiesOf(key);
  if (meant.length === 0) return undefined;
  const columns = { source: 'text', occasion: 'text', recipient: 'text' } as const;
  const { rows } = await sql<DeliveryRow>`
    SELECT deliveries.* FROM ${rowsOf(
      db.dialect,
      columns,
      meant.map((identity) => ({ ...identity })),
    )} JOIN deliveries
    ON deliveries.recipient = input.recipient AND deliveries.occasion = input.occasion AND deliveries.source = input.source
  `.execute(db.read);
  if (rows.length <= 1) return rows[0];
  const numbers = rows.map(({ seq }) => seq).sort((a, b) => a - b);
  throw new Refusal(
    'ambiguous_reference',
    `The deliveries ${numbers.join(', ')} all have this key; give the number of the one you mean.`,
  );
}

/** More colons than any real key has; each pair of them is a way to read it. */
const colonsMax = 24;

function identitiesOf(key: string): Identity[] {
  const colons = [...key.matchAll(/:/g)].map(({ index }) => index);
  if (colons.length > colonsMax) return [];
  return colons.flatMap((first, place) =>
    colons.slice(place + 1).map((second) => ({
      source: key.slice(0, first),
      occasion: key.slice(first + 1, second),
      recipient: key.slice(second + 1),
    })),
  );
}
