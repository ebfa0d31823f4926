import { isCampusSeed } from './campus/campus-seeds.ts';
import { campusPlot } from './campus/run-campus.ts';
import { hourMs, minuteMs } from './chance.ts';
import { isCivicSeed } from './civic/civic-seeds.ts';
import { civicPlot } from './civic/run-civic.ts';
import { type Cut, nothingCut } from './cut.ts';
import {
  backUp,
  failOver,
  haveBadDay,
  type Scene,
  setBackMostMs,
  setClocksBack,
  stallAll,
  startAll,
  useUpQuota,
  workOn,
} from './disasters.ts';
import { drain } from './drain.ts';
import { untilEdge } from './edges.ts';
import { askAgain, enqueue, importOld } from './intents.ts';
import {
  decideFromMemory,
  mislead,
  operate,
  pauseOrResume,
  requestBySql,
  requeueInFlight,
  suppressSomebody,
  undoTooLate,
  unsubscribe,
} from './people.ts';
import { startProcesses } from './players.ts';
import type { SimulatedProcess } from './process.ts';
import { skewMs } from './promises.ts';
import { isReviewSeed } from './reviews/review-seeds.ts';
import { reviewPlot } from './reviews/run-reviews.ts';
import { type Plot, type Run, runWorld } from './run-world.ts';
import type { Stage } from './stage.ts';
import type { Mood, World } from './world.ts';

/** The seed decides what the run is about. */
export function runSeed(seed: number, stage: Stage, cut: Cut = nothingCut): Promise<Run> {
  if (isCampusSeed(seed)) return runWorld(campusPlot, seed, stage, cut);
  if (isCivicSeed(seed)) return runWorld(civicPlot, seed, stage, cut);
  if (isReviewSeed(seed)) return runWorld(reviewPlot, seed, stage, cut);
  return runWorld(plainPlot, seed, stage, cut);
}

/** Some deliveries of three plain sources, and all that can befall the engine. */
const plainPlot: Plot<Scene> = { begin, stepsMin: 15, stepsMax: 60, doSomething, end: drain };

async function begin(world: World, stage: Stage): Promise<Scene> {
  const { chance } = world;
  const scene: Scene = { ...startProcesses(world, 3), stage, backUp: null };
  await enqueue(world, scene.processes[0] as SimulatedProcess);
  if (chance.isTrue(0.04)) await importOld(world);
  // While there is most to do.
  if (world.mood === 'crowded' && chance.isTrue(0.5)) await stallAll(scene);
  return scene;
}

const actions = {
  turn: 45,
  work: 5,
  moment: 16,
  minutes: 6,
  hours: 3,
  edge: 8,
  webhook: 14,
  operator: 3,
  liar: 1,
  in_flight: 1.5,
  by_sql: 0.7,
  pause_source: 0.7,
  suppression: 1,
  unsubscribe: 3,
  undo_late: 0.5,
  intents: 1.5,
  again: 1,
  death: 1.5,
  stop: 1,
  pause: 1,
  suspend: 0.7,
  clock: 1,
  set_back: 0.7,
  quota: 0.7,
  account: 0.7,
  disk: 0.7,
  back_up: 1,
  fail_over: 2,
  bad_day: 0.2,
  stall: 0,
};

const actionsIn: Readonly<Record<Mood, typeof actions>> = {
  ordinary: actions,
  crowded: { ...actions, work: 25, pause: 4, intents: 4, stall: 6 },
  shaky: { ...actions, back_up: 8, fail_over: 9, bad_day: 8, intents: 8 },
  deaf: { ...actions, edge: 20, hours: 6, work: 10 },
  sleepy: { ...actions, edge: 20, pause: 4, work: 10 },
};

const aboutRows: ReadonlySet<keyof typeof actions> = new Set([
  ...(['operator', 'liar', 'by_sql', 'suppression', 'unsubscribe'] as const),
]);

