import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeResend, startFakeResend } from '../support/fake-resend/fake-resend.ts';
import { webhookSecret } from '../support/webhooks.ts';
import { emptyDatabase, onBothDatabases } from '../support/world.ts';
import { type CollectedSpan, type Collector, startCollector } from './otlp-collector.ts';
import { keys, startTraced, type TracedProcess } from './traced-process.ts';

const callerTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const callerSpan = '00f067aa0ba902b7';
const intent = (number: number) => ({
  occasion: `occasion-${number}`,
  to: `ana.${number}@example.org`,
  variables: { subject: `Subject ${number}`, text: `Text ${number}` },
});
const path = ['intent', 'claim', 'compose', 'provider.send', 'record', 'webhook'];

/** One process answers, another sends, and Resend calls back: over sockets, and to the collector by a third. */
onBothDatabases('the path of a delivery', (dialect) => {
  let drop: () => Promise<void>;
  let collector: Collector;
  let resend: FakeResend;
  let api: TracedProcess;
  let worker: TracedProcess;
  beforeEach(async () => {
    const database = await emptyDatabase(dialect);
    drop = database.drop;
    collector = await startCollector();
    resend = await startFakeResend({ keys: [{ apiKey: keys.resend, account: 'main' }] });
    const environment = {
      ...{ DATABASE_URL: database.url, MAIL_PROVIDER: 'resend', RESEND_BASE_URL: resend.url },
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${keys.collector}`,
    };
    api = await startTraced({ ...environment, PROCESS_ROLE: 'api', OTEL_SERVICE_NAME: 'the api' });
    worker = await startTraced({ ...environment, PROCESS_ROLE: 'worker', OTEL_SERVICE_NAME: 'the worker' });
    resend.webhooks.target = { url: `${api.url}/api/v1/webhooks/resend`, secret: webhookSecret };
  });
  afterEach(async () => {
    await worker.stop();
    await api.stop();
    await resend.close();
    await collector.close();
    await drop();
  });

  /** Asks for mails, and waits until Resend has told that they arrived. */
  async function delivered(body: unknown, headers: Record<string, string> = {}) {
    const { deliveries } = (await api.ask('/api/v1/intents', body, headers)).json;
    for (const { id, seq } of deliveries) {
      await api.untilStatus(seq, 'sent');
      const mail = resend.ledger.accepted.find(({ key }) => key === id);
      await resend.emitWebhook('email.delivered', mail?.id ?? '');
      await api.untilStatus(seq, 'delivered');
    }
    return deliveries as { id: string; seq: number }[];
  }

  const byName = (spans: readonly CollectedSpan[], id: string) => {
    const own = spans.filter(({ attributes }) => attributes['tidings.delivery.id'] === id);
    expect(own.map(({ name }) => name).sort()).toEqual([...path].sort());
    return Object.fromEntries(own.map((span) => [span.name, span])) as Record<string, CollectedSpan>;
  };
  const ofRequests = () => collector.spans.filter(({ kind }) => kind === 2);

  it('is one trace under its own id, from the intent to the webhook', async () => {
    const [one] = await delivered(intent(1), { 'x-request-id': 'request-0001' });
    const id = one?.id ?? '';
    const traceId = id.replaceAll('-', '');
    const spans = byName(await collector.until(traceId, path), id);
    const parents = Object.fromEntries(path.map((name) => [name, spans[name]?.parentId]));
    const { intent: first, claim } = spans;
    const [top, under] = [first?.spanId, claim?.spanId];
    expect(parents).toEqual({
      ...{ intent: '', claim: top, webhook: top },
      ...{ compose: under, 'provider.send': under, record: under },
    });
    expect(path.map((name) => spans[name]?.resource['service.name'])).toEqual([
      ...['the api', 'the worker', 'the worker', 'the worker', 'the worker', 'the api'],
    ]);
    expect(first?.attributes).toMatchObject({
      ...{ 'tidings.source': 'plain', 'tidings.lane': 'normal', 'tidings.trace_id': 'request-0001' },
    });
    expect(claim?.attributes).toMatchObject({ 'tidings.lease': 1, 'tidings.batch': 1 });
    expect(spans['provider.send']).toMatchObject({ kind: 3, hasFailed: false });
    expect(spans['provider.send']?.attributes).toMatchObject({
      ...{ 'tidings.provider': 'resend', 'tidings.round': 1, 'tidings.outcome': 'accepted' },
      'tidings.message_id': resend.ledger.accepted[0]?.id,
    });
    expect(spans.record?.attributes).toMatchObject({
      ...{ 'tidings.event': 'accepted', 'tidings.changed': true, 'tidings.status': 'sent' },
    });
    expect(spans.webhook?.attributes).toMatchObject({
      ...{ 'tidings.type': 'email.delivered', 'tidings.outcome': 'applied' },
    });
    // In the order in which it happened, by the one clock of the worker.
    const starts = ['claim', 'compose', 'provider.send', 'record'].map((name) => spans[name]?.startAt ?? 0n);
    expect([...starts].sort((a, b) => Number(a - b))).toEqual(starts);
    expect(Object.values(spans).every(({ startAt, endAt }) => endAt >= startAt)).toBe(true);
    const asked = ofRequests().find(({ name }) => name === 'POST /api/v1/intents');
    expect(asked).toMatchObject({ parentId: '', hasFailed: false });
    expect(asked?.attributes).toEqual({
      ...{ 'http.request.method': 'POST', 'http.route': '/api/v1/intents' },
      ...{ 'http.response.status_code': 201, 'tidings.trace_id': 'request-0001' },
    });
  });

  it('carries on the trace of a caller who follows it, under the request that asked', async () => {
    const traceparent = `00-${callerTrace}-${callerSpan}-01`;
    const made = await delivered({ intents: [intent(1), intent(2)] }, { traceparent });
    const spans = await collector.until(callerTrace, ['POST /api/v1/intents', ...path, ...path]);
    const request = spans.find(({ name }) => name === 'POST /api/v1/intents');
    expect(request?.parentId).toBe(callerSpan);
    for (const { id } of made) {
      const own = byName(spans, id);
      expect(own.intent?.parentId).toBe(request?.spanId);
      expect([own.claim?.parentId, own.webhook?.parentId]).toEqual([own.intent?.spanId, own.intent?.spanId]);
      expect(own['provider.send']?.parentId).toBe(own.claim?.spanId);
    }
    const { delivery } = (await api.ask(`/api/v1/deliveries/${made[0]?.seq}`)).json;
    expect(delivery.traceId).toBe(`00-${callerTrace}-${request?.spanId}-01`);
    // Of a caller who does not follow there is nothing to carry on.
    const silent = { traceparent: `00-${callerTrace}-${callerSpan}-00` };
    const [alone] = await delivered(intent(3), silent);
    await collector.until((alone?.id ?? '').replaceAll('-', ''), path);
    // And a stranger has no say in where our spans go.
    const stranger = { traceparent: `00-${'5'.repeat(32)}-${callerSpan}-01` };
    await fetch(`${api.url}/api/v1/webhooks/resend`, { method: 'POST', headers: stranger });
    await fetch(`${api.url}/api/v1/deliveries`, { headers: stranger });
    await worker.stop();
    await api.stop();
    expect(collector.spans.some(({ traceId }) => traceId === '5'.repeat(32))).toBe(false);
    expect(ofRequests().map(({ name }) => name)).toContain('POST /api/v1/webhooks/resend');
  });

  it('holds no address, no word of a mail, no key and no token', async () => {
    await delivered(intent(1));
    // What a stranger says may quote the mail.
    const message = 'ana.2@example.org wants no Subject 2';
    resend.lieOnce({ kind: 'answer', isAccepted: false, status: 422, name: message, message });
    const { deliveries } = (await api.ask('/api/v1/intents', intent(2))).json;
    await api.untilStatus(deliveries[0].seq, 'failed_permanent');
    const token = /unsubscribe\/([\w-]{20,})/.exec(JSON.stringify(resend.ledger.accepted[0]))?.[1] ?? '';
    expect((await fetch(`${api.url}/api/v1/notifications/unsubscribe/${token}`)).status).toBe(200);
    await worker.stop();
    await api.stop();
    expect(collector.spans.map(({ name }) => name)).toEqual(expect.arrayContaining(path));
    expect(ofRequests().map(({ name }) => name)).toContain('GET /api/v1/notifications/unsubscribe/:token');
    const failed = collector.spans.filter(({ hasFailed }) => hasFailed);
    expect(failed.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
      ['provider.send', 'http_422'],
    ]);
    expect(collector.requests[0]?.headers.authorization).toBe(`Bearer ${keys.collector}`);
    const all = Buffer.concat(collector.requests.map(({ body }) => body)).toString('latin1');
    const secrets = [
      ...['ana.1', 'ana.2', 'example.org', 'Subject ', 'Text ', 'occasion-', token],
      ...[...Object.values(keys), webhookSecret],
    ];
    expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
  });
});
