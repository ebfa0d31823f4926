import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { widthOf } from '../../src/cli/width.ts';
import type { Status } from '../../src/domain/status.ts';
import { rowIn } from '../support/rows.ts';
import { createWorld, intentNumber, type World } from '../support/world.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';
import { cleared, hasColours, onScreen, withoutColours } from './screen.ts';

const longest = `${'a'.repeat(60)}@${'department.'.repeat(6)}example.org`;

describe('on a screen', () => {
  let shell: CommandLine;
  let world: World;
  beforeAll(async () => {
    shell = createCommandLine();
    world = await createWorld('sqlite');
    for (const [number, status] of (['sent', 'pending', 'failed_permanent', 'expired'] as Status[]).entries())
      await rowIn(world, status, number + 1);
    const occasion = `${'计算机科学'.repeat(8)}-2026`;
    await world.outbox.enqueue([intentNumber(9, { occasion, recipient: longest, toEmail: longest })]);
    await shell.run(['suppressions', 'add', longest, '--because', 'w'.repeat(300)], { env: env() });
  });
  afterAll(async () => {
    await shell.close();
    await world.close();
  });
  const env = () => ({ DATABASE_URL: world.url, PORT: '0' });
  const shown = (columns: number, args: string[], more: Record<string, string> = {}) =>
    shell.run(args, onScreen(columns, { ...env(), ...more }));

  test.each([
    ['deliveries', 'list'],
    ['suppressions', 'list'],
    ['audit'],
    ['audit', '--with-details'],
    ['seats', 'status'],
    ['doctor'],
  ])('no row of a table is wider than the screen, and none wraps: %s %s', async (...args) => {
    for (const columns of [48, 80, 120]) {
      const { out, code } = await shown(columns, args);
      // The doctor finds that nobody runs here.
      expect([args, code, out.length > 0]).toEqual([args, args[0] === 'doctor' ? 1 : 0, true]);
      const wide = withoutColours(out)
        .split('\n')
        // Sentences, and commands to be copied, are broken by the screen and by nobody else.
        .filter((line) => widthOf(line) > columns && !/\. |npx tidings|\.$/.test(line))
        // The doctor's sentence about the SQLite file names it, and a path cannot be broken.
        .filter((line) => line.trim() !== world.url.replace('sqlite:', ''));
      expect([args, columns, wide]).toEqual([args, columns, []]);
    }
  });

  test('a story is broken between words, behind its times', async () => {
    const out = withoutColours((await shown(48, ['deliveries', 'show', '1'])).out);
    const told = out.split('\n').slice(
      4,
      out.split('\n').findIndex((line) => line.startsWith('Why ')),
    );
    expect(told.filter((line) => widthOf(line) > 48)).toEqual([]);
    const off = await shell.run(['deliveries', 'show', '1'], { env: env() });
    expect(off.out.split('\n').length).toBeLessThan(out.split('\n').length);
  });

  test('what is long is cut in the middle; where nobody looks, nothing is', async () => {
    const on = withoutColours((await shown(80, ['deliveries', 'list'])).out);
    expect(on).toMatch(/^a+….*example\.org|^a+…\S+org /m);
    expect(on).not.toContain(longest);
    const off = await shell.run(['deliveries', 'list'], { env: env() });
    expect(off.out).toContain(longest);
    expect(hasColours(off.out)).toBe(false);
  });

  test('colours say what a status means, and every one stands beside its word', async () => {
    const { out } = await shown(120, ['deliveries', 'list']);
    const painted = (status: string) => new RegExp(`\\u001b\\[(\\d+)m${status}\\u001b`).exec(out)?.[1];
    expect([painted('sent'), painted('pending'), painted('failed_permanent'), painted('expired')]).toEqual([
      ...['32', '36', '31', '90'],
    ]);
  });

  test.each([
    ['NO_COLOR', ['deliveries', 'list'], { NO_COLOR: '1' }],
    ['--no-color behind the command', ['deliveries', 'list', '--no-color'], {}],
    ['--no-color before it', ['--no-color', 'deliveries', 'list'], {}],
    ['a terminal that knows none', ['deliveries', 'list'], { TERM: 'dumb' }],
  ] as [string, string[], Record<string, string>][])('%s switches them off', async (_, args, more) => {
    const { out, code } = await shown(120, args, more);
    expect([code, hasColours(out), out.includes('failed_permanent')]).toEqual([0, false, true]);
  });

  test('progress is one line on standard error that goes when the result is printed', async () => {
    const lines = Array.from({ length: 1_200 }, (_, number) => `listed-${number}@example.org`);
    writeFileSync(join(shell.folder, 'list.csv'), lines.join('\n'));
    const on = await shown(60, ['suppressions', 'import', 'list.csv']);
    expect(on.out).toBe('1200 lines read: 1200 are new on the list, 0 already on it or named twice.\n');
    expect(on.err.split(cleared)[1]).toMatch(/^[█·]{20} +\d+ % 500 lines …/);
    expect(on.err.endsWith(cleared)).toBe(true);
    expect(on.err).not.toContain('\n');
    const off = await shell.run(['suppressions', 'import', 'list.csv'], { env: env() });
    expect([off.code, off.err]).toEqual([0, '']);
  });
});
