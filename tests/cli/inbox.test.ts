import { afterEach, beforeEach, expect, test } from 'vitest';
import { linkSettings } from '../support/consent.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';

let shell: CommandLine;
beforeEach(() => {
  shell = createCommandLine();
});
afterEach(() => shell.close());

test('an empty inbox says where mails go when they do not go there', async () => {
  const env = {
    ...linkSettings,
    MAIL_PROVIDER: 'smtp',
    SMTP_URL: 'smtp://127.0.0.1:1',
    EMAIL_FROM_ADDRESS: 'us@example.org',
  };
  await shell.run(['migrate']);
  const { code, out } = await shell.run(['inbox'], { env });
  expect([code, out]).toEqual([
    0,
    'The inbox is empty: MAIL_PROVIDER is smtp, mail goes out through the mail server of SMTP_URL. What became of them: npx tidings deliveries list\n',
  ]);
  expect((await shell.run(['inbox'])).out).toContain('Start one with npm start');
});

test('who names a mail is shown the way to it', async () => {
  const { code, err, out } = await shell.run(['inbox', '1f6a9c3e']);
  expect([code, out, err]).toEqual([2, '', 'To read one mail: npx tidings inbox show 1f6a9c3e\n']);
  expect((await shell.run(['inbox', 'shwo'])).err).toMatch(/^The inbox has no command "shwo"\. To read one/);
  const help = await shell.run(['inbox', 'list', '--help']);
  expect(help.out).not.toContain('message');
});
