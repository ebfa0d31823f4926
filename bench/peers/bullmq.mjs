import { readFileSync } from 'node:fs';
import { Queue, Worker } from 'bullmq';
import { createCounter } from './counter.mjs';
import { createGroup } from './grouped.mjs';
import { createPost } from './post.mjs';
import { createRecord } from './postgres-record.mjs';

/**
 * A worker with a statement in PostgreSQL for what must last.
 * - default: its settings as they are, but 64 jobs at once: out of the box it is one, and its documentation says to raise that for work
 *   that waits for a network.
 * - tuned: more at once, so that 64 are posting while others wait for a write that is shared (grouped.mjs), and jobs that are done
 *   are removed, which is its advice for queues with much traffic.
 */
const settings = {
  default: { concurrency: 64, jobs: {}, isTogether: false },
  tuned: { concurrency: 256, jobs: { removeOnComplete: true }, isTogether: true },
};

export async function createContender(order) {
  const { redisUrl, setting, rows, mailsFile, work } = order;
  const { concurrency, jobs, isTogether } = settings[setting];
  const { hostname: host, port } = new URL(redisUrl);
  const connection = { host, port: Number(port), maxRetriesPerRequest: null };
  const name = `mails-${setting}-${work}`;
  const mails = JSON.parse(readFileSync(mailsFile, 'utf8'));
  const record = createRecord({ ...order, poolSize: 10 });
  await record.make();
  const { post, close: closePost } = createPost(order);
  const together = createGroup(record.many, 500);
  const queue = new Queue(name, { connection });
  const worker = new Worker(name, send, { connection, concurrency, autorun: false });
  let counter = createCounter(rows);
  worker.on('completed', () => counter.add());
  worker.on('failed', (_, error) => counter.fail(error));
  worker.on('error', (error) => counter.fail(error));
  let isRunning = false;

  async function send({ data: { id } }) {
    const mail = mails[id % rows];
    const done = { id, messageId: await post(mail), body: mail.body };
    if (isTogether) await together(done);
    else await record.pool.query(record.one(done));
  }

  return {
    async fill(round) {
      counter = createCounter(rows);
      const ids = await record.fill(round);
      for (let at = 0; at < ids.length; at += 1_000)
        await queue.addBulk(
          ids.slice(at, at + 1_000).map((id) => ({ name: 'send', data: { id }, opts: jobs })),
        );
    },
    async run(isUp) {
      await worker.waitUntilReady();
      isUp();
      if (isRunning) worker.resume();
      else void worker.run();
      isRunning = true;
      await counter.all;
    },
    async check() {
      await worker.pause();
      const counts = await queue.getJobCounts(
        'waiting',
        'active',
        'delayed',
        'failed',
        'paused',
        'prioritized',
      );
      const left = Object.values(counts).reduce((sum, count) => sum + count, 0);
      return { ...(await record.count()), left };
    },
    async close() {
      await worker.close(true);
      await queue.close();
      await record.close();
      await closePost();
    },
  };
}
