import type { Command } from 'commander';
import type { Engine } from '../../engine.ts';
import { iso } from '../../outbox/delivery-json.ts';
import type { QueueSeen } from '../../runners/seen.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { tellPause } from '../pause-words.ts';
import { queueLines } from '../queue-words.ts';
import { askQueues, type QueuesAnswer, readJobsConfig } from '../queues.ts';
import { withoutCredentials } from '../redact.ts';
import { type Column, printTable } from '../table.ts';

export function addQueueStatus(queue: Command, context: Context): void {
  const { terminal } = context;
  queue
    .command('status')
    .description('Say how Redis is, what stands in each queue, who leads, and what is due and named')
    .option(...jsonOption)
    .addHelpText('after', example('queue status'))
    .action(async ({ json }: { json?: true }) => {
      const config = await readJobsConfig();
      await withEngine(context, async (engine) => {
        const answer = await askQueues(config);
        const { clock, pauses } = engine;
        const now = clock.now();
        const leader = await leaderOf(engine);
        const due = await engine.queries.dueCounts(
          engine.sources.map(({ name }) => name),
          now,
        );
        const url = withoutCredentials(config.redisUrl);
        if (answer.state !== 'ok') context.exitCode = 1;
        if (json) {
          return terminal.json({
            ...answerJson(answer, url),
            leader: leader && {
              holder: leader.holder,
              until: iso(leader.until),
              isLeading: leader.until > now,
            },
            due,
          });
        }
        const dueCount = due.reduce((sum, { count }) => sum + count, 0);
        terminal.print(...queueLines(answer, { url, leader, dueCount, now }));
        if ('seen' in answer) {
          terminal.print('');
          printTable(terminal, answer.seen.queues, columns);
        }
        terminal.print(...(await pauses.list()).map((pause) => tellPause(pause, now)));
      });
    });
}

async function leaderOf({ db }: Engine) {
  const [{ readLease }, { leaderLease }] = await Promise.all([
    import('../../db/lease.ts'),
    import('../../runners/runner.ts'),
  ]);
  return (await readLease(db, leaderLease)) ?? null;
}

function answerJson(answer: QueuesAnswer, url: string) {
  if (!('seen' in answer)) {
    const redis = {
      url,
      state: answer.state,
      problem: answer.sentence,
      name: null,
      version: null,
      policy: null,
    };
    return { redis, queues: null, failedJobs: null, named: null };
  }
  const { state, seen, named } = answer;
  const { queues, failedJobs, ...info } = seen;
  return { redis: { url, state, problem: null, ...info }, queues, failedJobs, named };
}

const count = (title: string, read: (seen: QueueSeen) => number): Column<QueueSeen> => ({
  ...{ title, cell: (seen) => String(read(seen)), isNumber: true },
});

const columns: Column<QueueSeen>[] = [
  { title: 'QUEUE', cell: ({ queue }) => queue },
  count('WAITING', ({ waiting }) => waiting),
  count('PRIORITIZED', ({ prioritized }) => prioritized),
  {
    ...count('ACTIVE', ({ active }) => active),
    meaning: ({ active }) => (active > 0 ? 'in hand' : undefined),
  },
  count('DELAYED', ({ delayed }) => delayed),
  {
    ...count('FAILED', ({ failed }) => failed),
    meaning: ({ failed }) => (failed > 0 ? 'needs a person' : undefined),
  },
];
