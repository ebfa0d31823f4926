import { hourMs, minuteMs, secondMs } from '../chance.ts';
import { type Cut, nothingCut } from '../cut.ts';
import { untilEdge } from '../edges.ts';
import { operate, requestBySql, suppressSomebody, unsubscribe } from '../people.ts';
import { createProcess, type SimulatedProcess, type TurnKind } from '../process.ts';
import type { Run } from '../run.ts';
import type { Stage } from '../stage.ts';
import { createWorld, type World } from '../world.ts';
import { changeWishes } from './citizens.ts';
import { createCivicWatch } from './civic-watch.ts';
import { found } from './founding.ts';
import { haveSecondThoughts, leaveAndReturn, pauseBetweenTries, stopInFlight } from './moments.ts';
import type { CivicSide, CivicTurn } from './newsletter-parts.ts';
import { apply, changeMind, failingRuns, plan, runsOf, trigger, triggerTwice } from './operators.ts';
import { endCivic } from './peace.ts';
import { isHeld, isWaiting } from './reading.ts';
import { createTown } from './town.ts';
import { createTownHall, type Trouble, troubles } from './town-hall.ts';

/** One run among citizens: figures change, people come and go, runs are started and thought better of, and then there is peace. */
export interface CivicScene extends CivicSide {
  world: World;
  processes: SimulatedProcess[];
  restart: () => SimulatedProcess;
  /** Who was ever started: one that was replaced may stand still for hours, and go on. */
  everybody: SimulatedProcess[];
}

/** Their dice and their faults are their own. */
const lastStep = 998;
const drainStep = 999;
const stepsMin = 30;
const stepsMax = 50;
/** The year has begun, and nobody's clock says otherwise. */
const beginMs = 12 * hourMs;

export async function runCivic(seed: number, stage: Stage, cut: Cut = nothingCut): Promise<Run> {
  await stage.clear();
  const struck: string[] = [];
  const world = createWorld(seed, stage, cut, struck);
  const { chance, watch, story, tally, clock, db, ledger } = world;
  await clock.advance(beginMs);
  const town = createTown(chance, clock, story);
  const hall = createTownHall(world, town);
  const civic: CivicSide = { town, hall, pageMax: chance.one([1, 2, 3, 200]), atWork: new Set() };
  world.beside.civic = createCivicWatch({ db, violate: watch.violate, story, clock, ledger, town, hall });
  await found(world, civic);
  const everybody: SimulatedProcess[] = [];
  const restart = () => {
    const process = createProcess(`p${everybody.length + 1}`, world, { civic });
    everybody.push(process);
    return process;
  };
  const processes = Array.from({ length: chance.between(1, 3) }, restart);
  const scene: CivicScene = { world, ...civic, processes, restart, everybody };
  await trigger(scene, chance.one(processes));
  const steps = chance.between(stepsMin, stepsMax);
  let step = 1;
  for (; step <= steps && watch.violation === null; step++) {
    world.turnTo(step);
    if (cut.steps.has(step)) continue;
    await doSomething(scene);
    await clock.advance(0);
    watch.lookAround();
  }
  if (watch.violation === null && !cut.steps.has(lastStep)) {
    world.turnTo(lastStep);
    await pauseBetweenTries(scene, chance.one(processes));
  }
  if (watch.violation === null) {
    world.turnTo(drainStep);
    await endCivic(scene);
  }
  for (const { faults } of processes) faults.die('with the run');
  await clock.advance(0);
  return {
    ...{ seed, violation: watch.violation, lines: story.lines, hash: story.hash(), counts: tally.counts },
    ...{ steps: step - 1, struck },
  };
}

const actions = {
  work: 30,
  long_work: 6,
  trigger: 7,
  trigger_twice: 3,
  plan: 3,
  apply: 5,
  mind: 7,
  wishes: 12,
  second_thoughts: 6,
  mind_in_flight: 5,
  back_and_forth: 5,
  figures: 6,
  late_figures: 4,
  broken_figures: 3,
  trouble: 5,
  move: 3,
  gone: 1,
  webhook: 10,
  operator: 1,
  by_sql: 1,
  unsubscribe: 1,
  suppression: 0.3,
  hours: 1.5,
  day: 1.5,
  edge: 3,
  death: 3,
  stop: 0.7,
  pause: 2,
  suspend: 0.7,
  clock: 1,
  disk: 0.5,
};

