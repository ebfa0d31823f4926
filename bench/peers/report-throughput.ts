import { createRequire } from 'node:module';
import type { GoalName } from '../report/goals.ts';
import { type MeasuredContender, report } from '../report/result.ts';
import { keptRounds } from '../support/kept-rounds.ts';
import { control, groupOf } from './contenders.ts';
import { type Measured, middle, titleOf } from './measure.ts';

/** Past this the provider may be what holds everybody back, and nobody's figure says anything about the contender. */
const busyMax = 0.85;

/** Prints the table, and leaves the result for the page. */
export function reportThroughput(all: readonly Measured[], { rows }: { rows: number }): void {
  const bare = all.find(({ entry }) => entry === control);
  if (!bare) throw new Error('there is no control');
  const { kept, dropped, off } = keptRounds(bare.rounds.map(({ perSecond }) => perSecond));
  const perSecond = (one: Measured | undefined) => (one && middle(one, kept, 'perSecond')) ?? Number.NaN;
  const ours = (database: string) =>
    perSecond(all.find(({ entry }) => entry.kind === 'engine' && entry.database === database));
  const measured: Partial<Record<GoalName, number>> = {
    'bare/postgres': ours('PostgreSQL') / perSecond(bare),
    'bare/sqlite': ours('SQLite') / perSecond(bare),
  };
  for (const one of all) {
    const { goal, database } = one.entry;
    if (goal) measured[goal] = ours(database) / perSecond(one);
  }
  const contenders = all.map((one) => figuresOf(one, kept));
  const octets = `${rows} mails a round, ${kept.length} rounds counted, ${dropped.length} dropped`;
  console.log(`\nMails a second: median (lowest to highest) of ${octets}; processor time of one mail in µs`);
  for (const [place, one] of contenders.entries()) print(one, ours(all[place]?.entry.database ?? ''));
  const problems = all.flatMap((one) => one.problems);
  if (off > dropped.length)
    problems.push(
      `the control loop was off in ${off} rounds, and no more than a third are dropped: measure again`,
    );
  for (const { name, providerBusyShare } of contenders)
    if ((providerBusyShare ?? 0) > busyMax)
      problems.push(`${name}: the provider was busy ${whole((providerBusyShare ?? 0) * 100)} % of the time`);
  report({
    ...{ bench: 'throughput', rounds: kept.length, dropped: dropped.length, rows },
    ...{ measured, contenders, problems, versions: versionsOf() },
  });
}

function figuresOf(one: Measured, kept: readonly number[]): MeasuredContender {
  const speeds = kept.map((round) => one.rounds[round]?.perSecond ?? Number.NaN);
  return {
    ...{ name: titleOf(one.entry), group: groupOf(one.entry), perSecond: middle(one, kept, 'perSecond') },
    ...{ lowest: Math.min(...speeds), highest: Math.max(...speeds) },
    ...{ cpuMicros: middle(one, kept, 'cpuMicros'), providerMicros: middle(one, kept, 'providerMicros') },
    ...{ serverMicros: middle(one, kept, 'serverMicros'), providerBusyShare: middle(one, kept, 'busyShare') },
  };
}

function print(one: MeasuredContender, ours: number): void {
  const span = `(${whole(one.lowest)} to ${whole(one.highest)})`;
  const cpu = `own ${whole(one.cpuMicros).padStart(4)}  servers ${whole(one.serverMicros).padStart(4)}  provider ${whole(one.providerMicros).padStart(3)}`;
  const ratio = `Tidings × ${(ours / (one.perSecond ?? Number.NaN)).toFixed(2)}`;
  const busy = `provider busy ${whole((one.providerBusyShare ?? 0) * 100)} %`;
  console.log(
    `  ${one.name.padEnd(66)} ${whole(one.perSecond).padStart(6)} ${span.padEnd(17)} ${ratio.padEnd(16)} ${cpu}  ${busy}`,
  );
}

function whole(number: number | null | undefined): string {
  return number?.toFixed(0) ?? '?';
}

/** As they are installed. */
function versionsOf(): Record<string, string> {
  const require = createRequire(new URL('../package.json', import.meta.url));
  const { dependencies } = require('./package.json') as { dependencies: Record<string, string> };
  const { TIDINGS_BENCH_POSTGRES = 'unknown', TIDINGS_BENCH_REDIS = 'unknown' } = process.env;
  return { PostgreSQL: TIDINGS_BENCH_POSTGRES, Redis: TIDINGS_BENCH_REDIS, ...dependencies };
}
