import { readLease } from '../db/lease.ts';
import type { Engine } from '../engine.ts';
import { leaderLease } from '../runners/runner.ts';
import type { QueuesSeen } from '../runners/seen.ts';
import type { Config } from '../settings.ts';
import { duration } from '../std/duration.ts';
import { counted } from './counted.ts';
import { type Finding, note, ok, problem } from './finding.ts';
import { printable } from './printable.ts';
import { askQueues } from './queues.ts';
import { withoutCredentials } from './redact.ts';

export interface QueuesCheckup {
  redis: {
    url: string;
    state: 'ok' | 'away' | 'refuses' | 'evicts';
    name: string | null;
    policy: string | null;
  };
  failedJobs: number | null;
}

/** Is Redis there, and such that queues can rely on it? Null where there are none. */
export async function checkQueues(
  config: Config,
): Promise<{ queues: QueuesCheckup | null; findings: Finding[] }> {
  if (!config.jobsEnabled) return { queues: null, findings: config.redisUrl === '' ? [] : [redisForNothing] };
  const answer = await askQueues(config);
  const url = withoutCredentials(config.redisUrl);
  if (!('seen' in answer)) {
    const redis = { url, state: answer.state, name: null, policy: null };
    const [sentence = '', ...cure] = answer.sentence.split(/(?<=\.) /);
    const finding = problem(`${sentence.replace(/\.$/, '')}: ${printable(url)}.`, cure.join(' '));
    return { queues: { redis, failedJobs: null }, findings: [finding] };
  }
  const { state, seen } = answer;
  const { name, policy, failedJobs } = seen;
  return {
    queues: { redis: { url, state, name, policy }, failedJobs },
    findings: [
      ok(`${printable(name)} answers at ${printable(url)}.`),
      await policyFinding(seen),
      ...versionFindings(seen),
      ...failedFindings(failedJobs),
    ],
  };
}

const redisForNothing = note(
  'REDIS_URL is set, and JOBS_ENABLED is false: Redis is not used, and each process looks into the database by itself.',
  'To share work by queues, set JOBS_ENABLED=true for all processes; otherwise REDIS_URL can go.',
);

async function policyFinding({ policy }: QueuesSeen): Promise<Finding> {
  if (policy === 'noeviction') return ok('Its maxmemory-policy is noeviction.');
  const { evictionCure } = await import('../runners/redis.ts');
  const sentence = `Its maxmemory-policy is ${printable(policy)}: short of memory it would throw away parts of queues, so nothing is named.`;
  return problem(sentence, evictionCure);
}

/** Below this BullMQ asks not to be relied on. */
const versionMin = [6, 2] as const;

export function versionFindings({ name, version }: Pick<QueuesSeen, 'name' | 'version'>): Finding[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < versionMin[0] || (major === versionMin[0] && minor < versionMin[1]);
  if (!isOld) return [];
  const sentence = `${printable(name)} is too old for queues: they need ${versionMin.join('.')} or later.`;
  return [
    problem(sentence, 'Upgrade it, or use Valkey. What is in it may be lost: the database has everything.'),
  ];
}

function failedFindings(failedJobs: number): Finding[] {
  if (failedJobs === 0) return [];
  const sentence = `${counted(failedJobs, 'job has', 'jobs have')} failed. No delivery hangs on them, but there is a cause.`;
  return [note(sentence, 'See why: npx tidings queue failed')];
}

/** Somebody has to name what is due. */
export async function checkLeader(
  { db, queries, sources, clock }: Pick<Engine, 'db' | 'queries' | 'sources' | 'clock'>,
  { jobsEnabled }: Config,
): Promise<Finding[]> {
  if (!jobsEnabled) return [];
  const leader = await readLease(db, leaderLease);
  const now = clock.now();
  if (leader && leader.until > now) return [ok(`${printable(leader.holder)} leads: it names what is due.`)];
  const since = leader ? `Nobody has led for ${duration(now - leader.until)}` : 'Nobody has ever led';
  const names = sources.map(({ name }) => name);
  const isDue = (await queries.dueCounts(names, now)).length > 0;
  const sentence = `${since}: what is due is not named to any worker.`;
  const cure = 'Start a worker (npm start); where one runs, its log says what keeps it.';
  return [isDue ? problem(sentence, cure) : note(sentence, cure)];
}
