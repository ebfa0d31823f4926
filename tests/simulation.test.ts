import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** A taste of it with every run; `npm run simulate -- --seeds 20000` is the meal. */
it('the engine keeps its promises in a world that fails, and the same seed tells the same story', async () => {
  const args = ['--import', 'tsx', 'simulation/simulate.ts', '--seeds', '200'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  expect(stdout + stderr).toMatch(/200 seeds kept every promise/);
});
