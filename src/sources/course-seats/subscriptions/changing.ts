import { sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import type { SubscriptionRow } from '../../../db/seats-schema.ts';
import type { Address } from '../../../domain/address.ts';
import type { Outbox } from '../../../outbox/outbox.ts';
import { pauseByCount } from '../mail/watch-book.ts';
import { isListed } from './address-lines.ts';
import { bringForward, type ForwardParts } from './bring-forward.ts';
import { lockContact } from './contact.ts';
import { liveWatches } from './creating.ts';
import type { Limits } from './limits.ts';
import { problemOfMax, problemOfSnooze, problemOfWindow } from './preferences.ts';
import { type WatchEvent, writeEvents } from './subscription-events.ts';
import type { Subscriptions } from './subscriptions.ts';
import { sendVerification, verificationNeed } from './verification.ts';
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
export interface ChangingParts extends LinkParts, ForwardParts {
  outbox: Pick<Outbox, 'enqueue' | 'record'>;
  verifiesAddresses: boolean;
  limits: Limits;
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
const isAskedTooOften = refused(
  'asked_too_often',
  'This address was asked to confirm too often; confirm with a mail that it got, or wait.',
);

export function createChanging(parts: ChangingParts): Changing {
  const change = (token: string, step: string, work: Parameters<typeof withWatch>[3]) =>
    withWatch(parts, token, step, async (row, tx) =>
      row.status === 'unsubscribed' ? hasLeft : work(row, tx),
    );
  const set = (
    row: SubscriptionRow,
    tx: Tx,
    cells: Cells,
    event: WatchEvent,
    detail?: object,
  ): Promise<'changed' | 'unchanged'> =>
    isAsItWas(row, cells)
      ? Promise.resolve('unchanged' as const)
      : changeWatch(tx, parts, row, cells, event, { ...detail });

  const setHours: typeof set = async (row, tx, cells, event, detail) => {
    const outcome = await set(row, tx, cells, event, detail);
    if (outcome === 'changed') await bringForward(tx, parts, { ...row, ...cells });
    return outcome;
  };

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

    resume: (token) => withFound(parts, token, 'resumed', (found) => resume(parts, found)),

    snooze: (token, until) =>
      change(token, 'snoozed', async (row, tx) => {
        const problem = problemOfSnooze(until, parts.clock.now());
        if (problem !== undefined) return refused('invalid_snooze', problem);
        return setHours(row, tx, { snooze_until: until }, 'snoozed', { until });
      }),

    setWindow: (token, window) =>
      change(token, 'window_set', async (row, tx) => {
        const problem = problemOfWindow(window);
        if (problem !== undefined) return refused('invalid_window', problem);
        const { startMinutes = null, endMinutes = null } = window ?? {};
        const cells = { window_start_minutes: startMinutes, window_end_minutes: endMinutes };
        return setHours(row, tx, cells, 'window_set', { startMinutes, endMinutes });
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

/** Under the lock of the contact: whose address bounced may have to be asked again. */
function resume(parts: ChangingParts, found: SubscriptionRow): Promise<Outcome> {
  const { db, verifiesAddresses } = parts;
  return db.transaction(async (tx) => {
    await lockContact(tx, db.dialect, found.contact_hash);
    const row = await lockWatch(tx, db, found.subscription_id);
    if (!row || row.status === 'active') return 'unchanged';
    if (row.status === 'unsubscribed') return hasLeft;
    if (row.status === 'pending') return isUnconfirmed;
    // Whoever goes on after the last mail of their number means: as many again.
    const hasHadAll = row.max_notifications !== null && row.notifications_sent >= row.max_notifications;
    const cells = hasHadAll ? { notifications_sent: 0 } : {};
    const detail = hasHadAll ? { sentBefore: row.notifications_sent } : {};
    if (row.status === 'suppressed') return resumeSuppressed(tx, parts, row, cells, detail);
    // One that was paused before anybody verified addresses waits for its owner like any other.
    const status = verifiesAddresses && row.verified_at === null ? 'pending' : 'active';
    return changeWatch(tx, parts, row, { ...cells, status }, 'resumed', detail);
  });
}

/** Nothing stands against the address any more: where addresses are verified, its owner shows that mail arrives again. */
async function resumeSuppressed(
  tx: Tx,
  parts: ChangingParts,
  row: SubscriptionRow,
  cells: Cells,
  detail: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  const { outbox, limits, clock } = parts;
  if (row.contact_value === null || (await isListed(tx, row.contact_value))) return isSuppressed;
  if (!parts.verifiesAddresses)
    return changeWatch(tx, parts, row, { ...cells, status: 'active' }, 'resumed', detail);
  const address = row.contact_value as Address;
  const live = await liveWatches(tx, row.contact_hash);
  const need = await verificationNeed(tx, { address, live, limits }, clock.now());
  if (need.kind === 'too_many') return isAskedTooOften;
  const waiting = { ...cells, status: 'pending', verified_at: null } as const;
  await changeWatch(tx, parts, row, waiting, 'resumed', detail);
  if (need.kind === 'send') {
    const line = await sendVerification(tx, outbox, row, address, clock.now());
    await writeEvents(tx, parts.db.dialect, [line], clock.now());
  }
  return 'changed';
}

/** Whoever follows a link that was mailed has shown that the address is theirs: all that waits for that begins. */
function confirmContact({ db, clock }: ChangingParts, found: SubscriptionRow): Promise<Outcome> {
  return db.transaction(async (tx) => {
    const now = clock.now();
    await lockContact(tx, db.dialect, found.contact_hash);
    const row = await lockWatch(tx, db, found.subscription_id);
    if (row?.status === 'unsubscribed') return hasLeft;
    if (row?.status !== 'pending' && row?.status !== 'suppressed') return 'unchanged';
    // A mail that was sent again after a bounce has arrived: that holds for all that the bounce has stopped.
    const isBad = await isListed(tx, row.contact_value);
    if (row.status === 'suppressed' && isBad) return isSuppressed;
    const statuses = isBad ? sql`('pending')` : sql`('pending', 'suppressed')`;
    const { rows: confirmed } = await sql<SubscriptionRow>`
      UPDATE subscriptions SET status = 'active', verified_at = ${now}, updated_at = ${now}
      WHERE contact_hash = ${found.contact_hash} AND status <> 'unsubscribed' AND status IN ${statuses}
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
