import { leaderLease } from '../../src/runners/runner.ts';
import { systemClock as clock } from '../../src/std/clock.ts';
import { createSeededRandom, integerBelow, pick, type Random } from '../../src/std/random.ts';
import type { Victim } from '../crashtest/victim.ts';
import type { Deployment } from './deployment.ts';

/** What happens to a deployment while it sends, each at a moment that is drawn by lot. */
export type FaultName = keyof typeof sentences;

export const sentences = {
  'worker stopped': 'a worker stopped for longer than its lease',
  'worker continued': 'that worker continued',
  'Redis flushed': 'FLUSHALL',
  'Redis killed': 'Redis killed, and started empty',
  'worker killed': 'a worker killed, and replaced',
  'PostgreSQL restarted': 'PostgreSQL restarted without a goodbye',
} as const;

export interface Planned {
  fault: FaultName;
  /** When so much of all mails is accepted. */
  share: number;
}

export interface FaultsOrder {
  flushes: number;
  kills: number;
  /** Null: nobody is stopped. */
  stoppedForMs: number | null;
  /** Without it, that fault is left out. */
  restartPostgres?: (() => Promise<void>) | undefined;
}

/** Before the last tenth, so that there is something left to recover with. */
const lastShare = 0.88;

export function planFaults(order: FaultsOrder, random: Random): Planned[] {
  const faults: FaultName[] = [
    ...Array<FaultName>(order.flushes).fill('Redis flushed'),
    ...Array<FaultName>(order.kills).fill('worker killed'),
    'Redis killed',
    ...(order.restartPostgres ? (['PostgreSQL restarted'] as const) : []),
  ];
  for (let index = faults.length - 1; index > 0; index--) {
    const other = integerBelow(random, index + 1);
    [faults[index], faults[other]] = [faults[other] as FaultName, faults[index] as FaultName];
  }
  // First, so that all the others happen while that one stands still.
  if (order.stoppedForMs !== null) faults.unshift('worker stopped');
  const step = lastShare / faults.length;
  // Somewhere in the middle half of its stretch: each is felt by itself.
  return faults.map((fault, index) => ({ fault, share: (index + 0.25 + random.next() / 2) * step }));
}

export interface Faults {
  readonly happened: { fault: FaultName; at: number }[];
  readonly wrong: string[];
  /** Lets happen what is due when so much of all mails is accepted. */
  upTo(share: number): Promise<void>;
  /** All of them, and whoever was stopped goes on. */
  isOver(): boolean;
}

export function createFaults(
  deployment: Deployment,
  order: FaultsOrder & { seed: number },
  tell: (line: string) => void,
): Faults {
  const random = createSeededRandom(order.seed);
  const planned = planFaults(order, random);
  const happened: Faults['happened'] = [];
  const wrong: string[] = [];
  let stopped: { worker: Victim; until: number } | undefined;

  function note(fault: FaultName): void {
    happened.push({ fault, at: clock.now() });
    tell(sentences[fault]);
  }

  /** The first to be killed is the one that leads, if there is one: the others are whoever the lot falls on. */
  async function chooseVictim(): Promise<number> {
    const isFirst = !happened.some(({ fault }) => fault === 'worker killed');
    const places = [...deployment.workers.keys()].filter(
      (place) => deployment.workers[place] !== stopped?.worker,
    );
    const leads = isFirst ? await leaderOf(deployment) : undefined;
    return places.find((place) => deployment.workers[place]?.pid === leads) ?? pick(random, places);
  }

  const perform: Record<FaultName, () => Promise<void>> = {
    async 'worker stopped'() {
      const worker = pick(random, deployment.workers);
      stopped = { worker, until: clock.monotonic() + (order.stoppedForMs ?? 0) };
      note('worker stopped');
      worker.signal('SIGSTOP');
    },
    async 'worker continued'() {
      note('worker continued');
      stopped?.worker.signal('SIGCONT');
      stopped = undefined;
    },
    async 'Redis flushed'() {
      note('Redis flushed');
      await deployment.redis.ask('FLUSHALL');
    },
    async 'Redis killed'() {
      note('Redis killed');
      await deployment.redis.kill();
      await clock.sleep(integerBelow(random, 2_000));
      await deployment.redis.start();
    },
    async 'worker killed'() {
      const place = await chooseVictim();
      note('worker killed');
      const end = await deployment.workers[place]?.kill();
      if (end !== 'killed') wrong.push(`worker-${place} ended ${end}`);
      deployment.startWorker(place);
    },
    async 'PostgreSQL restarted'() {
      note('PostgreSQL restarted');
      await order.restartPostgres?.();
    },
  };

  return {
    happened,
    wrong,
    async upTo(share) {
      if (stopped && clock.monotonic() >= stopped.until) await perform['worker continued']();
      const next = planned[0];
      if (!next || next.share > share) return;
      planned.shift();
      await perform[next.fault]();
    },
    isOver: () => planned.length === 0 && stopped === undefined,
  };
}

/** By its lease in the database, whose holder is `host:pid:life`. */
async function leaderOf({ db }: Deployment): Promise<number | undefined> {
  const row = await db.read
    .selectFrom('leases')
    .select('holder')
    .where('name', '=', leaderLease)
    .executeTakeFirst()
    .catch(() => undefined);
  return row && Number(row.holder.split(':').at(-2));
}
