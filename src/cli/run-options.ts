import type { Command } from 'commander';
import type { CanaryOrder, TriggerRequest } from '../sources/newsletters/runs/run-order.ts';
import { parseDuration } from '../std/duration.ts';
import { Refusal } from '../std/refusal.ts';
import { typesHelp } from './notification-types.ts';

/** What `trigger`, `plan` and `apply` take alike. */
export interface RunOptions {
  period?: string;
  limit?: string;
  force?: true;
  canary?: string;
  bouncesMax?: string;
  canaryWait?: string;
}

export const withRunOptions = (command: Command) =>
  withCanary(
    command
      .option('--period <key>', 'such as 2026-10, 2026-Q3 or 2025; without it, the last one that is over')
      .option('--limit <count>', 'at most so many recipients')
      .option('--force', 'look again although there was a run; nobody is told the same period twice')
      .addHelpText('after', `\n${typesHelp}`),
  );

export const withCanary = (command: Command) =>
  command
    .option('--canary <count>', 'mail so many first, and the others only when these have arrived')
    .option('--bounces-max <count>', 'more bounces and complaints among these stop the run (0)')
    .option('--canary-wait <duration>', 'how long to listen before the others follow (1h)');

export function requestOf(notificationType: string, { period, limit, force }: RunOptions): TriggerRequest {
  return {
    notificationType,
    ...(period !== undefined && { periodKey: period }),
    ...(limit !== undefined && { limit: wholeNumber(limit, '--limit') }),
    ...(force && { force }),
  };
}

export function canaryOf(options: RunOptions): CanaryOrder | undefined {
  const { canary, bouncesMax = '0', canaryWait = '1h' } = options;
  if (canary === undefined) {
    if (options.bouncesMax === undefined && options.canaryWait === undefined) return undefined;
    const sentence =
      '--bounces-max and --canary-wait are about a canary: say how many with --canary <count>.';
    throw new Refusal('invalid_canary', sentence);
  }
  const waitMs = parseDuration(canaryWait);
  if (waitMs === undefined)
    throw new Refusal('invalid_canary', '--canary-wait is a duration such as 30m, 2h or 1d.');
  return {
    ...{ size: wholeNumber(canary, '--canary'), waitMs },
    bouncesMax: wholeNumber(bouncesMax, '--bounces-max'),
  };
}

function wholeNumber(text: string, option: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Refusal('invalid_number', `${option} must be a whole number.`);
}
