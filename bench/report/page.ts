import { type Goal, goals } from './goals.ts';
import { boundOf, figureOf, type Result } from './result.ts';

/** Every goal, whether it was measured or not: one that is missed, or that nobody measured, stays in the table and says so. */
export function goalsTable(results: readonly Result[]): string {
  const measured = new Map(
    results.flatMap((result) => result.goals.map((goal) => [goal.name as string, goal] as const)),
  );
  let rowBefore = '';
  const lines = Object.entries(goals).map(([name, goal]: [string, Goal]) => {
    const row = goal.row === rowBefore ? '' : goal.row;
    rowBefore = goal.row;
    const found = measured.get(name);
    const figure = found ? figureOf(goal, found.measured) : '–';
    const verdict = found ? (found.isMet ? '✅ met' : '❌ **missed**') : '⬜ not measured';
    return `| ${row} | ${goal.of} | ${boundOf(goal)} | ${figure} | ${verdict} |`;
  });
  return ['| what | beside whom, or of what | goal | measured | |', '|---|---|---|---|---|', ...lines].join(
    '\n',
  );
}

/** Who was measured, by median, with what a mail costs on both sides of the wire. */
export function contendersTable(results: readonly Result[]): string {
  const contenders = results.find(({ bench }) => bench === 'throughput')?.contenders ?? [];
  if (contenders.length === 0) return 'Not measured for this page yet: `npm run bench -- throughput`.';
  const lines = contenders.map((one) => {
    const span = `${whole(one.lowest)} to ${whole(one.highest)}`;
    const name = one.name.startsWith('Tidings') ? `**${one.name}**` : one.name;
    const cpu = [one.cpuMicros, one.serverMicros, one.providerMicros].map((figure) => whole(figure ?? null));
    const busy = `${whole((one.providerBusyShare ?? 0) * 100)} %`;
    return `| ${name} | ${whole(one.perSecond)} | ${span} | ${cpu.join(' | ')} | ${busy} |`;
  });
  const head =
    '| | mails a second | lowest to highest | CPU of one, µs: own process | servers behind it | provider | provider busy |';
  return [head, '|---|---|---|---|---|---|---|', ...lines].join('\n');
}

/** Where the microseconds of a mail go, on either database. */
export function profileTable(results: readonly Result[]): string {
  const profiles = results.find(({ bench }) => bench === 'profile')?.profiles ?? [];
  const [first] = profiles;
  if (!first) return 'Not measured for this page yet: `npm run bench -- profile`.';
  const sumOf = ({ micros }: (typeof profiles)[number]) => micros.reduce((sum, [, own]) => sum + own, 0);
  const lines = first.micros.map(([name], place) => {
    const cells = profiles.map((profile) => {
      const own = profile.micros[place]?.[1] ?? 0;
      return `${whole(own)} (${whole((own / sumOf(profile)) * 100)} %)`;
    });
    return `| ${name} | ${cells.join(' | ')} |`;
  });
  const databases = profiles.map(({ database }) => database).join(' | ');
  const sums = profiles.map((profile) => `**${whole(sumOf(profile))}**`).join(' | ');
  return [
    `| µs of a mail | ${databases} |`,
    `|---|${profiles.map(() => '---|').join('')}`,
    ...lines,
    `| all | ${sums} |`,
  ].join('\n');
}

/** Where and of what, how many rounds counted, and what went wrong. */
export function runLines(results: readonly Result[], run: string): string {
  if (results.length === 0) return 'Nothing has been measured for this page yet: `npm run bench`.';
  const versions = Object.assign({}, ...results.map((result) => result.versions)) as Record<string, string>;
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const rounds = results.map(
    ({ bench, rounds, dropped, rows, at }) =>
      `- \`${bench}\`: ${rounds} rounds counted, ${dropped} dropped, ${rows.toLocaleString('en-GB')} rows, ${at.slice(0, 10)}`,
  );
  const problems = results.flatMap(({ problems }) => problems);
  return [
    `${run}. ${named.join(', ')}.`,
    '',
    ...rounds,
    '',
    problems.length === 0 ? 'Everything arrived once, from everybody.' : 'What was not as it should be:',
    ...problems.map((problem) => `- ${problem}`),
  ].join('\n');
}

function whole(number: number | null): string {
  return number === null ? '?' : Math.round(number).toLocaleString('en-GB');
}
