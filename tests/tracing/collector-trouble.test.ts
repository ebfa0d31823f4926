import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openTracer } from '../../src/open-tracer.ts';
import { systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { createOtlpExporter } from '../../src/std/otlp-exporter.ts';
import { freshContext, type Span, type Tracer } from '../../src/std/trace.ts';
import { type CommandLine, createCommandLine } from '../cli/command-line.ts';
import { createRecordingLog, type RecordingLog } from '../support/recording-log.ts';
import { emptyDatabase } from '../support/world.ts';
import { type Collector, startCollector } from './otlp-collector.ts';
import { startTraced } from './traced-process.ts';

let collector: Collector;
let log: RecordingLog;
beforeEach(async () => {
  collector = await startCollector();
  log = createRecordingLog();
});
afterEach(() => collector.close());

/** Three seconds, as the exporter promises, and as long again for a busy machine. */
const stopWithinMs = 6_000;
const events = () => log.lines.map(({ event }) => event);
const span = (): Span => ({
  ...{ ...freshContext(systemIds), name: 'a span', kind: 'internal', parentId: undefined, error: undefined },
  ...{ startAt: systemClock.now(), endAt: systemClock.now(), attributes: {} },
});

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_000 && !isSo(); tries++) await systemClock.sleep(20);
  expect(isSo()).toBe(true);
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const from = systemClock.monotonic();
  await work();
  return systemClock.monotonic() - from;
}

describe('the exporter', () => {
  const create = (url = `${collector.url}/v1/traces`) =>
    createOtlpExporter({ url, headers: {}, resource: {}, clock: systemClock, log });

  it('says once that there is no collector, however long', async () => {
    await collector.close();
    const exporter = create();
    exporter.add(span());
    await until(() => events().length > 0);
    exporter.add(span());
    expect(await msOf(exporter.stop)).toBeLessThan(stopWithinMs);
    expect(events()).toEqual(['tracing.export_failed']);
    collector = await startCollector();
  });

  it('says that it takes spans again; what it refused is lost', async () => {
    collector.answer = (response) => void response.writeHead(500).end('<html>');
    const exporter = create();
    exporter.add(span());
    await until(() => events().length > 0);
    collector.answer = (response) => void response.end();
    const later = span();
    exporter.add(later);
    await until(() => events().length > 1);
    await exporter.stop();
    expect(events()).toEqual(['tracing.export_failed', 'tracing.export_resumed']);
    expect(collector.spans.filter(({ traceId }) => traceId === later.traceId)).toHaveLength(1);
  });

  it('takes nonsense for an answer: the spans have arrived', async () => {
    collector.answer = (response) => void response.end('\xff\xff\xff nonsense');
    const exporter = create();
    exporter.add(span());
    await exporter.stop();
    expect([collector.spans.length, events()]).toEqual([1, []]);
  });

  it('keeps a bounded number: what comes faster than it leaves is lost', async () => {
    const exporter = create();
    const many = Array.from({ length: 12_000 }, span);
    for (const one of many) exporter.add(one);
    await until(() => collector.spans.length >= 8_192);
    await exporter.stop();
    expect([collector.spans.length, events()]).toEqual([8_192, []]);
  });

  it('tries once more where the collector has too much to do', async () => {
    const answers = [503, 200];
    collector.answer = (response) => void response.writeHead(answers.shift() ?? 200).end();
    const exporter = create();
    exporter.add(span());
    await until(() => collector.requests.length === 2);
    await exporter.stop();
    expect([collector.requests.length, answers, events()]).toEqual([2, [], []]);
  });

  it('does not wait at the end for a collector that does not answer', async () => {
    collector.answer = () => {};
    const exporter = create();
    for (let count = 0; count < 1_000; count++) exporter.add(span());
    await until(() => collector.requests.length > 0);
    expect(await msOf(exporter.stop)).toBeLessThan(stopWithinMs);
  });

  it('blanks what looks like an address or a key, and shortens what is long', async () => {
    const exporter = create();
    const attributes = {
      id: 'for ana@example.org',
      key: 're_0123456789abcdef',
      long: 'x'.repeat(999),
      count: 7,
    };
    exporter.add({ ...span(), attributes, error: 'Bearer abc.def' });
    await exporter.stop();
    expect(collector.spans[0]?.attributes).toEqual({
      ...{ id: 'for [address]', key: '(secret)', long: 'x'.repeat(200), count: 7 },
      'error.type': '(secret)',
    });
  });

  it('hangs up on an answer without an end', async () => {
    let isGone = false;
    collector.answer = (response) => {
      const dribble = setInterval(() => response.write('x'), 50);
      response.on('close', () => {
        clearInterval(dribble);
        isGone = true;
      });
    };
    const exporter = create();
    exporter.add(span());
    await until(() => collector.requests.length > 0);
    await until(() => isGone);
    expect(await msOf(exporter.stop)).toBeLessThan(stopWithinMs);
  });
});

describe('the tracer', () => {
  const open = () =>
    openTracer(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, 'no such file'), {
      ...{ clock: systemClock, log, instance: 'here' },
    }) as Tracer;
  const broken = (): Span => ({
    ...span(),
    get name(): string {
      throw new Error('broken');
    },
  });

  it.each(['with the first', 'afterwards'])(
    'that breaks says so once, and to nobody who tells: %s',
    async (when) => {
      const tracer = open();
      if (when === 'afterwards') {
        tracer.tell(span());
        await until(() => collector.spans.length === 1);
      }
      tracer.tell(broken());
      await until(() => events().length > 0);
      tracer.tell(broken());
      tracer.tell(span());
      await tracer.stop();
      expect(events()).toEqual(['tracing.failed']);
      expect(collector.spans).toHaveLength(when === 'afterwards' ? 1 : 0);
    },
  );
});

describe('with a collector that never answers', () => {
  let shell: CommandLine;
  beforeEach(() => {
    shell = createCommandLine();
    collector.answer = () => {};
  });
  afterEach(() => shell.close());

  it('all mails leave, and only the log knows', async () => {
    const database = await emptyDatabase('sqlite');
    const environment = { MAIL_PROVIDER: 'capture', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const running = await startTraced({ ...environment, DATABASE_URL: database.url });
    const intents = Array.from({ length: 50 }, (_, number) => ({
      occasion: `occasion-${number}`,
      to: `person-${number}@example.org`,
      variables: { subject: 'Subject', text: 'Text' },
    }));
    const { json } = await running.ask('/api/v1/intents', { intents });
    for (const { seq } of json.deliveries) await running.untilStatus(seq, 'delivered');
    await until(() => running.log.lines.some(({ event }) => event === 'tracing.export_failed'));
    await running.stop();
    await database.drop();
    const lines = running.log.lines.map(({ event }) => event);
    expect(lines.filter((event) => event.startsWith('tracing.'))).toEqual(['tracing.export_failed']);
    expect(running.log.errors()).toEqual([]);
  });

  it('a server that is told to stop is gone in time', async () => {
    const env = { PORT: '0', SOC_BASE_URL: 'off', OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` };
    const server = shell.start(['serve'], { env });
    const [, url] = await server.until(/web +(\S+)\n/);
    await fetch(`${url}/api/v1/deliveries`);
    await until(() => collector.requests.length > 0);
    expect(collector.requests[0]?.path).toBe('/v1/traces');
    server.signal('SIGTERM');
    const took = await msOf(() => server.ended);
    expect((await server.ended).code).toBe(0);
    expect(took).toBeLessThan(2 * stopWithinMs);
  });
});
