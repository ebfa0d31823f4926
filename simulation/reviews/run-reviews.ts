import { createQueries } from '../../src/outbox/queries.ts';
import { hourMs, minuteMs, secondMs } from '../chance.ts';
import { type Cut, nothingCut } from '../cut.ts';
import { untilEdge } from '../edges.ts';
import { liftSomebody, operate, requestBySql, suppressSomebody, unsubscribe } from '../people.ts';
import { createProcess, type SimulatedProcess, type TurnKind } from '../process.ts';
import type { Run } from '../run.ts';
import type { Stage } from '../stage.ts';
import { createWorld, type World } from '../world.ts';
import { type Bots, createBots } from './bots.ts';
import { endReviews } from './peace.ts';
import { createReviewParts, type ReviewTurn } from './review-parts.ts';
import { createReviewWatch } from './review-watch.ts';
import {
  submitAgain,
  submitAtOnce,
  submitBad,
  submitLate,
  submitNext,
  submitOther,
  submitSame,
} from './submitting.ts';
import { tryAgain, tryAgainAt, tryInFlight, tryTwice, tryWrongly } from './trying.ts';

/** One run among reviewers: bots submit, everybody is told or not, callers and operators try again, and then there is peace. */
export interface ReviewScene {
  world: World;
  bots: Bots;
  processes: SimulatedProcess[];
  restart: () => SimulatedProcess;
  /** Who was ever started: one that was replaced may stand still for hours, and go on. */
  everybody: SimulatedProcess[];
}

/** Its dice and its faults are its own. */
const drainStep = 999;
const stepsMin = 30;
const stepsMax = 55;

export async function runReviews(seed: number, stage: Stage, cut: Cut = nothingCut): Promise<Run> {
  await stage.clear();
  const struck: string[] = [];
  const world = createWorld(seed, stage, cut, struck);
  const { chance, watch, story, tally, clock } = world;
  const bots = createBots(chance);
  found(world, bots);
  const everybody: SimulatedProcess[] = [];
  const restart = () => {
    const process = createProcess(`p${everybody.length + 1}`, world, { reviews: true });
    everybody.push(process);
    return process;
  };
  const processes = Array.from({ length: chance.between(1, 3) }, restart);
  const scene: ReviewScene = { world, bots, processes, restart, everybody };
  submitNext(scene, chance.one(processes));
  const steps = chance.between(stepsMin, stepsMax);
  let step = 1;
  for (; step <= steps && watch.violation === null; step++) {
    world.turnTo(step);
    if (cut.steps.has(step)) continue;
    await doSomething(scene);
    await clock.advance(0);
    watch.lookAround();
    if (step % 10 === 0) await readLists(world);
  }
  if (watch.violation === null) {
    world.turnTo(drainStep);
    await endReviews(scene);
  }
  for (const { faults } of processes) faults.die('with the run');
  await clock.advance(0);
  return {
    ...{ seed, violation: watch.violation, lines: story.lines, hash: story.hash(), counts: tally.counts },
    ...{ steps: step - 1, struck },
  };
}

/** Who keeps watch, and an office to which nothing ever happens. */
function found(world: World, bots: Bots): void {
  const { db, clock, chance, consent, outbox, watch, story, ledger, mailboxes } = world;
  const { codeReviews: office, sources } = createReviewParts({
    ...{ world, db, consent, outbox, queries: createQueries(db), stopping: new AbortController() },
    faults: { clock },
  });
  world.beside.sources = sources;
  world.beside.reviews = createReviewWatch({ db, violate: watch.violate, story, ledger, bots, office });
  // One that nobody has, whoever asks and however often, and one that nobody empties.
  if (chance.isTrue(0.5)) mailboxes.set('dora@example.org', 'refused');
  if (chance.isTrue(0.4)) mailboxes.set('eve@example.org', 'full');
}

/** While nobody commits: lists are read page by page. */
export function readLists(world: World): Promise<void> {
  return world.commit('a reader', async () => world.beside.reviews?.readLists());
}

