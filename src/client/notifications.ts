import type { Call, CallOptions } from './call.ts';
import { each } from './each.ts';
import type {
  ChangedNotification,
  ForUser,
  Notification,
  NotificationChange,
  NotificationDeliveryPage,
  NotificationPage,
  NotificationWish,
  OptedIn,
  OptedOut,
  OptOut,
  PageQuery,
  Subscribed,
} from './notification-shapes.ts';
import { type Order, pathOf } from './request.ts';
import { createRunStarts, type RunStarts } from './runs.ts';
import { invalidArgument, TidingsError } from './tidings-error.ts';

/** Newsletters and alerts: what a user asked for, and telling all of them of a period. */
export interface Notifications extends RunStarts {
  /** Asking again is safe, and brings back what had ended. */
  subscribe(wish: ForUser & NotificationWish, options?: CallOptions): Promise<Subscribed>;
  /** Newest first. */
  list(query: ForUser & PageQuery, options?: CallOptions): Promise<NotificationPage>;
  each(query: ForUser & PageQuery, options?: CallOptions): AsyncIterable<Notification>;
  /** A user's newsletters of one entity. */
  ofEntity(of: ForUser & { entityCui: string }, options?: CallOptions): Promise<Notification[]>;
  get(of: ForUser & { id: string }, options?: CallOptions): Promise<Notification>;
  update(
    change: ForUser & { id: string } & NotificationChange,
    options?: CallOptions,
  ): Promise<ChangedNotification>;
  /** Ends it, and what waits of it. */
  remove(of: ForUser & { id: string }, options?: CallOptions): Promise<void>;
  /** What was sent to a user, or was not, newest first. */
  deliveries(query: ForUser & PageQuery, options?: CallOptions): Promise<NotificationDeliveryPage>;
  /** Has the user left everything? */
  getOptOut(of: ForUser, options?: CallOptions): Promise<OptOut>;
  /** Leaves all newsletters and alerts at once, and stops what waits. */
  optOut(of: ForUser, options?: CallOptions): Promise<OptedOut>;
  /** Takes that back; nothing is on again by it. */
  optIn(of: ForUser, options?: CallOptions): Promise<OptedIn>;
}

const root = '/api/v1/notifications';

export function createNotifications(call: Call): Notifications {
  /** All of a user's calls may be repeated: they say how it shall be, not by how much it changes. */
  const ask = async <Answer>(
    userId: string,
    order: Omit<Order, 'isRepeatable' | 'headers'>,
    options: CallOptions | undefined,
  ) => call<Answer>({ ...order, headers: { 'x-user-id': named(userId) }, isRepeatable: true }, options);
  const list: Notifications['list'] = ({ userId, ...query }, options) =>
    ask(userId, { method: 'GET', path: root, query }, options);
  const optOutPath = `${root}/opt-out`;

  return {
    ...createRunStarts(call),
    subscribe: ({ userId, ...body }, options) => ask(userId, { method: 'POST', path: root, body }, options),
    list,
    each: (query, options) =>
      each(async (cursor: { after: string } | undefined) => {
        const { notifications, next } = await list({ ...query, ...cursor }, options);
        return { items: notifications, next };
      }),
    async ofEntity({ userId, entityCui }, options) {
      const order = { method: 'GET', path: root + pathOf`/entity/${entityCui}` } as const;
      return (await ask<{ notifications: Notification[] }>(userId, order, options)).notifications;
    },
    async get({ userId, id }, options) {
      const order = { method: 'GET', path: root + pathOf`/${id}` } as const;
      return (await ask<{ notification: Notification }>(userId, order, options)).notification;
    },
    update: async ({ userId, id, ...body }, options) =>
      ask(userId, { method: 'PATCH', path: root + pathOf`/${id}`, body }, options),
    async remove({ userId, id }, options) {
      try {
        await ask(userId, { method: 'DELETE', path: root + pathOf`/${id}` }, options);
      } catch (error) {
        // It is gone, as it was asked for: the answer that said so got lost.
        const isGone = error instanceof TidingsError && error.code === 'notification_not_found';
        if (!isGone || !error.isInDoubt) throw error;
      }
    },
    deliveries: ({ userId, ...query }, options) =>
      ask(userId, { method: 'GET', path: `${root}/deliveries`, query }, options),
    getOptOut: ({ userId }, options) => ask(userId, { method: 'GET', path: optOutPath }, options),
    optOut: ({ userId }, options) => ask(userId, { method: 'POST', path: optOutPath }, options),
    optIn: ({ userId }, options) => ask(userId, { method: 'DELETE', path: optOutPath }, options),
  };
}

/** What a header cannot hold would fail as if the server were away. */
function named(userId: string): string {
  if (/^[\x21-\x7e]+$/.test(userId)) return userId;
  throw invalidArgument('userId must be one user id: letters, digits and the signs _ . @ | and -.');
}
