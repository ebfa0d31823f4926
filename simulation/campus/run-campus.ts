import { minuteMs, secondMs } from '../chance.ts';
import { doEveryday, misfortunes } from '../everyday.ts';
import { type Players, startProcesses } from '../players.ts';
import type { SimulatedProcess, TurnKind } from '../process.ts';
import type { WatchedRow } from '../promises.ts';
import type { Plot } from '../run-world.ts';
import { startTurns } from '../shift.ts';
import type { World } from '../world.ts';
import { createCampus, termId } from './campus.ts';
import { createCampusFeed, type Trouble, troubles } from './campus-feed.ts';
import { createCampusWatch } from './campus-watch.ts';
import { found } from './founding.ts';
import { endCampus } from './peace.ts';
import type { CampusSide, SeatTurn } from './seat-parts.ts';
import { beginToWatch, changeWishes } from './students.ts';

export interface CampusScene extends CampusSide, Players {}

/** A run on a campus: seats come and go, the feed tells of them as it can, students watch, and then there is peace. */
export const campusPlot: Plot<CampusScene> = {
  begin,
  stepsMin: 24,
  stepsMax: 40,
  doSomething,
  doLast: (scene) => readCatalogTooLate(scene, scene.world.chance.one(scene.processes)),
  end: endCampus,
};

async function begin(world: World): Promise<CampusScene> {
  const { chance, watch, story, clock, db, ledger } = world;
  const campus = createCampus(chance, clock, story);
  const feed = createCampusFeed(world, campus);
  world.beside.campus = createCampusWatch({ db, violate: watch.violate, story, clock, ledger, feed });
  await found(world, { campus, feed });
  const scene = { campus, feed, ...startProcesses(world, 2, { campus: { campus, feed } }) };
  await work(scene, 1);
  return scene;
}

const actions = {
  work: 30,
  long_work: 8,
  open: 14,
  close: 8,
  flip: 5,
  fill_up: 1,
  trouble: 8,
  wishes: 6,
  second_thoughts: 7,
  report: 1.5,
  poll_now: 3,
  ingest: 3,
  webhook: 5,
  operator: 1,
  by_sql: 1,
  unsubscribe: 1,
  suppression: 0.3,
  hours: 2,
  ...misfortunes,
  death: 2,
};

async function doSomething(scene: CampusScene): Promise<unknown> {
  const { world, campus, feed, processes } = scene;
  const { chance, clock, watch, mayStrike } = world;
  const chosen = chance.one(processes);
  const action = chance.weighted(actions);
  switch (action) {
    case 'open': {
      const section = chance.one(campus.chosen);
      if (section.isOpen) return;
      if (!section.isKnown && !mayStrike('the feed names an index that no catalog knows')) return;
      campus.set(section, true);
      return work(scene, chance.between(0, 3));
    }
    case 'close': {
      const open = campus.chosen.filter(({ isOpen }) => isOpen);
      if (open.length === 0) return;
      const section = chance.one(open);
      const waits = watch.rows.some(
        ({ status, source }) => source === 'course-seats' && status === 'pending',
      );
      if (waits && !mayStrike('a seat is gone while a mail about it waits')) return;
      campus.set(section, false);
      if (chance.isTrue(0.4)) return missOnce(scene, chosen);
      return work(scene, chance.between(0, 5));
    }
    case 'flip':
      return flip(scene);
    case 'fill_up':
      return mayStrike('a campus fills up at once') && campus.fillUp();
    case 'trouble': {
      const kind = chance.one(Object.keys(troubles) as Trouble[]);
      if (kind === 'flutter' && !campus.chosen.some(({ isOpen }) => isOpen)) return;
      if (!mayStrike(troubles[kind])) return;
      feed.trouble(kind, chance.between(20 * secondMs, kind === 'flutter' ? 4 * minuteMs : 100 * secondMs));
      return work(scene, chance.between(2, 6));
    }
    case 'wishes':
      return changeWishes(scene, chosen);
    case 'second_thoughts':
      return haveSecondThoughts(scene, chosen);
    case 'report': {
      const section = chance.one(campus.chosen);
      if (!mayStrike('an operator reports an opening')) return;
      world.beside.campus?.reported(section.index);
      world.story.tell(`an operator says that ${section.index} is open, through ${chosen.name}`);
      const order = { termId, indexNumber: section.index, traceId: 'report' };
      void chosen.seats?.events.reportOpening(order).catch(() => {});
      return clock.advance(0);
    }
    case 'poll_now':
      return askAtOnce(scene, chosen);
    case 'ingest':
      return readCatalog(scene, chosen);
    default:
      return doEveryday(
        { world, process: chosen, work: (turns) => work(scene, turns), die: () => dies(scene, chosen) },
        action,
      );
  }
}

