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

test('chaos: listed, switched on for a time and off, by somebody and in the audit log', async () => {
  await shell.run(['migrate']);
  const listed = await shell.run(['inbox', 'chaos']);
  expect(listed.code).toBe(0);
  expect(listed.out).toMatch(/^SWITCH +STATE +BY +WHAT IT DOES\nrefuse +off +/);
  const on = await shell.run(['inbox', 'chaos', 'bounce', 'on', '--minutes', '5']);
  expect(on.out).toMatch(/\nbounce +on for (5 min|4 min|300 s|299 s)/);
  const { switches } = JSON.parse((await shell.run(['inbox', 'chaos', '--json'])).out);
  expect(
    switches
      .filter((one: { onUntil: string | null }) => one.onUntil)
      .map((one: { name: string }) => one.name),
  ).toEqual(['bounce']);
  const off = await shell.run(['inbox', 'chaos', 'bounce', 'off']);
  expect(off.out).toMatch(/\nbounce +off +/);
});

test.each([
  [['bonce', 'on'], {}, /^There is no switch "bonce"\. Did you mean bounce\? There are refuse, /],
  [['bounce', 'maybe'], {}, /^Say on or off: npx tidings inbox chaos bounce on\n$/],
  [['bounce', 'on'], { TIDINGS_ENV: 'production' }, /^TIDINGS_ENV is production, /],
  [
    ['bounce', 'on'],
    {
      ...{ ...linkSettings, MAIL_PROVIDER: 'smtp', SMTP_URL: 'smtp://127.0.0.1:1' },
      EMAIL_FROM_ADDRESS: 'us@example.org',
    },
    /^MAIL_PROVIDER is smtp: only the built-in inbox /,
  ],
])('chaos %j with %j is refused with what to do', async (args, env, sentence) => {
  await shell.run(['migrate']);
  const { code, out, err } = await shell.run(['inbox', 'chaos', ...args], { env });
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(sentence);
});
