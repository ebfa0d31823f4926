import type { DeliveryRow } from '../db/schema.ts';
import { readSurroundings } from '../dispatch/circumstances.ts';
import { hindrancesOf } from '../domain/hindrances.ts';
import type { Engine } from '../engine.ts';
import { stateOf } from '../outbox/rows.ts';
import { printable } from './printable.ts';

/**
 * What keeps a delivery waiting although workers run: a pause, a provider that takes no mail, an address on the list. By
 * number, with what can be done about it; nothing for those that only wait for their turn.
 */
export async function readWaits(
  { db, clock, provider }: Pick<Engine, 'db' | 'clock'> & { provider: { account: string } },
  rows: readonly DeliveryRow[],
): Promise<ReadonlyMap<number, string>> {
  const waits = new Map<number, string>();
  if (rows.length === 0) return waits;
  const surroundings = await readSurroundings(db, clock, provider.account);
  for (const row of rows) {
    const delivery = { source: row.source, state: stateOf(row) };
    if (row.locked_by !== null) continue;
    const [first] = hindrancesOf(delivery, await surroundings.around({ ...row, address: row.to_email }));
    if (!first || first.kind === 'worker') continue;
    const { sentence, next, remedy } = first;
    const cure = remedy ? [`${remedy.sentence} ${remedy.command}`] : [];
    waits.set(row.seq, printable([sentence, next, ...cure].join(' ')));
  }
  return waits;
}
