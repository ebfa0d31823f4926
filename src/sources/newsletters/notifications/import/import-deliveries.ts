import type { SuppressionEntry, Suppressions } from '../../../../consent/suppressions.ts';
import type { Tx } from '../../../../db/database.ts';
import { parseAddress } from '../../../../domain/address.ts';
import type { Outbox } from '../../../../outbox/outbox.ts';
import type { Clock } from '../../../../std/clock.ts';
import { withOtherId } from './import-links.ts';
import type { Imported, Taken } from './import-old.ts';
import { type OldDelivery, readOldDelivery } from './old-rows.ts';
import type { OldRow } from './old-tables.ts';

interface DeliveriesImport {
  outbox: Pick<Outbox, 'importEnded'>;
  suppressions: Pick<Suppressions, 'add'>;
  clock: Clock;
  by: string;
  otherIds: ReadonlyMap<string, string>;
}

/** An address that the older system had given up on is not tried anew here. */
export async function importDeliveriesOf(
  tx: Tx,
  { outbox, suppressions, clock, by, otherIds }: DeliveriesImport,
  rows: readonly OldRow[],
  counted: Pick<Imported['deliveries'], 'ends' | 'suppressed' | 'unknownStatuses'>,
): Promise<Taken> {
  const problems: Taken['problems'] = [];
  const good: OldDelivery[] = [];
  for (const old of rows) {
    const read = readOldDelivery(old, clock.now());
    if ('row' in read) good.push({ ...read.row, recipient: withOtherId(read.row.recipient, otherIds) });
    else problems.push({ id: old.id ?? '', problem: read.problem });
  }
  const places = await outbox.importEnded(good, tx);
  const fresh = good.filter((_, place) => places.has(place));
  for (const { end, unknownStatus } of fresh) {
    counted.ends[end] = (counted.ends[end] ?? 0) + 1;
    if (unknownStatus !== null) noteUnknown(counted.unknownStatuses, unknownStatus);
  }
  const { added } = await suppressions.add(fresh.flatMap(suppressionOf), by, tx);
  counted.suppressed += added;
  return { taken: fresh.length, known: good.length - fresh.length, problems };
}

const unknownMax = 20;

/** Of more words than anybody would read the others are one. */
function noteUnknown(counts: Record<string, number>, word: string): void {
  const short = word.slice(0, 40);
  const name = Object.hasOwn(counts, short) || Object.keys(counts).length < unknownMax ? short : 'others';
  counts[name] = (counts[name] ?? 0) + 1;
}

function suppressionOf({ end, toEmail }: OldDelivery): SuppressionEntry[] {
  const parsed = end === 'suppressed' ? parseAddress(toEmail) : undefined;
  if (!parsed?.ok) return [];
  return [{ address: parsed.address, reason: 'imported', note: 'suppressed by the older system' }];
}
