import { type Consent, createConsent } from '../../src/consent/consent.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import type { NotificationRow } from '../../src/db/newsletters-schema.ts';
import { requireAddress } from '../../src/domain/address.ts';
import type { Status } from '../../src/domain/status.ts';
import { createOutbox, type Outbox, readNamespace } from '../../src/outbox/outbox.ts';
import type { Notification } from '../../src/sources/newsletters/notifications/notification.ts';
import {
  createNotifications,
  type NotificationLimits,
  type Notifications,
  type SubscribeOrder,
} from '../../src/sources/newsletters/notifications/notifications.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import type { Source } from '../../src/sources/source.ts';
import { systemIds } from '../../src/std/ids.ts';
import { baseUrl, tokenSecret } from '../support/consent.ts';
import { createDispatchWorld, type DispatchWorld, signal } from '../support/dispatch-world.ts';
import { createRecordingLog, type RecordingLog } from '../support/recording-log.ts';

/** Notifications in a real database, with consent that tells them who left and an outbox that tells them what came back. */
export interface NotificationsWorld extends DispatchWorld {
  notifications: Notifications;
  consent: Consent;
  log: RecordingLog;
  notificationsWith(limits: Partial<NotificationLimits>): Notifications;
  /** The monthly newsletter of an entity for Ana, unless it says otherwise. */
  subscribe(more?: Partial<SubscribeOrder>): Promise<Notification>;
  row(id: string): Promise<NotificationRow>;
  /** `active`, or why not. */
  standing(id: string): Promise<string>;
  /** A period that is to be told to it; answers its number in the outbox. */
  tell(notification: Notification, period: string, more?: { dueAt?: number }): Promise<number>;
  statusOf(seq: number): Promise<Status | undefined>;
  /** What the link in its mails carries. */
  linkIn(notification: Notification): Promise<string>;
  /** One turn of the dispatch, for mails of which the gate asks the notifications. */
  send(): Promise<void>;
}

export const ana = 'user_ana';
export const sourceName = 'newsletters';
export const dayMs = 86_400_000;
/** Held back: as what is collected and not yet composed. */
export const heldUntil = Date.UTC(9999, 0, 1);

export async function createNotificationsWorld(dialect: DialectName): Promise<NotificationsWorld> {
  const world = await createDispatchWorld(dialect);
  const { db, clock } = world;
  const log = createRecordingLog();
  const consent: Consent = createConsent({
    ...{ db, clock, ids: systemIds, log, secrets: [tokenSecret], baseUrl: () => baseUrl },
    onLeft: async ({ source, recipient }, tx, extent) => {
      if (source === sourceName) await notifications.left([recipient], tx, extent);
    },
    onReturned: async ({ source, recipient }, tx) => {
      if (source === sourceName) await notifications.returned([recipient], tx);
    },
  });
  const notificationsWith: NotificationsWorld['notificationsWith'] = (limits) =>
    createNotifications({ db, clock, ids: systemIds, log, unsubscribe: consent.unsubscribe, limits });
  const notifications = notificationsWith({});
  const outbox: Outbox = createOutbox({
    ...{ db, clock, log, namespace: await readNamespace(db) },
    listeners: {
      consent: consent.learn,
      source: (name) => (name === sourceName ? notifications.changed : undefined),
    },
  });
  const source = sourceOf(notifications);
  return {
    ...{ ...world, outbox, notifications, consent, log, notificationsWith },
    async subscribe(more = {}) {
      const order = { userId: ana, type: 'newsletter_entity_monthly', entityCui: '4305857', ...more };
      return (await notifications.subscribe(order)).notification;
    },
    row: (id) => rowOf(db, id),
    async standing(id) {
      const { is_active, inactive_because } = await rowOf(db, id);
      return is_active === 1 ? 'active' : String(inactive_because);
    },
    async tell({ userId, id }, period, more = {}) {
      const [made] = await outbox.enqueue([
        { source: sourceName, occasion: period, recipient: `${userId}:${id}`, lane: 'bulk', ...more },
      ]);
      return made?.seq ?? 0;
    },
    statusOf: async (seq) => (await world.queries.find(String(seq)))?.status,
    async linkIn({ userId, id }) {
      const owner = { seq: 1, source: sourceName, recipient: `${userId}:${id}` };
      const [link = ''] = (await consent.unsubscribe.linksFor([owner])).values();
      return link.slice(link.lastIndexOf('/') + 1);
    },
    async send() {
      await world.dispatch({ outbox, source }).runOnce(signal());
    },
  };
}

const rowOf = ({ read }: DispatchWorld['db'], id: string) =>
  read.selectFrom('notifications').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** The smallest source that asks the notifications before bytes leave. */
function sourceOf(notifications: Notifications): Source {
  return {
    ...plainSource,
    name: sourceName,
    draft: async (batch) =>
      new Map(
        batch.map(({ seq, recipient }) => [
          seq,
          {
            ...{
              kind: 'draft',
              template: 'plain',
              locale: 'en',
              props: { subject: 'Budget', text: 'Figures' },
            },
            to: requireAddress(`${recipient.split(':')[0]}@example.org`),
          },
        ]),
      ),
    async recheck(batch, tx) {
      const standings = await notifications.recheckRows(
        tx,
        batch.map(({ recipient }) => recipient),
      );
      const error = { code: 'not_wanted', message: 'They want it no more.' };
      return new Map(
        batch.flatMap(({ seq, recipient }) => {
          const standing = standings.get(recipient);
          const isWanted = standing?.isActive && !standing.isDeleted && !standing.isOptedOut;
          return isWanted ? [] : [[seq, { event: 'unsubscribed' as const, error }] as const];
        }),
      );
    },
  };
}
