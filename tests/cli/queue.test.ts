import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { leaderLease } from '../../src/runners/runner.ts';
import { failTwoJobs, openTestQueues, sevenRows, type TestQueues } from '../support/failed-jobs.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';
import { createWorld, intentNumber, type World } from '../support/world.ts';
import { type CommandLine, createCommandLine, type Result } from './command-line.ts';

const password = 's3cret-of-redis';

describe.skipIf(!hasRedis)('tidings queue', () => {
  let redis: RedisServer;
  let world: World;
  let shell: CommandLine;
  let queues: TestQueues;
  const said: string[] = [];
  beforeAll(async () => {
    redis = await startRedis({ password });
  });
  beforeEach(async () => {
    world = await createWorld('sqlite');
    shell = createCommandLine();
    await redis.start();
    await redis.ask('FLUSHALL');
    queues = openTestQueues(redis.url, password);
  });
  afterEach(async () => {
    await queues.close();
    await shell.close();
    await world.close();
  });
  afterAll(async () => {
    await redis.stop();
    expect(said.join('\n')).not.toContain(password);
  });

  async function tidings(args: string[], env: Record<string, string> = {}): Promise<Result> {
    const url = redis.url.replace('//', `//:${password}@`);
    const settings = { DATABASE_URL: world.url, JOBS_ENABLED: 'true', REDIS_URL: url, ...env };
    const result = await shell.run(['queue', ...args], { env: settings });
    said.push(result.out, result.err);
    return result;
  }
  const errorOf = ({ code, err }: Result) => [code, (JSON.parse(err) as { code: string }).code];

  test('status: how Redis is, who leads, what is due beside what is named, and what stands where', async () => {
    await world.outbox.enqueue([1, 2, 3].map((number) => intentNumber(number)));
    const lease = { name: leaderLease, holder: 'host-a:41', until: Date.now() + 5 * 3_600_000 };
    await world.db.write.insertInto('leases').values(lease).execute();
    const send = await queues.of('send');
    const job = { source: 'plain', from: 'normal', seqs: [1, 2] };
    await send.add('send', job, { priority: 2 });
    await send.add('send', { ...job, seqs: [2] }, { priority: 2 });
    await failTwoJobs(queues);
    const { code, out, err } = await tidings(['status']);
    expect([code, err]).toEqual([0, '']);
    const version = /redis_version:(\S+)/.exec(await redis.ask('INFO'))?.[1];
    const lines = out.split('\n');
    expect(lines[0]).toBe(`Redis   ${redis.url}: Redis ${version}, maxmemory-policy noeviction`);
    expect(lines[1]).toMatch(/^Leader {2}host-a:41, for 5 h more unless it goes on$/);
    expect(lines.slice(2)).toEqual([
      'Due     3 deliveries in the database; 2 of them named, in 2 jobs',
      '2 jobs have failed: npx tidings queue failed',
      '',
      'QUEUE        WAITING  PRIORITIZED  ACTIVE  DELAYED  FAILED',
      'collect            0            0       0        0       0',
      'compose            0            0       0        0       0',
      'send               0            2       0        0       0',
      'maintenance        0            0       0        0       0',
      '',
    ]);
    const json = await tidings(['status', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({
      redis: { url: redis.url, state: 'ok', problem: null, version, policy: 'noeviction' },
      ...{ failedJobs: 2, named: { jobs: 2, deliveries: 2 } },
      leader: { holder: 'host-a:41', isLeading: true },
      due: [{ source: 'plain', from: 'normal', count: 3 }],
    });
    // Who looks leaves nothing behind: not even of queues that nobody has used.
    expect(await redis.ask('EXISTS', 'transparenta:jobs:notification-collect:meta')).toBe(':0\r\n');
  });

  test('failed and retry: which rows, why and how often; and the way back', async () => {
    await failTwoJobs(queues);
    const { code, out } = await tidings(['failed']);
    expect(code).toBe(0);
    const [, sending, composing] = out.split('\n').map((line) => line.split(/ {2,}/));
    expect(sending).toEqual([
      ...['send-1', 'send', 'send', 'plain normal, 1 2 3 4 5 and 2 more'],
      ...['Error: no such table for [address]', '2', '2026-01-01T08:00:00.000Z', '2026-01-01T09:00:00.000Z'],
    ]);
    expect(composing?.slice(0, 4)).toEqual([
      ...['compose-compose-run-1-0', 'compose', 'compose', 'runId run-1, first 0, end 99'],
    ]);
    const { jobs, total } = JSON.parse((await tidings(['failed', '--json', '--limit', '1'])).out);
    expect([jobs, total]).toMatchObject([[{ id: 'send-1', data: sevenRows, times: 2 }], 2]);

    expect((await tidings(['retry', 'compose-compose-run-1-0'])).out).toMatch(
      /^compose-compose-run-1-0 is in the queue compose again\.\n/,
    );
    const compose = await queues.of('compose');
    expect((await compose.getJobs()).map(({ id }) => id)).toEqual(['compose-run-1-0']);
    expect(errorOf(await tidings(['retry', 'compose-compose-run-1-0', '--json']))).toEqual([
      2,
      'job_not_found',
    ]);
    const all = await tidings(['retry', '--all', '--json']);
    expect(JSON.parse(all.out)).toEqual({ jobs: [{ id: 'send-1', queue: 'send' }] });
    const send = await queues.of('send');
    expect((await send.getJobs()).map(({ name, data }) => ({ name, data }))).toEqual([
      { name: 'send', data: sevenRows },
    ]);
    expect((await tidings(['failed'])).out).toBe('No job has failed.\n');
  });

  test('which job to retry is said by its name or by --all, and not by both', async () => {
    expect(errorOf(await tidings(['retry', '--json']))).toEqual([2, 'nothing_chosen']);
    expect(errorOf(await tidings(['retry', 'send-1', '--all', '--json']))).toEqual([2, 'named_and_chosen']);
  });

  test('without queues it says so, and that nothing is missing', async () => {
    const { code, err } = await tidings(['status', '--json'], { JOBS_ENABLED: 'false' });
    expect([code, JSON.parse(err)]).toEqual([
      2,
      {
        code: 'jobs_not_enabled',
        error: expect.stringMatching(/^There are no queues here: JOBS_ENABLED is false/),
      },
    ]);
  });

  test('a Redis that is away is an answer of status, with what the database knows; the others refuse', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    await queues.close();
    await redis.kill();
    const { code, out } = await tidings(['status']);
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      `Redis   ${redis.url}: Redis does not answer (ECONNREFUSED). Is it running, and is REDIS_URL right? Nothing is lost meanwhile: what is due waits in the database.`,
      'Leader  nobody yet',
      'Due     1 delivery in the database',
      'What is due is not named while nobody leads. Is a worker running?',
      '',
    ]);
    expect(errorOf(await tidings(['failed', '--json']))).toEqual([1, 'redis_away']);
    // Every other command does without Redis, and without a word about it.
    const env = { DATABASE_URL: world.url, JOBS_ENABLED: 'true', REDIS_URL: redis.url };
    const list = await shell.run(['deliveries', 'list', '--json'], { env });
    expect([list.code, list.err, JSON.parse(list.out).deliveries.length]).toEqual([0, '', 1]);
  });

  test('one that does not let us in, and one that evicts', async () => {
    const refused = await tidings(['status', '--json'], { REDIS_URL: redis.url.replace('//', '//:wrong@') });
    expect([refused.code, JSON.parse(refused.out).redis]).toMatchObject([1, { state: 'refuses' }]);
    await redis.ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    const evicting = await tidings(['status']);
    await redis.ask('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    expect([evicting.code, evicting.err]).toEqual([1, '']);
    expect(evicting.out).toMatch(/maxmemory-policy allkeys-lru\n[\s\S]*Nothing is named until its policy is/);
  });
});
