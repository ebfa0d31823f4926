import { type Status, statuses } from '../../src/domain/status.ts';

/** Our books beside the provider's, when all is over. Who is who is told by the address: one intent, one person, one mail. */
export interface Comparison {
  accepted: number;
  /** Accepted more than once. */
  twice: number;
  /** Never accepted, though the outbox has ended with it or does not know it; or accepted, and the outbox does not say so. */
  lost: number;
  /** Not settled within the time that it may take, or left to a person. */
  stuck: number;
  /** What is wrong, one sentence each. */
  wrong: string[];
}

export interface OutboxEntry {
  recipient: string;
  status: Status;
  sent_at: number | null;
}

export function compareBooks(
  asked: readonly string[],
  outbox: readonly OutboxEntry[],
  accepted: readonly string[],
): Comparison {
  const times = new Map<string, number>();
  for (const address of accepted) times.set(address, (times.get(address) ?? 0) + 1);
  const rows = new Map(outbox.map((row) => [row.recipient, row]));
  const wrong: string[] = [];
  const counts = { accepted: 0, twice: 0, lost: 0, stuck: 0 };
  for (const address of asked) {
    const row = rows.get(address);
    const count = times.get(address) ?? 0;
    if (count > 0) counts.accepted += 1;
    if (count > 1) {
      counts.twice += 1;
      wrong.push(`${address} was accepted ${count} times; the outbox says ${row?.status ?? 'nothing'}`);
    }
    if (row && isOpen(row.status)) {
      counts.stuck += 1;
      wrong.push(`${address} is still ${row.status}, accepted ${count} times`);
    } else if (count === 0 || !row || row.sent_at === null) {
      counts.lost += 1;
      wrong.push(`${address} was accepted ${count} times, and the outbox says ${row?.status ?? 'nothing'}`);
    }
  }
  const wanted = new Set(asked);
  for (const address of times.keys()) {
    if (!wanted.has(address)) wrong.push(`${address} got a mail that nobody asked for`);
  }
  if (outbox.length !== rows.size) wrong.push(`${outbox.length} deliveries for ${rows.size} people`);
  for (const address of rows.keys()) {
    if (!wanted.has(address)) wrong.push(`${address} is in the outbox, and nobody asked for it`);
  }
  return { ...counts, wrong };
}

/** Somebody has still to look at it, or a person would have to. */
export const isOpen = (status: Status) => statuses[status].isDue || status === 'needs_review';

/**
 * Our books beside what others know in the middle of it all: whoever was told that an intent is taken finds it, and no mail
 * that the provider has is unthinkable to us. That is the write-ahead.
 */
export function checkAgainstPromises(
  answered: Iterable<string>,
  outbox: readonly OutboxEntry[],
  accepted: Iterable<string>,
): string[] {
  const rows = new Map(outbox.map((row) => [row.recipient, row]));
  const wrong: string[] = [];
  for (const address of answered) {
    if (!rows.has(address)) wrong.push(`${address} was taken, and is not there`);
  }
  for (const address of accepted) {
    const row = rows.get(address);
    const exists = row ? statuses[row.status].mailExists : 'no';
    if (exists === 'no' || (exists === 'see sent_at' && row?.sent_at === null)) {
      wrong.push(`${address} has a mail, and the outbox says ${row?.status ?? 'nothing'}`);
    }
  }
  return wrong;
}