const actions = {
  work: 30,
  long_work: 6,
  submit: 12,
  again: 6,
  other: 4,
  same: 4,
  late: 3,
  bad: 2,
  at_once: 9,
  mid_flight: 8,
  retry: 9,
  retry_in_flight: 3,
  retry_twice: 3,
  retry_wrongly: 1.5,
  replays: 3,
  webhook: 10,
  operator: 1.5,
  by_sql: 1,
  unsubscribe: 2.5,
  suppression: 0.5,
  lift: 4,
  hours: 3,
  day: 0.7,
  edge: 3,
  death: 3,
  stop: 0.7,
  pause: 2,
  suspend: 0.7,
  clock: 1,
  disk: 0.5,
};

async function doSomething(scene: ReviewScene): Promise<unknown> {
  const { world, processes } = scene;
  const { chance, clock, watch, mayStrike } = world;
  const chosen = chance.one(processes);
  const action = chance.weighted(actions);
  switch (action) {
    case 'work':
      return work(scene, chance.between(1, 3));
    case 'long_work':
      return work(scene, chance.between(5, 9));
    case 'submit':
      submitNext(scene, chosen);
      return work(scene, chance.between(0, 3));
    case 'again':
      return submitAgain(scene, chosen);
    case 'other':
      return submitOther(scene, chosen);
    case 'same':
      return submitSame(scene, chosen);
    case 'late':
      return submitLate(scene, chosen);
    case 'bad':
      return submitBad(scene, chosen);
    case 'at_once':
      submitAtOnce(scene);
      return work(scene, chance.between(0, 2));
    case 'mid_flight':
      return rerunInFlight(scene, chosen);
    case 'retry':
      tryAgain(scene, chosen);
      return work(scene, chance.between(0, 3));
    case 'retry_in_flight':
      return tryInFlight(scene, chosen);
    case 'retry_twice':
      tryTwice(scene);
      return work(scene, chance.between(0, 2));
    case 'retry_wrongly':
      return tryWrongly(scene, chosen);
    case 'replays':
      return chosen.isIdle('replays') && chosen.start('replays');
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
    case 'lift':
      return tryAgainAt(scene, chosen, await liftSomebody(world));
    case 'hours':
      return clock.advance(chance.between(0, 9 * hourMs));
    case 'day':
      return clock.advance(chance.between(20, 26) * hourMs);
    case 'edge':
      await clock.advance(untilEdge(world));
      return work(scene, 1);
    case 'death':
      if (chosen.faults.isDead || !mayStrike('a process dies where it stands')) return;
      return chosen.faults.die('where it stands');
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
export async function work(scene: ReviewScene, turns: number): Promise<void> {
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
export function startAnew({ processes, restart }: ReviewScene, index: number): void {
  const { faults, isStopping } = processes[index] as SimulatedProcess;
  if (faults.isDead || isStopping) processes[index] = restart();
}

/** A turn that would find nothing is not worth its time, save now and then. */
function turnsWith({ world: { chance, watch } }: ReviewScene): (TurnKind | ReviewTurn)[] {
  const waits = watch.rows.some(({ status }) => status === 'pending' || status === 'failed_transient');
  return [
    ...(waits || chance.isTrue(0.05) ? (['dispatch'] as const) : []),
    ...(chance.isTrue(0.4) ? (['replays'] as const) : []),
    ...(['sweep', 'reconcile', 'link', 'heal'] as const).filter(() => chance.isTrue(0.1)),
  ];
}

/** A review is on its way, in somebody's hands or just accepted, when the next version comes. */
async function rerunInFlight(scene: ReviewScene, process: SimulatedProcess): Promise<void> {
  const { world, processes } = scene;
  const { chance, clock } = world;
  if (chance.isTrue(0.5)) submitNext(scene, process);
  await clock.advance(chance.between(0, 50));
  for (const each of processes) if (each.isIdle('dispatch')) each.start('dispatch');
  await clock.advance(chance.between(0, 400));
  submitAtOnce(scene);
  return work(scene, chance.between(1, 3));
}
