import { type Static, Type } from 'typebox';
import type { DeliveryRow } from '../../db/schema.ts';
import type { Status } from '../../domain/status.ts';
import { tellNow } from '../../domain/tell-now.ts';
import type { OperatorVerb } from '../../outbox/operator.ts';
import { stateOf } from '../../outbox/rows.ts';
import type { Clock } from '../../std/clock.ts';
import type { Log } from '../../std/log.ts';
import type { Caller } from '../gate.ts';
import { defineRoute, type Route } from '../route.ts';
import { by, closed, limit, line, nothing, reason, status } from '../schemas.ts';
import type { ApiParts } from '../server.ts';

/** What an operator says about deliveries. The outbox decides, and every one gets its own answer. */
export interface OrderParts extends Pick<ApiParts, 'outbox' | 'queries'> {
  clock: Clock;
  log: Log;
}

const referencesMax = 200;
const foundMax = 500;
const foundByDefault = 100;

const references = Type.Array(line(1_000), { minItems: 1, maxItems: referencesMax });
const filter = Type.Object(
  { status: Type.Array(status, { minItems: 1 }), source: Type.Optional(line(40)) },
  { ...closed, description: 'The newest that match.' },
);
const found = {
  limit: Type.Optional(limit(foundMax, foundByDefault)),
  dryRun: Type.Optional(Type.Boolean({ description: 'Only say which they are.' })),
};
const common = { reason, by: Type.Optional(by) };
const as = Type.Enum(['sent', 'not_sent', 'closed'], {
  description: 'It was sent; it was not, and is tried again under the same key; or nobody will know.',
});

const answerOf = (flag: string) =>
  Type.Object(
    {
      isDryRun: Type.Boolean(),
      deliveries: Type.Array(
        Type.Object(
          {
            reference: Type.String(),
            seq: Type.Union([Type.Integer(), Type.Null()]),
            [flag]: Type.Boolean(),
            status: Type.Union([status, Type.Null()]),
            sentence: Type.String(),
          },
          closed,
        ),
      ),
    },
    closed,
  );

const verbs = { sent: 'resolved_sent', not_sent: 'resolved_not_sent', closed: 'resolved_closed' } as const;

export function orderRoutes(parts: OrderParts): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/v1/deliveries/requeue',
      summary: 'Put deliveries that were given up, skipped or put off back to be sent',
      who: [],
      query: nothing,
      body: Type.Union([
        Type.Object({ filter, ...found, ...common }, closed),
        Type.Object({ references, ...common }, closed),
      ]),
      answers: { 200: { when: 'An answer for each, in order.', schema: answerOf('isRequeued') } },
      handle: ({ body, caller, traceId }) =>
        perform(parts, body, { verb: 'requeued', flag: 'isRequeued', caller, traceId }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/deliveries/resolve',
      summary: 'Decide what nobody could find out: were the mails of deliveries in needs_review sent?',
      who: [],
      query: nothing,
      body: Type.Union([
        Type.Object({ filter, as, ...found, ...common }, closed),
        Type.Object({ references, as, ...common }, closed),
      ]),
      answers: { 200: { when: 'An answer for each, in order.', schema: answerOf('isResolved') } },
      handle: ({ body, caller, traceId }) =>
        perform(parts, body, { verb: verbs[body.as], flag: 'isResolved', caller, traceId }),
    }),
  ];
}

type Order = { reason: string; by?: string } & (
  | { references: string[] }
  | { filter: Static<typeof filter>; limit?: number; dryRun?: boolean }
);

interface Told {
  verb: OperatorVerb;
  flag: 'isRequeued' | 'isResolved';
  caller: Caller;
  traceId: string;
}

async function perform(parts: OrderParts, order: Order, { verb, flag, caller, traceId }: Told) {
  const { outbox, queries, log, clock } = parts;
  const rows = await rowsOf(parts, order);
  const isDryRun = 'filter' in order && order.dryRun === true;
  const seqs = [...new Set([...rows.values()].flatMap((row) => row?.seq ?? []))];
  const operator = `${order.by ?? 'of the API'}${caller.key === null ? '' : ` (${caller.key})`}`;
  const recorded = isDryRun ? [] : await outbox.perform(seqs, { verb, reason: order.reason, operator });
  const done = new Map(recorded.map((one) => [one.seq, one]));
  const deliveries = [];
  for (const [reference, row] of rows) {
    const { changed = false, status = row?.status ?? null } = (row && done.get(row.seq)) ?? {};
    // What stands in the way is told as it is now, not as it was before.
    const now = changed || !row ? row : await queries.find(String(row.seq));
    const sentence = now
      ? sentenceOf(now, clock.now(), { verb, isDone: changed, isDryRun })
      : 'There is no such delivery.';
    deliveries.push({ reference, seq: row?.seq ?? null, [flag]: changed, status, sentence });
  }
  const count = recorded.filter(({ changed }) => changed).length;
  if (!isDryRun) log.info(`operator.${verb}`, { traceId, asked: rows.size, count, key: caller.key });
  return { status: 200, body: { isDryRun, deliveries } };
}

async function rowsOf({ queries }: OrderParts, order: Order): Promise<Map<string, DeliveryRow | undefined>> {
  if ('filter' in order) {
    const { status, source } = order.filter;
    const rows = await queries.search({
      status: status as Status[],
      limit: order.limit ?? foundByDefault,
      ...(source !== undefined && { source }),
    });
    return new Map(rows.map((row) => [String(row.seq), row]));
  }
  const rows = new Map<string, DeliveryRow | undefined>();
  for (const reference of order.references) rows.set(reference, await queries.find(reference));
  return rows;
}

const consequences: Readonly<Record<OperatorVerb, string>> = {
  requeued: 'is put back: it is sent when a worker takes it.',
  resolved_sent: 'is resolved: it counts as sent, and nothing more is sent.',
  resolved_not_sent: 'is resolved: it is sent again when a worker takes it, under the same key.',
  resolved_closed: 'is closed as failed_permanent, with the doubt kept on it.',
};

function sentenceOf(
  row: DeliveryRow,
  now: number,
  { verb, isDone, isDryRun }: { verb: OperatorVerb; isDone: boolean; isDryRun: boolean },
): string {
  const name = `Delivery ${row.seq}`;
  if (isDone) return `${name} ${consequences[verb]}`;
  const standing = tellNow(stateOf(row), now).sentence;
  if (isDryRun) return `${name} would be asked for. ${standing}`;
  if (verb !== 'requeued')
    return `${name} is ${row.status}, not in needs_review: there is nothing to decide. ${standing}`;
  return `${name} is not put back. ${standing}${row.status === 'needs_review' ? ' Resolve it first.' : ''}`;
}
