import type { Command } from 'commander';

/** The command that somebody typed, as it is written down where it changes something. */
export interface AskedCommand {
  /** Such as `tidings suppressions add`. */
  verb: string;
  details: Readonly<Record<string, unknown>>;
  /** What `--reason` or `--because` says, where the command has it. */
  reason: string | null;
  /** `--json`: a program reads what it says. */
  isForProgram: boolean;
}

export const nothingAsked: AskedCommand = { verb: 'tidings', details: {}, reason: null, isForProgram: false };

/** Read by commander already, and so in one place for all commands. */
export function askedOf(command: Command): AskedCommand {
  const names: string[] = [];
  for (let one: Command | null = command; one !== null; one = one.parent) names.unshift(one.name());
  const { reason, because, json, ...options } = command.opts<Record<string, unknown>>();
  const why = [reason, because].find((text) => typeof text === 'string') as string | undefined;
  return {
    verb: names.join(' '),
    details: { ...(command.args.length > 0 && { arguments: command.args }), ...options },
    reason: why?.trim() ?? null,
    isForProgram: json === true,
  };
}
