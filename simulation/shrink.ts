import { type Cut, nothingCut } from './cut.ts';
import { runSeed } from './run.ts';
import type { Run } from './run-world.ts';
import type { Stage } from './stage.ts';

/**
 * The same broken promise with less happening: steps and faults are left out, first many at once, then one by one, as long as
 * it still breaks. What is left is what it takes. `from` is what the broken run was made without already.
 */
export async function shrink(
  broken: Run,
  stage: Stage,
  triesMax = 300,
  from: Cut = nothingCut,
): Promise<{ run: Run; cut: Cut }> {
  let best = { run: broken, cut: from };
  let tries = 0;

  async function attempt(cut: Cut): Promise<boolean> {
    if (tries >= triesMax) return false;
    tries += 1;
    const run = await runSeed(broken.seed, stage, cut);
    const isSame = run.violation?.promise === broken.violation?.promise;
    // Without a step another way may lead there, and a longer one.
    if (!isSame || run.lines.length > best.run.lines.length) return false;
    best = { run, cut };
    return true;
  }

  /** Halves, quarters, … and single ones. */
  async function leaveOut<T>(all: () => readonly T[], without: (some: readonly T[]) => Cut): Promise<void> {
    for (let size = Math.ceil(all().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let end = all().length; end > 0; end -= size) {
        const some = all().slice(Math.max(0, end - size), end);
        if (some.length > 0) await attempt(without(some));
      }
    }
  }

  const stepsLeft = () =>
    Array.from({ length: best.run.steps }, (_, index) => index + 1).filter(
      (step) => !best.cut.steps.has(step),
    );
  for (let before = -1; before !== best.run.lines.length && tries < triesMax; ) {
    before = best.run.lines.length;
    await leaveOut(stepsLeft, (some) => ({ ...best.cut, steps: new Set([...best.cut.steps, ...some]) }));
    await leaveOut(
      () => best.run.struck,
      (some) => ({ ...best.cut, faults: new Set([...best.cut.faults, ...some]) }),
    );
  }
  return best;
}
