import { parseArgs } from 'node:util';
import { nearest } from '../src/std/nearest.ts';

/**
 * What was asked for on the command line. Nothing that somebody has written there is left aside without a word: it is used, or it
 * is refused with a sentence that says what to do.
 */
export type Options = Readonly<Record<string, { type: 'string' | 'boolean' }>>;

export type Values<T extends Options> = {
  -readonly [Name in keyof T]?: T[Name]['type'] extends 'boolean' ? true : string;
};

/** `--help` tells what there is, and ends the process; so does a mistake. The usage begins with the command: `npm run simulate -- …` */
export function readOptions<T extends Options>(
  usage: string,
  options: T,
  args = process.argv.slice(2),
): Values<T> {
  const [command = ''] = usage.split(' -- ');
  const { values, problem } = parseOptions(command, options, args, process.env);
  if (problem !== null) refuse(`${problem}\n${command} -- --help tells what there is.`);
  if (values === 'help') {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  return values;
}

type Parsed<T extends Options> =
  | { values: Values<T> | 'help'; problem: null }
  | { values: null; problem: string };

export function parseOptions<T extends Options>(
  command: string,
  options: T,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Parsed<T> {
  const names = Object.keys(options);
  const known = { ...options, help: { type: 'boolean', short: 'h' } } as const;
  // Not strict: its own sentences are about how to write a file name that looks like an option.
  const { tokens } = parseArgs({ args: [...args], options: known, strict: false, tokens: true });
  const values: Record<string, string | true> = {};
  const problem = (sentence: string): Parsed<T> => ({ values: null, problem: sentence });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    if (name === 'help') return { values: 'help', problem: null };
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) return problem(`There is no option ${rawName}.${suggestion(name, names, '--')}`);
    if (name in values) return problem(`--${name} is there twice: leave one out.`);
    if (option.type === 'string' && value === undefined) return problem(`--${name} needs a value after it.`);
    if (option.type === 'boolean' && value !== undefined) return problem(`--${name} takes no value.`);
    values[name] = value ?? true;
  }
  const loose = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  const taken = takenByNpm(options, env);
  if (loose.length + taken.length === 0) return { values: values as Values<T>, problem: null };
  const what =
    loose[0] === undefined ? 'npm has kept an option for itself.' : `Unexpected argument ${loose[0]}.`;
  return problem(`${what} npm needs -- before options: ${command} -- ${meantBy(loose, taken, names)}`);
}

/** npm knows options of these names, and somebody may have set them for npm. */
const npmsOwn = ['json', 'only'];

/** Options that stood before the `--`, or without one: npm takes them for its own and tells of them in the environment. */
function takenByNpm(options: Options, env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(options).flatMap(([name, { type }]) => {
    const value = env[`npm_config_${name.replaceAll('-', '_')}`];
    if (value === undefined || npmsOwn.includes(name)) return [];
    if (type === 'boolean') return [`--${name}`];
    return [`--${name} ${value === 'true' || value === '' ? '…' : value}`];
  });
}

/** What was probably to be written. Which of several values is whose, nobody can tell any more. */
function meantBy(loose: readonly string[], taken: readonly string[], names: readonly string[]): string {
  if (loose[0]?.startsWith('-')) return loose.join(' ');
  const options = (taken.length > 0 ? taken : [`--${names[0]} …`]).join(' ');
  return loose.length === 1 ? options.replace('…', loose[0] ?? '…') : options;
}

/** From 1. Undefined where it was not asked for. */
export function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  return refuse(`--${name} needs a whole number from 1, and ${text === '' ? 'nothing' : text} is none.`);
}

/** Some of these names, each once: `a,b`. */
export function someOf(
  text: string,
  names: readonly string[],
  parts: { kind: string; all: string },
): string[] {
  const chosen = text.split(',');
  const unknown = chosen.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    refuse(`There is no ${parts.kind} ${unknown || '""'}.${suggestion(unknown, names)} ${parts.all}`);
  }
  const twice = chosen.find((name, index) => chosen.indexOf(name) !== index);
  if (twice !== undefined) refuse(`--only has ${twice} twice: leave one out.`);
  return chosen;
}

/** With a space before it, or nothing. */
export function suggestion(word: string, names: readonly string[], prefix = ''): string {
  const slipsMax = Math.max(2, Math.floor(word.length / 4));
  const meant =
    nearest(word, names, slipsMax) ?? names.find((name) => word.length > 2 && name.includes(word));
  return meant === undefined ? '' : ` Did you mean ${prefix}${meant}?`;
}

export function refuse(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}

/** `1 kill`, `2,000 kills`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`;
}
