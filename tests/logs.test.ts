import { expect, test } from 'vitest';
import { plainSource } from '../src/sources/plain/plain.ts';
import { createCommandLine } from './cli/command-line.ts';
import { linkSettings } from './support/consent.ts';
import { createDispatchWorld, signal } from './support/dispatch-world.ts';
import { startFakeResend } from './support/fake-resend/fake-resend.ts';
import { createRecordingLog } from './support/recording-log.ts';
import { createWorld, type World } from './support/world.ts';

/** What must never be in a line of the log: who is written to, what is written, and with whose key. */
const apiKey = 're_Kq8s0meSecret0123456789';
const secrets = {
  recipient: 'citizen',
  domain: 'recipient.example',
  subject: 'A private subject',
  body: 'Nobody else should read this',
  key: 'Kq8s0meSecret',
  bearer: 'Bearer ',
};

function leaksIn(lines: readonly string[]): string[] {
  return lines.flatMap((line) =>
    Object.entries(secrets).flatMap(([what, text]) => (line.includes(text) ? [`${what}: ${line}`] : [])),
  );
}

const mail = (number: number, occasion: string) => [
  ...['send', '--to', `citizen-${number}@recipient.example`, '--occasion', occasion, '--no-wait'],
  ...['--subject', secrets.subject, '--text', secrets.body],
];

const isJson = (line: string) => line.startsWith('{');

test('no address, no text and no key is in the logs of a server in trouble, or of any command, at LOG_LEVEL=debug', async () => {
  const world = await createWorld('sqlite');
  const fake = await startFakeResend({ keys: [{ apiKey, account: 'main' }] });
  const shell = createCommandLine();
  const env = {
    ...{ DATABASE_URL: world.url, PORT: '0', LOG_LEVEL: 'debug', RESEND_MAX_RPS: '50' },
    ...{ MAIL_PROVIDER: 'resend', RESEND_API_KEY: apiKey, RESEND_BASE_URL: fake.url },
    ...linkSettings,
    EMAIL_FROM_ADDRESS: 'Tidings <noreply@sender.example>',
  };
  const isMail = ({ method }: { method: string }) => method === 'POST';
  const quoting = `Invalid to: citizen-1@recipient.example. You sent "${secrets.body}" with Bearer ${apiKey}`;
  fake.lieOnce(
    { kind: 'answer', isAccepted: false, status: 422, name: 'validation_error', message: quoting },
    isMail,
  );
  fake.lieOnce({ kind: 'reset', at: 'before_answer', isAccepted: true }, isMail);
  fake.lieOnce(
    { kind: 'answer', isAccepted: false, status: 429, message: quoting, headers: { 'retry-after': '1' } },
    isMail,
  );
  try {
    const logged: string[] = [];
    for (const number of [1, 2, 3, 4]) logged.push((await shell.run(mail(number, 'news'), { env })).err);
    const server = shell.start(['serve'], { env, boundMs: 90_000 });
    await settled(world);
    server.signal('SIGTERM');
    logged.push((await server.ended).err);
    const commands = [
      ['deliveries', 'list'],
      ['deliveries', 'explain', 'citizen-1@recipient.example'],
      ['deliveries', 'show', '2', '--mail'],
      ['deliveries', 'requeue', '--status', 'failed_permanent', '--reason', secrets.subject, '--yes'],
      ['pause', '--reason', secrets.subject],
      ['doctor'],
    ];
    for (const command of commands) logged.push((await shell.run(command, { env })).err);
    const lines = logged.flatMap((text) => text.split('\n')).filter(isJson);
    const events = lines.map((line) => (JSON.parse(line) as { event: string }).event);
    expect(events).toEqual(
      expect.arrayContaining(['process.started', 'delivery.recorded', 'provider.paused']),
    );
    expect(leaksIn(lines)).toEqual([]);
    // The same words are where they belong, so that they could have been in the log.
    const story = await world.db.read.selectFrom('delivery_events').select('detail').execute();
    expect(leaksIn(story.map(({ detail }) => detail ?? ''))).not.toEqual([]);
  } finally {
    await shell.close();
    await fake.close();
    await world.close();
  }
});

/** Every one has had its answer; the one in doubt is looked into after five seconds. */
async function settled({ queries }: World): Promise<void> {
  for (let wait = 0; wait < 250; wait++) {
    const counts = await queries.counts();
    if (counts.every(({ status }) => status === 'sent' || status === 'failed_permanent')) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`not settled: ${JSON.stringify(await queries.counts())}`);
}

test('nor when a source or a provider throws with them in its message', async () => {
  const world = await createDispatchWorld('sqlite');
  const log = createRecordingLog();
  const thrown = () => {
    throw new Error(`cannot write to <citizen-9@recipient.example>, key ${apiKey}`, {
      cause: new Error(`Bearer ${apiKey}`),
    });
  };
  try {
    await world.enqueue(1, 2);
    await world.dispatch({ log, source: { ...plainSource, draft: async () => thrown() } }).runOnce(signal());
    await world.clock.advance(60_000);
    await world
      .dispatch({ log, source: { ...plainSource, recheck: async () => thrown() } })
      .runOnce(signal())
      .catch(() => {});
    expect(log.lines.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['source.draft_failed', 'begin.failed']),
    );
    expect(leaksIn(log.lines.map((line) => JSON.stringify(line)))).toEqual([]);
  } finally {
    await world.close();
  }
});
