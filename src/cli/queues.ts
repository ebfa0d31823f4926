import type { DeadJobEntry } from '../runners/dead-jobs.ts';
import type { QueuesSeen } from '../runners/seen.ts';
import type { Visited } from '../runners/visit.ts';
import type { Config } from '../settings.ts';
import { Refusal } from '../std/refusal.ts';

/** The way of a command to the queues. What speaks with Redis is loaded here, by whoever asks for it, and by nobody else. */
type JobsSettings = Pick<Config, 'redisUrl' | 'redisPassword' | 'bullmqPrefix' | 'logLevel'>;

/** The settings, where there are queues. */
export async function readJobsConfig(): Promise<Config> {
  const { readConfig } = await import('../config.ts');
  const config = readConfig();
  if (config.jobsEnabled) return config;
  throw new Refusal(
    'jobs_not_enabled',
    [
      'There are no queues here: JOBS_ENABLED is false, so each process looks into the database by itself. Nothing is missing; what waits and why: npx tidings doctor',
      'If your servers share their work by queues, run this with their settings: JOBS_ENABLED=true and REDIS_URL.',
    ].join('\n'),
  );
}

export type QueuesAnswer =
  | { state: 'ok' | 'evicts'; seen: QueuesSeen; named: { jobs: number; deliveries: number } }
  | { state: 'away' | 'refuses'; sentence: string };

/** How they stand; a Redis that is away is an answer, too. */
export async function askQueues(config: JobsSettings): Promise<QueuesAnswer> {
  try {
    return await visit(config, async ({ redis, queues }) => {
      const { seeQueues, countNamed } = await import('../runners/seen.ts');
      const seen = await seeQueues(redis, queues);
      const named = await countNamed(queues);
      return { state: seen.policy === 'noeviction' ? 'ok' : 'evicts', seen, named };
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { state: error.code === 'redis_refuses' ? 'refuses' : 'away', sentence: error.message };
  }
}

/** Jobs that failed, oldest first, and how many there are beside those that were asked for. */
export async function listFailed(
  config: JobsSettings,
  limit: number,
): Promise<{ jobs: DeadJobEntry[]; total: number }> {
  return visit(config, async ({ queues }) => {
    const { listDead } = await import('../runners/dead-jobs.ts');
    const jobs = await listDead(queues, limit);
    const { waiting = 0 } = await (await queues.of('dlq')).getJobCounts('waiting');
    return { jobs, total: Math.max(jobs.length, waiting) };
  });
}

/** One, or without a name all. */
export async function retryFailed(config: JobsSettings, id: string | undefined): Promise<DeadJobEntry[]> {
  return visit(config, async ({ queues }) => {
    const { reviveDead } = await import('../runners/dead-jobs.ts');
    return reviveDead(queues, id);
  });
}

async function visit<T>(
  { redisUrl: url, redisPassword: password, bullmqPrefix: prefix, logLevel: level }: JobsSettings,
  work: (visited: Visited) => Promise<T>,
): Promise<T> {
  const [{ visitQueues }, { createLog }] = await Promise.all([
    import('../runners/visit.ts'),
    import('../std/log.ts'),
  ]);
  const log = createLog({ level, isForPeople: process.stderr.isTTY === true });
  return visitQueues({ url, password, prefix }, log, work);
}
