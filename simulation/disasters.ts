import { raiseMark } from '../src/db/time-mark.ts';
import { hourMs, minuteMs } from './chance.ts';
import { askAgain, askForAllAgain, enqueue } from './intents.ts';
import type { Players } from './players.ts';
import { type SimulatedProcess, turnKinds } from './process.ts';
import type { Copy, Stage } from './stage.ts';
import type { Seen } from './watch.ts';

/** What takes several steps to go wrong: all stand still at once, clocks and databases go back, a quota is used up. */
export interface Scene extends Players {
  stage: Stage;
  /** What a replica had when the primary was lost. */
  backUp: { copy: Copy; seen: Seen } | null;
}

/** Less than clocks differ by anyway: how far is of no matter to who holds a row while it happens. */
export const setBackMostMs = 300;

/** As the loops of the runner do all the time. */
export function startAll(processes: readonly SimulatedProcess[]): void {
  for (const process of processes) {
    for (const turn of turnKinds) if (process.isIdle(turn)) process.start(turn);
  }
}

/** Everybody, for a few minutes. */
export async function workOn({ world, processes }: Scene, turns: number): Promise<void> {
  const { chance, clock, watch } = world;
  for (let left = turns; left > 0; left--) {
    startAll(processes);
    await clock.advance(chance.between(2_000, 90_000));
    watch.lookAround();
  }
}

/** In the middle of their batches: what had its moment to leave meanwhile comes all at once. */
export async function stallAll({ world, processes }: Scene): Promise<void> {
  const { chance, clock, mayStrike } = world;
  startAll(processes);
  await clock.advance(chance.between(0, 500));
  if (!mayStrike('a process stands still')) return;
  for (const { faults } of processes) faults.pause(chance.between(1_000, 5_000));
  await clock.advance(6_000);
}

/** With mails on their way: all that waits moves with the clocks, and no key is relied on any more. */
export async function setClocksBack({ world, processes }: Scene): Promise<void> {
  const { chance, clock, mayStrike, watch } = world;
  startAll(processes);
  await clock.advance(0);
  if (!mayStrike('all clocks are set back')) return;
  // Who stands still meanwhile hears all answers at once, and writes them down together.
  if (chance.isTrue(0.7)) for (const { faults } of processes) faults.pause(2_000);
  await clock.advance(chance.between(0, 1_500));
  const byMs = chance.between(1, setBackMostMs);
  world.story.tell(`all clocks are set back by ${byMs} ms`);
  watch.setBack(byMs);
  await world.commit('who noticed it', async () => {
    const from = clock.now();
    await raiseMark(world.db, from);
    await world.outbox.setBack({ from, to: from - byMs });
  });
  for (const { faults } of processes) if (!faults.isDead) faults.setClock(-byMs);
  await clock.advance(2_000);
}

/**
 * The provider takes mails and finds afterwards that its quota is used up; some of its answers are lost. What it had to say of
 * the first round comes when the second one's mail is on its way.
 */
export async function useUpQuota(scene: Scene, process: SimulatedProcess): Promise<void> {
  const { world, processes } = scene;
  const { chance, clock, mailman } = world;
  await enqueue(world, process);
  world.setQuota('used up');
  startAll(processes);
  await clock.advance(5_000);
  world.setQuota('left');
  for (let left = 4; left > 0; left--) {
    mailman.tellOne(world, process);
    await clock.advance(0);
  }
  await clock.advance(chance.between(0, 30) * hourMs);
  for (let left = 2; left > 0; left--) {
    startAll(processes);
    await clock.advance(0);
    mailman.tellOne(world, process);
    await clock.advance(chance.between(0, minuteMs));
  }
}

export async function backUp(scene: Scene): Promise<void> {
  const { world, stage } = scene;
  world.story.tell('a replica has all that is here');
  scene.backUp = await world.commit('a replica', async () => ({
    copy: await stage.copy(),
    seen: world.watch.seen(),
  }));
}

/** What is asked for after the replica was made, and sent, and lost, is sent once more: to a provider who knows its key. */
export async function haveBadDay(scene: Scene, process: SimulatedProcess): Promise<void> {
  const { world } = scene;
  const { chance } = world;
  // Some are on the replica, others get their numbers after it was made.
  const isEarly = chance.isTrue(0.5);
  if (isEarly) await enqueue(world, process);
  await backUp(scene);
  // Several: whoever is asked for again first gets another one's number.
  for (let left = isEarly ? 0 : 2; left > 0; left--) await enqueue(world, process);
  if (chance.isTrue(0.7)) await workOn(scene, 1);
  await world.clock.advance(chance.one([0, 0, 2 * hourMs, 10 * hourMs]));
  await failOver(scene, process);
}

/** The replica becomes the database: what was committed since is gone, for everybody and for good. */
export async function failOver(scene: Scene, process: SimulatedProcess): Promise<void> {
  const { world, stage, backUp, processes } = scene;
  if (backUp && world.chance.isTrue(0.5)) {
    // With mails on their way, of which the replica knows nothing.
    startAll(processes);
    await world.clock.advance(0);
  }
  if (!backUp || backUp.seen.changes === world.watch.changes) return;
  if (!world.mayStrike('a fail-over loses commits')) return;
  world.story.tell('a fail-over: the replica is the database now');
  scene.backUp = null;
  await world.commit('a fail-over', async () => {
    await stage.restore(backUp.copy);
    await world.watch.afterRestore(backUp.seen);
    askForAllAgain(world);
  });
  if (world.chance.isTrue(0.7)) await askAgain(world, process);
  // They go on at once, with what the replica knows.
  if (world.chance.isTrue(0.8)) await workOn(scene, 2);
}
