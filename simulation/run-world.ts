import type { Cut } from './cut.ts';
import type { Players } from './players.ts';
import type { Stage } from './stage.ts';
import type { Violation } from './watch.ts';
import { createWorld, type World } from './world.ts';

/** One run: somebody is there, a number of things happen, and then there is peace until all is settled. */
export interface Run {
  seed: number;
  violation: Violation | null;
  lines: readonly string[];
  hash: string;
  counts: Readonly<Record<string, number>>;
  /** How many steps there were, and which faults struck: what a failing run can be shortened by. */
  steps: number;
  struck: readonly string[];
}

/** What a run is about: all in which one kind of world differs from another. */
export interface Plot<Scene extends Players> {
  begin(world: World, stage: Stage): Scene | Promise<Scene>;
  stepsMin: number;
  stepsMax: number;
  doSomething(scene: Scene): Promise<unknown>;
  afterStep?(scene: Scene, step: number): Promise<void>;
  /** What chance alone finds too seldom. */
  doLast?(scene: Scene): Promise<void>;
  end(scene: Scene): Promise<void>;
}

/** Their dice and their faults are their own. */
const lastStep = 998;
const endStep = 999;

export async function runWorld<Scene extends Players>(
  plot: Plot<Scene>,
  seed: number,
  stage: Stage,
  cut: Cut,
): Promise<Run> {
  await stage.clear();
  const struck: string[] = [];
  const world = createWorld(seed, stage, cut, struck);
  const { chance, clock, watch, story, tally } = world;
  const begun = plot.begin(world, stage);
  // Not awaited for nothing: what it has set going would roll its dice before the first step.
  const scene = begun instanceof Promise ? await begun : begun;
  const steps = chance.between(plot.stepsMin, plot.stepsMax);
  let step = 1;
  for (; step <= steps && watch.violation === null; step++) {
    world.turnTo(step);
    if (cut.steps.has(step)) continue;
    await plot.doSomething(scene);
    await clock.advance(0);
    watch.lookAround();
    await plot.afterStep?.(scene, step);
  }
  if (watch.violation === null && !cut.steps.has(lastStep)) {
    world.turnTo(lastStep);
    await plot.doLast?.(scene);
  }
  if (watch.violation === null) {
    world.turnTo(endStep);
    await plot.end(scene);
  }
  for (const { faults } of scene.processes) faults.die('with the run');
  await clock.advance(0);
  return {
    ...{ seed, violation: watch.violation, lines: story.lines, hash: story.hash(), counts: tally.counts },
    ...{ steps: step - 1, struck },
  };
}
