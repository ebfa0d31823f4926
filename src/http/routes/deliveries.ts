import { Type } from 'typebox';
import type { DeliveryRow } from '../../db/schema.ts';
import { parseAddress } from '../../domain/address.ts';
import { deliveryJson, storyJson } from '../../outbox/delivery-json.ts';
import type { DeliveryFilter, OutboxQueries } from '../../outbox/queries.ts';
import { recipientsAt } from '../../sources/recipients-at.ts';
import type { Source } from '../../sources/source.ts';
import type { Clock } from '../../std/clock.ts';
import { Refusal } from '../../std/refusal.ts';
import { defineRoute, type Route } from '../route.ts';
import { below, closed, delivery, limit, line, mail, next, nothing, status, story } from '../schemas.ts';

interface DeliveryParts {
  queries: OutboxQueries;
  sources: readonly Source[];
  clock: Clock;
}

const limitMax = 200;
const limitByDefault = 50;

const reference = line(1_000, "Its number, its UUID, its key, or the provider's message id.");
const notFound = { 404: 'There is no such delivery.' };

export function deliveryRoutes(parts: DeliveryParts): Route[] {
  return [listRoute(parts), showRoute(parts), mailRoute(parts)];
}

function listRoute({ queries, sources }: DeliveryParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/v1/deliveries',
    summary: 'List deliveries, newest first',
    who: ['read'],
    query: Type.Object(
      {
        status: Type.Optional(Type.Array(status, { description: 'May be given several times.' })),
        source: Type.Optional(line(40)),
        occasion: Type.Optional(line(300)),
        occasionPrefix: Type.Optional(line(300)),
        recipient: Type.Optional(line(320)),
        recipientPrefix: Type.Optional(line(320)),
        address: Type.Optional(line(320)),
        addressPrefix: Type.Optional(line(320)),
        errorCode: Type.Optional(line(100)),
        below,
        limit: Type.Optional(limit(limitMax, limitByDefault)),
      },
      closed,
    ),
    answers: {
      200: {
        when: 'One page; `next` is null on the last. A page may be short although more follows: so much work and no more.',
        schema: Type.Object(
          {
            deliveries: Type.Array(delivery),
            next,
          },
          closed,
        ),
      },
    },
    async handle({ query: { limit = limitByDefault, ...filter } }) {
      const parsed = filter.address === undefined ? undefined : parseAddress(filter.address);
      const alsoTo = parsed?.ok ? await recipientsAt(sources, parsed.address) : [];
      const { rows, next } = await queries.page({ ...filter, alsoTo, limit } as DeliveryFilter);
      const body = { deliveries: rows.map(deliveryJson), next: next === null ? null : { below: next } };
      return { status: 200, body };
    },
  });
}

function showRoute({ queries, clock }: DeliveryParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/v1/deliveries/:reference',
    summary: 'Show a delivery: how it stands, its story, its mails',
    who: ['read'],
    params: Type.Object({ reference }, closed),
    query: nothing,
    answers: { 200: { when: 'The delivery. The html of a mail is at its own address.', schema: story } },
    refusals: notFound,
    async handle({ params }) {
      const row = await requireDelivery(queries, params.reference);
      const { mails, ...known } = storyJson({ row, ...(await queries.story(row.seq)), now: clock.now() });
      return { status: 200, body: { ...known, mails: mails.map(({ html: _, ...rest }) => rest) } };
    },
  });
}

function mailRoute({ queries, clock }: DeliveryParts): Route {
  return defineRoute({
    method: 'GET',
    path: '/api/v1/deliveries/:reference/mail/:round',
    summary: 'Show the mail of one round as it was frozen',
    who: ['read'],
    params: Type.Object({ reference, round: Type.Integer({ minimum: 1, maximum: 1_000 }) }, closed),
    query: nothing,
    // As JSON: html that strangers had a hand in is never a page of ours.
    answers: { 200: { when: 'The mail, with its html.', schema: mail } },
    refusals: { 404: 'There is no such delivery, or no mail of that round.' },
    async handle({ params }) {
      const row = await requireDelivery(queries, params.reference);
      const { mails } = storyJson({ row, ...(await queries.story(row.seq)), now: clock.now() });
      const found = mails.find(({ round }) => round === params.round);
      if (found) return { status: 200, body: found };
      throw new Refusal(
        'mail_not_found',
        mails.length === 0
          ? `Delivery ${row.seq} has no mail: it is written at the first attempt, and deleted when retention says.`
          : `Delivery ${row.seq} has mails of the rounds ${mails.map(({ round }) => round).join(', ')}.`,
      );
    },
  });
}

async function requireDelivery(queries: OutboxQueries, reference: string): Promise<DeliveryRow> {
  const row = await queries.find(reference);
  if (row) return row;
  throw new Refusal(
    'delivery_not_found',
    "There is no such delivery. Give its number, its UUID, its key (source:occasion:recipient), or the provider's message id; GET /api/v1/deliveries lists them.",
  );
}
