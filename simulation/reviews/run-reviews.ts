import { createQueries } from '../../src/outbox/queries.ts';
import { doEveryday, misfortunes } from '../everyday.ts';
import { liftSomebody } from '../people.ts';
import { type Players, startProcesses } from '../players.ts';
import type { SimulatedProcess, TurnKind } from '../process.ts';
import type { Plot } from '../run-world.ts';
import { workShift } from '../shift.ts';
import type { World } from '../world.ts';
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

export interface ReviewScene extends Players {
  bots: Bots;
}

/** A run among reviewers: bots submit, everybody is told or not, callers and operators try again, and then there is peace. */
export const reviewPlot: Plot<ReviewScene> = {
  begin,
  stepsMin: 30,
  stepsMax: 55,
  doSomething,
  async afterStep({ world }, step) {
    if (step % 10 === 0) await readLists(world);
  },
  end: endReviews,
};

function begin(world: World): ReviewScene {
  const { chance } = world;
  const bots = createBots(chance);
  found(world, bots);
  const scene = { bots, ...startProcesses(world, 3, { reviews: true }) };
  submitNext(scene, chance.one(scene.processes));
  return scene;
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
  ...misfortunes,
};

async function doSomething(scene: ReviewScene): Promise<unknown> {
  const { world, processes } = scene;
  const { chance, mayStrike } = world;
  const chosen = chance.one(processes);
  const die = () => mayStrike('a process dies where it stands') && chosen.faults.die('where it stands');
  const action = chance.weighted(actions);
  switch (action) {
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
    case 'lift':
      return tryAgainAt(scene, chosen, await liftSomebody(world));
    default:
      return doEveryday({ world, process: chosen, work: (turns) => work(scene, turns), die }, action);
  }
}

/** Everybody, for some turns. */
export function work(scene: ReviewScene, turns: number): Promise<void> {
  return workShift({ startAnew, turnsWith }, scene, turns);
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
