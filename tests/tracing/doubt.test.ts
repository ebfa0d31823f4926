import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createEngine, type Engine } from '../../src/engine.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { type FakeResend, startFakeResend } from '../support/fake-resend/fake-resend.ts';
import { emptyDatabase, intentNumber, onBothDatabases } from '../support/world.ts';
import { type Collector, startCollector } from './otlp-collector.ts';
import { keys } from './traced-process.ts';

onBothDatabases('a doubt', (dialect) => {
  let engine: Engine;
  let drop: () => Promise<void>;
  let collector: Collector;
  let resend: FakeResend;
  beforeEach(async () => {
    const database = await emptyDatabase(dialect);
    drop = database.drop;
    collector = await startCollector();
    resend = await startFakeResend({ keys: [{ apiKey: keys.resend, account: 'main' }] });
    const settings = {
      ...{ DATABASE_URL: database.url, SOC_BASE_URL: 'off', TOKEN_SECRET: keys.token },
      ...{ MAIL_PROVIDER: 'resend', RESEND_API_KEY: keys.resend, RESEND_BASE_URL: resend.url },
      ...{ EMAIL_FROM_ADDRESS: 'noreply@example.org', PLATFORM_BASE_URL: 'http://127.0.0.1:1' },
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    };
    const config = readConfig(settings, 'no such file');
    engine = await createEngine(config, { log: silentLog, migrations: 'all' });
  });
  afterEach(async () => {
    await engine.close();
    await resend.close();
    await collector.close();
    await drop();
  });

  const untilStatus = async (seq: number, status: string) => {
    for (let tries = 0; tries < 1_000; tries++) {
      if ((await engine.queries.find(String(seq)))?.status === status) return;
      await systemClock.sleep(20);
    }
    throw new Error(`delivery ${seq} has not become ${status}`);
  };

  it('and how it was settled are in the trace of the delivery', async () => {
    resend.rules.push({ lie: { kind: 'reset', at: 'before_answer', isAccepted: true }, match: isMail });
    const [made] = await engine.outbox.enqueue([intentNumber(1)]);
    const { seq = 0, id = '' } = made ?? {};
    engine.runner.start();
    await untilStatus(seq, 'reconciling');
    await engine.runner.stop();
    resend.rules.length = 0;
    const { settled } = await engine.reconcile.walk(
      { above: 0, isEarly: true },
      new AbortController().signal,
    );
    expect(settled).toMatchObject([{ seq, event: 'accepted', status: 'sent' }]);
    const spans = await collector.until(id.replaceAll('-', ''), [
      ...['intent', 'claim', 'compose', 'provider.send', 'record'],
      ...['reconcile', 'provider.send', 'record'],
    ]);
    const named = (name: string) => spans.filter((span) => span.name === name);
    const [intent, claim, reconcile] = ['intent', 'claim', 'reconcile'].map((name) => named(name)[0]);
    expect(reconcile).toMatchObject({ parentId: intent?.spanId });
    expect(reconcile?.attributes).toMatchObject({ 'tidings.event': 'accepted', 'tidings.status': 'sent' });
    expect(
      named('provider.send').map(({ parentId, hasFailed, attributes }) => [
        parentId,
        hasFailed,
        attributes['tidings.outcome'],
      ]),
    ).toEqual([
      [claim?.spanId, true, 'unknown'],
      [reconcile?.spanId, false, 'accepted'],
    ]);
    expect(named('record').map(({ parentId }) => parentId)).toEqual([claim?.spanId, reconcile?.spanId]);
  });
});

const isMail = ({ method, path }: { method: string; path: string }) =>
  method === 'POST' && path === '/emails';
