import { plantedBugs } from '../../simulation/planted-bugs.ts';
import { promises } from '../../simulation/promises.ts';
import { arrowNames, faultNames } from '../../simulation/tally.ts';

/** What the simulator checks, what it does to the engine, and the bugs that it must find. */
export function proofPage(): string {
  const table = (head: string, rows: readonly string[]) => [head, head.replace(/[^|]+/g, '---'), ...rows];
  return [
    '# The proof in detail',
    '',
    'Made from the code by `npm run docs`. [proof.md](proof.md) says what it is for.',
    '',
    `## What is promised (${Object.keys(promises).length})`,
    '',
    'Checked after every commit, at every post to the provider, or at the end of a run; the first that is broken ends it.',
    '',
    ...table(
      '| promise | in words |',
      Object.entries(promises).map(([name, sentence]) => `| ${name} | ${sentence} |`),
    ),
    '',
    `## What goes wrong (${faultNames.length})`,
    '',
    `Each of these, and each of the ${arrowNames.length} arrows and kinds of evidence of the [life cycle](lifecycle.md) that the engine uses, is`,
    'counted; a run of 2,000 seeds or more in which one never happened fails.',
    '',
    ...faultNames.map((name) => `- ${name}`),
    '',
    `## Bugs planted on purpose (${plantedBugs.length})`,
    '',
    'Each is a small patch of a copy of the source; `npm run mutations` shows the seed that notices it.',
    '',
    ...table(
      '| bug | rule that it breaks | what goes wrong |',
      plantedBugs.map(
        ({ name, rule, because }) => `| ${name} | ${rule} | ${because.replaceAll('|', '\\|')} |`,
      ),
    ),
    '',
  ].join('\n');
}
