import { heldFrom } from '../src/domain/delivery.ts';
import type { World } from './world.ts';

/** To just before or after a moment at which something ends: most mistakes about time are made there. */
export function untilEdge({ chance, clock, watch }: Pick<World, 'chance' | 'clock' | 'watch'>): number {
  const now = clock.now();
  const edges = watch.rows
    .flatMap((row) => [
      row.due_at,
      row.due_at,
      row.expires_at,
      ...Array(3).fill(row.resubmit_until),
      keyEndOf(row),
    ])
    // What is held back until somebody composes it waits for no moment.
    .filter((at) => at !== null && at > now && at < heldFrom) as number[];
  if (edges.length === 0) return chance.between(0, 5_000);
  const beforeMs = chance.between(-2_000, chance.one([0, 2_000, 60_000, 200_000]));
  return Math.max(0, chance.one(edges) - now - beforeMs);
}

/** When the provider forgets the key of what may have been accepted. */
const keyEndOf = ({ first_possible_accept_at: at }: { first_possible_accept_at: number | null }) =>
  at === null ? null : at + 24 * 3_600_000;