/** Everybody, for a few polls. */
export async function work(scene: CampusScene, turns: number): Promise<void> {
  const { world, processes, restart } = scene;
  const { chance, clock, watch } = world;
  for (let left = turns; left > 0 && watch.violation === null; left--) {
    for (const [index, { faults, isStopping }] of processes.entries()) {
      if ((faults.isDead || isStopping) && chance.isTrue(0.7)) processes[index] = restart();
    }
    startTurns(scene, turnsWith);
    await clock.advance(chance.between(4 * secondMs, 16 * secondMs));
    watch.lookAround();
  }
}

/** A turn that would find nothing is not worth its time, save now and then. */
function turnsWith({ world }: CampusScene): (TurnKind | SeatTurn)[] {
  const { chance, watch, beside } = world;
  const isWaiting = ({ status }: WatchedRow) => status === 'pending' || status === 'failed_transient';
  const isOpen = ({ finished_at }: { finished_at: number | null }) => finished_at === null;
  const has = {
    dispatch: watch.rows.some(isWaiting),
    fan_out: beside.campus?.seats.fanouts.some(isOpen) ?? false,
    weigh: (beside.campus?.seats.words.length ?? 0) > 0,
  };
  return [
    'poll',
    ...(['dispatch', 'fan_out', 'weigh'] as const).filter((turn) => has[turn] || chance.isTrue(0.05)),
    ...(['sweep', 'reconcile', 'link', 'heal'] as const).filter(() => chance.isTrue(0.1)),
  ];
}

async function askAtOnce({ world }: CampusScene, process: SimulatedProcess): Promise<void> {
  const { chance, clock, mayStrike } = world;
  if (!process.isIdle('poll_now') || !mayStrike('an operator has the feed asked at once')) return;
  process.start('poll_now');
  await clock.advance(chance.between(0, 2 * secondMs));
}

/** It opens, and whoever is about to be told wants something else: after the fan-out, and before the mail. */
async function haveSecondThoughts(scene: CampusScene, process: SimulatedProcess): Promise<void> {
  const { campus, world } = scene;
  const section = world.chance.one(campus.chosen);
  if (section.isOpen) return;
  campus.set(section, true);
  await askAtOnce(scene, process);
  // Who comes between the opening and its fan-out has seen it on the page.
  if (world.chance.isTrue(0.5)) await beginToWatch(scene, process, section);
  if (process.isIdle('fan_out')) process.start('fan_out');
  await world.clock.advance(0);
  for (let left = 2; left > 0; left--) await changeWishes(scene, process, true);
  return work(scene, 2);
}

/** A section is missed for the first time, and at this moment somebody dies or asks once more. */
async function missOnce(scene: CampusScene, process: SimulatedProcess): Promise<void> {
  for (let left = 3; left > 0 && (await missesOf(scene.world)) === 0; left--) await work(scene, 1);
  if (scene.world.chance.isTrue(0.5)) await askAtOnce(scene, process);
  else if (!process.faults.isDead) await dies(scene, process);
  return work(scene, 2);
}

/** Open, closed and open again, as fast as it can be noticed: those who are to be told have not been told of the last time. */
async function flip(scene: CampusScene): Promise<void> {
  const { campus, world } = scene;
  const section = world.chance.one(campus.chosen);
  for (let left = world.chance.between(2, 4); left > 0; left--) {
    campus.set(section, !section.isOpen);
    await work(scene, section.isOpen ? 2 : 3);
  }
}

async function dies({ world }: CampusScene, process: SimulatedProcess): Promise<void> {
  const misses = await missesOf(world);
  if (!world.mayStrike(misses > 0 ? 'a poller dies between two misses' : 'a process dies where it stands'))
    return;
  process.faults.die('where it stands');
}

async function missesOf({ db }: World): Promise<number> {
  const rows = await db.read
    .selectFrom('open_list_indexes')
    .select('misses')
    .where('misses', '>', 0)
    .execute();
  return rows.length;
}

/** As it was some time ago: the catalog is a copy. */
async function readCatalog(scene: CampusScene, process: SimulatedProcess): Promise<void> {
  const { chance, mayStrike } = scene.world;
  if (!chance.isTrue(0.4) || !mayStrike('the catalog is read, and is old')) scene.feed.copyCatalog();
  return ingest(scene, process);
}

async function ingest({ world: { clock } }: CampusScene, process: SimulatedProcess): Promise<void> {
  if (process.isIdle('ingest')) process.start('ingest');
  await clock.advance(0);
  if (process.isIdle('weigh')) process.start('weigh');
  await clock.advance(0);
}

/** The catalog has seen a section close that has opened again since, and the feed has seen that: chance alone finds this too seldom. */
async function readCatalogTooLate(scene: CampusScene, process: SimulatedProcess): Promise<void> {
  const { world, campus, feed } = scene;
  const section = world.chance.one(campus.chosen);
  if (!section.isKnown || !world.mayStrike('the catalog is read, and is old')) return;
  if (!section.isOpen) campus.set(section, true);
  await work(scene, 3);
  feed.copyCatalog();
  await ingest(scene, process);
  campus.set(section, false);
  feed.copyCatalog();
  await work(scene, 4);
  campus.set(section, true);
  await work(scene, 3);
  return ingest(scene, process);
}
