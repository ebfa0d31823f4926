import { Type } from 'typebox';
import { suppressionJson } from '../../consent/suppression-export.ts';
import type { ListOrder } from '../../consent/suppression-list.ts';
import { type Address, parseAddress, requireAddress } from '../../domain/address.ts';
import { everySource, suppressionReasonNames } from '../../domain/suppression.ts';
import type { Log } from '../../std/log.ts';
import { nearest } from '../../std/nearest.ts';
import { Refusal } from '../../std/refusal.ts';
import { speaker } from '../gate.ts';
import { defineRoute, type Route } from '../route.ts';
import { below, by, closed, limit, line, nothing, suppression, withLifted } from '../schemas.ts';
import type { ApiParts } from '../server.ts';
import { refusalOf } from '../validate.ts';

/** Who must not be mailed, for programs. Addresses stand in bodies and answers; the log has numbers. */
interface SuppressionParts extends Pick<ApiParts, 'consent' | 'sources'> {
  log: Log;
}

const path = '/api/v1/suppressions';
const limitMax = 500;
const limitByDefault = 50;
const addressesMax = 500;

const address = line(320, 'The address, in any case of letters.');
const scope = line(40, '`*` for every source, which it is if left out, or the name of one.');
const reason = Type.Enum(suppressionReasonNames);
const because = line(500, 'Why; it is kept with the line.');
const theirOwn = Type.Enum(['true', 'false'], {
  description: 'The line that the recipient made by stopping all mails; without it, what others said.',
});
const count = Type.Integer({ minimum: 0 });

export function suppressionRoutes(parts: SuppressionParts): Route[] {
  return [listRoute(parts), addRoute(parts), removeRoute(parts)];
}

/** In the order of addresses a number alone does not say where to go on. */
const nextInList = Type.Union([
  Type.Object({ below: Type.Integer() }, closed),
  Type.Object({ after: Type.String(), above: Type.Integer() }, closed),
  Type.Null(),
]);

function listRoute({ consent: { suppressions } }: SuppressionParts): Route {
  return defineRoute({
    method: 'GET',
    path,
    summary:
      'List the addresses that must not be mailed, newest first; those that begin with some text in the order of addresses',
    who: ['read'],
    query: Type.Object(
      {
        address: Type.Optional(address),
        addressPrefix: Type.Optional(line(320, 'The beginning of the address, in any case of letters.')),
        after: Type.Optional(line(320, 'With `addressPrefix`: the `after` of `next` is the next page,')),
        above: Type.Optional(Type.Integer({ minimum: 0, description: 'together with its `above`.' })),
        scope: Type.Optional(line(40, '`*` for those of every source, or the name of one.')),
        reason: Type.Optional(reason),
        withLifted,
        below,
        limit: Type.Optional(limit(limitMax, limitByDefault)),
      },
      closed,
    ),
    answers: {
      200: {
        when: 'One page; `next` is null on the last, and has what to ask for the next one with. A page may be short although more follows.',
        schema: Type.Object({ suppressions: Type.Array(suppression), next: nextInList }, closed),
      },
    },
    async handle({ query }) {
      const {
        limit = limitByDefault,
        address,
        addressPrefix,
        after,
        above = 0,
        withLifted,
        ...filter
      } = query;
      if (addressPrefix !== undefined) {
        const { below: _, ...checks } = filter as Partial<ListOrder>;
        const { rows, next } = await suppressions.beginning({
          ...{ ...checks, withLifted: withLifted === 'true', beginning: addressPrefix, limit },
          ...(after !== undefined && { after: { address: after, seq: above } }),
        });
        const body = { suppressions: rows.map(suppressionJson) };
        return { status: 200, body: { ...body, next: next && { after: next.address, above: next.seq } } };
      }
      const found = await suppressions.list({
        ...(filter as Partial<ListOrder>),
        ...(address !== undefined && { address: requireAddress(address) }),
        withLifted: withLifted === 'true',
        // One more than asked for says whether there is a next page.
        limit: limit + 1,
      });
      const rows = found.slice(0, limit);
      const last = found.length > rows.length ? rows.at(-1)?.suppression_seq : undefined;
      const next = last === undefined ? null : { below: last };
      return { status: 200, body: { suppressions: rows.map(suppressionJson), next } };
    },
  });
}

