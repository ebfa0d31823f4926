import { secondMs } from '../chance.ts';
import { drain } from '../drain.ts';
import type { World } from '../world.ts';
import { checkKept, checkView } from './afterwards.ts';
import { type CampusScene, work } from './run-campus.ts';

/** Long enough that a list which was held back has been confirmed, and that what it says is believed. */
const peaceMs = 480 * secondMs;
const dayMs = 24 * 3_600 * secondMs;
/** Longer than anybody stands still, though it be twice. */
const stillLongestMs = 3 * dayMs;

/** No more troubles: what is believed becomes what is so, everybody is told, everything ends, and is forgotten in time. */
export async function endCampus(scene: CampusScene): Promise<void> {
  const { world, campus, processes, feed } = scene;
  const { clock, watch } = world;
  const side = world.beside.campus;
  world.endTroubles();
  feed.endTrouble();
  // Whoever stands still would keep everybody waiting for as long.
  for (const [index, { faults }] of processes.entries()) {
    if (!faults.isDead) faults.die('and is started anew');
    processes[index] = scene.restart();
  }
  const wrong = () => {
    const beliefs = side?.seats.beliefs;
    return campus.sections.find(
      ({ index, list, isOpen }) => (beliefs?.get(list)?.has(index) ?? false) !== isOpen,
    );
  };
  const isUntold = () => side?.seats.fanouts.some(({ finished_at }) => finished_at === null);
  const from = clock.now();
  // Some time in any case: what is wrong may be so a moment later.
  for (let turn = 0; turn < 3 || ((wrong() || isUntold()) && clock.now() < from + peaceMs); turn++) {
    await work(scene, 1);
    if (watch.violation !== null) return;
  }
  // Who asks the feed at this moment may still hear of an opening.
  for (let turn = 0; turn < 60 && (turn < 2 || isUntold()); turn++) {
    await clock.advance(30 * secondMs);
    const idle = processes.find(({ isIdle }) => isIdle('fan_out'));
    if (isUntold()) idle?.start('fan_out');
  }
  const section = wrong();
  if (section) {
    const { index, isOpen } = section;
    const sentence = `${index} is ${isOpen ? 'open' : 'full'}, and long after the troubles nobody believes it`;
    watch.violate(isOpen ? 'nobody is forgotten' : 'a closing is believed', sentence);
  }
  if (isUntold()) watch.violate('everything ends', 'long after the troubles an opening is still being told');
  const settle = async () => {
    for (let turn = 0; turn < 5 && watch.violation === null && (turn === 0 || isUntold()); turn++) {
      if (isUntold()) processes.find(({ isIdle }) => isIdle('fan_out'))?.start('fan_out');
      await drain({ ...scene, hasHours: true });
    }
  };
  // Who stood still for hours may still bring a report, and has it told.
  await settle();
  // Who was asked to stop while they stood still is not among those that were started anew, and may do so a day later.
  if (watch.violation === null) await clock.advance(stillLongestMs);
  if (isUntold()) await settle();
  if (watch.violation === null) await side?.atTheEnd(watch.rows);
  if (watch.violation === null) await checkView(world);
  if (watch.violation === null) await forget(scene);
}

/** Just before its time nothing goes, and after it everything. */
async function forget(scene: CampusScene): Promise<void> {
  const { world } = scene;
  const { clock } = world;
  const first = await firstEventAt(world);
  if (first === null) return;
  const almost = first + 30 * dayMs - 60 * secondMs;
  if (clock.now() < almost) await clock.advance(almost - clock.now());
  await housekeep(scene);
  await checkKept(world, first);
  await clock.advance(31 * dayMs);
  await housekeep(scene);
  await checkKept(world, null);
}

async function housekeep({ world: { clock }, processes, restart }: CampusScene): Promise<void> {
  const [process = restart()] = processes.filter(({ isIdle }) => isIdle('housekeep'));
  process.start('housekeep');
  await clock.advance(secondMs);
}

async function firstEventAt({ db }: World): Promise<number | null> {
  const row = await db.read
    .selectFrom('open_events')
    .select('event_at')
    .orderBy('open_event_id')
    .executeTakeFirst();
  return row ? Date.parse(row.event_at) : null;
}
