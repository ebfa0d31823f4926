import type { LookUp, Outcome } from '../domain/outcome.ts';
import type { Status } from '../domain/status.ts';
import type { Clock } from '../std/clock.ts';
import type { Ids } from '../std/ids.ts';
import {
  type Attribute,
  readTraceparent,
  type Span,
  type SpanContext,
  spanIdOf,
  type Tracer,
  traceIdOf,
} from '../std/trace.ts';

/**
 * The path of a delivery as the spans of one trace, whichever processes work on it and for however many days. Nothing of it is kept:
 * the trace's id is the delivery's own id, or that of the caller's trace if the row's `traceId` is a traceparent; the ids of the spans that
 * others hang from follow from the delivery's id and the number of the lease. So a webhook of next week finds its place without a question.
 */
export interface Trail {
  /** When something begins that will be told of, by both clocks. */
  start(): Start;
  intended(of: Followed, intent: { source: string; lane: string }, since: Start): void;
  claimed(of: Held, batch: number, since: Start): void;
  composed(of: Held, made: { kind: string; error?: { code: string } }, since: Since): void;
  sent(of: Held & { round: number }, provider: string, outcome: Outcome, since: Since): void;
  lookedUp(of: Held, provider: string, answer: LookUp['kind'], since: Since): void;
  recorded(of: Followed, what: RecordedStep, since: Start): void;
  /** A doubt was looked into, under a lease of its own. */
  reconciled(of: Held, event: string, status: Status | null, since: Since): void;
  /** A webhook was applied, or found nothing to change. */
  heard(of: Followed, event: { type: string; outcome: string }, since: Since): void;
}

interface Start {
  at: number;
  monotonic: number;
}
/** Undefined only where there is no trail that could be asked for it. */
type Since = Start | undefined;

interface Followed {
  id: string;
  traceId: string | null | undefined;
  lease?: number | undefined;
}
type Held = Followed & { lease: number };

interface RecordedStep {
  event: string;
  isChanged: boolean;
  status: Status | null;
  /** Of what it reports: it may be recorded well nevertheless. */
  code: string | undefined;
}

export function createTrail(tracer: Tracer, clock: Clock, ids: Ids): Trail {
  const start = (): Start => ({ at: clock.now(), monotonic: clock.monotonic() });

  function tell(
    name: string,
    of: Followed,
    { since = start(), place = besides, kind = 'internal', error, ...attributes }: Step,
  ): void {
    const caller = readTraceparent(of.traceId);
    const traceId = caller?.traceId ?? traceIdOf(of.id);
    // Whoever called us has decided already, for the whole of its trace.
    if (!caller && !tracer.follows(traceId)) return;
    tracer.tell({
      ...{ name, kind, traceId, ...place(of, caller, ids) },
      startAt: since.at,
      endAt: since.at + Math.max(0, clock.monotonic() - since.monotonic),
      attributes: named(of.id, attributes),
      error,
    });
  }

  return {
    start,
    intended: (of, { source, lane }, since) =>
      // Also where it is not the trace: under it the log tells of the request, and a run of all its deliveries.
      tell('intent', of, { place: first, since, source, lane, trace_id: of.traceId }),
    claimed: (of, batch, since) => tell('claim', of, { place: held, since, batch, lease: of.lease }),
    composed: (of, { kind, error }, since) =>
      tell('compose', of, { since, outcome: kind, error: error?.code }),
    sent: (of, provider, outcome, since) =>
      tell('provider.send', of, {
        ...{ kind: 'client', since, provider, round: of.round, outcome: outcome.kind },
        ...(outcome.kind === 'accepted' ? { message_id: outcome.messageId } : { error: outcome.error.code }),
      }),
    lookedUp: (of, provider, answer, since) =>
      tell('provider.look_up', of, { kind: 'client', since, provider, outcome: answer }),
    recorded: (of, { event, isChanged, status, code }, since) =>
      tell('record', of, { since, event, changed: isChanged, status, code }),
    reconciled: (of, event, status, since) =>
      tell('reconcile', of, { place: held, since, event, status, lease: of.lease }),
    heard: ({ id, traceId }, { type, outcome }, since) =>
      tell('webhook', { id, traceId }, { since, type, outcome }),
  };
}

interface Step {
  since: Since;
  place?: Place;
  kind?: Span['kind'];
  error?: string | undefined;
  [attribute: string]: unknown;
}

type Place = (
  of: Followed,
  caller: SpanContext | undefined,
  ids: Ids,
) => { spanId: string; parentId: string | undefined };

/** The intent: what a caller asked for, or the beginning. */
const first: Place = ({ id }, caller) => ({ spanId: spanIdOf(id), parentId: caller?.spanId });

/** A claim, or the taking up of a doubt: what is done under its lease hangs from it. */
const held: Place = ({ id, lease = 0 }) => ({ spanId: leaseSpan(id, lease), parentId: spanIdOf(id) });

const besides: Place = ({ id, lease }, _, ids) => ({
  spanId: spanIdOf(ids.uuid()),
  parentId: lease === undefined ? spanIdOf(id) : leaseSpan(id, lease),
});

function leaseSpan(id: string, lease: number): string {
  const intent = spanIdOf(id);
  const low = (Number.parseInt(intent.slice(8), 16) + lease) % 2 ** 32;
  return intent.slice(0, 8) + low.toString(16).padStart(8, '0');
}

function named(id: string, attributes: Readonly<Record<string, unknown>>): Record<string, Attribute> {
  const told: Record<string, Attribute> = { 'tidings.delivery.id': id };
  for (const name in attributes) {
    const value = attributes[name];
    if (value !== null && value !== undefined) told[`tidings.${name}`] = value as Attribute;
  }
  return told;
}
