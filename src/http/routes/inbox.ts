import { Type } from 'typebox';
import type { Database } from '../../db/database.ts';
import { iso } from '../../outbox/delivery-json.ts';
import { type CapturedMail, findCaptured, readInbox } from '../../providers/capture.ts';
import { Refusal } from '../../std/refusal.ts';
import { defineRoute, type Route } from '../route.ts';
import { below, closed, inboxLine, inboxMail, limit, messageId, next, nothing } from '../schemas.ts';
import type { ApiParts } from '../server.ts';

/** The built-in inbox: what was sent while no real provider is configured. */
interface InboxParts extends Pick<ApiParts, 'provider'> {
  db: Database;
}

const path = '/api/v1/inbox';
const limitMax = 200;
const limitByDefault = 50;

export function inboxRoutes({ provider, db }: InboxParts): Route[] {
  const requireInbox = () => {
    if (provider.name === 'capture') return;
    throw new Refusal(
      'inbox_not_here',
      `MAIL_PROVIDER is ${provider.name}, so mail leaves and there is no inbox to read here. GET /api/v1/deliveries shows what became of it.`,
    );
  };

  return [
    defineRoute({
      method: 'GET',
      path,
      summary: 'List the mails of the built-in inbox, newest first',
      who: ['read'],
      query: Type.Object({ below, limit: Type.Optional(limit(limitMax, limitByDefault)) }, closed),
      answers: {
        200: {
          when: 'One page of the mails, without their bodies; `next` is null on the last.',
          schema: Type.Object({ mails: Type.Array(inboxLine), next }, closed),
        },
      },
      refusals: { 404: 'Another provider is configured.' },
      async handle({ query: { limit = limitByDefault, below } }) {
        requireInbox();
        const found = await readInbox(db, limit + 1, below);
        const mails = found.slice(0, limit);
        const last = found.length > limit ? mails.at(-1) : undefined;
        const lines = mails.map(mailJson).map(({ html: _, text: __, ...line }) => line);
        return { status: 200, body: { mails: lines, next: last ? { below: last.number } : null } };
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/:id`,
      summary: 'Show one mail of the built-in inbox',
      who: ['read'],
      params: Type.Object({ id: messageId }, closed),
      query: nothing,
      answers: { 200: { when: 'The mail, with its html as a text.', schema: inboxMail } },
      refusals: { 404: 'There is no such mail, or another provider is configured.' },
      async handle({ params: { id } }) {
        requireInbox();
        const found = await findCaptured(db, id.toLowerCase(), 2);
        const [mail] = found;
        if (mail && found.length === 1) return { status: 200, body: mailJson(mail) };
        if (mail)
          throw new Refusal('message_ambiguous', 'More than one message begins so. Give more of its id.');
        throw new Refusal(
          'message_not_found',
          `There is no such message in the inbox. GET ${path} lists them.`,
        );
      },
    }),
  ];
}

function mailJson({ messageId, receivedAt, mail }: CapturedMail) {
  return { messageId, receivedAt: iso(receivedAt), ...mail };
}
