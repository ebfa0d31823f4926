import type { DialectName } from '../../src/db/dialect.ts';
import {
  createNotifications,
  type Notifications,
} from '../../src/sources/newsletters/notifications/notifications.ts';
import { systemIds } from '../../src/std/ids.ts';
import { type Answered, type Api, type ApiWorld, createApiWorld } from './api-world.ts';

/** Newsletters and alerts behind a real server. */
export interface NotificationsApiWorld extends ApiWorld {
  notifications: Notifications;
  /** With room for one. */
  few: Notifications;
  serveOwn(changes?: Parameters<ApiWorld['serve']>[0]): Promise<Api>;
}

export function notificationsOf({ db, clock, parts }: ApiWorld, activeMax = 200): Notifications {
  const { unsubscribe } = parts.api.consent;
  return createNotifications({
    db,
    clock,
    ids: systemIds,
    log: parts.log,
    unsubscribe,
    limits: { activeMax },
  });
}

export async function createNotificationsApiWorld(dialect: DialectName): Promise<NotificationsApiWorld> {
  const world = await createApiWorld(dialect);
  const notifications = notificationsOf(world);
  return {
    ...{ ...world, notifications, few: notificationsOf(world, 1) },
    serveOwn: ({ api, server } = {}) =>
      world.serve({ api: { notifications, ...api }, ...(server && { server }) }),
  };
}

export const path = '/api/v1/notifications';
export const newsletter = { notificationType: 'newsletter_entity_monthly', entityCui: '4305857' };
export const alert = (config: object = {}) => ({
  notificationType: 'alert_series_analytics',
  config: {
    conditions: [{ operator: 'gt', threshold: 1000, unit: 'RON' }],
    filter: { accountCategory: 'ch' },
    ...config,
  },
});

/** As somebody's service asks for them. */
export const asUser =
  (api: Api, userId: string, key?: string) =>
  (method: string, rest = '', body?: unknown): Promise<Answered> =>
    api.ask(method, `${path}${rest}`, {
      headers: { 'x-user-id': userId },
      ...(body !== undefined && { body }),
      ...(key !== undefined && { key }),
    });
