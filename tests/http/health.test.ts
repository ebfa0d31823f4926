import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createServer, type ServerParts } from '../../src/http/server.ts';
import type { Runner } from '../../src/runners/runner.ts';
import { createManualClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { createWorld, type World } from '../support/world.ts';
import { broken, databaseWith, never } from './broken-database.ts';

let world: World;
let parts: ServerParts;

beforeEach(async () => {
  world = await createWorld('sqlite');
  const { db, clock } = world;
  parts = { db, clock, log: silentLog, isStopping: () => false };
});
afterEach(() => world.close());

async function get(url: string, changes: Partial<ServerParts> = {}) {
  const server = await createServer({ ...parts, ...changes });
  try {
    return await server.inject({ url });
  } finally {
    await server.close();
  }
}

const runnerThat = (isHealthy: boolean, more: Partial<Runner> = {}): Runner => ({
  start() {},
  wake() {},
  stop: async () => {},
  ended: async () => {},
  isHealthy,
  ...more,
});

describe('/health', () => {
  test('is about this process only: a database that hangs does not matter', async () => {
    const answer = await get('/health', { db: databaseWith(world.db, never) });
    expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ok' }]);
  });
});

describe('/ready', () => {
  const checks = {
    ...{ database: 'ok', schema: 'ok' },
    ...{ runner: 'not in this process', redis: 'not in this process' },
  };

  test('database and tables are there', async () => {
    const answer = await get('/ready');
    expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ready', checks }]);
  });

  test.each([
    [true, 200, 'ready', 'ok'],
    [false, 503, 'not ready', 'failing'],
  ])('a runner whose health is %s', async (isHealthy, code, status, runner) => {
    const answer = await get('/ready', { runner: runnerThat(isHealthy) });
    expect([answer.statusCode, answer.json()]).toEqual([code, { status, checks: { ...checks, runner } }]);
  });

  test.each([
    ['ok', 200, 'ready'],
    ['away', 503, 'not ready'],
    ['evicts', 503, 'not ready'],
    ['full', 503, 'not ready'],
  ] as const)('a runner with queues on a Redis that is %s', async (redis, code, status) => {
    const runner = runnerThat(true, { queues: { redis, look: async () => null } });
    const answer = await get('/ready', { runner });
    const expected = { status, checks: { ...checks, runner: 'ok', redis } };
    expect([answer.statusCode, answer.json()]).toEqual([code, expected]);
  });

  test('503 from the first signal on', async () => {
    const answer = await get('/ready', { isStopping: () => true });
    expect([answer.statusCode, answer.json().status]).toEqual([503, 'stopping']);
  });

  test('a database that cannot be reached, and nothing about it', async () => {
    const answer = await get('/ready', { db: databaseWith(world.db, broken) });
    expect(answer.statusCode).toBe(503);
    expect(answer.json().checks).toMatchObject({ database: 'unreachable', schema: 'unknown' });
    expect(answer.body).not.toContain('10.0.0.7');
  });

  test('a database that hangs is given up after two seconds, and asked once however many ask', async () => {
    const clock = createManualClock();
    let asked = 0;
    const db = databaseWith(world.db, () => {
      asked += 1;
      return never();
    });
    const server = await createServer({ ...parts, clock, db });
    const answers = [server.inject({ url: '/ready' }), server.inject({ url: '/ready' })];
    let answered = 0;
    for (const answer of answers) answer.then(() => answered++);
    await clock.advance(1_999);
    expect(answered).toBe(0);
    await clock.advance(1);
    expect((await Promise.all(answers)).map(({ statusCode }) => statusCode)).toEqual([503, 503]);
    expect(asked).toBe(1);
    await server.close();
  });

  test.each([
    ['newer', { version: 9999, name: '9999_later' }, 'not understood'],
    ['older', undefined, 'pending'],
  ])('a database that is %s than this program', async (_, row, schema) => {
    await world.db.transaction(async (tx) => {
      if (row) {
        const values = { ...row, checksum: 'x', applied_at: 1 };
        await tx.insertInto('schema_migrations').values(values).execute();
      } else await tx.deleteFrom('schema_migrations').execute();
    });
    const answer = await get('/ready');
    expect([answer.statusCode, answer.json().checks]).toEqual([503, { ...checks, schema }]);
  });
});
