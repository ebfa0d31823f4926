import { bury } from '../../src/runners/dead-jobs.ts';
import { type OpenQueues, openQueues } from '../../src/runners/queue.ts';
import { connectRedis } from '../../src/runners/redis.ts';
import { silentLog } from '../../src/std/log.ts';

/** The queues as a process has them, for a test that puts something there. */
export interface TestQueues extends OpenQueues {
  close(): Promise<void>;
}

export function openTestQueues(url: string, password = ''): TestQueues {
  const redis = connectRedis({ url, password }, silentLog);
  const queues = openQueues(redis, 'transparenta:jobs', silentLog);
  return {
    of: queues.of,
    async close() {
      await queues.close();
      redis.disconnect();
    },
  };
}

export const sevenRows = { source: 'plain', from: 'normal', seqs: [1, 2, 3, 4, 5, 6, 7] };

/** A job of sending that failed twice and a page that failed once, as workers bury them: they stand in no other queue any more. */
export async function failTwoJobs(queues: OpenQueues): Promise<void> {
  const send = await queues.of('send');
  const sending = await send.add('send', sevenRows);
  const why = new Error('no such table for ana@example.org');
  await bury(queues, 'send', sending, why, Date.UTC(2026, 0, 1, 8));
  await bury(queues, 'send', sending, why, Date.UTC(2026, 0, 1, 9));
  await sending.remove();
  const compose = await queues.of('compose');
  const page = { runId: 'run-1', first: 0, end: 99 };
  const composing = await compose.add('compose', page, { jobId: 'compose-run-1-0' });
  await bury(queues, 'compose', composing, new Error('out of figures'), Date.UTC(2026, 0, 1, 10));
  await composing.remove();
}
