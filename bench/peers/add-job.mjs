import { Logger, makeWorkerUtils } from 'graphile-worker';
import pg from 'pg';

/** graphile-worker's `addJob`, as its documentation has it for a web server: utilities that are kept, over a pool of 10. */
export async function createAddJob(databaseUrl) {
  const pgPool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  // It asks for both; a connection that is lost fails the call that used it.
  pgPool.on('error', () => {});
  pgPool.on('connect', (client) => client.on('error', () => {}));
  const utils = await makeWorkerUtils({ pgPool, logger: new Logger(() => () => {}) });
  await utils.migrate();
  return {
    async add(payload) {
      await utils.addJob('send', payload);
    },
    async count() {
      const { rows } = await pgPool.query('SELECT count(*)::int AS count FROM graphile_worker._private_jobs');
      return rows[0].count;
    },
    async close() {
      await utils.release();
      await pgPool.end();
    },
  };
}