async function doSomething(scene: CivicScene): Promise<unknown> {
  const { world, town, hall, processes } = scene;
  const { chance, clock, watch, mayStrike } = world;
  const chosen = chance.one(processes);
  // What was refused for now waits for seconds: a change of mind that meets it is rare.
  if (failingRuns(scene).length > 0 && chance.isTrue(0.4))
    return changeMind(scene, chosen, chance.isTrue(0.6) ? 'pause' : 'cancel');
  const action = chance.weighted(actions);
  switch (action) {
    case 'work':
      return work(scene, chance.between(1, 3));
    case 'long_work':
      return work(scene, chance.between(5, 9));
    case 'trigger':
      await trigger(scene, chosen);
      return work(scene, chance.between(0, 2));
    case 'trigger_twice':
      await triggerTwice(scene);
      return work(scene, chance.between(0, 2));
    case 'plan':
      return plan(scene, chosen);
    case 'apply':
      await apply(scene, chosen);
      return work(scene, chance.between(0, 2));
    case 'mind':
      await changeMind(scene, chosen);
      return work(scene, chance.between(0, 2));
    case 'wishes':
      await changeWishes(scene, chosen);
      return work(scene, chance.between(0, 1));
    case 'second_thoughts':
      return haveSecondThoughts(scene, chosen);
    case 'mind_in_flight':
      return stopInFlight(scene, chosen);
    case 'back_and_forth':
      return leaveAndReturn(scene, chosen);
    case 'figures': {
      const isHeldBack = watch.rows.some((row) => isWaiting(row) && !isHeld(row));
      if (isHeldBack && !mayStrike('the figures change while a newsletter waits')) return;
      return town.change(chance.one([...town.entities, ...town.entities, town.series, ...town.datasets]));
    }
    case 'late_figures': {
      const one = chance.one([...town.entities, town.series, ...town.datasets]);
      if (!mayStrike('the figures come late')) return;
      one.isKnown = !one.isKnown;
      return world.story.tell(
        `of ${'cui' in one ? one.cui : one.id} ${one.isKnown ? 'there are figures' : 'nothing is known'}`,
      );
    }
    case 'broken_figures': {
      const one = chance.one(town.entities);
      if (!one.isBroken && !mayStrike('the figures of one entity cannot be had')) return;
      one.isBroken = !one.isBroken;
      world.story.tell(`the figures of ${one.cui} ${one.isBroken ? 'cannot' : 'can'} be had`);
      return work(scene, chance.between(0, 3));
    }
    case 'trouble': {
      const kind = chance.one(Object.keys(troubles) as Trouble[]);
      if (!mayStrike(troubles[kind])) return;
      hall.trouble(kind, chance.between(10 * secondMs, 4 * minuteMs));
      return work(scene, chance.between(1, 4));
    }
    case 'move': {
      const citizen = chance.one(town.citizens);
      if (!mayStrike('somebody has another address')) return;
      return town.move(citizen, `${citizen.id}.${citizen.addresses.length}@example.org`);
    }
    case 'gone':
      return mayStrike('somebody is gone from the directory') && town.move(chance.one(town.citizens), null);
    case 'webhook':
      return world.mailman.tellOne(world, chosen);
    case 'operator':
      return watch.rows.length > 0 && operate(world, chance.one(watch.rows));
    case 'by_sql':
      return watch.rows.length > 0 && requestBySql(world, chance.one(watch.rows));
    case 'unsubscribe':
      return watch.rows.length > 0 && unsubscribe(world, chosen);
    case 'suppression':
      return watch.rows.length > 0 && suppressSomebody(world);
    case 'hours':
      return clock.advance(chance.between(0, 9 * hourMs));
    case 'day':
      return clock.advance(chance.between(20, 26) * hourMs);
    case 'edge':
      await clock.advance(untilEdge(world));
      return work(scene, 1);
    case 'death':
      return !chosen.faults.isDead && dies(scene, chosen);
    case 'stop':
      return !chosen.faults.isDead && mayStrike('a process is asked to stop') && chosen.stop();
    case 'pause':
      return mayStrike('a process stands still') && chosen.faults.pause(chance.between(1_000, 5 * minuteMs));
    case 'suspend':
      return (
        mayStrike('a machine sleeps, and its monotonic clock with it') &&
        chosen.faults.suspend(chance.between(minuteMs, hourMs))
      );
    case 'clock': {
      const aheadMs = chance.between(-2_000, 2_000);
      if (!mayStrike(aheadMs < 0 ? 'a clock goes behind' : 'a clock goes ahead')) return;
      return chosen.faults.setClock(aheadMs);
    }
    case 'disk':
      return mayStrike('the disk is full') && world.fillDisk(chance.between(1_000, 2 * minuteMs));
  }
}

/** Everybody, for some turns. */
export async function work(scene: CivicScene, turns: number): Promise<void> {
  const { world, processes } = scene;
  const { chance, clock, watch } = world;
  for (let left = turns; left > 0 && watch.violation === null; left--) {
    for (const index of processes.keys()) if (chance.isTrue(0.7)) startAnew(scene, index);
    for (const process of processes) {
      for (const turn of turnsWith(scene)) if (process.isIdle(turn)) process.start(turn);
    }
    await clock.advance(chance.between(secondMs, 8 * secondMs));
    while (chance.isTrue(0.3) && world.mailman.tellOne(world, chance.one(processes))) await clock.advance(0);
    watch.lookAround();
  }
}

/** Whoever is dead, or about to stop. */
export function startAnew({ processes, restart, atWork }: CivicScene, index: number): void {
  const { faults, isStopping, name } = processes[index] as SimulatedProcess;
  if (!faults.isDead && !isStopping) return;
  atWork.delete(name);
  processes[index] = restart();
}

/** A turn that would find nothing is not worth its time, save now and then. */
function turnsWith(scene: CivicScene): (TurnKind | CivicTurn)[] {
  const { chance, watch } = scene.world;
  const isAtWork = runsOf(scene).some(
    ({ status, pass_after }) => status === 'planned' || status === 'running' || pass_after !== null,
  );
  const has = { runs: isAtWork, dispatch: watch.rows.some((row) => isWaiting(row) && !isHeld(row)) };
  return [
    ...(['runs', 'dispatch'] as const).filter((turn) => has[turn] || chance.isTrue(0.05)),
    ...(['sweep', 'reconcile', 'link', 'heal'] as const).filter(() => chance.isTrue(0.1)),
  ];
}

function dies(scene: CivicScene, process: SimulatedProcess): void {
  const { world } = scene;
  const isBetween = [...(world.beside.civic?.tables.items.values() ?? [])].some((items) => {
    const states = new Set([...items.values()].map(({ state }) => state));
    return (
      (states.has('planned') && states.has('collected')) ||
      (states.has('collected') && states.has('composed'))
    );
  });
  if (
    !world.mayStrike(
      isBetween ? 'a process dies between two pages of a run' : 'a process dies where it stands',
    )
  )
    return;
  process.faults.die('where it stands');
}
