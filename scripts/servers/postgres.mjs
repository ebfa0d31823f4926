import { createGuard } from './guard.mjs';
import { embeddedBinaries, localBinaries } from './postgres-binaries.mjs';
import { startThrowAwayServer } from './postgres-server.mjs';

/**
 * A PostgreSQL for tests: the one of DATABASE_URL as it is, or a throw-away one that dies with this process.
 * Gives `{ url, version, origin, drop, stop }`, or `{ missing }` with the reason when there is none to be had.
 * `isDurable` pays for every commit, as measurements must. `isOwn` is for who also restarts it (`restart`): never somebody's own.
 * TIDINGS_POSTGRES=embedded goes straight to the fetched one, TIDINGS_POSTGRES=none does without.
 */
export async function startPostgres({ isDurable = false, isOwn = false } = {}) {
  const wanted = process.env.TIDINGS_POSTGRES ?? '';
  if (wanted === 'none') return { missing: 'TIDINGS_POSTGRES=none asks to do without.' };
  const given = process.env.DATABASE_URL ?? '';
  if (!isOwn && wanted !== 'embedded' && /^postgres(ql)?:\/\//.test(given)) return useGivenServer(given);

  const local = wanted === 'embedded' ? [] : localBinaries();
  const reasons = [];
  for (const find of [...local.map((binaries) => () => binaries), embeddedBinaries]) {
    const guard = createGuard();
    try {
      return await startThrowAwayServer(guard, find(), isDurable);
    } catch (error) {
      await guard.end();
      reasons.push(error.message);
    }
  }
  return { missing: reasons.join('\n') };
}

/** Asked whether it will do before hundreds of tests fail one by one. The address may hold a password: not printed. */
async function useGivenServer(url) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    const { rows } = await client.query(`
      select current_setting('server_version') as version, rolsuper or rolcreatedb as "canCreateDatabases"
      from pg_roles where rolname = current_user`);
    if (!rows[0].canCreateDatabases) {
      return { missing: 'The user of DATABASE_URL may not create databases, and tests make their own.' };
    }
    const drop = (prefix) => dropDatabases(url, prefix);
    return { url, version: rows[0].version, origin: 'DATABASE_URL', drop, stop: async () => {} };
  } catch (error) {
    return { missing: `DATABASE_URL names a server that cannot be used: ${error.message || error.code}.` };
  } finally {
    await client.end().catch(() => {});
  }
}

/** All whose names begin so. On a throw-away server there is nothing to do: it goes as a whole. */
async function dropDatabases(url, prefix) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [
      prefix,
    ]);
    for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
  } finally {
    await client.end();
  }
}
