import { hourMs, minuteMs } from './chance.ts';
import { untilEdge } from './edges.ts';
import { operate, requestBySql, suppressSomebody, unsubscribe } from './people.ts';
import type { SimulatedProcess } from './process.ts';
import type { World } from './world.ts';

/** What happens in every run with a real source, whatever that is about. How often, each kind of run says for itself. */
type Everyday =
  | ('work' | 'long_work')
  | ('webhook' | 'operator' | 'by_sql' | 'unsubscribe' | 'suppression')
  | ('hours' | 'day')
  | keyof typeof misfortunes;

/** As often in one kind of run as in another, where it does not say otherwise. */
export const misfortunes = {
  edge: 3,
  death: 3,
  stop: 0.7,
  pause: 2,
  suspend: 0.7,
  clock: 1,
  disk: 0.5,
};

/** To whom it happens, and how they take it. */
export interface Customs {
  world: World;
  process: SimulatedProcess;
  work(turns: number): Promise<void>;
  /** The process does, and that is counted by what it was about. */
  die(): unknown;
}

export async function doEveryday({ world, process, work, die }: Customs, action: Everyday): Promise<unknown> {
  const { chance, clock, watch, mailman, mayStrike } = world;
  const { faults } = process;
  switch (action) {
    case 'work':
      return work(chance.between(1, 3));
    case 'long_work':
      return work(chance.between(5, 9));
    case 'webhook':
      return mailman.tellOne(world, process);
    case 'operator':
      return watch.rows.length > 0 && operate(world, chance.one(watch.rows));
    case 'by_sql':
      return watch.rows.length > 0 && requestBySql(world, chance.one(watch.rows));
    case 'unsubscribe':
      return watch.rows.length > 0 && unsubscribe(world, process);
    case 'suppression':
      return watch.rows.length > 0 && suppressSomebody(world);
    case 'hours':
      return clock.advance(chance.between(0, 9 * hourMs));
    case 'day':
      return clock.advance(chance.between(20, 26) * hourMs);
    case 'edge':
      await clock.advance(untilEdge(world));
      return work(1);
    case 'death':
      return !faults.isDead && die();
    case 'stop':
      return !faults.isDead && mayStrike('a process is asked to stop') && process.stop();
    case 'pause':
      return mayStrike('a process stands still') && faults.pause(chance.between(1_000, 5 * minuteMs));
    case 'suspend':
      return (
        mayStrike('a machine sleeps, and its monotonic clock with it') &&
        faults.suspend(chance.between(minuteMs, hourMs))
      );
    case 'clock': {
      const aheadMs = chance.between(-2_000, 2_000);
      if (!mayStrike(aheadMs < 0 ? 'a clock goes behind' : 'a clock goes ahead')) return;
      return faults.setClock(aheadMs);
    }
    case 'disk':
      return mayStrike('the disk is full') && world.fillDisk(chance.between(1_000, 2 * minuteMs));
  }
}
