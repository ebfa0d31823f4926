import { sql } from 'kysely';
import type { Unsubscribe } from '../../../consent/unsubscribe.ts';
import type { Tx } from '../../../db/database.ts';
import type { SubscriptionRow } from '../../../db/seats-schema.ts';
import { resumeDeliveries, type StopOrder, stopDeliveries } from '../../../outbox/stop.ts';
import { seatSourceName } from '../mail/seat-source.ts';
import { verificationSourceName } from '../mail/verification-source.ts';
import { lockContact } from './contact.ts';
import { liveWatches } from './creating.ts';
import type { Limits } from './limits.ts';
import type { Subscriptions } from './subscriptions.ts';
import { undoUntil } from './watch.ts';
import {
  changeWatch,
  type LinkParts,
  lockWatch,
  type Outcome,
  type Refused,
  refused,
  withFound,
  withWatch,
} from './watch-link.ts';

/**
 * Leaving, by the page of a watch or by the link in a mail, and coming back within a day. What waits is stopped in the
 * transaction that says so; the address stays until the day is over, because without it nobody could come back.
 */
export interface LeavingParts extends LinkParts {
  unsubscribe: Pick<Unsubscribe, 'undoFor'>;
  limits: Limits;
}

/** Mails of both kinds are this watch's. */
const sources = [seatSourceName, verificationSourceName];
const actor = 'the recipient';
type StopWords = Pick<StopOrder, 'actor' | 'detail'>;

type Leaving = Pick<Subscriptions, 'cancel' | 'stop' | 'undoCancel' | 'left' | 'returned'>;

export function createLeaving(parts: LeavingParts): Leaving {
  const { db, clock, log } = parts;
  const outboxParts = { dialect: db.dialect, log };
  const ownersOf = (row: SubscriptionRow) =>
    sources.map((source) => ({ source, recipient: String(row.subscription_id) }));

  /** Once more is not wrong: something may have come to wait while this person was leaving. */
  async function stopMails(tx: Tx, row: SubscriptionRow, words: StopWords): Promise<void> {
    for (const whose of ownersOf(row)) {
      await stopDeliveries(tx, { whose, event: 'unsubscribed', ...words }, clock.now(), outboxParts);
    }
  }

  async function resumeMails(tx: Tx, row: SubscriptionRow): Promise<void> {
    const words = { since: row.left_at ?? 0, actor, detail: { reason: 'they watch it again' } };
    for (const whose of ownersOf(row))
      await resumeDeliveries(tx, { whose, ...words }, clock.now(), outboxParts);
  }

  async function leaveIn(
    tx: Tx,
    row: SubscriptionRow,
    detail: Readonly<Record<string, string>>,
  ): Promise<'changed' | 'unchanged'> {
    if (row.status === 'unsubscribed') return 'unchanged';
    const cells = {
      status: 'unsubscribed',
      left_at: clock.now(),
      status_before_leaving: row.status,
    } as const;
    return changeWatch(tx, parts, row, cells, 'unsubscribed', detail);
  }

  /** Under the lock of the contact. */
  async function obstacle(tx: Tx, row: SubscriptionRow): Promise<Refused | undefined> {
    const live = await liveWatches(tx, row.contact_hash);
    if (live.some((one) => one.term_id === row.term_id && one.index_number === row.index_number))
      return refused('already_watching', 'This section is watched again already.');
    // What a stranger asked for, and nobody has confirmed, is in nobody's way.
    const others = live.filter(({ status }) => status !== 'pending').length;
    if (others >= parts.limits.contactWatchesMax)
      return refused('too_many_watches', `There are ${others} other watches; end one of them first.`);
    return undefined;
  }

  async function comeBackIn(tx: Tx, row: SubscriptionRow): Promise<Outcome> {
    if (row.status !== 'unsubscribed' || row.status_before_leaving === null || row.contact_value === null)
      return 'unchanged';
    const cells = { status: row.status_before_leaving, left_at: null, status_before_leaving: null };
    return changeWatch(tx, parts, row, cells, 'undone');
  }

  return {
    // The watch before its deliveries, against the order in which everybody else locks them: safe only because to stop deliveries
    // waits for none. What somebody holds is passed over, and whoever holds it reads the watch after us and stops by itself.
    cancel: (token) =>
      withWatch(parts, token, 'cancelled', async (row, tx) => {
        const detail = { via: 'manage page' };
        const outcome = await leaveIn(tx, row, detail);
        await stopMails(tx, row, { actor, detail });
        return outcome;
      }),

    async stop(subscriptionId, { by, because }) {
      const outcome = await db.transaction(async (tx) => {
        const row = await lockWatch(tx, db, subscriptionId);
        if (!row) return 'unknown';
        const left = await leaveIn(tx, row, { via: 'operator', by, because });
        await stopMails(tx, row, { actor: by, detail: { via: 'operator', reason: because } });
        return left;
      });
      if (outcome === 'changed') log.info('seats.watch_stopped', { subscriptionId });
      return outcome;
    },

    undoCancel: (token) =>
      withFound(parts, token, 'undone', (found) =>
        db.transaction(async (tx) => {
          await lockContact(tx, db.dialect, found.contact_hash);
          const row = await readWatch(tx, found.subscription_id);
          if (row?.status !== 'unsubscribed') return 'unchanged';
          if (undoUntil(row, clock.now()) === null)
            return refused('too_late', 'It is too late to take this back; watch the section again.');
          const inTheWay = await obstacle(tx, row);
          if (inTheWay) return inTheWay;
          // Deliveries before the watch, as everybody locks them. Who left by the link in a mail has said so to consent, too.
          await parts.unsubscribe.undoFor(ownersOf(row), tx);
          await resumeMails(tx, row);
          const locked = await lockWatch(tx, db, row.subscription_id);
          return locked ? comeBackIn(tx, locked) : 'unchanged';
        }),
      ),

    async left(subscriptionId, tx) {
      const row = await lockWatch(tx, db, subscriptionId);
      if (row) await leaveIn(tx, row, { via: 'link in a mail' });
    },

    async returned(subscriptionId, tx) {
      const row = await readWatch(tx, subscriptionId);
      if (row?.status !== 'unsubscribed') return;
      await lockContact(tx, db.dialect, row.contact_hash);
      const inTheWay = await obstacle(tx, row);
      // Consent has taken them back all the same: this watch stays where it is, because another is in its place.
      if (inTheWay) return log.info('seats.watch_not_back', { subscriptionId, because: inTheWay.code });
      const locked = await lockWatch(tx, db, subscriptionId);
      if (locked) await comeBackIn(tx, locked);
    },
  };
}

async function readWatch(tx: Tx, subscriptionId: number): Promise<SubscriptionRow | undefined> {
  const { rows } = await sql<SubscriptionRow>`
    SELECT * FROM subscriptions WHERE subscription_id = ${subscriptionId}
  `.execute(tx);
  return rows[0];
}
