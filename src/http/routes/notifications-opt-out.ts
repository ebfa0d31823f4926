import { Type } from 'typebox';
import type { OptOut } from '../../sources/newsletters/notifications/notifications.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, nothing } from '../schemas.ts';
import { type NotificationParts, userOf } from './notifications-json.ts';

const path = '/api/v1/notifications/opt-out';
const via = Type.Enum(['account', 'link'], { description: 'Here, or by the link in a mail.' });
const at = Type.String({ format: 'date-time' });
const shown = ({ at: since, via: way }: OptOut) => ({
  optedOut: true,
  at: new Date(since).toISOString(),
  via: way,
});

/** Leaving all newsletters and alerts at once. */
export function optOutRoutes({ notifications }: NotificationParts): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path,
      summary: 'Has a user left all newsletters and alerts?',
      who: 'users',
      query: nothing,
      answers: {
        200: {
          when: 'Whether, and since when.',
          schema: Type.Object(
            { optedOut: Type.Boolean(), at: Type.Optional(at), via: Type.Optional(via) },
            closed,
          ),
        },
      },
      async handle({ caller }) {
        const out = await notifications.optOutOf(userOf(caller));
        return { status: 200, body: out ? shown(out) : { optedOut: false } };
      },
    }),
    defineRoute({
      method: 'POST',
      path,
      summary:
        'Leave all newsletters and alerts at once, and stop what waits; asking for one of them later takes it back',
      who: 'users',
      query: nothing,
      answers: {
        200: {
          when: 'It is so; how much of it this request did.',
          schema: Type.Object(
            {
              ...{ optedOut: Type.Literal(true), at, via },
              deactivated: Type.Integer({ description: 'Newsletters and alerts.' }),
              stopped: Type.Integer({ description: 'Mails that waited.' }),
            },
            closed,
          ),
        },
      },
      async handle({ caller }) {
        const { deactivated, stopped, ...out } = await notifications.optOut(userOf(caller));
        return { status: 200, body: { ...shown(out), deactivated, stopped } };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path,
      summary: 'Take that back; nothing is on again by it, until it is turned on by itself',
      who: 'users',
      query: nothing,
      answers: {
        200: {
          when: 'It is so.',
          schema: Type.Object({ optedOut: Type.Literal(false), wasOptedOut: Type.Boolean() }, closed),
        },
      },
      async handle({ caller }) {
        const wasOptedOut = await notifications.optIn(userOf(caller));
        return { status: 200, body: { optedOut: false, wasOptedOut } };
      },
    }),
  ];
}
