import type { DeadJobEntry } from '../runners/dead-jobs.ts';
import { duration } from '../std/duration.ts';
import { counted } from './counted.ts';
import { printable } from './printable.ts';
import type { QueuesAnswer } from './queues.ts';

interface Circumstances {
  url: string;
  leader: { holder: string; until: number } | null;
  dueCount: number;
  now: number;
}

/** How the queues stand, for people: Redis, the leader, what is due beside what is named, what failed. */
export function queueLines(answer: QueuesAnswer, { url, leader, dueCount, now }: Circumstances): string[] {
  const isLed = leader !== null && leader.until > now;
  const due = counted(dueCount, 'delivery', 'deliveries');
  const lines = [
    `Redis   ${printable(url)}: ${redisWords(answer)}`,
    `Leader  ${printable(leaderWords(leader, now))}`,
    'seen' in answer
      ? `Due     ${due} in the database; ${answer.named.deliveries} of them named, in ${counted(answer.named.jobs, 'job', 'jobs')}`
      : `Due     ${due} in the database`,
  ];
  if (dueCount > 0 && !isLed) lines.push('What is due is not named while nobody leads. Is a worker running?');
  if (answer.state === 'evicts')
    lines.push('Nothing is named until its policy is noeviction; npx tidings doctor says how to set it.');
  if ('seen' in answer && answer.seen.failedJobs > 0)
    lines.push(`${counted(answer.seen.failedJobs, 'job has', 'jobs have')} failed: npx tidings queue failed`);
  return lines;
}

function redisWords(answer: QueuesAnswer): string {
  if (!('seen' in answer)) return answer.sentence;
  const { name, policy } = answer.seen;
  return printable(`${name}, maxmemory-policy ${policy}`);
}

function leaderWords(leader: Circumstances['leader'], now: number): string {
  if (leader === null) return 'nobody yet';
  const { holder, until } = leader;
  return until > now
    ? `${holder}, for ${duration(until - now)} more unless it goes on`
    : `nobody; ${holder} led until ${duration(now - until)} ago`;
}

/** Which rows a job was about: numbers of deliveries of a lane, or what its stage goes by. */
export function rowsOf({ data }: Pick<DeadJobEntry, 'data'>): string {
  const { seqs, source, from, ...others } = data;
  const pairs = Object.entries(others).map(([name, value]) => `${name} ${String(value)}`);
  const lane = typeof source === 'string' ? [`${source} ${String(from)}`] : [];
  const numbers = Array.isArray(seqs)
    ? [`${seqs.slice(0, seqsShown).join(' ')}${moreThan(seqs.length)}`]
    : [];
  return printable([...lane, ...numbers, ...pairs].join(', '));
}

const seqsShown = 5;
const moreThan = (count: number) => (count > seqsShown ? ` and ${count - seqsShown} more` : '');
