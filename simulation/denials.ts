import { deny, type Ledger } from './ledger.ts';
import { saysNo, type WatchedRow } from './promises.ts';
import { indexingDelayMs } from './service.ts';

/** Mails that are there, and of which a database that went back in time does not know. */

/** What a row does not know of after a fail-over, it cannot be blamed for. */
export function denyUnknown({ entries }: Ledger, rows: readonly WatchedRow[], now: number): void {
  for (const entry of entries) {
    const row = rows.find(({ id }) => id === entry.deliveryId);
    // In doubt since long ago, and looked up before the provider finds what it has just accepted.
    const isTooFresh = entry.acceptedAt + indexingDelayMs >= now;
    if (!row || saysNo(row) || row.round < entry.round || isTooFresh || entry.isSlandered) deny(entry);
  }
}

/** Who asks under the key and is told that it was accepted long ago has found what was denied. Answers whose mail that is. */
export function findAgain({ entries }: Ledger, rows: readonly WatchedRow[]): WatchedRow[] {
  const found: WatchedRow[] = [];
  for (const entry of entries) {
    if (!entry.isDenied || !entry.isFoundAgain || entry.isSlandered) continue;
    const row = rows.find(({ id }) => id === entry.deliveryId);
    const isSent = row?.status === 'sent' || row?.status === 'delivered';
    if (!isSent || row.provider_message_id !== entry.messageId || row.round !== entry.round) continue;
    entry.isDenied = false;
    found.push(row);
  }
  return found;
}
