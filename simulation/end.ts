import { CompiledQuery } from 'kysely';
import type { Database } from '../src/db/database.ts';
import { arrow, type WorkEvent } from '../src/domain/lifecycle.ts';
import type { Status } from '../src/domain/status.ts';
import { readCounts } from '../src/outbox/counts.ts';
import { type Entry, isBounce, type Ledger } from './ledger.ts';
import type { Answered } from './mailman.ts';
import type { Violate, WatchedRow } from './promises.ts';
import { arrowName, type Tally } from './tally.ts';

/** What can be said only when all is over: the story is whole, the counts are right, no webhook was forgotten. */
export async function checkTheEnd(parts: {
  db: Database;
  rows: readonly WatchedRow[];
  violate: Violate;
  tally: Tally;
  /** Webhooks that were answered with success, and not forgotten by the database since. */
  answered: readonly Answered[];
  /** The provider's ids of mails that were ever written down. */
  messageIds: ReadonlySet<string>;
  /** Those of mails that retention has taken. */
  takenIds: ReadonlySet<string>;
  /** Evidence of rounds may have come that this database has not begun. */
  isRestored: boolean;
  ledger: Ledger;
}): Promise<void> {
  await checkStory(parts);
  await checkCounts(parts);
  await checkWebhooks(parts);
  await checkWishes(parts);
}

const events = CompiledQuery.raw(
  `SELECT delivery_seq, event, status, round, detail ->> 'from' AS came_from, detail ->> 'ignored' AS ignored
  FROM delivery_events ORDER BY event_seq`,
) as CompiledQuery<{
  delivery_seq: number;
  event: string;
  status: string;
  round: number;
  came_from: string | null;
  ignored: string | null;
}>;

/** Of a mail is told what was said of it, and not what was said of another, or in other words. */
function checkWord(
  { seq, event, round }: { seq: number; event: string; round: number },
  { rows, ledger, isRestored, violate }: Parameters<typeof checkTheEnd>[0],
): void {
  const id = rows.find((row) => row.seq === seq)?.id ?? '';
  if (!isBounce.has(event) || isRestored || ledger.invented.has(id)) return;
  const mine = ledger.entries.filter((entry) => entry.deliveryId === id && entry.round === round);
  // Whoever asks is told of all that failed as of a bounce.
  const isSo = ({ end, isSlandered }: Entry) =>
    end === event || (event === 'bounced_for_now' && (isSlandered || isBounce.has(end)));
  if (mine.some(isSo)) return;
  violate('story', `#${seq}: ${event} is told of round ${round}, of which nobody said so`);
}

async function checkStory(parts: Parameters<typeof checkTheEnd>[0]): Promise<void> {
  const { db, rows, violate, tally, isRestored } = parts;
  const last = new Map<number, string>();
  /** The round that may be opened, by what was told of the one before. */
  const mayOpen = new Map<number, number>();
  const { rows: told } = await db.write.executeQuery(events);
  for (const { delivery_seq, event, status, round, came_from, ignored } of told) {
    if (event === 'begun' || event === 'taken_up' || (ignored ?? 'contradicts') !== 'contradicts') {
      violate('story', `#${delivery_seq}: ${event} is told, and nothing came of it (${ignored ?? event})`);
    }
    if (ignored !== null) continue;
    checkWord({ seq: delivery_seq, event, round }, parts);
    if (came_from !== null) tally.arrow(arrowName(came_from, event));
    if (opensRound.has(event)) {
      mayOpen.set(delivery_seq, Math.max(mayOpen.get(delivery_seq) ?? 1, round + 1));
    }
    const path = came_from === null ? undefined : arrow(came_from as Status, event as WorkEvent);
    if (path && path.to !== status) {
      violate(
        'story',
        `#${delivery_seq}: ${event} leads from ${came_from} to ${path.to}, and not to ${status}`,
      );
    }
    const before = last.get(delivery_seq) ?? 'pending';
    // What merely takes a row in hand is not told.
    if (came_from !== null && came_from !== before && came_from !== 'claimed' && came_from !== 'sending') {
      violate('story', `#${delivery_seq}: ${event} came from ${came_from}, but the story was at ${before}`);
    }
    last.set(delivery_seq, status);
  }
  for (const { seq, status, round } of rows) {
    const end = last.get(seq) ?? 'pending';
    if (end !== status) violate('story', `#${seq} is ${status}, but its story ends with ${end}`);
    const known = mayOpen.get(seq) ?? 1;
    if (round > known && !isRestored) {
      violate('a round opens on knowledge', `#${seq} is in round ${round}, and its story knows of ${known}`);
    }
  }
}

