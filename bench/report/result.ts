import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Goal, type GoalName, goals } from './goals.ts';

/** What every bench leaves behind, as JSON: the page is made of these. */
export interface Result {
  bench: string;
  goals: readonly (Pick<Goal, 'of'> & { name: GoalName; goal: string; measured: number; isMet: boolean })[];
  /** How many rounds counted, and how many were dropped because of the control loop. */
  rounds: number;
  dropped: number;
  /** Jobs, deliveries or whatever a round has. */
  rows: number;
  contenders: readonly MeasuredContender[];
  /** Where the time of a mail goes, by database. */
  profiles?: readonly ProfileResult[];
  /** What was lost, repeated or in the way: said, not hidden. */
  problems: readonly string[];
  versions: Readonly<Record<string, string>>;
  machine: string;
  at: string;
}

export interface ProfileResult {
  database: string;
  /** Of one mail, by whose code it is. */
  micros: readonly (readonly [string, number])[];
}

export interface MeasuredContender {
  name: string;
  group: string;
  /** Medians. What nobody could read is null. */
  perSecond: number | null;
  lowest: number | null;
  highest: number | null;
  /** A job's processor time in µs: of the contender's process, the provider's, and the servers' behind it. */
  cpuMicros: number | null;
  providerMicros?: number | null;
  serverMicros?: number | null;
  providerBusyShare?: number | null;
  note?: string;
}

export type Measurement = Pick<Result, 'bench' | 'rounds' | 'rows'> &
  Partial<Pick<Result, 'dropped' | 'contenders' | 'problems' | 'versions' | 'profiles'>> & {
    measured: Partial<Record<GoalName, number>>;
  };

/** Where scripts/bench.mjs wants it: a trial, with fewer rows or rounds, is kept apart from what the page is made of. */
const folder =
  process.env.TIDINGS_BENCH_RESULTS || fileURLToPath(new URL('../results/trial', import.meta.url));

/** Writes the file, prints the verdicts, and lets the program end with an error if a goal was missed or something was lost. */
export function report({ measured, ...rest }: Measurement): void {
  const reached = (Object.entries(measured) as [GoalName, number][]).map(([name, figure]) => {
    const goal: Goal = goals[name];
    return { name, of: goal.of, goal: boundOf(goal), measured: figure, isMet: isMet(goal, figure) };
  });
  const result: Result = {
    ...{ dropped: 0, contenders: [], problems: [] },
    ...rest,
    goals: reached,
    versions: { node: process.versions.node, ...rest.versions },
    machine: `${availableParallelism()} cores (${cpus()[0]?.model.trim() || 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB`,
    at: new Date().toISOString(),
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${result.bench}.json`), `${JSON.stringify(result, null, 2)}\n`);
  for (const { of, goal, measured, name, isMet } of reached) {
    console.log(`  ${isMet ? '✓ met   ' : '✗ MISSED'}  ${of}: ${figureOf(goals[name], measured)} (${goal})`);
  }
  for (const problem of result.problems) console.log(`  ! ${problem}`);
  if (result.problems.length > 0 || reached.some(({ isMet }) => !isMet)) process.exitCode = 1;
}

export function boundOf({ atLeast, atMost, unit }: Goal): string {
  const bound = atLeast ?? atMost ?? Number.NaN;
  return `${atLeast === undefined ? '≤' : '≥'} ${withUnit(bound.toLocaleString('en-GB'), unit)}`;
}

function isMet({ atLeast, atMost }: Goal, figure: number): boolean {
  return figure >= (atLeast ?? Number.NEGATIVE_INFINITY) && figure <= (atMost ?? Number.POSITIVE_INFINITY);
}

export function figureOf({ unit }: Goal, figure: number): string {
  const digits = unit === '×' ? 2 : 0;
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return withUnit(figure.toLocaleString('en-GB', options), unit);
}

function withUnit(text: string, unit: Goal['unit']): string {
  return unit === '×' ? `${text}×` : unit === '/s' ? `${text}/s` : `${text} ${unit}`;
}
