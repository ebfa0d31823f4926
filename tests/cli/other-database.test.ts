import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommandLine, createCommandLine, type Running } from './command-line.ts';

/**
 * A server and a command in two terminals, of which one was given settings that the other was not. A command gives the server 400 ms to answer,
 * which on a machine with too much to do is not always enough.
 */
describe('where the server works with another database', { retry: 4 }, () => {
  let shell: CommandLine;
  let server: Running;
  let PORT: string;
  const ofServer = 'sqlite:./data/seats.db';

  beforeAll(async () => {
    shell = createCommandLine();
    const env = { PORT: '0', DATABASE_URL: ofServer };
    server = shell.start(['serve'], { env, boundMs: 180_000 });
    const [, port = ''] = await server.until(/web +http:\/\/127\.0\.0\.1:(\d+)\n/);
    await server.until(/Try in another terminal, with the same DATABASE_URL: npx tidings send /);
    PORT = port;
  });
  afterAll(() => shell.close());

  const sentence = () =>
    `The server at http://127.0.0.1:${PORT} works with another database than this command: give the command the server's DATABASE_URL and other settings too, or put them into .env, which both read.\n`;

  test('a command that finds no database of its own says so', async () => {
    const { code, out, err } = await shell.run(['inbox'], { env: { PORT } });
    expect([code, out, err.endsWith(sentence())]).toEqual([2, '', true]);
    expect(err).not.toContain('npm start');
  });

  test('one that finds another says so before it answers, and to no program', async () => {
    await shell.run(['migrate']);
    const { code, out, err } = await shell.run(['inbox'], { env: { PORT } });
    expect([code, out.startsWith('The inbox is empty'), err]).toEqual([0, true, sentence()]);
    expect((await shell.run(['inbox', '--json'], { env: { PORT } })).err).toBe('');
    const changed = await shell.run(['pause', '--because', 'a test'], { env: { PORT } });
    expect([changed.code, changed.err]).toEqual([0, sentence()]);
  });

  test('doctor has it among what is wrong', async () => {
    const { code, out } = await shell.run(['doctor', '--json'], { env: { PORT } });
    expect([code, JSON.parse(out).server.answer]).toEqual([1, 'another database']);
  });

  test('with the same one nothing is said, nor where no server answers', async () => {
    const same = await shell.run(['inbox'], { env: { PORT, DATABASE_URL: ofServer } });
    expect([same.code, same.err]).toEqual([0, '']);
    const doctor = await shell.run(['doctor', '--json'], { env: { PORT, DATABASE_URL: ofServer } });
    expect(JSON.parse(doctor.out).server.answer).toBe('tidings');
    server.signal('SIGTERM');
    await server.ended;
    const alone = await shell.run(['inbox'], { env: { PORT } });
    expect([alone.code, alone.err]).toEqual([0, '']);
  });
});
