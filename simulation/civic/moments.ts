import { minuteMs, secondMs } from '../chance.ts';
import type { SimulatedProcess } from '../process.ts';
import { changeWishes, say } from './citizens.ts';
import { changeMind, failingRuns, runsOf, trigger } from './operators.ts';
import { type CivicScene, work } from './run-civic.ts';

/** Moments at which a change of mind is most awkward, and which chance alone finds too seldom. */

/** A run begins, and those on its list want something else: before it is collected, before it is composed, and before it leaves. */
export async function haveSecondThoughts(scene: CivicScene, process: SimulatedProcess): Promise<void> {
  const { world } = scene;
  if (world.chance.isTrue(0.5)) await trigger(scene, process);
  for (let left = 3; left > 0; left--) {
    if (process.isIdle('runs')) process.start('runs');
    await world.clock.advance(world.chance.between(0, 1_500));
    await changeWishes(scene, process, true);
  }
  return work(scene, 2);
}

/** With something in somebody's hands: the run is paused or ended, and goes on again. */
export async function stopInFlight(scene: CivicScene, process: SimulatedProcess): Promise<void> {
  const { world, processes } = scene;
  const { chance, clock } = world;
  if (!runsOf(scene).some(({ status }) => status === 'running')) await trigger(scene, process);
  for (const each of processes) if (each.isIdle('runs')) each.start('runs');
  await clock.advance(chance.between(0, secondMs));
  for (const each of processes) if (each.isIdle('dispatch')) each.start('dispatch');
  await clock.advance(chance.between(0, 50));
  await changeMind(scene, chance.one(processes), chance.isTrue(0.7) ? 'pause' : 'cancel');
  await work(scene, chance.between(1, 3));
  if (chance.isTrue(0.6)) await changeMind(scene, chance.one(processes), 'resume');
  return work(scene, 1);
}

/**
 * Somebody leaves just before they are collected, or while their mail is made, and is back a little later. The run may be stopped in
 * between.
 */
export async function leaveAndReturn(scene: CivicScene, process: SimulatedProcess): Promise<void> {
  const { world, hall, processes } = scene;
  const { chance, clock, story, beside, mayStrike } = world;
  if (!runsOf(scene).some(({ status }) => status === 'running')) await trigger(scene, process);
  const running = runsOf(scene).filter(({ status }) => status === 'running');
  const lines = running.flatMap(({ run_id }) => [
    ...(beside.civic?.tables.items.get(run_id)?.values() ?? []),
  ]);
  const open = lines.filter(
    ({ state, tries }) => state === 'planned' || (state === 'collected' && tries === 0),
  );
  if (open.length === 0 || !mayStrike('somebody leaves and returns while their mail is made')) return;
  const wish = beside.civic?.tables.wishes.get(chance.one(open).notification_id);
  if (!wish) return;
  // As long as figures are on their way there is time to leave.
  hall.trouble('budget_slow', 20 * secondMs);
  const isEarly = chance.isTrue(0.4);
  const begin = () => {
    for (const each of processes) if (each.isIdle('runs')) each.start('runs');
  };
  if (!isEarly) begin();
  await clock.advance(chance.between(0, 2 * secondMs));
  story.tell(`${wish.user_id} leaves for a moment`);
  void say(scene, process, wish, chance.one(['off', 'remove', 'opt_out'])).catch(() => {});
  await clock.advance(0);
  begin();
  await clock.advance(chance.between(0, 45 * secondMs));
  if (chance.isTrue(0.6)) await changeMind(scene, process, chance.isTrue(0.6) ? 'pause' : 'cancel');
  if (chance.isTrue(0.5)) await work(scene, 1);
  story.tell(`${wish.user_id} is back`);
  void say(scene, process, wish, 'subscribe_same').catch(() => {});
  await clock.advance(0);
  return work(scene, chance.between(1, 3));
}

/** Something has bounced for now and waits for its time: its run is paused, and goes on before that. */
export async function pauseBetweenTries(scene: CivicScene, process: SimulatedProcess): Promise<void> {
  const { world, processes, town } = scene;
  const { clock, story, watch, beside, mailman, mailboxes, mayStrike } = world;
  const bounced = () => {
    const later = watch.rows.filter(
      ({ status, due_at }) => status === 'failed_transient' && (due_at ?? 0) > clock.now() + 5 * minuteMs,
    );
    const owners = new Set(later.map(({ seq }) => beside.civic?.ownerOf(seq)));
    return failingRuns(scene).find(({ run_id }) => owners.has(run_id));
  };
  for (const { addresses } of town.citizens) {
    const { address } = addresses.at(-1) ?? {};
    if (address) mailboxes.set(address.toLowerCase(), 'full');
  }
  for (let left = 6; left > 0 && !bounced() && watch.violation === null; left--) {
    await trigger(scene, process);
    await work(scene, 2);
    while (mailman.tellOne(world, process)) await clock.advance(0);
  }
  mailboxes.clear();
  const run = bounced();
  if (!run || !mayStrike('a run is paused in mid-flight') || !mayStrike('a run goes on again')) return;
  for (const verb of ['pause', 'resume'] as const) {
    story.tell(
      `${process.name} is asked to ${verb} run ${run.run_id.slice(0, 8)}, of which a mail has bounced for now`,
    );
    const order = { by: 'somebody', because: 'simulation' };
    void process.civic?.newsletters.runs[verb](run.run_id, order).catch(() => {});
    await clock.advance(0);
    for (const each of processes) if (each.isIdle('runs')) each.start('runs');
    await clock.advance(5 * secondMs);
  }
  return work(scene, 2);
}
