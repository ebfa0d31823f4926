import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { type RunningProcess, startProcess } from '../../src/main.ts';
import { systemClock } from '../../src/std/clock.ts';
import { type CommandLine, createCommandLine } from '../cli/command-line.ts';
import { createRecordingLog, type RecordingLog } from '../support/recording-log.ts';
import { webhookSecret } from '../support/webhooks.ts';
import { emptyDatabase } from '../support/world.ts';
import { headersOf } from '../webhooks/served.ts';
import { signed } from '../webhooks/signed.ts';
import { intentBody, keys, secrets } from './api-world.ts';

describe('a whole process', () => {
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  let running: RunningProcess | undefined;
  let log: RecordingLog;
  beforeEach(async () => {
    database = await emptyDatabase('sqlite');
    log = createRecordingLog();
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
    await database.drop();
  });

  const start = async (environment: Record<string, string> = {}) => {
    const config = readConfig({ DATABASE_URL: database.url, PORT: '0', ...environment }, 'no such file');
    running = await startProcess(config, { log });
    return running.url;
  };

  test.each([
    ['api', 200],
    ['both', 200],
    ['worker', 404],
  ])('takes webhooks from anywhere, if it answers requests at all: %s', async (role, status) => {
    const url = await start({ PROCESS_ROLE: role, RESEND_WEBHOOK_SECRET: webhookSecret });
    const body = '{"type":"contact.created"}';
    // As a proxy passes on what comes from outside; without a key everything else is refused then.
    const outside = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' };
    const headers = { ...headersOf(signed('msg_1', body, { at: systemClock.now() })), ...outside };
    const answer = await fetch(`${url}/api/v1/webhooks/resend`, { method: 'POST', headers, body });
    expect(answer.status).toBe(status);
    if (role !== 'worker')
      expect((await fetch(`${url}/api/v1/deliveries`, { headers: outside })).status).toBe(403);
  });

  test('takes an intent, sends it, shows it, and logs nobody’s address, no key and no text', async () => {
    const url = await start({ OPERATOR_API_KEY: keys.operator.join(','), SERVICE_API_KEY: keys.service[0] });
    const post = await fetch(`${url}/api/v1/intents`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': keys.service[0],
        'x-request-id': 'trace_0001',
      },
      body: JSON.stringify(intentBody(1)),
    });
    expect(post.status).toBe(201);
    // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came.
    const read = async (path: string): Promise<any> =>
      (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${keys.operator[1]}` } })).json();
    for (let tries = 0; tries < 500; tries++) {
      if ((await read('/api/v1/deliveries/1')).delivery.status === 'delivered') break;
      await systemClock.sleep(20);
    }
    expect(await read('/api/v1/deliveries/1')).toMatchObject({
      delivery: { status: 'delivered', traceId: 'trace_0001' },
      mails: [{ round: 1, subject: 'Subject 1' }],
    });
    expect((await read('/api/v1/deliveries/1/mail/1')).html).toContain('Text 1');
    const { mails } = await read('/api/v1/inbox');
    expect(mails).toMatchObject([{ to: 'person-1@example.org', subject: 'Subject 1' }]);
    await running?.stop();
    running = undefined;
    const text = JSON.stringify(log.lines);
    expect(log.lines.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['intents.taken', 'process.stopped']),
    );
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect(log.lines.some(({ event }) => event === 'http.open_on_loopback')).toBe(false);
  });

  test.each([
    ['both', ['http.open_on_loopback']],
    ['worker', []],
  ])('without keys on loopback: %s says %j at its start', async (role, events) => {
    await start({ PROCESS_ROLE: role });
    expect(log.lines.map(({ event }) => event).filter((event) => event.startsWith('http.'))).toEqual(events);
  });

  test('a worker has no API and no metrics, whatever its keys', async () => {
    const url = await start({ PROCESS_ROLE: 'worker', OPERATOR_API_KEY: keys.operator[0] });
    const paths = ['/health', '/ready', '/metrics', '/api/v1/deliveries', '/docs', '/'];
    const statuses = await Promise.all(paths.map(async (path) => (await fetch(`${url}${path}`)).status));
    expect(statuses).toEqual([200, 200, 404, 404, 404, 404]);
  });
});

describe('tidings serve', () => {
  let shell: CommandLine;
  beforeEach(() => {
    shell = createCommandLine();
  });
  afterEach(() => shell.close());

  test('on an address that others can reach does not start without a key, and says which', async () => {
    const { code, out, err } = await shell.run(['serve'], { env: { HOST: '0.0.0.0', PORT: '0' } });
    expect(code).toBe(2);
    expect(out + err).toContain(
      'Set OPERATOR_API_KEY to at least 32 random characters, or HOST to 127.0.0.1.',
    );
  });

  test('with a key it starts there, and never prints the key', async () => {
    const env = { HOST: '0.0.0.0', PORT: '0', OPERATOR_API_KEY: keys.operator[0] };
    const server = shell.start(['serve'], { env });
    const [, url] = await server.until(/web +(\S+)\n/);
    expect((await fetch(`${url}/api/v1/deliveries`)).status).toBe(401);
    server.signal('SIGTERM');
    const { code, out, err } = await server.ended;
    expect([code, out.includes('needed for the API')]).toEqual([0, true]);
    expect(out + err).not.toContain(keys.operator[0]);
  });
});
