import { type Command, CommanderError } from 'commander';
import { Refusal } from '../std/refusal.ts';
import { printable, printableLines } from './printable.ts';
import { withoutPasswords } from './redact.ts';
import type { Terminal } from './terminal.ts';

interface Circumstances {
  terminal: Terminal;
  program: Command;
  argv: readonly string[];
}

/**
 * What was thrown, as the user is told it, and the exit code for it: 2 for a mistake, which says what to do and has no
 * stack; 1 for a service that is away, and for what should not happen, whose stack is for whoever asks for it.
 */
export async function complain(
  error: unknown,
  { terminal, program, argv }: Circumstances,
): Promise<0 | 1 | 2> {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    // A group without a command: commander has shown its help already.
    if (error.code === 'commander.help') return 2;
  }
  const options = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const problem = problemOf(error, program, argv);
  if (options.includes('--json')) {
    const { lines, code, details } = problem;
    terminal.complain(JSON.stringify({ error: lines.join(' '), code, ...(details && { details }) }));
  } else {
    terminal.complain(...linesForPeople(problem).map(printable));
    if (problem.code === unexpected) terminal.complain(...(await stackOf(error)));
  }
  return problem.exitCode;
}

const unexpected = 'unexpected';
/** What to do is said, and yet it is nobody's mistake. */
const outages: ReadonlySet<string> = new Set(['redis_away']);

interface Problem {
  exitCode: 1 | 2;
  lines: string[];
  code: string;
  details?: Readonly<Record<string, unknown>> | undefined;
}

function problemOf(error: unknown, program: Command, argv: readonly string[]): Problem {
  if (error instanceof Refusal) {
    const { message, code, details } = error;
    return { exitCode: outages.has(code) ? 1 : 2, lines: message.split('\n'), code, details };
  }
  if (error instanceof CommanderError) {
    const code = error.code
      .replace('commander.', '')
      .replaceAll(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`);
    return { exitCode: 2, lines: [usageSentence(error.message), seeHelp(program, argv)], code };
  }
  const { message, code } = (error ?? {}) as { message?: unknown; code?: unknown };
  const what = withoutPasswords(String(message || code || error)).replace(/[.\s]+$/, '');
  return { exitCode: 1, lines: [`Something broke: ${what}.`], code: unexpected };
}

/** An API answers with details, of which its sentence speaks; here there are none, so that each further problem has a line. */
function linesForPeople({ lines, details }: Problem): string[] {
  const seeDetails = / And (\d+) more: see details\.$/;
  const count = seeDetails.exec(lines.at(-1) ?? '')?.[1];
  const told = Array.isArray(details?.problems) ? details.problems : [];
  const further = told
    .slice(1)
    .flatMap((one: { problem?: unknown }) => one.problem ?? [])
    .map(String);
  if (count === undefined || further.length === 0) return lines;
  const left = Number(count) - further.length;
  return [
    ...lines.map((line) => line.replace(seeDetails, '')),
    ...further,
    ...(left > 0 ? [`And ${left} more.`] : []),
  ];
}

/** Commander's `error: unknown option '--x'\n(Did you mean --y?)` as sentences. */
function usageSentence(message: string): string {
  const [problem = '', ...hints] = message.replace(/^error: /, '').split('\n');
  const sentence = problem.charAt(0).toUpperCase() + problem.slice(1).replace(/\.$/, '');
  return [`${sentence}.`, ...hints.map((hint) => hint.replace(/^\((.*)\)$/, '$1'))].join(' ');
}

function seeHelp(program: Command, argv: readonly string[]): string {
  const names: string[] = [];
  let command = program;
  for (const word of argv) {
    const next = command.commands.find((candidate) => candidate.name() === word);
    if (!next) break;
    names.push(word);
    command = next;
  }
  return `How to use it: ${['npx', 'tidings', ...names, '--help'].join(' ')}`;
}

async function stackOf(error: unknown): Promise<string[]> {
  const { readConfig } = await import('../config.ts');
  let isWanted = false;
  try {
    isWanted = readConfig().logLevel === 'debug';
  } catch {
    // A configuration that cannot be read asks for nothing.
  }
  if (!isWanted) return ['LOG_LEVEL=debug shows where.'];
  return printableLines(withoutPasswords((error as Error)?.stack ?? String(error)));
}
