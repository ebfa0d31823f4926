import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

export interface EmptyDatabases {
  title: 'SQLite' | 'PostgreSQL';
  urls: string[];
}

/**
 * Runs `work` with so many empty databases of each kind, and removes them whatever happens. PostgreSQL is the one that
 * scripts/bench.mjs has started; where there is none, only SQLite is measured.
 */
export async function withDatabases(
  count: number,
  work: (kinds: readonly EmptyDatabases[]) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-bench-'));
  const sqlite = Array.from({ length: count }, (_, index) => `sqlite:${join(folder, `${index}.db`)}`);
  const server = process.env.TIDINGS_TEST_POSTGRES_URL;
  try {
    if (server) {
      await withPostgres(server, count, (postgres) =>
        work([
          { title: 'SQLite', urls: sqlite },
          { title: 'PostgreSQL', urls: postgres },
        ]),
      );
    } else {
      await work([{ title: 'SQLite', urls: sqlite }]);
      console.log('PostgreSQL: not measured, there is none');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function withPostgres(
  server: string,
  count: number,
  work: (urls: string[]) => Promise<void>,
): Promise<void> {
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  const names = Array.from({ length: count }, (_, index) => `tidings_bench_${process.pid}_${index}`);
  try {
    for (const name of names) await admin.query(`CREATE DATABASE ${name}`);
    await work(names.map((name) => Object.assign(new URL(server), { pathname: `/${name}` }).href));
  } finally {
    for (const name of names) await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await admin.end();
  }
}
