import { Type } from 'typebox';
import { defineRoute, type Route } from '../route.ts';
import { closed } from '../schemas.ts';
import {
  type NotificationParts,
  next,
  nextOf,
  pageByDefault,
  pageQuery,
  userOf,
} from './notifications-json.ts';

const textOrNull = Type.Union([Type.String(), Type.Null()]);
const timeOrNull = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);

const delivery = Type.Object(
  {
    id: Type.String(),
    notificationId: Type.String(),
    periodKey: Type.String({ description: '`2026-10`, `2026-Q3` or `2026`.' }),
    deliveryKey: Type.String(),
    status: Type.Enum([
      ...['pending', 'sending', 'sent', 'delivered', 'failed_transient', 'failed_permanent'],
      ...['suppressed', 'skipped_unsubscribed', 'skipped_no_email'],
    ]),
    toEmail: textOrNull,
    attemptCount: Type.Integer(),
    lastAttemptAt: timeOrNull,
    sentAt: timeOrNull,
    createdAt: Type.String({ format: 'date-time' }),
  },
  closed,
);

/** What became of each period, without the mails themselves. */
export function deliveriesOfMineRoute({ notifications }: NotificationParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/v1/notifications/deliveries',
    summary: 'List what was sent to a user, or was not, newest first',
    who: 'users',
    query: pageQuery,
    answers: {
      200: {
        when: 'One page; `next` is null on the last.',
        schema: Type.Object({ deliveries: Type.Array(delivery), next }, closed),
      },
    },
    async handle({ query: { limit = pageByDefault, after }, caller }) {
      const page = await notifications.deliveries(userOf(caller), { limit, after });
      return { status: 200, body: { deliveries: page.rows, next: nextOf(page.next) } };
    },
  });
}
