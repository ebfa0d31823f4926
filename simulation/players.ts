import { createProcess, type Sides, type SimulatedProcess } from './process.ts';
import type { World } from './world.ts';

/** A world and the processes at work in it, as every kind of run has them. */
export interface Players {
  world: World;
  processes: SimulatedProcess[];
  /** A new one, for the place of one that is dead or about to stop. */
  restart: () => SimulatedProcess;
  /** Who was ever started: one that was replaced may stand still for hours, and go on. */
  everybody: SimulatedProcess[];
}

/** At least one process, and `most` of them at most. */
export function startProcesses(world: World, most: number, sides: Sides = {}): Players {
  const everybody: SimulatedProcess[] = [];
  const restart = () => {
    const process = createProcess(`p${everybody.length + 1}`, world, sides);
    everybody.push(process);
    return process;
  };
  const processes = Array.from({ length: world.chance.between(1, most) }, restart);
  return { world, processes, restart, everybody };
}
