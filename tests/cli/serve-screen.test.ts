import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, createCommandLine } from './command-line.ts';
import { onScreen, withoutColours } from './screen.ts';

let shell: CommandLine;
beforeEach(() => {
  shell = createCommandLine();
});
afterEach(() => shell.close());

async function seenOf(env: Record<string, string>) {
  const server = shell.start(['serve'], onScreen(80, { PORT: '0', ...env }));
  await server.until(/Stop with Ctrl-C/);
  server.signal('SIGTERM');
  const { code, out, err } = await server.ended;
  expect(code).toBe(0);
  return { out: withoutColours(out), err };
}

test('on a screen a server says where it is, where mail goes and what to try, and nothing more while all is well', async () => {
  const { out, err } = await seenOf({});
  expect(out.split('\n').slice(0, 11)).toEqual([
    'Tidings is running.',
    expect.stringMatching(/^ {2}web {7}http:\/\/127\.0\.0\.1:\d+$/),
    '  database  sqlite:./data/tidings.db (new and empty)',
    '  mail      capture: the built-in inbox; no mail leaves this machine',
    '  seats     a sample campus, whose courses are made up; a real feed needs a new database',
    expect.stringMatching(/^ {2}keys {6}none set: /),
    expect.stringMatching(/^Open http:\/\/127\.0\.0\.1:\d+: the console shows /),
    'Try in another terminal: npx tidings send --to you@example.org --subject Hello --text "It works."',
    'From here on only what goes wrong is shown; LOG_LEVEL=info shows all.',
    'Stop with Ctrl-C.',
    'SIGTERM: finishing what is in flight …',
  ]);
  expect(err).toBe('');
});

test('a database that was there is not called new, and without a sample campus none is named', async () => {
  await seenOf({ SOC_BASE_URL: 'off' });
  const { out } = await seenOf({ SOC_BASE_URL: 'off' });
  expect(out).toContain('  database  sqlite:./data/tidings.db\n');
  expect(out).not.toContain('  seats ');
});

test('of a feed the host and the terms are named', async () => {
  const feed = createServer((_, response) => response.end('[]')).listen(0, '127.0.0.1');
  await once(feed, 'listening');
  const host = `127.0.0.1:${(feed.address() as AddressInfo).port}`;
  const SOC_BASE_URL = `http://${host}/soc/api`;
  const { out } = await seenOf({ SOC_BASE_URL, SOC_TERMS: '12026,92026' });
  expect(out).toContain(`  seats     ${host}: spring 2026, fall 2026\n`);
  const now = await seenOf({ SOC_BASE_URL });
  expect(now.out).toMatch(new RegExp(`  seats     ${host}: (spring|fall) 20\\d\\d\n`));
  feed.close();
});

test.each([
  ['production', 'warn'],
  ['test', 'info'],
])('a new database in %s is logged as %s', async (environment, level) => {
  const server = shell.start(['serve'], { env: { PORT: '0', TIDINGS_ENV: environment } });
  const migrated = () => server.until(/\{[^\n]*"database.migrated"[^\n]*\}\n/);
  expect(JSON.parse((await migrated())[0])).toMatchObject({ level });
  server.signal('SIGTERM');
  await server.ended;
});

test.each([{ LOG_LEVEL: 'info' }, { TIDINGS_ENV: 'production' }])(
  'with %j it is told step by step, the migrations as one',
  async (env) => {
    const { out, err } = await seenOf(env);
    expect(out).not.toContain('LOG_LEVEL=info');
    expect(err.match(/ database\.migrated count=\d+ to=\d{4}_\w+\n/g)).toHaveLength(1);
    expect(err).toContain(' process.started ');
  },
);
