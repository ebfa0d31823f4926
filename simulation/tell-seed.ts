import { type Cut, nothingCut, optionsOf } from './cut.ts';
import { runSeed } from './run.ts';
import type { Run } from './run-world.ts';
import { shrink } from './shrink.ts';
import { openStage } from './stage.ts';

export interface SeedOrder {
  seed: number;
  /** What is left out of it. */
  cut: Cut;
  isToShrink: boolean;
  /** What it is run again with: `npm run simulate --`, and the planted bug if there is one. */
  command: string;
}

/** One seed, told in full; run twice, because the same seed must be the same run. */
export async function tellSeed({ seed, cut, isToShrink, command }: SeedOrder, print: (line: string) => void) {
  const stage = await openStage();
  const run = await runSeed(seed, stage, cut);
  const again = await runSeed(seed, stage, cut);
  const isSame = again.hash === run.hash;
  for (const line of run.lines) print(line);
  print(endOf(run));
  print(`sha256 ${run.hash}`);
  if (!isSame) print(`Run again, it was another run: ${again.hash}`);
  const isCut = cut.steps.size + cut.faults.size > 0;
  if (isCut && (await runSeed(seed, stage, nothingCut)).hash === run.hash) {
    print(`Nothing was left out: seed ${seed} has no such step or fault, and is the same run with them.`);
  }
  const shrunk = run.violation && isToShrink ? await shrink(run, stage, undefined, cut) : null;
  if (shrunk) {
    print('\nWith as little happening as it takes:');
    for (const line of shrunk.run.lines) print(line);
    print(endOf(shrunk.run));
    print(`Again: ${command} --seed ${seed}${optionsOf(shrunk.cut)}`);
  } else if (isToShrink) print('There is nothing to shorten: no promise was broken.');
  return {
    ...{ seed, violation: run.violation, sha256: run.hash, isSameAgain: isSame, counts: run.counts },
    shrunk: shrunk && { violation: shrunk.run.violation, options: optionsOf(shrunk.cut).trim() },
    isRight: run.violation === null && isSame,
  };
}

const endOf = ({ violation }: Run) =>
  violation === null
    ? 'Every promise was kept.'
    : `A promise was broken (${violation.promise}): ${violation.sentence}`;
