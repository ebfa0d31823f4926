import { statuses } from '../src/domain/status.ts';
import { deliverWebhook, operate, suppressSomebody } from './actors.ts';
import { hourMs, minuteMs } from './chance.ts';
import { createProcess, type SimulatedProcess, turnKinds } from './process.ts';
import type { Stage } from './stage.ts';
import { createWorld, type World } from './world.ts';

/** One run: a few deliveries, a few processes, a number of things that happen, and then peace until all is settled. */
export interface Run {
  seed: number;
  violation: string | null;
  lines: readonly string[];
  hash: string;
}

const stepsMin = 15;
const stepsMax = 60;
/** Far more than any run needs: a delivery that is not settled by then never is. */
const drainMax = 400;

export async function runSeed(seed: number, stage: Stage): Promise<Run> {
  await stage.clear();
  const world = createWorld(seed, stage);
  const { chance, watch, story } = world;
  await enqueue(world);
  const processes = Array.from({ length: chance.between(1, 3) }, (_, index) =>
    createProcess(`p${index + 1}`, world),
  );
  let started = processes.length;
  const restart = () => createProcess(`p${++started}`, world);
  const steps = chance.between(stepsMin, stepsMax);
  for (let step = 0; step < steps && watch.violation === null; step++) {
    await doSomething(world, processes, restart);
    await world.clock.advance(0);
    watch.lookAround();
  }
  if (watch.violation === null) await drain(world, processes, restart);
  for (const { faults } of processes) faults.die('with the run');
  await world.clock.advance(0);
  return { seed, violation: watch.violation, lines: story.lines, hash: story.hash() };
}

async function enqueue(world: World): Promise<void> {
  const { chance, clock, outbox } = world;
  const people = chance.between(1, 3);
  const intents = Array.from({ length: chance.between(1, 4) }, (_, index) => {
    const address = `person${chance.between(1, people)}@example.org`;
    return {
      source: 'plain',
      occasion: `occasion-${index}`,
      recipient: `recipient-${index}`,
      toEmail: address,
      lane: chance.one(['urgent', 'normal', 'bulk'] as const),
      variables: { subject: 'News', text: 'Text' },
      ...(chance.isTrue(0.2) && { expiresAt: clock.now() + chance.between(1, 6 * hourMs) }),
    };
  });
  await world.commit('source', () => outbox.enqueue(intents));
}

const actions = {
  turn: 45,
  work: 4,
  moment: 16,
  minutes: 6,
  hours: 3,
  edge: 8,
  webhook: 12,
  operator: 4,
  consent: 1.5,
  death: 1.5,
  stop: 1,
  pause: 1,
  clock: 1,
  account: 0.7,
};

async function doSomething(world: World, processes: SimulatedProcess[], restart: () => SimulatedProcess) {
  const { chance, clock, watch } = world;
  const index = chance.between(0, processes.length - 1);
  const chosen = processes[index] as SimulatedProcess;
  switch (chance.weighted(actions)) {
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
      for (let left = chance.between(2, 4); left > 0; left--) {
        startAll(processes);
        await clock.advance(chance.between(2_000, 90_000));
        watch.lookAround();
      }
      return;
    case 'webhook':
      await deliverWebhook(world);
      return;
    case 'operator':
      return operate(world, chance.one(watch.rows));
    case 'consent':
      return suppressSomebody(world);
    case 'death':
      return chosen.faults.die('where it stands');
    case 'stop':
      return chosen.stop();
    case 'pause':
      return chosen.faults.pause(chance.between(1_000, 10 * minuteMs));
    case 'clock':
      // A process whose clock is further off stops by itself (`isSteady`).
      return chosen.faults.setClock(chance.between(-2_000, 2_000));
    case 'account':
      return world.switchAccount();
  }
}

function startTurn({ chance }: World, process: SimulatedProcess): void {
  const turn = chance.weighted({ dispatch: 5, sweep: 2, reconcile: 3 });
  if (process.isIdle(turn)) process.start(turn);
}

/** As the loops of the runner do all the time. */
function startAll(processes: readonly SimulatedProcess[]): void {
  for (const process of processes) {
    for (const turn of turnKinds) if (process.isIdle(turn)) process.start(turn);
  }
}

/** To just before or after a moment at which something ends: most mistakes about time are made there. */
function untilEdge({ chance, clock, watch }: World): number {
  const now = clock.now();
  const edges = watch.rows
    .flatMap((row) => [row.due_at, row.expires_at, ...Array(3).fill(row.resubmit_until)])
    .filter((at) => at !== null && at > now) as number[];
  if (edges.length === 0) return 0;
  return Math.max(
    0,
    chance.one(edges) - now - chance.between(-2_000, chance.one([0, 2_000, 60_000, 200_000])),
  );
}

/** No more faults, everybody works: now everything must come to an end. */
async function drain(world: World, processes: SimulatedProcess[], restart: () => SimulatedProcess) {
  const { clock, watch, ledger } = world;
  world.endTroubles();
  for (const { faults } of processes) if (!faults.isDead) faults.setClock(0);
  for (let turn = 0; turn < drainMax && watch.violation === null; turn++) {
    for (const [index, { faults, isStopping }] of processes.entries()) {
      if (faults.isDead || isStopping) processes[index] = restart();
    }
    while (await deliverWebhook(world));
    for (const row of watch.rows) if (row.status === 'needs_review') await operate(world, row);
    // One after the other: what one process cannot settle in its turn, another must.
    const process = processes[turn % processes.length] as SimulatedProcess;
    for (const kind of turnKinds) if (process.isIdle(kind)) process.start(kind);
    await clock.advance(0);
    watch.lookAround();
    const owed = await world.db.read.selectFrom('owed_facts').select('due_at').execute();
    const isQuiet = watch.rows.every(({ status }) => !statuses[status].isDue && status !== 'needs_review');
    if (isQuiet && ledger.webhooks.length === 0 && owed.length === 0) break;
    const moments = [
      ...watch.rows.map(({ due_at }) => due_at),
      ...ledger.webhooks.map(({ arrivesAt }) => arrivesAt),
      ...owed.map(({ due_at }) => due_at),
    ].filter((at) => at !== null && at > clock.now()) as number[];
    const untilNext = Math.min(clock.nextWakeMs() ?? Infinity, ...moments.map((at) => at - clock.now()));
    await clock.advance(untilNext === Infinity ? minuteMs : Math.max(untilNext, 1_000));
  }
  if (watch.violation === null) await watch.atTheEnd();
}