/** After these it is known that the mail of their round did not stay, or an operator has decided so. */
const opensRound: ReadonlySet<string> = new Set([
  ...(['bounced_for_now', 'over_quota', 'provider_failed', 'bounced_for_good'] as const),
  ...(['provider_suppressed', 'complained', 'requeued'] as const),
]);

async function checkCounts({ db, rows, violate }: Parameters<typeof checkTheEnd>[0]): Promise<void> {
  const real = new Map<string, number>();
  for (const { source, status } of rows) {
    const key = `${source} ${status}`;
    real.set(key, (real.get(key) ?? 0) + 1);
  }
  for (const { source, status, count } of await readCounts(db)) {
    const key = `${source} ${status}`;
    if (real.get(key) !== count)
      violate('counts', `${key}: counted ${count}, there are ${real.get(key) ?? 0}`);
    real.delete(key);
  }
  const [missing] = real;
  if (missing) violate('counts', `${missing[0]}: counted 0, there are ${missing[1]}`);
}

const knownMails = CompiledQuery.raw(
  `SELECT provider_message_id AS id FROM delivery_mails WHERE provider_message_id IS NOT NULL
  UNION SELECT provider_message_id FROM deliveries WHERE provider_message_id IS NOT NULL`,
) as CompiledQuery<{ id: string }>;
const listed = CompiledQuery.raw('SELECT address_key AS address FROM suppressions') as CompiledQuery<{
  address: string;
}>;

/** What was answered is known, as soon as it is known which mail it was about. */
async function checkWebhooks({
  db,
  rows,
  violate,
  answered,
  messageIds,
  takenIds,
  ledger: { imported },
  isRestored,
}: Parameters<typeof checkTheEnd>[0]): Promise<void> {
  const known = new Set((await db.write.executeQuery(knownMails)).rows.map(({ id }) => id));
  // A source may compose anew what retention has taken. The row has the id of its last mail, so that late word still finds it, until
  // the next round: the mail beside which it would then be kept is gone.
  const wasKnown = (id: string) => messageIds.has(id) && (known.has(id) || !takenIds.has(id));
  for (const { type, id } of (await db.write.executeQuery(unlinked)).rows) {
    const whose = answered.find(({ entry }) => entry.messageId === id)?.entry.deliveryId;
    const isKept = rows.some((row) => row.id === whose && row.to_email !== null && !imported.has(row.id));
    // After a fail-over there may be word of mails of which nothing is kept here.
    if (id !== null && wasKnown(id) && isKept && !isRestored) {
      violate('webhooks are kept', `${type} of ${id} still waits, though it was known which mail that is`);
    }
  }
  const suppressed = new Set((await db.write.executeQuery(listed)).rows.map(({ address }) => address));
  for (const { entry, event } of answered) {
    const row = rows.find(({ id }) => id === entry.deliveryId);
    // What retention has taken may be forgotten; what was written down and not taken may not.
    const isKnown = (id: string) => known.has(id) || (wasKnown(id) && row?.to_email !== null);
    if (!row || !isKnown(entry.messageId)) continue;
    const isApplied =
      event === 'confirmed'
        ? row.delivered_at !== null
        : event === 'accepted'
          ? row.sent_at !== null
          : // Also of what retention has taken: who told it says to whom the mail went.
            !suppresses.has(event) || suppressed.has(entry.to.toLowerCase());
    if (!isApplied) {
      violate('webhooks are kept', `${event} of ${entry.messageId} was answered, and nothing came of it`);
    }
  }
}

const unlinked = CompiledQuery.raw(
  'SELECT type, provider_message_id AS id FROM webhook_events WHERE processed_at IS NULL',
) as CompiledQuery<{ type: string; id: string | null }>;

const suppresses: ReadonlySet<string> = new Set(['complained', 'bounced_for_good', 'provider_suppressed']);

const taken = CompiledQuery.raw(
  `SELECT address_key, reason FROM suppressions WHERE lifted_at IS NOT NULL AND reason <> 'unsubscribed'
    AND lifted_by <> 'sim'`,
) as CompiledQuery<{ address_key: string; reason: string }>;

/** A recipient takes back what the recipient said, and nothing else; an operator may. */
async function checkWishes({ db, violate }: Parameters<typeof checkTheEnd>[0]): Promise<void> {
  const [line] = (await db.write.executeQuery(taken)).rows;
  if (line)
    violate('consent', `${line.address_key} was listed (${line.reason}), and took itself off the list`);
}
