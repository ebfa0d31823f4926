import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandLine, createCommandLine } from './command-line.ts';

let shell: CommandLine;
beforeAll(async () => {
  shell = createCommandLine();
  await shell.run(['migrate']);
});
afterAll(() => shell.close());

/** Who finds nothing is told what would be there, or where to look instead. */
test.each([
  ['notifications list', /^Nobody has asked for a notification\. To ask for somebody: npx tidings /],
  ['notifications list --user nobody', /^No notification is like that\. All of them: npx tidings /],
  ['runs list', /^No run yet\. Begin one with: npx tidings plan /],
  [
    'users list',
    /^There are no users yet\. To put one in: npx tidings users set .*, or many: npx tidings users import /,
  ],
  ['users list --email a@b.org', /^There is no such user\. To put some in: npx tidings users import /],
  ['suppressions list', /^No address is suppressed\. .*\nPut one on it: npx tidings /],
  ['inbox', /^The inbox is empty\. .*\nStart one with npm start, then: npx tidings send /],
])('%s, of nothing', async (command, sentence) => {
  const { code, out, err } = await shell.run(command.split(' '));
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(sentence);
});
