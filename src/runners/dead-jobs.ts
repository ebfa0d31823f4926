import type { Job } from 'bullmq';
import { Refusal } from '../std/refusal.ts';
import { thrownText } from '../std/without-addresses.ts';
import { answered, type OpenQueues, type QueueName, queueNames } from './queue.ts';

/**
 * Jobs that threw, for somebody to look at (002-P5-02): which work it was, of which rows, and why. No delivery hangs on them: what is due
 * is named again by itself. A job that goes on failing stands here once, with how often.
 */
interface DeadJob {
  queue: QueueName;
  job: string;
  data: Readonly<Record<string, unknown>>;
  error: string;
  times: number;
  firstAt: string;
  lastAt: string;
}

/** The oldest go first: a fault that lasts for days must not fill Redis. */
const deadMax = 1_000;

export async function bury(
  queues: OpenQueues,
  from: QueueName,
  job: Job,
  error: Error,
  now: number,
): Promise<void> {
  const dlq = await queues.of('dlq');
  const id = `${from}-${job.id ?? job.name}`;
  const known = (await dlq.getJob(id)) as Job<DeadJob> | undefined;
  const at = new Date(now).toISOString();
  const dead: DeadJob = {
    ...{ queue: from, job: job.name, data: job.data, error: thrownText(error).slice(0, 500) },
    ...{ times: (known?.data.times ?? 0) + 1, firstAt: known?.data.firstAt ?? at, lastAt: at },
  };
  if (known) await known.updateData(dead);
  else await dlq.add(from, dead, { jobId: id });
  const { waiting = 0 } = await dlq.getJobCounts('waiting');
  if (waiting <= deadMax) return;
  for (const old of await dlq.getJobs(['waiting'], 0, waiting - deadMax - 1, true)) await old.remove();
}

export type DeadJobEntry = DeadJob & { id: string };

/** Oldest first. */
export async function listDead(queues: OpenQueues, limit: number): Promise<DeadJobEntry[]> {
  const dlq = await queues.of('dlq');
  const jobs = (await answered(dlq.getJobs(['waiting'], 0, limit - 1, true))) as Job<DeadJob>[];
  return jobs.map(({ id = '', data }) => ({ id, ...data }));
}

/** Back to where they failed; one, or all. Answers which. */
export async function reviveDead(queues: OpenQueues, id: string | undefined): Promise<DeadJobEntry[]> {
  const dlq = await queues.of('dlq');
  const found = id === undefined ? await dlq.getJobs(['waiting'], 0, -1, true) : [await dlq.getJob(id)];
  const jobs = found.filter((job) => job !== undefined) as Job<DeadJob>[];
  if (id !== undefined && jobs.length === 0)
    throw new Refusal('job_not_found', 'There is no such failed job. `npx tidings queue failed` lists them.');
  const revived: DeadJobEntry[] = [];
  for (const job of jobs) {
    const { id: deadId = '', data: dead } = job;
    const { queue, job: name, data } = dead;
    if (!queueNames.includes(queue)) continue;
    // First there, then gone from here: twice does no harm, never would be a loss of what somebody asked for.
    await (await queues.of(queue)).add(name, data, optionsFor(deadId.slice(queue.length + 1)));
    await job.remove();
    revived.push({ id: deadId, ...dead });
  }
  return revived;
}

/** Under its own name, if it had one: while it stands there it need not be put, and if it fails again it is the same one. */
const optionsFor = (name: string) => (/^\d+$/.test(name) ? { removeOnFail: true } : { jobId: name });
