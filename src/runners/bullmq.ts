import { setMaxListeners } from 'node:events';
import { type Job, type Processor, Worker, type WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { isDatabaseAway } from '../db/is-database-away.ts';
import type { Lease } from '../db/lease.ts';
import { createOutage } from '../db/outage.ts';
import type { Dispatch } from '../dispatch/dispatch.ts';
import type { Pace } from '../dispatch/pace.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Guarantees } from '../providers/provider.ts';
import type { Chore, Stage, StageJob } from '../sources/source.ts';
import { createLoop, type Loop } from '../std/loop.ts';
import { bury } from './dead-jobs.ts';
import { clockDuty, type Duty, type DutyParts, maintenanceOf, whileSteady } from './duty.ts';
import { answered, connected, fullName, type OpenQueues, openQueues, type QueueName } from './queue.ts';
import { connectRedis, type RedisOrder, requireGoodRedis } from './redis.ts';
import { createRelay } from './relay.ts';
import { endWithin, type Runner, stopWithin } from './runner.ts';
import { createSending, jobsOf } from './sending.ts';
import { createWatch } from './watch.ts';

/**
 * Many processes, by queues on Redis. One of them, the leader by a lease in the database, names what is due; all of them do what is
 * named. The database holds every fact, so Redis may be flushed, killed or away at any moment: what it lost is named again within half
 * a minute, and while it is away nothing is sent and nothing is lost.
 */
export interface BullmqParts extends DutyParts {
  outbox: Outbox;
  /** As many as jobs of sending at once in this process, each with its share of the provider's connections. */
  dispatches: readonly Dispatch[];
  pace: Pick<Pace, 'mayAsk' | 'probeIfDue'>;
  guarantees: Pick<Guarantees, 'ratePerSecond' | 'concurrency'>;
  sources: readonly { name: string }[];
  chores: readonly Chore[];
  leases: {
    /** Whether this process is the one that names. */
    naming: Lease;
    /** Whether it is the one that does what sources do by themselves. Apart, because that needs no Redis. */
    chores: Lease;
  };
  redis: RedisOrder & { prefix: string };
  /** 002-P2-06 */
  concurrency: number;
}

const relayMs = 250;
const stageMs = 1_000;
const scheduleMs = 500;
/** A job that failed stays in its place so long, and keeps a new one of its name from being put: that is its back-off. */
const failedMs = 5_000;
/** A part of the maintenance that goes on and on gives way to its next turn after so long. */
const dutyMs = 10_000;
/**
 * A worker that has not prolonged its lock for so long is taken for dead, and its job is another's; the rows in it are not, before their
 * leases end, and then the sweep finds them. So it need not be as long as a lease, only longer than a stall.
 */
const lockMs = 30_000;
/** Whose workers die is told by the rows (`lapses`), not by the job. */
const stalledMax = 10;

export function createBullmq(parts: BullmqParts): Runner {
  const { dispatches, outbox, pace, guarantees, sources, chores, leases, clock, log } = parts;
  const { prefix } = parts.redis;
  const redis = connectRedis(parts.redis, log);
  const queues = openQueues(redis, prefix, log);
  const watch = createWatch(redis, queues, log);
  const stopping = new AbortController();
  // Every mail that waits for its moment listens; Node takes more than ten of them for a leak, and says so to the user.
  setMaxListeners(0, stopping.signal);
  const workers = new Set<Worker>();
  const working: Promise<void>[] = [];
  /** What is really done for a job, beside what Redis is told of it. */
  const inHand = new Set<Promise<unknown>>();
  let isStarted = false;

  const whileOurs = (lease: Lease, duty: Duty): Duty => ({
    ...duty,
    once: async (signal) => ((await lease.hold()).isOurs ? duty.once(signal) : 'pause'),
  });
  /**
   * Who does not reach Redis, or would put something where it may be thrown away, does not lead: its lease ends, and whoever does reach it
   * goes on. Before the lease is asked for, because holding it is what keeps the others from it.
   */
  const whileNaming = (duty: Duty): Duty => {
    const ours = whileOurs(leases.naming, duty);
    return { ...duty, once: async (signal) => (watch.redis === 'ok' ? ours.once(signal) : 'skipped') };
  };
  const shared = createOutage({ clock, log });
  const loop = ({ name, pauseMs, once }: Duty): Loop =>
    createLoop({ name, pauseMs, once, clock, log, shared });

  // Named: what is to be sent, what sources have in stages, what has to be done again and again.
  const { batch, limiter } = jobsOf(guarantees);
  const relay = createRelay({ outbox, pace, sources, queue: () => queues.of('send'), batch, clock, log });
  const relaying = loop(
    whileNaming(whileSteady({ name: 'queue-relay', pauseMs: relayMs, once: relay.once }, clock)),
  );
  const stages = chores.flatMap((chore) => chore.stages ?? []);
  const staging = stages.map((stage) =>
    loop(
      whileNaming({
        ...{ name: `queue-${stage.name}`, pauseMs: stageMs },
        async once() {
          await putWaiting(stage);
          return 'pause';
        },
      }),
    ),
  );
  const maintenance = maintenanceOf(parts);
  const scheduling = loop(whileNaming(scheduleOf(maintenance, queues, parts)));
  const cleaning = loop(
    whileNaming({
      ...{ name: 'queue-failed', pauseMs: failedMs },
      async once() {
        for (const name of ['collect', 'compose', 'maintenance'] as const)
          await answered((await queues.of(name)).clean(failedMs, 1_000, 'failed'));
        return 'pause';
      },
    }),
  );
  // What one process does by itself: it polls, fans out, keeps house.
  const ofSources = chores
    .filter(({ stages }) => stages === undefined)
    .map((chore) => {
      const made = loop(whileOurs(leases.chores, whileSteady(chore, clock)));
      chore.wokenBy?.(made.wake);
      return made;
    });
  for (const chore of chores) {
    // At once, whoever leads: an api process only puts (002-D7-01). Where Redis is not fit the leader does it later.
    const put = async (named: readonly Stage[]) => {
      if (await watch.isFit()) await Promise.all(named.map(putWaiting));
    };
    const { stages: named } = chore;
    if (named) chore.wokenBy?.(() => void put(named).catch(() => log.debug('queue.not_put')));
  }
  const ofAll = [clockDuty(parts), watch.pulse].map(loop);
  const loops = [...ofAll, relaying, ...staging, scheduling, cleaning, ...ofSources];

  async function putWaiting({ name, waiting }: Stage): Promise<void> {
    const jobs = await waiting();
    if (jobs.length > 0)
      await answered(
        (await queues.of(name)).addBulk(jobs.map(({ id, data }) => ({ name, data, opts: { jobId: id } }))),
      );
  }

  /** Works at a queue until it is told to stop; BullMQ gives up when a connection fails in the wrong moment, and is begun anew. */
  async function work(name: QueueName, processor: Processor, options: Partial<WorkerOptions>): Promise<void> {
    for (; !stopping.signal.aborted; await clock.sleep(1_000, stopping.signal)) {
      await Promise.race([connected(redis), aborted(stopping.signal)]);
      if (stopping.signal.aborted) return;
      const worker = openWorker(name, processor, options);
      workers.add(worker);
      await worker.run().catch((error) => log.warn('queue.worker_ended', { queue: name, error }));
      workers.delete(worker);
      if (!stopping.signal.aborted) worker.close(true).catch(() => {});
    }
  }

  function openWorker(name: QueueName, processor: Processor, options: Partial<WorkerOptions>): Worker {
    const worker = new Worker(fullName(name), processor, {
      ...{ connection: redis, prefix, autorun: false },
      ...{ lockDuration: lockMs, stalledInterval: lockMs / 2, maxStalledCount: stalledMax },
      ...{ runRetryDelay: 1_000, drainDelay: 2 },
      ...options,
    });
    // A Redis that is away, a job that another has finished: nothing hangs on it.
    worker.on('error', (error) => log.debug('queue.error', { queue: name, error: error.name }));
    worker.on('failed', (job, error) => {
      log.error('queue.job_failed', { queue: name, job: job?.name ?? null, error });
      if (job) bury(queues, name, job, error, clock.now()).catch(() => log.warn('queue.not_buried'));
    });
    return worker;
  }

  function held<T>(work: Promise<T>): Promise<T> {
    inHand.add(work);
    return work.finally(() => inHand.delete(work));
  }

  const performing =
    (stage: Stage) =>
    async ({ data }: Job<StageJob['data']>): Promise<void> => {
      if (clock.isSteady) await unlessAway(held(stage.perform(data, stopping.signal)));
    };

  async function maintain({ name }: Job): Promise<void> {
    const duty = maintenance.find((each) => each.name === name);
    const until = clock.monotonic() + dutyMs;
    while (duty && !stopping.signal.aborted && clock.monotonic() < until)
      if ((await unlessAway(held(duty.once(stopping.signal)))) !== 'again') return;
  }

  const stopLoops = () => Promise.allSettled(loops.map((each) => each.stop()));

  async function giveWay(): Promise<void> {
    for (const lease of Object.values(leases))
      await lease.release().catch(() => log.warn('queue.lead_not_released'));
  }

  /** A database that is away is nobody's fault and no job's: whoever leads names it again when it is back. */
  const unlessAway = <T>(work: Promise<T>): Promise<T | undefined> =>
    work.catch((error: unknown) => {
      if (!isDatabaseAway(error)) throw error;
      log.debug('queue.database_away');
      return undefined;
    });

  return {
    async prepare() {
      if ((await requireGoodRedis(parts.redis)) === 'away') log.warn('redis.awaited');
    },
    start() {
      isStarted = true;
      // 002-P5-13
      const send = createSending({ dispatches, queues, clock, log, held, stopping: stopping.signal });
      working.push(work('send', send as Processor, { concurrency: dispatches.length, limiter }));
      for (const stage of stages) {
        const atOnce = stage.name === 'collect' ? 1 : parts.concurrency;
        working.push(work(stage.name, performing(stage) as Processor, { concurrency: atOnce }));
      }
      working.push(work('maintenance', maintain, { concurrency: maintenance.length }));
      for (const each of loops) each.start();
    },
    wake: () => relaying.wake(),
    queues: watch,
    get isHealthy() {
      return watch.redis === 'ok' && loops.every((each) => each.isHealthy) && clock.isSteady;
    },
    async stop() {
      stopping.abort();
      if (isStarted) {
        // BullMQ's goodbyes to a Redis that is away never end; what is in hand does, without it.
        const isAway = watch.redis === 'away';
        const closed = [...workers].map((worker) => worker.close(isAway).catch(() => {}));
        const ended = [
          // Others lead while what is in hand here ends.
          stopLoops().then(giveWay),
          ...inHand,
          ...(isAway ? [] : [...closed, ...working]),
        ];
        await stopWithin(Promise.allSettled(ended), parts);
      }
      if (isStarted) await giveWay();
      await closeRedis(redis, queues);
    },
    ended: () => endWithin(Promise.allSettled([stopLoops(), ...inHand]), parts),
  };
}

/** The leader's hand is the schedule: nothing of it is in Redis that a flush could take. A duty that is under way is not put twice. */
function scheduleOf(duties: readonly Duty[], queues: OpenQueues, { clock }: Pick<DutyParts, 'clock'>): Duty {
  const nextAt = new Map<string, number>();
  return {
    ...{ name: 'queue-schedule', pauseMs: scheduleMs },
    async once() {
      const now = clock.monotonic();
      const due = duties.filter(({ name }) => (nextAt.get(name) ?? 0) <= now);
      if (due.length === 0) return 'pause';
      const queue = await queues.of('maintenance');
      await answered(queue.addBulk(due.map(({ name }) => ({ name, data: {}, opts: { jobId: name } }))));
      for (const { name, pauseMs } of due) nextAt.set(name, now + pauseMs);
      return 'pause';
    },
  };
}

async function closeRedis(redis: Redis, queues: { close(): Promise<void> }): Promise<void> {
  // One that is away has nothing to say goodbye to.
  if (redis.status === 'ready') await answered(queues.close()).catch(() => {});
  redis.disconnect();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
