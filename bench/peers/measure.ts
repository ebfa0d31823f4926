import type { ProviderServer } from '../send/provider-server.ts';
import { type Child, startChild } from '../support/child.ts';
import { median } from '../support/median.ts';
import type { ServerCpu } from '../support/server-cpu.ts';
import type { ContenderOrder, Question, Ran, Recorded } from './contender.ts';
import { type Entry, groupOf } from './contenders.ts';

/** One contender with its process, and what each round of it was like. */
export interface Measured {
  entry: Entry;
  process: Child;
  rounds: RoundFigures[];
  problems: string[];
}

interface RoundFigures {
  perSecond: number;
  cpuMicros: number;
  providerMicros: number;
  serverMicros: number | null;
  busyShare: number;
}

/** What stands around everybody. */
export interface Surroundings {
  rows: number;
  provider: ProviderServer;
  postgres: ServerCpu | undefined;
  /** The processor time of Redis so far. */
  redisMs: () => Promise<number>;
  /** The same for everybody, or the ratios mean nothing: set by the first. */
  octets: { each: number | undefined };
}

export async function open(entry: Entry, order: Omit<ContenderOrder, keyof Entry>): Promise<Measured> {
  const process = startChild(new URL('contender-process.ts', import.meta.url));
  const { kind, setting, work } = entry;
  await process.ask({ verb: 'open', order: { ...order, kind, setting, work } } satisfies Question);
  return { entry, process, rounds: [], problems: [] };
}

/** One round: fill, run, count. What did not arrive, or arrived twice, is kept as a problem. Round 0 makes everything warm. */
export async function measure(measured: Measured, round: number, around: Surroundings): Promise<void> {
  const { entry, process } = measured;
  const { rows, provider, postgres, redisMs, octets } = around;
  const ask = <Answer>(question: Question) => process.ask<Answer>(question);
  await ask({ verb: 'fill', round });
  await postgres?.checkpoint();
  const redisBefore = await redisMs();
  const before = postgres?.usedMs() ?? null;
  await provider.seen();
  const { wallMs, cpuMs } = await ask<Ran>({ verb: 'run' });
  const seen = await provider.seen();
  const after = postgres?.usedMs() ?? null;
  const redisUsed = (await redisMs()) - redisBefore;
  const recorded = await ask<Recorded>({ verb: 'check' });
  octets.each ??= seen.bodyOctets;
  const say = (problem: string) => measured.problems.push(`${titleOf(entry)}, round ${round}: ${problem}`);
  if (seen.requests !== rows || seen.keys !== rows)
    say(`${seen.requests} requests with ${seen.keys} different keys for ${rows} mails`);
  if (seen.bodyOctets !== octets.each)
    say(`bodies of ${seen.bodyOctets} octets, and others' of ${octets.each}`);
  if (entry.kind !== 'bare-loop') checkRecords(recorded, (round + 1) * rows, say);
  const servers = before === null || after === null ? null : after - before + redisUsed;
  const each = 1000 / rows;
  if (round === 0) return;
  measured.rounds.push({
    perSecond: (rows * 1000) / wallMs,
    cpuMicros: cpuMs * each,
    providerMicros: seen.cpuMs * each,
    // On SQLite the contender's own process does what a server does for the others.
    serverMicros: entry.database === 'SQLite' || entry.kind === 'bare-loop' ? 0 : servers && servers * each,
    busyShare: seen.cpuMs / wallMs,
  });
}

function checkRecords(
  { sent, events, bodies, left }: Recorded,
  wanted: number,
  say: (problem: string) => void,
): void {
  const counts = { 'status rows': sent, 'rows of the story': events, 'stored bodies': bodies };
  for (const [what, count] of Object.entries(counts))
    if (count !== null && count !== wanted) say(`${count} ${what} for ${wanted} mails`);
  if (left > 0) say(`${left} are not done`);
}

export function titleOf(entry: Entry): string {
  const group = groupOf(entry);
  return group === 'control' || entry.kind === 'engine' ? entry.name : `${entry.name} (${group})`;
}

/** The median of what counts. */
export function middle(measured: Measured, kept: readonly number[], of: keyof RoundFigures): number | null {
  const figures = kept.map((round) => measured.rounds[round]?.[of] ?? null);
  return figures.some((figure) => figure === null) ? null : median(figures as number[]);
}