const toTheLiving: ReadonlySet<keyof typeof actions> = new Set([
  ...(['death', 'stop', 'pause', 'suspend', 'clock'] as const),
]);

async function doSomething(scene: Scene): Promise<unknown> {
  const { world, processes, restart } = scene;
  const { chance, clock, watch, mayStrike } = world;
  const index = chance.between(0, processes.length - 1);
  const chosen = processes[index] as SimulatedProcess;
  const action = chance.weighted(actionsIn[world.mood]);
  // What happens to the dead is no fault.
  if (chosen.faults.isDead && toTheLiving.has(action)) return;
  // Nobody has said anything about nothing.
  if (watch.rows.length === 0 && aboutRows.has(action)) return;
  switch (action) {
    case 'turn':
      if (chosen.faults.isDead || chosen.isStopping) processes[index] = restart();
      else startTurn(world, chosen);
      return;
    case 'moment':
      return clock.advance(chance.between(1, 6_000));
    case 'minutes':
      return clock.advance(chance.between(10_000, 4 * minuteMs));
    case 'hours':
      return clock.advance(
        chance.isTrue(0.7) ? chance.between(0, 5 * hourMs) : chance.between(20, 30) * hourMs,
      );
    case 'edge':
      await clock.advance(untilEdge(world));
      if (chance.isTrue(0.5)) startAll(processes);
      return;
    case 'work':
      return workOn(scene, chance.between(2, 4));
    case 'webhook':
      return world.mailman.tellOne(world, chosen);
    case 'operator':
      return chance.isTrue(0.15)
        ? decideFromMemory(world, chance.one(watch.rows))
        : operate(world, chance.one(watch.rows));
    case 'liar':
      return mislead(world, chance.one(watch.rows));
    case 'in_flight':
      return requeueInFlight(world);
    case 'by_sql':
      return requestBySql(world, chance.one(watch.rows));
    case 'pause_source':
      return pauseOrResume(world);
    case 'suppression':
      return suppressSomebody(world);
    case 'unsubscribe':
      return unsubscribe(world, chosen);
    case 'undo_late':
      return undoTooLate(world, chosen);
    case 'intents':
      return enqueue(world, chosen);
    case 'again':
      return askAgain(world, chosen);
    case 'death':
      if (!mayStrike('a process dies where it stands')) return;
      return chosen.faults.die('where it stands');
    case 'stop':
      return mayStrike('a process is asked to stop') && chosen.stop();
    case 'pause':
      return mayStrike('a process stands still') && chosen.faults.pause(chance.between(1_000, 10 * minuteMs));
    case 'suspend':
      if (!mayStrike('a machine sleeps, and its monotonic clock with it')) return;
      return chosen.faults.suspend(chance.between(minuteMs, 8 * hourMs));
    case 'clock': {
      // A process whose clock is further off stops by itself (`isSteady`).
      const aheadMs = chance.between(-skewMs + setBackMostMs, skewMs - setBackMostMs);
      return (
        mayStrike(aheadMs < 0 ? 'a clock goes behind' : 'a clock goes ahead') &&
        chosen.faults.setClock(aheadMs)
      );
    }
    case 'set_back':
      return setClocksBack(scene);
    case 'quota':
      return useUpQuota(scene, chosen);
    case 'account':
      return mayStrike('the account is switched') && world.switchAccount();
    case 'disk':
      return mayStrike('the disk is full') && world.fillDisk(chance.between(1_000, 20 * minuteMs));
    case 'back_up':
      return backUp(scene);
    case 'fail_over':
      return failOver(scene, chosen);
    case 'bad_day':
      return haveBadDay(scene, chosen);
    case 'stall':
      return stallAll(scene);
  }
}

function startTurn({ chance, mood }: World, process: SimulatedProcess): void {
  const reconcile = mood === 'deaf' || mood === 'sleepy' ? 6 : 3;
  const turn = chance.weighted({ dispatch: 5, sweep: 2, reconcile, heal: 1, link: 1 });
  if (process.isIdle(turn)) process.start(turn);
}
