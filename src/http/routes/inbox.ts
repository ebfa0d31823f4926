import { Type } from 'typebox';
import type { Database } from '../../db/database.ts';
import { deliveriesOf, type MailsDelivery } from '../../inbox/deliveries-of.ts';
import { type CapturedMail, clearInbox, findCaptured, readInbox } from '../../inbox/inbox.ts';
import { linksIn, oneClickIn } from '../../inbox/mail-links.ts';
import { iso } from '../../outbox/delivery-json.ts';
import type { Clock } from '../../std/clock.ts';
import type { Log } from '../../std/log.ts';
import { Refusal } from '../../std/refusal.ts';
import { speaker } from '../gate.ts';
import { createJudge, linkVerdicts, tokenPages } from '../inbox-links.ts';
import { defineRoute, type Route } from '../route.ts';
import {
  below,
  closed,
  inboxLine,
  inboxMail,
  limit,
  line,
  messageId,
  next,
  nothing,
  why,
} from '../schemas.ts';
import type { ApiParts } from '../server.ts';
import { switchRoutes } from './inbox-switches.ts';

/** The built-in inbox: what was sent while no real provider is configured. */
export interface InboxParts
  extends Pick<ApiParts, 'provider' | 'environment' | 'consent' | 'seats' | 'baseUrl'> {
  db: Database;
  clock: Clock;
  log: Log;
  /** Of this server, all of them. */
  routes: () => readonly Route[];
}

const path = '/api/v1/inbox';
const limitMax = 200;
const limitByDefault = 50;

const filter = {
  to: Type.Optional(line(320, 'How the address of the recipient begins.')),
  subject: Type.Optional(line(200, 'How the subject begins.')),
};
const link = Type.Object(
  {
    href: Type.String(),
    in: Type.Array(Type.Enum(['html', 'text', 'headers'])),
    verdict: Type.Enum([...linkVerdicts]),
    path: Type.Union([Type.String(), Type.Null()], { description: 'On this server; null elsewhere.' }),
  },
  closed,
);
const links = Type.Object(
  {
    links: Type.Array(link),
    oneClick: Type.Union([link, Type.Null()], {
      description:
        'Where a mail program posts to unsubscribe (RFC 8058); null where the mail has no such address.',
    }),
  },
  closed,
);

export function inboxRoutes(parts: InboxParts): Route[] {
  const { provider, db, clock, log, consent, seats, routes, baseUrl = () => '' } = parts;
  const requireInbox = () => {
    if (provider.name === 'capture') return;
    throw new Refusal(
      'inbox_not_here',
      `MAIL_PROVIDER is ${provider.name}, so mail leaves and there is no inbox to read here. GET /api/v1/deliveries shows what became of it.`,
    );
  };
  const isWatch = async (token: string) => (await seats?.subscriptions.find(token)) !== undefined;
  const judge = createJudge({
    ...{ baseUrl, routes },
    tokens: {
      [tokenPages.unsubscribe]: (token) => consent.unsubscribe.isGivenOut(token),
      ...(seats && { [tokenPages.confirm]: isWatch, [tokenPages.manage]: isWatch }),
    },
  });

  async function find(id: string): Promise<CapturedMail> {
    const found = await findCaptured(db, id.toLowerCase(), 2);
    const [mail] = found;
    if (mail && found.length === 1) return mail;
    if (mail) throw new Refusal('message_ambiguous', 'More than one message begins so. Give more of its id.');
    throw new Refusal('message_not_found', `There is no such message in the inbox. GET ${path} lists them.`);
  }

  return [
    defineRoute({
      method: 'GET',
      path,
      summary: 'List the mails of the built-in inbox, newest first',
      who: ['read'],
      query: Type.Object({ ...filter, below, limit: Type.Optional(limit(limitMax, limitByDefault)) }, closed),
      answers: {
        200: {
          when: 'One page of the mails, without their bodies; `next` is null on the last. A page may be short before that.',
          schema: Type.Object({ mails: Type.Array(inboxLine), next }, closed),
        },
      },
      refusals: { 404: 'Another provider is configured.' },
      async handle({ query: { limit = limitByDefault, ...wanted } }) {
        requireInbox();
        const { mails, next: following } = await readInbox(db, { ...wanted, limit });
        const deliveries = await deliveriesOf(db, mails);
        const lines = mails.map((one) => {
          const { html: _, text: __, ...rest } = mailJson(one, deliveries);
          return rest;
        });
        return {
          status: 200,
          body: { mails: lines, next: following === null ? null : { below: following } },
        };
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/clear`,
      summary: 'Begin with an empty list; the mails are kept where the provider looks them up by their keys',
      who: [],
      query: nothing,
      body: Type.Object(why, closed),
      answers: {
        200: {
          when: 'Nothing that came before is listed any more. A mail is still shown by its id.',
          schema: Type.Object({ isCleared: Type.Boolean() }, closed),
        },
      },
      refusals: { 404: 'Another provider is configured.' },
      async handle({ body: { by: said }, caller, traceId }) {
        requireInbox();
        await clearInbox(db, { by: speaker(said, caller), now: clock.now() });
        log.info('inbox.cleared', { traceId, key: caller.key });
        return { status: 200, body: { isCleared: true } };
      },
    }),
    ...switchRoutes({ ...parts, requireInbox }),
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
        const mail = await find(id);
        return { status: 200, body: mailJson(mail, await deliveriesOf(db, [mail])) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/:id/links`,
      summary:
        'Check the links of a mail: our own are looked up, those of others named, and none is followed',
      who: ['read'],
      params: Type.Object({ id: messageId }, closed),
      query: nothing,
      answers: { 200: { when: 'Every link, with where it leads.', schema: links } },
      refusals: { 404: 'There is no such mail, or another provider is configured.' },
      async handle({ params: { id } }) {
        requireInbox();
        const { mail } = await find(id);
        const judged = [];
        for (const one of linksIn(mail)) judged.push(await judge(one));
        const href = oneClickIn(mail.headers);
        const oneClick = href === null ? null : await judge({ href, in: ['headers'] });
        return { status: 200, body: { links: judged, oneClick } };
      },
    }),
  ];
}

function mailJson(
  { messageId, receivedAt, mail }: CapturedMail,
  deliveries: ReadonlyMap<string, MailsDelivery>,
) {
  return { messageId, receivedAt: iso(receivedAt), delivery: deliveries.get(messageId) ?? null, ...mail };
}
