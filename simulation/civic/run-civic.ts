import { hourMs, minuteMs, secondMs } from '../chance.ts';
import { doEveryday, misfortunes } from '../everyday.ts';
import { type Players, startProcesses } from '../players.ts';
import type { SimulatedProcess, TurnKind } from '../process.ts';
import type { Plot } from '../run-world.ts';
import { workShift } from '../shift.ts';
import type { World } from '../world.ts';
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

export interface CivicScene extends CivicSide, Players {}

/** A run among citizens: figures change, people come and go, runs are started and thought better of, and then there is peace. */
export const civicPlot: Plot<CivicScene> = {
  begin,
  stepsMin: 30,
  stepsMax: 50,
  doSomething,
  doLast: (scene) => pauseBetweenTries(scene, scene.world.chance.one(scene.processes)),
  end: endCivic,
};

/** The year has begun, and nobody's clock says otherwise. */
const beginMs = 12 * hourMs;

async function begin(world: World): Promise<CivicScene> {
  const { chance, watch, story, clock, db, ledger } = world;
  await clock.advance(beginMs);
  const town = createTown(chance, clock, story);
  const hall = createTownHall(world, town);
  const civic: CivicSide = { town, hall, pageMax: chance.one([1, 2, 3, 200]), atWork: new Set() };
  world.beside.civic = createCivicWatch({ db, violate: watch.violate, story, clock, ledger, town, hall });
  await found(world, civic);
  const scene = { ...civic, ...startProcesses(world, 3, { civic }) };
  await trigger(scene, chance.one(scene.processes));
  return scene;
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
  ...misfortunes,
};

async function doSomething(scene: CivicScene): Promise<unknown> {
  const { world, town, hall, processes } = scene;
  const { chance, watch, mayStrike } = world;
  const chosen = chance.one(processes);
  // What was refused for now waits for seconds: a change of mind that meets it is rare.
  if (failingRuns(scene).length > 0 && chance.isTrue(0.4))
    return changeMind(scene, chosen, chance.isTrue(0.6) ? 'pause' : 'cancel');
  const action = chance.weighted(actions);
  switch (action) {
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
    default:
      return doEveryday(
        { world, process: chosen, work: (turns) => work(scene, turns), die: () => dies(scene, chosen) },
        action,
      );
  }
}

/** Everybody, for some turns. */
export function work(scene: CivicScene, turns: number): Promise<void> {
  return workShift({ startAnew, turnsWith }, scene, turns);
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
