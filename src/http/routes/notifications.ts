import { Type } from 'typebox';
import { defineRoute, type Route } from '../route.ts';
import { closed, line, nothing } from '../schemas.ts';
import { deliveriesOfMineRoute } from './notifications-deliveries.ts';
import {
  config,
  cui,
  locale,
  type NotificationParts,
  next,
  nextOf,
  notification,
  notificationJson,
  notificationType,
  type OwnNotifications,
  pageByDefault,
  pageQuery,
  userOf,
} from './notifications-json.ts';
import { optOutRoutes } from './notifications-opt-out.ts';

/** Newsletters and alerts, for the person who asked for them. Whatever is somebody else's is not found. */
const path = '/api/v1/notifications';
const one = Type.Object({ notification }, closed);
const params = Type.Object({ id: line(64) }, closed);
const notFound = { 404: '`notification_not_found`: there is none of this user with that id.' };
const conflict =
  '`notification_conflict`: there is another one for exactly this, which `details.id` names. `too_many_notifications`: as many as one user may have.';

export function notificationRoutes(
  parts: Omit<NotificationParts, 'notifications'> & { notifications?: OwnNotifications | undefined },
): Route[] {
  const { notifications, log } = parts;
  if (!notifications) return [];
  const own = { notifications, log };
  return [
    subscribeRoute(own),
    ...readRoutes(own),
    ...changeRoutes(own),
    deliveriesOfMineRoute(own),
    ...optOutRoutes(own),
  ];
}

function subscribeRoute({ notifications }: NotificationParts): Route {
  const answer = Type.Object(
    { kind: Type.Enum(['created', 'existing', 'reactivated']), notification },
    closed,
  );
  return defineRoute({
    method: 'POST',
    path,
    summary: 'Ask for a newsletter or an alert; asking again is safe, and brings back what had ended',
    who: 'users',
    query: nothing,
    body: Type.Object(
      {
        notificationType,
        entityCui: Type.Optional(cui),
        config: Type.Optional(config),
        locale: Type.Optional(locale),
      },
      closed,
    ),
    answers: {
      201: { when: 'It is new.', schema: answer },
      200: { when: 'It was there: `existing`, or active again: `reactivated`.', schema: answer },
    },
    refusals: { 409: '`too_many_notifications`: as many as one user may have.' },
    async handle({ body: { notificationType: type, ...wish }, caller }) {
      const made = await notifications.subscribe({ userId: userOf(caller), type, ...wish });
      const body = { kind: made.kind, notification: notificationJson(made.notification) };
      return { status: made.kind === 'created' ? 201 : 200, body };
    },
  });
}

function readRoutes({ notifications }: NotificationParts): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path,
      summary: "List a user's newsletters and alerts, newest first",
      who: 'users',
      query: pageQuery,
      answers: {
        200: {
          when: 'One page; `next` is null on the last.',
          schema: Type.Object({ notifications: Type.Array(notification), next }, closed),
        },
      },
      async handle({ query: { limit = pageByDefault, after }, caller }) {
        const page = await notifications.list(userOf(caller), { limit, after });
        const body = { notifications: page.rows.map(notificationJson), next: nextOf(page.next) };
        return { status: 200, body };
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/entity/:cui`,
      summary: "List a user's newsletters of one entity",
      who: 'users',
      params: Type.Object({ cui }, closed),
      query: nothing,
      answers: {
        200: {
          when: 'All of them.',
          schema: Type.Object({ notifications: Type.Array(notification) }, closed),
        },
      },
      async handle({ params: { cui: entity }, caller }) {
        const rows = await notifications.ofEntity(userOf(caller), entity);
        return { status: 200, body: { notifications: rows.map(notificationJson) } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/:id`,
      summary: "Show one of a user's newsletters and alerts",
      who: 'users',
      params,
      query: nothing,
      answers: { 200: { when: 'How it stands.', schema: one } },
      refusals: notFound,
      async handle({ params: { id }, caller }) {
        const found = await notifications.find(userOf(caller), id);
        return { status: 200, body: { notification: notificationJson(found) } };
      },
    }),
  ];
}

function changeRoutes({ notifications }: NotificationParts): Route[] {
  return [
    defineRoute({
      method: 'PATCH',
      path: `${path}/:id`,
      summary: 'Turn a newsletter or an alert on or off, or change its language or what the alert watches',
      who: 'users',
      params,
      query: nothing,
      body: Type.Object(
        {
          isActive: Type.Optional(Type.Boolean({ description: 'Off stops what waits, too.' })),
          locale: Type.Optional(Type.Union([locale, Type.Null()])),
          config: Type.Optional(config),
        },
        closed,
      ),
      answers: {
        200: {
          when: 'As it stands now.',
          schema: Type.Object({ kind: Type.Enum(['changed', 'unchanged']), notification }, closed),
        },
      },
      refusals: { ...notFound, 409: conflict },
      async handle({ params: { id }, body, caller }) {
        const { kind, notification: after } = await notifications.update(userOf(caller), id, body);
        return { status: 200, body: { kind, notification: notificationJson(after) } };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${path}/:id`,
      summary: 'End a newsletter or an alert, and what waits of it',
      who: 'users',
      params,
      query: nothing,
      answers: {
        200: { when: 'It has ended.', schema: Type.Object({ removed: Type.Literal(true) }, closed) },
      },
      refusals: notFound,
      async handle({ params: { id }, caller }) {
        await notifications.remove(userOf(caller), id);
        return { status: 200, body: { removed: true } };
      },
    }),
  ];
}
