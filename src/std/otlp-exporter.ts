import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import type { Clock } from './clock.ts';
import { type Log, withoutSecrets } from './log.ts';
import type { Attribute, Span } from './trace.ts';
import { thrownText } from './without-addresses.ts';

/**
 * Spans to a collector, by OTLP over HTTP. The only file that knows OpenTelemetry, and loaded only where a collector is named, because it
 * takes a quarter of a second and 16 MB. A collector that is down, slow or mad holds nobody up: what it does not take is lost.
 */
export interface OtlpExporter {
  add(span: Span): void;
  stop(): Promise<void>;
}

export interface OtlpParts {
  /** Of the collector, `/v1/traces` included. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Who we are, on every span. */
  resource: Readonly<Record<string, string>>;
  clock: Clock;
  log: Log;
}

/** Of about a kilobyte each. While more wait than these, the later ones are lost. */
const waitingMax = 8_192;
const batchMax = 512;
/** Long enough for a batch to gather, short enough for whoever looks at what happens now. */
const gatherMs = 1_000;
/** With all its tries. Less than `stopMs`, so that what leaves at the end has come to its end. */
const exportMs = 2_500;
const graceMs = 200;
const stopMs = 3_000;
const lengthMax = 200;

export function createOtlpExporter({ url, headers, resource, clock, log }: OtlpParts): OtlpExporter {
  // Our own, so that it can hang up on an answer without an end.
  const agent = new (url.startsWith('https:') ? HttpsAgent : HttpAgent)({ keepAlive: true });
  const exporter = new OTLPTraceExporter({
    ...{ url, headers: { ...headers }, timeoutMillis: exportMs, httpAgentOptions: () => agent },
    // At the end all that waits leaves at once.
    concurrencyLimit: waitingMax / batchMax + 1,
  });
  const processor = new BatchSpanProcessor({
    exporter: toldOncePerOutage(
      withoutEndless(exporter, () => agent.destroy(), clock),
      log,
    ),
    ...{ maxQueueSize: waitingMax, maxExportBatchSize: batchMax },
    ...{ scheduledDelayMillis: gatherMs, exportTimeoutMillis: exportMs + graceMs },
  });
  const ours = resourceFromAttributes(resource);
  return {
    add: (span) => processor.onEnd(readable(span, ours)),
    async stop() {
      const enough = new AbortController();
      await Promise.race([
        processor.shutdown().catch(() => {}), // Told already.
        clock.sleep(stopMs, enough.signal),
      ]);
      enough.abort();
      agent.destroy();
    },
  };
}

/** Its own bound is on silence: who says a word now and then would hold a connection, and a batch, for ever. */
function withoutEndless(exporter: SpanExporter, hangUp: () => void, clock: Clock): SpanExporter {
  return {
    export(spans, done) {
      const ended = new AbortController();
      void clock.sleep(exportMs + graceMs, ended.signal).then(() => {
        if (!ended.signal.aborted) hangUp();
      });
      exporter.export(spans, (result) => {
        ended.abort();
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

/** Otherwise an hour without a collector would be an hour of lines. */
function toldOncePerOutage(exporter: SpanExporter, log: Log): SpanExporter {
  let isDown = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const hasFailed = result.error !== undefined;
        if (hasFailed && !isDown) {
          log.warn('tracing.export_failed', { spans: spans.length, problem: thrownText(result.error) });
        }
        if (!hasFailed && isDown) log.info('tracing.export_resumed');
        isDown = hasFailed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

const unset = { code: SpanStatusCode.UNSET };
const failed = { code: SpanStatusCode.ERROR };
const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

const scope = { name: 'tidings' };

/** Written out, because five for every mail are made: spreads would cost as much as all else here together. */
function readable(span: Span, resource: Resource): ReadableSpan {
  const { name, kind, traceId, spanId, parentId, startAt, endAt, error } = span;
  const context = { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
  const readable = {
    name,
    kind: kinds[kind],
    spanContext: () => context,
    startTime: timeOf(startAt),
    endTime: timeOf(endAt),
    duration: timeOf(endAt - startAt),
    status: error === undefined ? unset : failed,
    attributes: harmless(span),
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
  if (parentId === undefined) return readable;
  const parentSpanContext = { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED };
  return Object.assign(readable, { parentSpanContext });
}

/** Seconds, and nanoseconds. */
function timeOf(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.floor((ms - seconds * 1000) * 1e6)];
}

/** The last line of defence, as the log has it: an id or a code may be a stranger's text. */
function harmless({ attributes, error }: Span): Record<string, Attribute> {
  const safe: Record<string, Attribute> = {};
  for (const name in attributes) safe[name] = harmlessValue(attributes[name] ?? '');
  if (error !== undefined) safe['error.type'] = harmlessValue(error);
  return safe;
}

function harmlessValue(value: Attribute): Attribute {
  if (typeof value !== 'string') return value;
  return withoutSecrets(value.slice(0, 4 * lengthMax)).slice(0, lengthMax);
}
