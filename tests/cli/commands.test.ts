import { readdirSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { nothingAsked } from '../../src/cli/asked.ts';
import { createProgram } from '../../src/cli/cli.ts';
import { createTerminal } from '../../src/cli/terminal.ts';

/** What is true of every command, whoever adds one. */
const program = createProgram({ terminal: createTerminal(), exitCode: 0, asked: nothingAsked });

function leavesOf(command: Command, above: readonly string[] = []): [string, Command][] {
  return command.commands.flatMap((one) => {
    const path = [...above, one.name()];
    return one.commands.length > 0 ? leavesOf(one, path) : [[path.join(' '), one] as [string, Command]];
  });
}
const leaves = leavesOf(program);

/** Those that change something, and are in the audit log. One that is new comes into one of the two lists. */
const changing = [
  ...['pause', 'resume', 'trigger', 'plan', 'apply', 'runs pause', 'runs resume', 'runs cancel'],
  ...['deliveries requeue', 'deliveries resolve', 'reconcile run', 'queue retry'],
  ...['suppressions add', 'suppressions remove', 'suppressions import'],
  ...['seats watch', 'seats unwatch', 'seats report'],
  ...['budget import', 'budget remove', 'users set', 'users remove', 'users import'],
  ...['notifications import', 'notifications subscribe', 'reviews retry', 'inbox chaos'],
];
/** Those that look, those that do what a server does by itself, and those whose deliveries tell the story. */
const others = [
  ...['doctor', 'audit', 'deliveries list', 'deliveries show', 'deliveries explain', 'reconcile list'],
  ...['queue status', 'queue failed', 'suppressions list', 'suppressions export', 'runs list', 'runs show'],
  ...['runs items', 'budget show', 'users list', 'notifications list', 'reviews list', 'reviews show'],
  ...['reviews dead-letters', 'seats status', 'seats watches', 'inbox list', 'inbox show'],
  ...['serve', 'migrate', 'seats poll', 'seats ingest'],
  ...['send', 'send-test', 'reviews submit'],
];

describe('commands', () => {
  test('each is known as one that changes something or as one that does not', () => {
    expect(leaves.map(([path]) => path).sort()).toEqual([...changing, ...others].sort());
  });

  test('each prints JSON for who asks', () => {
    const without = leaves.filter(([, { options }]) => !options.some(({ long }) => long === '--json'));
    expect(without.map(([path]) => path)).toEqual([]);
  });

  test('each file that has one of them works through the audit log, or changes nothing', () => {
    const folder = new URL('../../src/cli/commands/', import.meta.url);
    const texts = readdirSync(folder).map(
      (name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const,
    );
    // Whoever reads `operatorName` speaks in somebody's name: that is a change, but for what a delivery's story tells.
    const speaking = texts.filter(([, text]) => text.includes('operatorName('));
    const silent = speaking.filter(([, text]) => !text.includes('withChange('));
    expect(silent.map(([name]) => name)).toEqual(['reviews-submit.ts']);
  });

  test('no file prints a table or its progress in a way of its own', () => {
    const folder = new URL('../../src/cli/commands/', import.meta.url);
    const own = readdirSync(folder).filter((name) =>
      /columnsMax|paintTitle|stderr\.write|barOf/.test(readFileSync(new URL(name, folder), 'utf8')),
    );
    expect(own).toEqual([]);
  });
});
