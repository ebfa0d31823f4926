import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import { createOtlpWriter } from './otlp-body.ts';
import type { Span } from './trace.ts';
import { thrownText } from './without-addresses.ts';

/**
 * Spans to a collector, by OTLP over HTTP, in batches. A collector that is down, slow or mad holds nobody up: as many as `waitingMax` wait
 * for it, and what it does not take is lost.
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

/** Of some hundred octets each. While so many wait, the later ones are lost. */
const waitingMax = 8_192;
const batchMax = 512;
/** Long enough for a batch to gather, short enough for whoever looks at what happens now. */
const gatherMs = 1_000;
/** With its second try. Less than `stopMs`, so that what leaves at the end has come to its end. */
const exportMs = 2_500;
const againMs = 1_000;
const stopMs = 3_000;
/** The collector has too much to do, or somebody before it has; everything else would be answered in the same way again. */
const passing = [429, 502, 503, 504];

export function createOtlpExporter({ url, headers, resource, clock, log }: OtlpParts): OtlpExporter {
  const writer = createOtlpWriter();
  const waiting: Buffer[] = [];
  const stopping = new AbortController();
  let gathered = new AbortController();
  let isAtWork = false;
  let isDown = false;

  /** Never throws. */
  async function send(spans: readonly Buffer[]): Promise<void> {
    const problem = await withinMs(exportMs, (signal) => tryTwice(writer.body(spans, resource), signal));
    // Once for each outage: otherwise an hour without a collector would be an hour of lines.
    if (problem !== undefined && !isDown) log.warn('tracing.export_failed', { spans: spans.length, problem });
    if (problem === undefined && isDown) log.info('tracing.export_resumed');
    isDown = problem !== undefined;
  }

  async function tryTwice(body: Buffer, signal: AbortSignal): Promise<string | undefined> {
    const first = await post(body, signal);
    if (first === undefined || !first.mayPass) return first?.problem;
    await clock.sleep(againMs, signal);
    return signal.aborted ? first.problem : (await post(body, signal))?.problem;
  }

  async function post(body: Buffer, signal: AbortSignal) {
    try {
      const answer = await fetch(url, {
        ...{ method: 'POST', redirect: 'manual', signal, body: new Uint8Array(body) },
        headers: { ...headers, 'content-type': 'application/x-protobuf' },
      });
      // What it says does not matter; read to its end, so that the connection can be used again.
      await answer.arrayBuffer();
      if (answer.ok) return undefined;
      return { problem: `HTTP ${answer.status}`, mayPass: passing.includes(answer.status) };
    } catch (error) {
      const { cause = error } = error as { cause?: unknown };
      return { problem: signal.aborted ? 'no answer in time' : thrownText(cause), mayPass: !signal.aborted };
    }
  }

  /** Hangs up on whoever takes longer, also on an answer that comes in drops. */
  async function withinMs<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const [enough, done] = [new AbortController(), new AbortController()];
    void clock.sleep(ms, done.signal).then(() => enough.abort());
    try {
      return await work(enough.signal);
    } finally {
      done.abort();
    }
  }

  /** One batch at a time, as long as there are any; a whole one at once, a smaller one when it has gathered. */
  async function work(): Promise<void> {
    isAtWork = true;
    while (waiting.length > 0 && !stopping.signal.aborted) {
      gathered = new AbortController();
      if (waiting.length < batchMax) await clock.sleep(gatherMs, gathered.signal);
      if (!stopping.signal.aborted) await send(waiting.splice(0, batchMax));
    }
    isAtWork = false;
  }
  let working: Promise<void> = Promise.resolve();

  return {
    add(span) {
      const encoded = writer.span(span);
      if (waiting.length >= waitingMax || stopping.signal.aborted) return;
      waiting.push(encoded);
      if (waiting.length >= batchMax) gathered.abort();
      if (!isAtWork) working = work();
    },
    async stop() {
      stopping.abort();
      gathered.abort();
      const rest: Promise<void>[] = [];
      while (waiting.length > 0) rest.push(send(waiting.splice(0, batchMax)));
      await withinMs(stopMs, (signal) =>
        Promise.race([
          Promise.all([working, ...rest]),
          new Promise((resolve) => signal.addEventListener('abort', resolve)),
        ]),
      );
    },
  };
}