function addRoute({ consent: { suppressions }, sources, log }: SuppressionParts): Route {
  const result = Type.Object(
    {
      added: count,
      stopped: Type.Integer({ minimum: 0, description: 'Deliveries that waited for them.' }),
      alreadyListed: Type.Array(Type.String(), { description: 'Their lines are as they were.' }),
    },
    closed,
  );
  return defineRoute({
    method: 'POST',
    path,
    summary: 'Mail these addresses no more; what waits for them is stopped',
    who: [],
    query: nothing,
    body: Type.Object(
      {
        addresses: Type.Array(address, { minItems: 1, maxItems: addressesMax }),
        scope: Type.Optional(scope),
        because,
        by: Type.Optional(by),
      },
      closed,
    ),
    bodyOctetsMax: 262_144,
    answers: {
      200: { when: 'All were on the list already.', schema: result },
      201: { when: 'At least one is new on it.', schema: result },
    },
    async handle({ body: { addresses, scope = everySource, because, by }, caller, traceId }) {
      requireScope(scope, sources);
      const entries = requireAddresses(addresses).map(
        (address) => ({ address, scope, reason: 'operator', note: because }) as const,
      );
      const result = await suppressions.add(entries, speaker(by, caller));
      const { added, stopped } = result;
      log.info('suppressions.added', { traceId, asked: entries.length, added, stopped, key: caller.key });
      return { status: added > 0 ? 201 : 200, body: result };
    },
  });
}

function removeRoute({ consent: { suppressions }, log }: SuppressionParts): Route {
  return defineRoute({
    method: 'DELETE',
    path: `${path}/:address`,
    summary: 'Take an address off the list; what was stopped stays so until it is requeued',
    who: [],
    params: Type.Object({ address }, closed),
    query: Type.Object(
      { scope: Type.Optional(scope), because, by: Type.Optional(by), theirOwn: Type.Optional(theirOwn) },
      closed,
    ),
    answers: {
      200: {
        when: 'It is off the list. `stillListed` are the scopes for which it is on it all the same.',
        schema: Type.Object(
          {
            address: Type.String(),
            scope: Type.String(),
            isRemoved: Type.Boolean(),
            stillListed: Type.Array(Type.String()),
          },
          closed,
        ),
      },
    },
    refusals: { 404: 'It is not on the list for that scope.' },
    async handle({ params, query: { scope = everySource, because, by, theirOwn }, caller, traceId }) {
      const address = requireAddress(params.address);
      // A line of a source that this version does not have must be possible to lift.
      const order = { by: speaker(by, caller), because, isTheirOwn: theirOwn === 'true' };
      if (!(await suppressions.lift(address, scope, order))) {
        throw new Refusal(
          'not_suppressed',
          `It is not on the list for that scope by anybody's word${order.isTheirOwn ? '' : " but perhaps the recipient's own"}. GET ${path}?address=… says for which it is.`,
        );
      }
      log.info('suppressions.removed', { traceId, scope, key: caller.key });
      const still = await suppressions.list({ address, limit: limitMax });
      const stillListed = still.map((row) => row.scope);
      return { status: 200, body: { address: address.toLowerCase(), scope, isRemoved: true, stillListed } };
    },
  });
}

function requireScope(scope: string, sources: SuppressionParts['sources']): void {
  const names = [everySource, ...sources.map(({ name }) => name)];
  if (names.includes(scope)) return;
  const meant = nearest(scope, names);
  throw new Refusal(
    'unknown_source',
    `There is no source of that name.${meant ? ` Did you mean ${meant}?` : ''} The scope is one of ${names.join(', ')}.`,
  );
}

function requireAddresses(texts: readonly string[]): Address[] {
  const parsed = texts.map((text) => parseAddress(text));
  const problems = parsed.flatMap((each, index) =>
    each.ok ? [] : [{ field: `addresses[${index}]`, problem: each.sentence }],
  );
  if (problems.length > 0) throw refusalOf(problems, 'invalid_address');
  return parsed.flatMap((each) => (each.ok ? [each.address] : []));
}
