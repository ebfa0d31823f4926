import { hourMs, minuteMs, secondMs } from '../chance.ts';
import { drain } from '../drain.ts';
import type { SimulatedProcess } from '../process.ts';
import { type ReviewScene, readLists, startAnew, work } from './run-reviews.ts';
import { submit } from './submitting.ts';
import { tryAllAgain } from './trying.ts';

/** Far more than it takes: without troubles the first answer is heard. */
const turnsMax = 20;

/** No more troubles: every bot hears what came of its review, every job comes to its end, and so does every second try. */
export async function endReviews(scene: ReviewScene): Promise<void> {
  const { world, processes, everybody, bots } = scene;
  const { watch, chance, clock } = world;
  world.endTroubles();
  // Whoever stands still would keep everybody waiting for as long.
  for (const { faults } of everybody) if (!faults.isDead) faults.die('and is started anew');
  for (const index of processes.keys()) startAnew(scene, index);
  const unheard = () => bots.requests.filter(({ isAnswered }) => !isAnswered);
  for (let turn = 0; turn < turnsMax && watch.violation === null && unheard().length > 0; turn++) {
    for (const request of unheard()) submit(scene, chance.one(processes), request);
    await clock.advance(secondMs);
  }
  const [request] = unheard();
  if (request) watch.violate('nothing lost', `nobody could submit ${request.body.idempotency_key}`);
  if (watch.violation === null) await drain(scene);
  if (watch.violation === null && chance.isTrue(0.5)) {
    // Once more, with everything at rest: what fails now fails in the same way.
    tryAllAgain(scene);
    await work(scene, 4);
    if (watch.violation === null) await drain(scene);
  }
  if (watch.violation === null) await settle(scene);
  if (watch.violation === null) await readLists(world);
  if (watch.violation === null) world.beside.reviews?.atTheEnd();
}

/** Nothing more is expected of what was accepted, and of which nobody has said anything. */
const silenceMs = 4 * 24 * hourMs;

async function settle({ world: { clock }, processes, restart }: ReviewScene): Promise<void> {
  await clock.advance(silenceMs);
  const process: SimulatedProcess = processes.find(({ isIdle }) => isIdle('replays')) ?? restart();
  process.start('replays');
  await clock.advance(minuteMs);
}
