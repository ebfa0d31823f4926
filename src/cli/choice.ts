import type { Command } from 'commander';
import type { Status } from '../domain/status.ts';
import type { Choice } from '../outbox/choose.ts';
import { Refusal } from '../std/refusal.ts';
import { requireStatus, severalTimes, timeOf, wholeNumber } from './arguments.ts';
import { shellWord } from './printable.ts';

/** The options by which an operator chooses many deliveries at once, and how they are read. */
export interface ChoiceOptions {
  status?: string[];
  source?: string;
  occasion?: string;
  error?: string;
  since?: string;
  until?: string;
  limit?: number;
  yes?: true;
}

export function addChoiceOptions(command: Command, statusByDefault: Status): Command {
  return command
    .option(
      '--status <status>',
      `all that are in this status (${statusByDefault} if not given); may be given several times`,
      severalTimes,
    )
    .option('--source <name>', 'all of this source')
    .option('--occasion <key>', 'all that tell of this occasion')
    .option('--error <code>', 'all whose last error has this code')
    .option('--since <time>', 'all that were asked for since then: 2h, 3d, or an ISO date')
    .option('--until <time>', 'all that were asked for before then: 30min, or an ISO date')
    .option('--limit <count>', 'no more than so many of them, the oldest first', wholeNumber(10_000_000))
    .option('--yes', 'do it; without, they are only counted');
}

const names = ['status', 'source', 'occasion', 'error', 'since', 'until', 'limit', 'yes'] as const;

/** Null where no option chooses. Deliveries are named or chosen: who does both may mean either. */
export function choiceOf(
  references: readonly string[],
  options: ChoiceOptions,
  { now, statusByDefault }: { now: number; statusByDefault: Status },
): Choice | null {
  const isChosen = names.some((name) => name !== 'yes' && name !== 'limit' && options[name] !== undefined);
  if (references.length > 0 && names.some((name) => options[name] !== undefined)) {
    throw new Refusal(
      'named_and_chosen',
      'Give the numbers of deliveries, or choose them by --status, --source and the like; not both.',
    );
  }
  if (references.length > 0) return null;
  if (!isChosen) {
    throw new Refusal(
      'nothing_chosen',
      `Say which: by number, or by --status, --source, --occasion, --error, --since or --until. All that are ${statusByDefault}: --status ${statusByDefault}`,
    );
  }
  const { status, source, occasion, error, since, until } = options;
  const createdFrom = since === undefined ? undefined : timeOf(since, '--since', now);
  const createdBefore = until === undefined ? undefined : timeOf(until, '--until', now);
  return {
    status: status?.map(requireStatus) ?? [statusByDefault],
    source,
    occasion,
    error,
    createdFrom,
    createdBefore,
  };
}

/** The same options as words of a command, for the one that does what was counted. */
export function wordsOf(options: ChoiceOptions): string {
  const words = names.flatMap((name) => {
    const value = options[name];
    if (value === undefined || name === 'yes') return [];
    return [value].flat().flatMap((each) => [`--${name}`, String(each)]);
  });
  return words.map(shellWord).join(' ');
}
