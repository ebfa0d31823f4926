import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommandLine, createCommandLine, type Running } from './command-line.ts';

/**
 * What somebody does who has just cloned the project, in this order: each test goes on where the last one ended. What they do first
 * is done in processes of its own.
 */
describe('the first minute', () => {
  let shell: CommandLine;
  let server: Running;
  let port: string;

  beforeAll(() => {
    shell = createCommandLine();
  });
  afterAll(() => shell.close());

  const hello = ['send', '--subject', 'Hello', '--text', 'It works.', '--occasion', 'first'];
  const send = (...more: string[]) => shell.run([...hello, ...more]);

  test('doctor in an empty folder says what is missing, and leaves the folder empty', async () => {
    const { code, out } = await shell.run(['doctor'], { env: { PORT: '0' }, isAlone: true });
    expect(out).toContain('no mail leaves this machine');
    expect(out).toContain('sqlite:./data/tidings.db is not made yet');
    expect(out).toContain(join(realpathSync(shell.folder), 'data', 'tidings.db'));
    expect(out).toMatch(/PORT +0 +environment/);
    expect(out).not.toMatch(/^HOST /m);
    expect(code).toBe(0);
    const { out: all } = await shell.run(['doctor', '--settings'], { env: { PORT: '0' }, isAlone: true });
    expect(all).toMatch(/HOST +127\.0\.0\.1 +default/);
    expect(existsSync(join(shell.folder, 'data'))).toBe(false);
  });

  test('serve needs no configuration and says what is running, on the real port', async () => {
    server = shell.start(['serve'], { env: { PORT: '0' }, boundMs: 180_000 });
    const [, url = ''] = await server.until(/web +(http:\/\/127\.0\.0\.1:\d+)\n/);
    await server.until(
      /database +sqlite:\.\/data\/tidings\.db \(new and empty\)\n.*capture: the built-in inbox; no mail leaves this machine\n/,
    );
    await server.until(/Stop with Ctrl-C/);
    port = new URL(url).port;
    expect(Number(port)).toBeGreaterThan(0);
    expect(await (await fetch(`${url}/ready`)).json()).toMatchObject({ status: 'ready' });
  });

  test('send waits until the mail is sent, one delivery an address', async () => {
    const to = ['--to', 'Ana@example.org', '--to', 'bob@example.org'];
    const { code, out, err } = await shell.run([...hello, ...to], { isAlone: true });
    expect(err).toBe('');
    expect(out).toMatch(
      /Queued: delivery 1, for Ana@example.org.\nQueued: delivery 2, for bob@example.org.\n/,
    );
    expect(out).toMatch(
      /Sent: delivery 1, accepted by capture as [0-9a-f-]{36}, \d+ m?s after it was queued\./,
    );
    expect(out).toContain('Sent: delivery 2');
    expect(code).toBe(0);
  });

  test('the same occasion is not told again, whatever the spelling of the address', async () => {
    const { code, out } = await send('--to', 'ana@EXAMPLE.org', '--to', 'cleo@example.org', '--json');
    expect(code).toBe(0);
    const { occasion, deliveries } = JSON.parse(out);
    expect(occasion).toBe('first');
    expect(deliveries).toEqual([
      expect.objectContaining({
        ...{ isNew: false, seq: 1, to: 'Ana@example.org', attempts: 1 },
        // A second after it was sent the inbox reports that it was delivered.
        status: expect.stringMatching(/^(sent|delivered)$/),
      }),
      expect.objectContaining({ isNew: true, status: 'sent', to: 'cleo@example.org' }),
    ]);
    const again = await send('--to', 'ana@example.org');
    expect(again.out).toMatch(
      /^Already told: delivery 1, for Ana@example\.org, sent .*\. Nothing was sent again\.\n$/,
    );
    expect(again.code).toBe(0);
    const corrected = await send('--to', 'ana@example.org', '--text', 'It works now.');
    expect([corrected.code, corrected.out.split('\n').slice(1)]).toEqual([
      0,
      [
        'Your subject or text is not that of delivery 1, and does not go out. To tell it too, give it another --occasion.',
        '',
      ],
    ]);
  });

  test('the inbox has each mail once, newest first', async () => {
    const { out } = await shell.run(['inbox', '--json'], { isAlone: true });
    const { mails } = JSON.parse(out);
    expect(mails.map(({ to }: { to: string }) => to)).toEqual([
      'cleo@example.org',
      expect.stringMatching(/^(bob|Ana)@/),
      expect.stringMatching(/^(bob|Ana)@/),
    ]);
    const shown = await shell.run(['inbox', 'show', mails[0].messageId.slice(0, 8)]);
    // Who, what and when first; the way out in the last lines, and no header beside them.
    expect(shown.out).toMatch(
      /^from +\S+\nto +cleo@example.org\nsubject +Hello\ndate +\d+ [A-Z][a-z]+ 2\d{3}, \d\d:\d\d UTC\nmessage +[0-9a-f-]{36}\n\nIt works\.\n\n----\nUnsubscribe: http:\/\/\S+\n$/,
    );
    const whole = await shell.run(['inbox', 'show', mails[0].messageId, '--headers']);
    expect(whole.out.startsWith(shown.out)).toBe(true);
    expect(whole.out.slice(shown.out.length)).toMatch(/^\nList-Unsubscribe: <http\S+>\n/);
  });

  test('a moment later each is delivered: the inbox reports what a provider would', async () => {
    const statuses = async () => {
      const { deliveries } = JSON.parse((await shell.run(['deliveries', 'list', '--json'])).out);
      return deliveries.map(({ status }: { status: string }) => status);
    };
    await expect.poll(statuses, { timeout: 20_000 }).toEqual(['delivered', 'delivered', 'delivered']);
  });

  test('deliveries show tells the story, and finds it by the provider’s id too', async () => {
    const { out, err, code } = await shell.run(['deliveries', 'show', '1'], { isAlone: true });
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^Delivery 1 to Ana@example\.org: delivered \(in the built-in inbox\)\n/);
    expect(out).toMatch(
      /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}The source plain asked for it, in the normal lane\.\n/,
    );
    const [, messageId = ''] =
      /Z {2}Capture accepted it as (\S+) \(attempt 1, by worker \S+, after \d+ ms\)\.\n/.exec(out) ?? [];
    expect(out).toMatch(/Next Nothing more is sent\.\nWhy {2}npx tidings deliveries explain 1\n/);
    expect(out).toMatch(/to +Ana@example\.org\n +subject +Hello\n +key +[0-9a-f-]{36}\n$/);
    const byMessage = await shell.run(['deliveries', 'show', messageId, '--mail']);
    expect(byMessage.out).toMatch(/^It works\.\n\n----\nUnsubscribe: http:\/\/\S+\n$/);
  });

  test('doctor finds the server, and everything in order', async () => {
    const { code, out } = await shell.run(['doctor', '--json'], { env: { PORT: port } });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      isBroken: false,
      database: { state: 'reachable', pending: [] },
      deliveries: { counts: [{ status: 'delivered', count: 3 }], oldestDue: null, needPerson: 0 },
      server: { answer: 'tidings' },
    });
  });

  test('a second server on the port is told what to do, and does not stop the first', async () => {
    const { code, out, err } = await shell.run(['serve'], { env: { PORT: port } });
    expect(err.split('\n').filter((line) => !line.startsWith('{'))).toEqual([
      `A Tidings already serves there: open http://127.0.0.1:${port}. For a second one, set PORT to another port (PORT=0 takes a free one).`,
      '',
    ]);
    expect([code, out]).toEqual([2, '']);
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
  });

  test('SIGTERM ends it with exit code 0, well within the bound of what is in flight', async () => {
    const startedAt = performance.now();
    server.signal('SIGTERM');
    const { code, out, err } = await server.ended;
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(code).toBe(0);
    expect(out).toMatch(/SIGTERM: finishing what is in flight …\nStopped\.\n$/);
    const events = err
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event as string)
      // The sample campus has its own hours.
      .filter((event) => !event.startsWith('seats.'));
    // Each once, the migrations too: who reads logs is not told of fourteen files.
    expect(events).toEqual([
      'database.migrated',
      'http.open_on_loopback',
      'process.started',
      'process.stopping',
      'process.stopped',
    ]);
    expect(err).not.toContain('@');
  });

  test('without a worker, mail is queued and no failure, and doctor sees that it waits', async () => {
    const { code, out } = await send('--to', 'dan@example.org', '--no-wait');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^Queued: delivery \d+, for dan@example\.org\.\n$/),
    ]);
    const doctor = await shell.run(['doctor', '--json'], { env: { PORT: port } });
    expect(JSON.parse(doctor.out)).toMatchObject({
      deliveries: { oldestDue: { source: 'plain', lateMs: expect.any(Number) } },
      server: { answer: 'nothing' },
    });
  });

  test('the inbox of one person, by the address or its beginning', async () => {
    const to = async (address: string) =>
      JSON.parse((await shell.run(['inbox', '--to', address, '--json'])).out).mails.map(
        (mail: { to: string }) => mail.to,
      );
    const all = JSON.parse((await shell.run(['inbox', '--json'])).out).mails;
    const hers = all.map((mail: { to: string }) => mail.to).filter((one: string) => /^ana@/i.test(one));
    expect(hers.length).toBeGreaterThan(0);
    expect([await to('ana@example.org'), await to('AN')]).toEqual([hers, hers]);
    const nobody = await shell.run(['inbox', '--to', 'nobody@example.org']);
    expect([nobody.code, nobody.out]).toEqual([
      0,
      'No mail to nobody@example.org is in the inbox. All of them: npx tidings inbox\nWhy not: npx tidings deliveries explain nobody@example.org\n',
    ]);
    const page = await shell.run(['inbox', '--to', 'a', '--limit', '1']);
    if (hers.length > 1) expect(page.out).toContain('More: npx tidings inbox --to a --limit 1 --below ');
  });

  test('the inbox a page at a time, and a mail in all its parts', async () => {
    const first = await shell.run(['inbox', '--limit', '2']);
    const [, more = ''] = /More: npx tidings (inbox --limit 2 --below \d+)\n$/.exec(first.out) ?? [];
    const { mails, next } = JSON.parse((await shell.run([...more.split(' '), '--json'])).out);
    expect([mails.length, next]).toEqual([1, null]);
    const parts = await shell.run(['deliveries', 'show', '1', '--mail', '--json']);
    expect(JSON.parse(parts.out)).toMatchObject({
      ...{ round: 1, to: 'Ana@example.org', subject: 'Hello' },
      text: expect.stringMatching(/^It works\.\n\n----\nUnsubscribe: http/),
      html: expect.stringContaining('It works.'),
    });
  });
});
