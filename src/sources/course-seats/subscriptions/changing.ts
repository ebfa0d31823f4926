import { sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import type { SubscriptionRow } from '../../../db/seats-schema.ts';
import { pauseByCount } from '../mail/watch-book.ts';
import { lockContact } from './contact.ts';
import { problemOfMax, problemOfSnooze, problemOfWindow } from './preferences.ts';
import { type WatchEvent, writeEvents } from './subscription-events.ts';
import type { Subscriptions } from './subscriptions.ts';
import {
  type Cells,
  changeWatch,
  type LinkParts,
  lockWatch,
  type Outcome,
  refused,
  withFound,
  withWatch,
} from './watch-link.ts';

/** What the owner of a link does with their watch. Each is one transaction, with a line for what changed. */
export interface ChangingParts extends LinkParts {
  verifiesAddresses: boolean;
}

type Changing = Pick<
  Subscriptions,
  'confirm' | 'pause' | 'resume' | 'snooze' | 'setWindow' | 'setMaxNotifications'
>;

const hasLeft = refused('left', 'This watch has ended; take that back, or watch the section again.');
const isUnconfirmed = refused('not_confirmed', 'Confirm the address first: until then nothing is sent.');
const isSuppressed = refused(
  'suppressed',
  'Mail to this address came back or was complained about; nothing more is sent to it.',
);

export function createChanging(parts: ChangingParts): Changing {
  const change = (token: string, step: string, work: Parameters<typeof withWatch>[3]) =>
    withWatch(parts, token, step, async (row, tx) =>
      row.status === 'unsubscribed' ? hasLeft : work(row, tx),
    );
  const set = (row: SubscriptionRow, tx: Tx, cells: Cells, event: WatchEvent, detail?: object) =>
    isAsItWas(row, cells)
      ? Promise.resolve('unchanged' as const)
      : changeWatch(tx, parts, row, cells, event, { ...detail });

  return {
    confirm: (token) => withFound(parts, token, 'confirmed', (found) => confirmContact(parts, found)),

    pause: (token) =>
      change(token, 'paused', async (row, tx) => {
        if (row.status === 'pending') return isUnconfirmed;
        if (row.status === 'suppressed') return isSuppressed;
        return row.status === 'paused'
          ? 'unchanged'
          : changeWatch(tx, parts, row, { status: 'paused' }, 'paused');
      }),

    resume: (token) =>
      change(token, 'resumed', async (row, tx) => {
        if (row.status === 'pending') return isUnconfirmed;
        if (row.status === 'suppressed') return isSuppressed;
        if (row.status === 'active') return 'unchanged';
        // Whoever goes on after the last mail of their number means: as many again.
        const hasHadAll = row.max_notifications !== null && row.notifications_sent >= row.max_notifications;
        // One that was paused before anybody verified addresses waits for its owner like any other.
        const status = parts.verifiesAddresses && row.verified_at === null ? 'pending' : 'active';
        return changeWatch(
          tx,
          parts,
          row,
          { status, ...(hasHadAll && { notifications_sent: 0 }) },
          'resumed',
          {
            ...(hasHadAll && { sentBefore: row.notifications_sent }),
          },
        );
      }),

    snooze: (token, until) =>
      change(token, 'snoozed', async (row, tx) => {
        const problem = problemOfSnooze(until, parts.clock.now());
        if (problem !== undefined) return refused('invalid_snooze', problem);
        return set(row, tx, { snooze_until: until }, 'snoozed', { until });
      }),

    setWindow: (token, window) =>
      change(token, 'window_set', async (row, tx) => {
        const problem = problemOfWindow(window);
        if (problem !== undefined) return refused('invalid_window', problem);
        const { startMinutes = null, endMinutes = null } = window ?? {};
        const cells = { window_start_minutes: startMinutes, window_end_minutes: endMinutes };
        return set(row, tx, cells, 'window_set', { startMinutes, endMinutes });
      }),

    setMaxNotifications: (token, max) =>
      change(token, 'max_set', async (row, tx) => {
        const problem = problemOfMax(max);
        if (problem !== undefined) return refused('invalid_max', problem);
        const outcome = await set(row, tx, { max_notifications: max }, 'max_set', { max });
        const hasHadAll = max !== null && row.notifications_sent >= max;
        if (!hasHadAll || row.status !== 'active') return outcome;
        return changeWatch(tx, parts, row, { status: 'paused' }, 'paused', pauseByCount);
      }),
  };
}

const isAsItWas = (row: SubscriptionRow, cells: Cells) =>
  Object.entries(cells).every(([name, value]) => row[name as keyof SubscriptionRow] === value);

/** Whoever follows a link that was mailed has shown that the address is theirs: all that waits for that begins. */
function confirmContact({ db, clock }: ChangingParts, found: SubscriptionRow): Promise<Outcome> {
  return db.transaction(async (tx) => {
    const now = clock.now();
    await lockContact(tx, db.dialect, found.contact_hash);
    const row = await lockWatch(tx, db, found.subscription_id);
    if (row?.status === 'unsubscribed') return hasLeft;
    if (row?.status === 'suppressed') return isSuppressed;
    if (row?.status !== 'pending') return 'unchanged';
    const { rows: confirmed } = await sql<SubscriptionRow>`
      UPDATE subscriptions SET status = 'active', verified_at = ${now}, updated_at = ${now}
      WHERE contact_hash = ${found.contact_hash} AND status <> 'unsubscribed' AND status = 'pending'
      RETURNING *
    `.execute(tx);
    const lines = confirmed.map((one) => ({
      ...{ subscriptionId: one.subscription_id, event: 'verified' as const },
      sectionStatus: one.last_known_section_status,
    }));
    await writeEvents(tx, db.dialect, lines, now);
    return 'changed';
  });
}
