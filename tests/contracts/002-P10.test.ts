import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/database.ts';
import { type RunningProcess, startProcess } from '../../src/main.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { linkSettings } from '../support/consent.ts';
import { type FakeResend, startFakeResend } from '../support/fake-resend/fake-resend.ts';
import { webhookSecret } from '../support/webhooks.ts';
import { emptyDatabase, onBothDatabases } from '../support/world.ts';
import { headersOf, path as webhookPath } from '../webhooks/served.ts';
import { signed } from '../webhooks/signed.ts';

/** Spec 002, phase 10: whole processes. */
onBothDatabases('002 phase 10: wiring', (dialect) => {
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  const running: RunningProcess[] = [];
  beforeEach(async () => {
    database = await emptyDatabase(dialect);
  });
  afterEach(async () => {
    for (const { stop } of running.splice(0)) await stop();
    await database.drop();
  });

  async function start(settings: Record<string, string>): Promise<RunningProcess> {
    const config = readConfig({ DATABASE_URL: database.url, PORT: '0', ...settings }, 'no such file');
    const process = await startProcess(config, { log: silentLog });
    running.push(process);
    return process;
  }

  it('002-P10-03 The webhook route is registered only in role api/both and with a webhook secret', async () => {
    const body = '{"type":"contact.created"}';
    const statusOf = async (settings: Record<string, string>) => {
      const { url, stop } = await start(settings);
      const headers = headersOf(signed('msg_1', body, { at: systemClock.now() }));
      const { status } = await fetch(`${url}${webhookPath}`, { method: 'POST', headers, body });
      await stop();
      running.pop();
      return status;
    };
    const secret = { RESEND_WEBHOOK_SECRET: webhookSecret };
    expect(await statusOf({ PROCESS_ROLE: 'api', ...secret })).toBe(200);
    expect(await statusOf({ PROCESS_ROLE: 'both', ...secret })).toBe(200);
    expect(await statusOf({ PROCESS_ROLE: 'worker', ...secret })).toBe(404);
    // Without a secret nothing is taken; but what is not there for good would not be told again when there is one.
    expect(await statusOf({ PROCESS_ROLE: 'both' })).toBe(503);
  });

  async function untilSubmitted({ ledger }: FakeResend): Promise<void> {
    for (let turn = 0; turn < 1_000 && ledger.submissions().length === 0; turn++) await systemClock.sleep(10);
    expect(ledger.submissions()).toHaveLength(1);
  }

  it('002-P10-05 Closing the app stops all workers gracefully', async () => {
    const apiKey = 're_0123456789abcdefghij';
    const fake = await startFakeResend({ keys: [{ apiKey, account: 'main' }] });
    try {
      const { url, stop } = await start({
        ...{ MAIL_PROVIDER: 'resend', RESEND_API_KEY: apiKey, RESEND_BASE_URL: fake.url, ...linkSettings },
        ...{ EMAIL_FROM_ADDRESS: 'us@example.org', RESEND_MAX_RPS: '1' },
      });
      fake.lieOnce({ kind: 'slow', ms: 500, at: 'before_answering' });
      for (const number of [1, 2, 3]) {
        const variables = { subject: 'Hello', text: 'Hello' };
        const body = JSON.stringify({ occasion: 'o', to: `person-${number}@example.org`, variables });
        const headers = { 'content-type': 'application/json' };
        expect((await fetch(`${url}/api/v1/intents`, { method: 'POST', headers, body })).status).toBe(201);
      }
      await untilSubmitted(fake);
      // The first is on the wire, the others wait for their turn.
      running.pop();
      await stop();
      const submitted = fake.ledger.submissions().length;
      const db = await openDatabase(database.url, { clock: systemClock, log: silentLog });
      const rows = await db.read.selectFrom('deliveries').select(['status', 'provider_message_id']).execute();
      await db.close();
      // What was on the wire has ended, and its answer is written down; the rest waits, and nothing hangs in between.
      const statuses = rows.map(({ status }) => status);
      expect(statuses.filter((status) => status === 'sent')).toHaveLength(submitted);
      expect(statuses.filter((status) => status !== 'sent' && status !== 'pending')).toEqual([]);
      expect(submitted).toBeLessThan(3);
      expect(rows.filter((row) => row.provider_message_id !== null)).toHaveLength(submitted);
      await expect(fetch(`${url}/health`)).rejects.toThrow();
      expect(fake.ledger.submissions()).toHaveLength(submitted);
    } finally {
      await fake.close();
    }
  });
});
