import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { createCounter } from './counter.mjs';
import { createGroup } from './grouped.mjs';
import { createPost } from './post.mjs';
import { createRecord } from './postgres-record.mjs';

const quiet = new Logger(() => () => {});
const batchSize = 100;

/**
 * - default: as the documentation begins, a pool of 10 and a job fetched and completed one at a time; but 64 jobs at once, because
 *   out of the box it is one, which would only measure the wait for the provider.
 * - batched: its "batch jobs", an array of 100 mails as the payload of one job, with one statement for all of them.
 * - tuned: the settings of its own page on performance (local queue of 500, completions in batches, pool of 25), with so many jobs
 *   at once that 64 are posting while others wait for a write that is shared (grouped.mjs).
 */
const settings = {
  default: { concurrentJobs: 64 },
  batched: {
    ...{ concurrentJobs: 4, maxPoolSize: 10 },
    ...{ localQueue: { size: 5 }, completeJobBatchDelay: 0 },
  },
  tuned: {
    ...{ concurrentJobs: 256, maxPoolSize: 25 },
    ...{ localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
  },
};

export async function createContender(order) {
  const { databaseUrl, setting, rows, mailsFile } = order;
  const mails = JSON.parse(readFileSync(mailsFile, 'utf8'));
  const record = createRecord({ ...order, poolSize: 4 });
  await record.make();
  const utils = await makeWorkerUtils({ connectionString: databaseUrl, logger: quiet });
  await utils.migrate();
  const { post, close: closePost } = createPost(order);
  const together = createGroup(record.many, 500);
  const posted = async (id) => {
    const mail = mails[id % rows];
    return { id, messageId: await post(mail), body: mail.body };
  };
  let stopping;
  const countLeft = async () => {
    const left = await record.pool.query('SELECT count(*)::int AS count FROM graphile_worker._private_jobs');
    return left.rows[0].count;
  };
  const tasks = {
    default: async ({ id }, helpers) => {
      await helpers.query(record.one(await posted(id)));
    },
    tuned: async ({ id }) => together(await posted(id)),
    batched: async (ids) => record.many(await Promise.all(ids.map(posted))),
  };

  return {
    async fill(round) {
      const ids = await record.fill(round);
      const payloads = setting === 'batched' ? chunks(ids, batchSize) : ids.map((id) => ({ id }));
      await record.pool.query(
        `SELECT graphile_worker.add_jobs(ARRAY(
          SELECT json_populate_record(NULL::graphile_worker.job_spec, json_build_object('identifier', 'send', 'payload', payload))
          FROM json_array_elements($1::json) AS payload))`,
        [JSON.stringify(payloads)],
      );
    },
    async run(isUp) {
      const jobs = setting === 'batched' ? Math.ceil(rows / batchSize) : rows;
      const counter = createCounter(jobs);
      const preset = { worker: { connectionString: databaseUrl, ...settings[setting] } };
      const runner = await run({
        ...{ preset, logger: quiet, noHandleSignals: true, parsedCronItems: [] },
        taskList: { send: tasks[setting] },
      });
      isUp();
      runner.events.on('job:complete', () => counter.add());
      runner.events.on('job:error', ({ error }) => counter.fail(error));
      await counter.all;
      // It does not wait for its own completions, and one that is stopped earlier leaves some behind.
      while ((await countLeft()) > 0) await sleep(2);
      stopping = runner.stop();
    },
    async check() {
      await stopping;
      return { ...(await record.count()), left: await countLeft() };
    },
    async close() {
      await stopping;
      await utils.release();
      await record.close();
      await closePost();
    },
  };
}

function chunks(list, size) {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) =>
    list.slice(at * size, (at + 1) * size),
  );
}
