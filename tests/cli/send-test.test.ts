import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, createCommandLine } from './command-line.ts';

let shell: CommandLine;
beforeEach(() => {
  shell = createCommandLine();
});
afterEach(() => shell.close());

const to = ['send-test', '--to', 'ana@example.org'];
const mail = [...to, '--template', 'newsletter_entity', '--locale', 'ro'];

test('a sample goes through the outbox to the inbox, each time anew, and is found where it says', async () => {
  const server = shell.start(['serve'], { env: { PORT: '0' } });
  await server.until(/web +(\S+)\n/);
  const first = await shell.run([...mail, '--sample', 'quarterly']);
  expect([first.code, first.err]).toEqual([0, '']);
  expect(first.out).toMatch(/^Queued: delivery 1, for ana@example\.org\.\nSent: delivery 1, /);
  const [, id = ''] = /Read it with: npx tidings inbox show ([\w-]+)\n$/.exec(first.out) ?? [];
  const shown = await shell.run(['inbox', 'show', id, '--json']);
  const read = JSON.parse(shown.out);
  expect(read.subject).toBe('Bugetul pe trimestrul III 2026: Consiliul Județean Valea Albă');
  expect(read.text).toMatch(/^Previzualizare\./);
  // The way out is a real one, also for whoever got only a sample.
  expect(read.headers['List-Unsubscribe']).toMatch(/^<http\S+\/unsubscribe\/[\w-]{44}>$/);
  expect(read.text).toContain(read.headers['List-Unsubscribe'].slice(1, -1));

  const again = await shell.run([...mail, '--sample', 'quarterly', '--json']);
  expect(JSON.parse(again.out)).toMatchObject({
    ...{
      template: 'newsletter-entity',
      locale: 'ro',
      occasion: expect.stringMatching(/^send-test-[\w-]{36}$/),
    },
    delivery: { seq: 2, source: 'plain', status: 'sent', to: 'ana@example.org' },
  });
  server.signal('SIGTERM');
  await server.ended;
});

test('props of one’s own; without a worker it waits, and says where it will be', async () => {
  const file = join(shell.folder, 'alert.json');
  const props = { title: 'Roads', periodLabel: '2025', actualValue: '5', conditions: [] };
  writeFileSync(file, JSON.stringify(props));
  const { code, out } = await shell.run([...to, '--template', 'alert-series', '--props', file, '--no-wait']);
  expect([code, out]).toEqual([
    0,
    [
      'Queued: delivery 1, for ana@example.org.',
      'MAIL_PROVIDER is capture, so it does not leave this machine. Look for it with: npx tidings inbox',
      '',
    ].join('\n'),
  ]);
  const story = await shell.run(['deliveries', 'show', '1', '--json']);
  expect(JSON.parse(story.out)).toMatchObject({ variables: props });

  writeFileSync(file, JSON.stringify({ ...props, title: '' }));
  const wrong = await shell.run([...to, '--template', 'alert-series', '--props', file]);
  expect([wrong.code, wrong.err]).toEqual([2, 'The template alert-series needs the variable title.\n']);
});

test.each([
  [['send-test'], /^Say who is told: --to/],
  [[...to], /^Say which template: --template NAME\. There are: plain, open-seat, .*alert-series/],
  [[...to, '--template', 'alert-serie'], /no template "alert-serie"\. Did you mean alert-series\?/],
  [[...to, '--template', 'plain', '--sample', 'x'], /no sample "x"\. There are: short, whole\./],
  [[...mail, '--sample', 'short', '--props', 'x.json'], /^Give either --sample NAME or --props FILE/],
  [[...mail, '--props', 'none.json'], /^--props "none\.json" is not there/],
  [[...mail, '--props', '.'], /^--props "\." is a folder/],
  [[...to, '--template', 'newsletter-entity', '--locale', 'fr'], /written in en, ro, and not in "fr"/],
  [['send-test', '--to', 'ana@', '--template', 'plain'], /^--to "ana@": /],
])('%j is refused with what to do, and nothing is queued', async (args, sentence) => {
  const { code, out, err } = await shell.run(args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(sentence);
  expect((await shell.run(['deliveries', 'list'])).err).toContain('There is no database');
});

test('what is no JSON object is refused', async () => {
  for (const text of ['{', '[]', '7', 'null', '']) {
    writeFileSync(join(shell.folder, 'p.json'), text);
    const { code, err } = await shell.run([...mail, '--props', 'p.json']);
    expect([code, err]).toEqual([
      2,
      '--props "p.json" holds no JSON object; write the props as { "name": "value" }.\n',
    ]);
  }
});
