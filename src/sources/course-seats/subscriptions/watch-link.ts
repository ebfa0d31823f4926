import type { Tokens } from '../../../consent/token.ts';
import type { Database, Tx } from '../../../db/database.ts';
import type { SubscriptionRow } from '../../../db/seats-schema.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Log } from '../../../std/log.ts';
import type { RefusalCode } from '../../../std/refusals.ts';
import { type WatchEvent, writeEvents } from './subscription-events.ts';
import type { Changed } from './subscriptions.ts';
import { showWatches } from './watch.ts';

/** A watch by its link, and the one way in which its row is changed: under a lock, with a line for what changed. */
export interface LinkParts {
  db: Database;
  clock: Clock;
  log: Log;
  tokens: Tokens;
}

export interface Refused {
  kind: 'refused';
  code: RefusalCode;
  message: string;
}

export const refused = (code: RefusalCode, message: string): Refused => ({ kind: 'refused', code, message });

export type Outcome = 'changed' | 'unchanged' | Refused;

/** With the row of a link under a lock; what nobody gave out costs no transaction, and is `unknown`. */
export async function withWatch(
  parts: LinkParts,
  token: string,
  step: string,
  work: (row: SubscriptionRow, tx: Tx) => Promise<Outcome>,
): Promise<Changed> {
  const { db } = parts;
  return withFound(parts, token, step, (found) =>
    db.transaction(async (tx) => {
      const row = await lockWatch(tx, db, found.subscription_id);
      return row ? work(row, tx) : 'unchanged';
    }),
  );
}

/** The same for what begins with another lock than that of the row. */
export async function withFound(
  parts: LinkParts,
  token: string,
  step: string,
  work: (found: SubscriptionRow) => Promise<Outcome>,
): Promise<Changed> {
  const { db, clock, log, tokens } = parts;
  const found = await findByToken(parts, token);
  if (!found) return { kind: 'unknown' };
  const outcome = await work(found);
  if (typeof outcome === 'object') return outcome;
  // After the commit: a transaction may be tried again, or come to nothing.
  if (outcome === 'changed') log.info(`seats.watch_${step}`, { subscriptionId: found.subscription_id });
  const row = (await findByToken(parts, token)) ?? found;
  const [watch] = await showWatches(db, tokens, [row], clock.now());
  return watch ? { kind: outcome, watch } : { kind: 'unknown' };
}

export async function findByToken(
  { db, tokens }: Pick<LinkParts, 'db' | 'tokens'>,
  token: string,
): Promise<SubscriptionRow | undefined> {
  // Whoever makes links up hears like everybody else when there is no database.
  const id = tokens.read(token) ?? '';
  return db.read.selectFrom('subscriptions').selectAll().where('token_id', '=', id).executeTakeFirst();
}

export function lockWatch(
  tx: Tx,
  { dialect }: Database,
  subscriptionId: number,
): Promise<SubscriptionRow | undefined> {
  const row = tx.selectFrom('subscriptions').selectAll().where('subscription_id', '=', subscriptionId);
  return (dialect === 'postgres' ? row.forUpdate() : row).executeTakeFirst();
}

export type Cells = Partial<Omit<SubscriptionRow, 'subscription_id'>>;

/** Writes a row that is locked, and the line that says so. */
export async function changeWatch(
  tx: Tx,
  { db, clock }: Pick<LinkParts, 'db' | 'clock'>,
  row: SubscriptionRow,
  cells: Cells,
  event: WatchEvent,
  detail?: Readonly<Record<string, unknown>>,
): Promise<'changed'> {
  const now = clock.now();
  const { subscription_id: subscriptionId, last_known_section_status: sectionStatus } = row;
  await tx
    .updateTable('subscriptions')
    .set({ ...cells, updated_at: now })
    .where('subscription_id', '=', subscriptionId)
    .execute();
  await writeEvents(
    tx,
    db.dialect,
    [{ subscriptionId, event, sectionStatus, ...(detail && { detail }) }],
    now,
  );
  return 'changed';
}
