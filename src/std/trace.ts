import type { Ids } from './ids.ts';

/**
 * Spans, for whoever follows one thing through several processes and days. A span is told of when it is over, as a whole, by ids that
 * its teller has chosen. Where nobody follows there is no tracer at all: `tracer?.tell(…)` does not even make its argument.
 */
export interface Tracer {
  /** Whether a trace of our own is told of: the same answer in every process and at any time. */
  follows(traceId: string): boolean;
  /** Waits for nothing and never throws. */
  tell(span: Span): void;
  /** Hands over what has gathered, within a bound; what is told afterwards is lost. */
  stop(): Promise<void>;
}

export interface Span extends SpanContext {
  name: string;
  kind: 'server' | 'client' | 'internal';
  parentId: string | undefined;
  /** Milliseconds since the epoch, with fractions. */
  startAt: number;
  endAt: number;
  /** Of ids, numbers and words of ours; never an address, a text or a key. */
  attributes: Readonly<Record<string, Attribute>>;
  /** The code of what went wrong. */
  error: string | undefined;
}

export type Attribute = string | number | boolean;

/** Where in which trace: 32 and 16 hexadecimal digits. */
export interface SpanContext {
  traceId: string;
  spanId: string;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** W3C Trace Context: who calls, in which trace; undefined where the caller does not follow it, or where it is none. */
export function readTraceparent(text: unknown): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] =
    typeof text === 'string' && text.length <= 512 ? (form.exec(text) ?? []) : [];
  // Later versions may say more behind what this one knows, and ff is none.
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  const isZero = /^0+$/.test(traceId) || /^0+$/.test(spanId);
  const isFollowed = (Number.parseInt(flags, 16) & 1) === 1;
  return isFollowed && !isZero ? { traceId, spanId } : undefined;
}

export const traceparentOf = ({ traceId, spanId }: SpanContext) => `00-${traceId}-${spanId}-01`;

/** A UUID has as many bits as a trace's id. */
export const traceIdOf = (uuid: string) => uuid.replaceAll('-', '');

/** The last half of a UUID: its first bits are fixed, so that it is never zero. */
export const spanIdOf = (uuid: string) => traceIdOf(uuid).slice(16);

export function freshContext(ids: Ids): SpanContext {
  return { traceId: traceIdOf(ids.uuid()), spanId: spanIdOf(ids.uuid()) };
}

/** By the trace's last 32 bits, which are as good as random in a UUID, too. */
export const isSampled = (traceId: string, ratio: number) =>
  Number.parseInt(traceId.slice(-8), 16) < ratio * 2 ** 32;
