import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** The client of Redis is CommonJS, whose modules can be counted. */
const script = `(async () => {
  const { readConfig } = await import('./src/config.ts');
  const { createEngine } = await import('./src/engine.ts');
  const { silentLog } = await import('./src/std/log.ts');
  await import('./src/cli/cli.ts');
  await import('./src/main.ts');
  const settings = { JOBS_ENABLED: 'true', REDIS_URL: 'redis://127.0.0.1:1', DATABASE_URL: 'sqlite::memory:' };
  for (const migrations of ['empty database only', 'all']) {
    const engine = await createEngine(readConfig(settings, 'no such file'), { log: silentLog, migrations });
    await engine.close();
    const isLoaded = Object.keys(require.cache).some((path) => path.includes('node_modules/ioredis'));
    console.log(isLoaded ? 'loaded' : 'not loaded');
  }
})()`;

it('what speaks with Redis is loaded by who works with queues, and not by a command that only looks', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', '-e', script]);
  expect(stdout.trim().split('\n')).toEqual(['not loaded', 'loaded']);
});
