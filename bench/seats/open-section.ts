import { systemClock } from '../../src/std/clock.ts';
import type { SeatsEngine } from './engine-on.ts';

/** A section opens: as the poller writes it. */
export async function openSection(
  { db, seats }: SeatsEngine,
  { termId, index }: { termId: string; index: string },
): Promise<void> {
  const edges = [{ indexNumber: index, statusBefore: 'Closed', statusAfter: 'Open' }] as const;
  const list = { termId, campusCode: 'NB' };
  const at = systemClock.now();
  await db.transaction((tx) =>
    seats.events.record(tx, {
      ...{ list, edges, detectedBy: 'open_sections', snapshot: null, traceId: `bench-${index}`, at },
    }),
  );
}
