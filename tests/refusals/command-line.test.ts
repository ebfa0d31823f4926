import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RefusalCode } from '../../src/std/refusals.ts';
import { type CommandLine, createCommandLine, type Result, type RunOptions } from '../cli/command-line.ts';

/** Mistakes at the command line, each as somebody makes it: exit code 2, nothing on standard output, and the code for programs. */

let shell: CommandLine;
beforeAll(async () => {
  shell = createCommandLine();
  const put = (name: string, text: string | Uint8Array) => writeFileSync(join(shell.folder, name), text);
  mkdirSync(join(shell.folder, 'folder'));
  put('latin.txt', new Uint8Array([0x63, 0x61, 0x66, 0xe9]));
  put('half.csv', 'cui,period,side,chapter,chapter_name,amount\n4305857,2023,income,,,10.00\n');
  put('entity.csv', 'cui,name,population\n4305857,Cluj-Napoca,286598\n');
  await done(shell.run(['migrate']));
  await done(shell.run(['budget', 'import', 'entity.csv', 'half.csv']));
  // Two mails in the inbox, and one delivery that was not tried yet.
  const words = ['--subject', 'Hello', '--text', 'Once.'];
  await done(shell.run(['send', '--to', 'ana@example.org', ...words, '--no-wait']));
});
afterAll(() => shell.close());

async function done(running: Promise<Result>): Promise<void> {
  const { code, err } = await running;
  expect([code, err]).toEqual([0, expect.any(String)]);
}

const watch = ['seats', 'watch', '--index', '04711'];
const mail = ['send', '--subject', 'A', '--text', 'B'];
const noFeed = { SOC_BASE_URL: 'off' };
const feed = { SOC_BASE_URL: 'http://127.0.0.1:1', SOC_TERMS: '12026' };
const manyTerms = { ...feed, SOC_TERMS: '12026,92026' };
const many = Array.from({ length: 1001 }, (_, at) => ['--to', `p${at}@example.org`]).flat();

test.each<[RefusalCode, string[], RunOptions['env']?]>([
  ['campus_required', [...watch, '--email', 'ana@example.org'], feed],
  ['database_in_memory', ['deliveries', 'list'], { DATABASE_URL: 'sqlite::memory:' }],
  ['decision_required', ['deliveries', 'resolve', '1', '--reason', 'known']],
  ['delivery_not_found', ['deliveries', 'show', '4711']],
  ['email_required', watch, feed],
  ['file_required', ['reviews', 'submit']],
  ['file_unreadable', ['suppressions', 'import', 'folder']],
  ['from_required', ['notifications', 'import']],
  ['invalid_canary', ['plan', 'newsletter_entity_yearly', '--bounces-max', '1']],
  ['invalid_configuration', ['deliveries', 'list'], { LOG_LEVEL: 'loud' }],
  ['invalid_index', ['seats', 'watch', '--index', '9', '--email', 'ana@example.org'], feed],
  ['invalid_number', ['plan', 'newsletter_entity_yearly', '--canary', 'some']],
  ['invalid_term', [...watch, '--email', 'ana@example.org', '--term', 'spring'], feed],
  ['invalid_time', ['deliveries', 'requeue', '--since', 'yesterday', '--reason', 'known']],
  ['invalid_type', ['notifications', 'list', '--type', 'newsletter']],
  ['message_not_found', ['inbox', 'show', 'nothing']],
  ['no_mail', ['deliveries', 'show', '1', '--mail']],
  ['no_section_feed', ['seats', 'status'], noFeed],
  ['not_polled', ['seats', 'poll', '--once', '--term', '92026'], feed],
  ['one_side_only', ['budget', 'show', '4305857', '2023']],
  ['props_or_sample', sendTest('--template', 'plain', '--sample', 'a', '--props', 'b')],
  ['props_unreadable', sendTest('--template', 'plain', '--props', 'folder')],
  ['recipient_missing', mail],
  ['template_missing', sendTest()],
  ['term_required', [...watch, '--email', 'ana@example.org'], manyTerms],
  ['text_encoding', ['send', '--to', 'ana@example.org', '--subject', 'A', '--text-file', 'latin.txt']],
  ['too_many_recipients', [...mail, ...many]],
  ['unknown_budget', ['budget', 'show', '99', '2023']],
  ['unknown_campus', [...watch, '--email', 'ana@example.org', '--campus', 'XX'], feed],
  ['unknown_command', ['inbox', 'shwo']],
  ['unknown_format', ['suppressions', 'export', '--format', 'xml']],
  ['unknown_reason', ['suppressions', 'list', '--reason', 'boredom']],
  ['unknown_side', ['budget', 'import', 'half.csv', '--side', 'outside']],
  ['unknown_state', ['runs', 'items', '00000000-0000-4000-8000-000000000000', '--state', 'lost']],
  ['unknown_status', ['deliveries', 'list', '--status', 'lost']],
  ['unknown_switch', ['inbox', 'chaos', 'lose', 'on']],
  ['watch_not_found', ['seats', 'unwatch', '4711', '--because', 'asked'], feed],
  ['whose_watches', ['seats', 'watches'], feed],
])('%s', async (code, args, env = {}) => {
  const result = await shell.run([...args, '--json'], { env });
  expect(lastLine(result.err)).toMatchObject({ code, error: expect.stringMatching(/ /) });
  expect([result.code, result.out]).toEqual([2, '']);
});

function sendTest(...args: string[]): string[] {
  return ['send-test', '--to', 'ana@example.org', ...args];
}

/** What is logged before it stands on lines of its own. */
function lastLine(text: string): unknown {
  const line = text.trimEnd().split('\n').at(-1) ?? '';
  return line.startsWith('{') ? JSON.parse(line) : line;
}
