import { readFileSync } from 'node:fs';
import PgBoss from 'pg-boss';
import { createPost } from './post.mjs';
import { createRecord } from './postgres-record.mjs';

const queue = 'mails';

/**
 * - fetch loop: `fetch` a batch, post all of it, a statement for each mail over a pool of 10, `complete` the batch; then the next. (Its
 *   `work` polls every half second at best, and would be far slower.) The batch is as many as there are connections.
 * - tuned: three such loops side by side, so that one posts while another writes; large batches, one statement to record each, and
 *   nothing else going on in its process (`supervise`, `schedule` off: somebody else would run those).
 */
const settings = {
  'fetch loop': { loops: 1, batchSize: 64, isTogether: false, options: {} },
  tuned: { loops: 3, batchSize: 250, isTogether: true, options: { supervise: false, schedule: false } },
};

export async function createContender(order) {
  const { databaseUrl, setting, rows, mailsFile } = order;
  const { loops, batchSize, isTogether, options } = settings[setting];
  const mails = JSON.parse(readFileSync(mailsFile, 'utf8'));
  const record = createRecord({ ...order, poolSize: 10 });
  await record.make();
  const boss = new PgBoss({ connectionString: databaseUrl, ...options });
  let problem;
  boss.on('error', (error) => {
    problem = error;
  });
  await boss.start();
  await boss.createQueue(queue);
  const { post, close: closePost } = createPost(order);
  const posted = async ({ data: { id } }) => {
    const mail = mails[id % rows];
    return { id, messageId: await post(mail), body: mail.body };
  };

  async function loop() {
    for (;;) {
      const jobs = await boss.fetch(queue, { batchSize });
      if (jobs.length === 0) return;
      if (isTogether) await record.many(await Promise.all(jobs.map(posted)));
      else await Promise.all(jobs.map(async (job) => record.pool.query(record.one(await posted(job)))));
      await boss.complete(
        queue,
        jobs.map(({ id }) => id),
      );
      if (problem) throw problem;
    }
  }

  return {
    async fill(round) {
      const ids = await record.fill(round);
      for (let at = 0; at < ids.length; at += 1_000)
        await boss.insert(ids.slice(at, at + 1_000).map((id) => ({ name: queue, data: { id } })));
    },
    run: async () => {
      await Promise.all(Array.from({ length: loops }, loop));
    },
    async check() {
      const { rows: left } = await record.pool.query(
        `SELECT count(*)::int AS count FROM pgboss.job WHERE name = $1 AND state <> 'completed'`,
        [queue],
      );
      return { ...(await record.count()), left: left[0].count };
    },
    async close() {
      await boss.stop({ graceful: false });
      await record.close();
      await closePost();
    },
  };
}
