import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkLeader, checkQueues, versionFindings } from '../../src/cli/check-queues.ts';
import type { Finding } from '../../src/cli/finding.ts';
import { readConfig } from '../../src/config.ts';
import { createLease } from '../../src/db/lease.ts';
import { leaderLease } from '../../src/runners/runner.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import { failTwoJobs, openTestQueues } from '../support/failed-jobs.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';
import { createWorld, intentNumber } from '../support/world.ts';
import { createCommandLine } from './command-line.ts';

const password = 's3cret-of-redis';
const told = (findings: readonly Finding[]) => findings.map(({ mark, sentence }) => `${mark}: ${sentence}`);
const settings = (redisUrl: string, jobs = 'true') =>
  readConfig(
    { JOBS_ENABLED: jobs, REDIS_URL: redisUrl, REDIS_PASSWORD: password, LOG_LEVEL: 'silent' },
    'no such file',
  );

describe.skipIf(!hasRedis)('doctor and the queues', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis({ password });
  });
  afterAll(() => redis.stop());

  test('all is well, by the command itself; then a policy that evicts, and jobs that failed', async () => {
    const world = await createWorld('sqlite');
    const shell = createCommandLine();
    const queues = openTestQueues(redis.url, password);
    try {
      const env = { DATABASE_URL: world.url, PORT: '0', JOBS_ENABLED: 'true', REDIS_URL: redis.url };
      const { code, out } = await shell.run(['doctor', '--json'], {
        env: { ...env, REDIS_PASSWORD: password },
      });
      const { findings, queues: seen } = JSON.parse(out) as { findings: Finding[]; queues: unknown };
      expect([code, seen]).toEqual([
        0,
        {
          redis: {
            ...{ url: redis.url, state: 'ok', policy: 'noeviction' },
            name: expect.stringMatching(/^\w+ \d/),
          },
          failedJobs: 0,
        },
      ]);
      expect(told(findings)).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^ok: \w+ \d\S+ answers at redis:\/\/127\.0\.0\.1:\d+\.$/),
          'ok: Its maxmemory-policy is noeviction.',
          'note: Nobody has ever led: what is due is not named to any worker.',
        ]),
      );
      expect(out).not.toContain(password);

      await failTwoJobs(queues);
      await redis.ask('CONFIG', 'SET', 'maxmemory-policy', 'volatile-lru');
      const { findings: found } = await checkQueues(settings(redis.url));
      await redis.ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
      expect(told(found).slice(1)).toEqual([
        'problem: Its maxmemory-policy is volatile-lru: short of memory it would throw away parts of queues, so nothing is named.',
        'note: 2 jobs have failed. No delivery hangs on them, but there is a cause.',
      ]);
      expect(found[1]?.cure).toContain('redis-cli CONFIG SET maxmemory-policy noeviction');
    } finally {
      await queues.close();
      await shell.close();
      await world.close();
    }
  });

  test('a Redis that is away, and one that does not let us in, are problems with a cure', async () => {
    const wrong = await checkQueues({ ...settings(redis.url), redisPassword: 'another' });
    expect(told(wrong.findings)).toEqual([`problem: Redis does not let us in: ${redis.url}.`]);
    expect(wrong.findings[0]?.cure).toContain('REDIS_PASSWORD');
    const away = await checkQueues(settings('redis://ana:s3cret@127.0.0.1:1'));
    expect(told(away.findings)).toEqual([
      'problem: Redis does not answer (ECONNREFUSED): redis://127.0.0.1:1.',
    ]);
    expect(away.queues).toEqual({
      redis: { url: 'redis://127.0.0.1:1', state: 'away', name: null, policy: null },
      failedJobs: null,
    });
  });
});

test('a Redis without queues is noted, and none of either is not', async () => {
  const { queues, findings } = await checkQueues(settings('redis://127.0.0.1:1', 'false'));
  expect([queues, told(findings)]).toEqual([
    null,
    [expect.stringMatching(/^note: REDIS_URL is set, and JOBS_ENABLED is false: Redis is not used/)],
  ]);
  expect(await checkQueues(settings('', 'false'))).toEqual({ queues: null, findings: [] });
});

test('a version is compared as numbers, and Valkey by the Redis that it stands in for', () => {
  const marks = (version: string) =>
    versionFindings({ name: `Redis ${version}`, version }).map(({ sentence }) => sentence);
  for (const version of ['6.2.0', '6.10.1', '7.0.15', '10.0.0', 'unknown'])
    expect(marks(version)).toEqual([]);
  for (const version of ['5.9.9', '6.0.20', '6.1.9'])
    expect(marks(version)).toEqual([`Redis ${version} is too old for queues: they need 6.2 or later.`]);
});

test('somebody leads, or has led, or something is due and nobody does', async () => {
  const world = await createWorld('sqlite');
  try {
    const { db, clock, queries } = world;
    const look = async () => told(await checkLeader({ db, clock, queries, sources: [plainSource] }, jobs));
    const jobs = settings('redis://127.0.0.1:1');
    await createLease({ db, clock, holder: 'host-a:41', name: leaderLease }).hold();
    expect(await look()).toEqual(['ok: host-a:41 leads: it names what is due.']);
    await clock.advance(72_000);
    const sentence = 'Nobody has led for 60 s: what is due is not named to any worker.';
    expect(await look()).toEqual([`note: ${sentence}`]);
    await world.outbox.enqueue([intentNumber(1)]);
    expect(await look()).toEqual([`problem: ${sentence}`]);
    const without = { ...jobs, jobsEnabled: false };
    expect(await checkLeader({ db, clock, queries, sources: [plainSource] }, without)).toEqual([]);
  } finally {
    await world.close();
  }
});
