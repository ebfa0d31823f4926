import { secondMs } from './chance.ts';
import type { Players } from './players.ts';
import type { AnyTurn } from './process.ts';

/** How one kind of run fills its shifts. */
export interface Shift<Scene extends Players> {
  /** Another in the place of whoever is dead, or about to stop. */
  startAnew(scene: Scene, index: number): void;
  /** Which are worth their time now. */
  turnsWith(scene: Scene): readonly AnyTurn[];
}

/** Everybody, for some turns, with seconds and some webhooks between them. */
export async function workShift<Scene extends Players>(
  { startAnew, turnsWith }: Shift<Scene>,
  scene: Scene,
  turns: number,
): Promise<void> {
  const { world, processes } = scene;
  const { chance, clock, watch, mailman } = world;
  for (let left = turns; left > 0 && watch.violation === null; left--) {
    for (const index of processes.keys()) if (chance.isTrue(0.7)) startAnew(scene, index);
    startTurns(scene, turnsWith);
    await clock.advance(chance.between(secondMs, 8 * secondMs));
    while (chance.isTrue(0.3) && mailman.tellOne(world, chance.one(processes))) await clock.advance(0);
    watch.lookAround();
  }
}

/** Each process rolls its own dice about what is worth its time. */
export function startTurns<Scene extends Players>(scene: Scene, turnsWith: Shift<Scene>['turnsWith']): void {
  for (const process of scene.processes) {
    for (const turn of turnsWith(scene)) if (process.isIdle(turn)) process.start(turn);
  }
}
