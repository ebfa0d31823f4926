import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import {
  type RunningSampleCampus,
  startSampleCampus,
} from '../../src/sources/course-seats/sample/sample-server.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { type CommandLine, createCommandLine } from '../cli/command-line.ts';
import { migratedDatabase } from '../support/own-database.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';
import { hasPostgres } from '../support/world.ts';
import { until } from './runner-world.ts';

const termId = '12027';

/** Real processes, a feed over HTTP, and real time: whoever polls dies, and the other goes on. */
describe.skipIf(!hasRedis || !hasPostgres)('two processes that could poll', () => {
  let campus: RunningSampleCampus;
  let feed: Awaited<ReturnType<typeof watched>>;
  let redis: RedisServer;
  let database: Awaited<ReturnType<typeof migratedDatabase>>;
  let db: Database;
  let shell: CommandLine;
  beforeEach(async () => {
    campus = await startSampleCampus({
      ...{ clock: systemClock, termIds: [termId], campusCodes: ['NB'], sections: 200, openingEveryMs: null },
    });
    feed = await watched(campus.url);
    redis = await startRedis();
    database = await migratedDatabase('postgres');
    await database.db.close();
    db = await openDatabase(database.url, { clock: systemClock, log: silentLog });
    shell = createCommandLine();
  });
  afterEach(async () => {
    await shell.close();
    await db.close();
    await database.drop();
    await redis.stop();
    await feed.close();
    await campus.close();
  });

  const start = () =>
    shell.start(['serve'], {
      boundMs: 170_000,
      env: {
        ...{ PROCESS_ROLE: 'worker', PORT: '0', DATABASE_URL: database.url, SOC_BASE_URL: feed.url },
        ...{ SOC_TERMS: termId, SOC_CAMPUSES: 'NB', JOBS_ENABLED: 'true', REDIS_URL: redis.url },
      },
    });
  const leaderOf = async (name: string) => {
    const lease = await db.read.selectFrom('leases').selectAll().where('name', '=', name).executeTakeFirst();
    return Number(lease?.holder.split(':').at(-2));
  };
  const openings = async () => {
    const events = await db.read
      .selectFrom('open_events')
      .select(['index_number', 'status_after'])
      .where('status_after', '=', 'Open')
      .execute();
    return events.map(({ index_number }) => index_number).sort();
  };
  /** A seat that nobody holds yet. */
  const open = () => {
    const sections = campus.campus.sections(termId).map(({ index }) => index);
    const index = sections.find((each) => !campus.campus.isOpen(termId, each)) ?? '';
    campus.switches.open(index);
    return index;
  };

  it('one polls; it is killed, and the other has taken over within 15 s; no opening is missed or told twice', async () => {
    for (let each = 0; each < 2; each++) start();
    await until(
      async () =>
        (await db.read.selectFrom('open_section_snapshots').select('campus_code').execute()).length >= 1,
      'there is a first list',
    );
    const told = [open()];
    await until(async () => String(await openings()) === String(told), 'the first opening is seen');
    const first = await leaderOf('seats poll');
    expect(await leaderOf('chores')).toBe(first);

    process.kill(first, 'SIGKILL');
    const killedAt = Date.now();
    told.push(open());
    await until(async () => (await leaderOf('seats poll')) !== first, 'the other polls');
    const takenOverMs = Date.now() - killedAt;
    expect(takenOverMs).toBeLessThan(15_000);
    await until(async () => (await openings()).length >= 2, 'the second opening is seen');
    told.push(open());
    await until(async () => (await openings()).length >= 3, 'and the third');
    expect(await openings()).toEqual(told.sort());
    // One poller: nobody asked sooner than the shortest interval, 15 s less 30 %, after the last.
    const gaps = feed.polls.slice(1).map((at, index) => at - (feed.polls[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(9_000);
  });
});

/** Passes on what is asked, and keeps when lists were. */
async function watched(target: string) {
  const polls: number[] = [];
  const server = createServer((asked, answer) => {
    if (asked.url?.includes('openSections')) polls.push(Date.now());
    const onwards = request(`${target}${asked.url}`, { headers: asked.headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    onwards.on('error', () => answer.destroy());
    onwards.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    polls,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
