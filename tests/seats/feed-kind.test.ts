import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createEngine } from '../../src/engine.ts';
import { silentLog } from '../../src/std/log.ts';
import { emptyDatabase, onBothDatabases } from '../support/world.ts';

/** Sections that are not there must never stand among real ones: a database is one feed's. */
onBothDatabases('a database of one feed', (dialect) => {
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  beforeEach(async () => {
    database = await emptyDatabase(dialect);
  });
  afterEach(() => database.drop());

  async function open(socBaseUrl: string, migrations: 'all' | 'empty database only' = 'all') {
    const variables = { DATABASE_URL: database.url, PORT: '0', SOC_BASE_URL: socBaseUrl };
    const engine = await createEngine(readConfig(variables, '/no/such/file'), { log: silentLog, migrations });
    await engine.close();
    return engine.seats === undefined ? 'none' : engine.seats.isSample ? 'sample' : 'real';
  }
  const real = 'http://127.0.0.1:1/soc';

  test('who tried the sample campus is not let in with a real feed, and is told what to do', async () => {
    expect(await open('')).toBe('sample');
    await expect(open(real)).rejects.toMatchObject({
      code: 'other_feed',
      message: expect.stringContaining('Set DATABASE_URL to a new database'),
    });
    expect(await open('off')).toBe('none');
    expect(await open('')).toBe('sample');
  });

  test('the sample campus does not come to a real feed’s sections either; a command without the setting leaves them alone', async () => {
    expect(await open(real)).toBe('real');
    await expect(open('')).rejects.toMatchObject({ code: 'other_feed' });
    expect(await open('', 'empty database only')).toBe('none');
    expect(await open(real, 'empty database only')).toBe('real');
  });

  test('looking at a database that nobody has polled for makes it nobody’s', async () => {
    expect(await open('', 'empty database only')).toBe('sample');
    expect(await open(real)).toBe('real');
  });
});
