import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { crashPoints } from './tests/crash/instrument.ts';
import { LongestFirst } from './tests/support/longest-first.ts';
import { leftOut as notNow } from './tests/support/run-size.ts';

const tests = ['src/**/*.test.ts', 'console/src/**/*.test.ts', 'tests/**/*.test.ts'];
const crashTests = 'tests/crash/**/*.test.ts';
/** One puts something else in the place of a module, the others change the surroundings of their process or count on its speed. */
const alone = ['tests/dispatch/compose.test.ts', 'tests/browser/*.test.ts', 'tests/dispatch/storm.test.ts'];
const leftOut = ['**/node_modules/**', ...notNow];
/** The engine with a point after every await, at which it can be killed. */
const killable = { plugins: [crashPoints()] };
/** vitest has no project that runs only when it is named. */
const isAsked = (project: string) =>
  process.argv.some(
    (arg, index) =>
      arg === `--project=${project}` || (arg === project && process.argv[index - 1] === '--project'),
  );

export default defineConfig({
  // React as it is in production, which is twice as fast.
  oxc: { jsx: { development: false } },
  test: {
    env: { NODE_ENV: 'production' },
    // Worlds (databases, child processes) are slow to build on two cores; a hang is still a failure.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // vitest's own second is not enough for a page that is told the news by the server, on a machine with other work.
    expect: { poll: { timeout: 30_000 } },
    setupFiles: ['tests/support/collect-logs.ts', 'tests/support/drop-databases.ts'],
    pool: 'forks',
    // Most tests wait for a disk, a socket or a child: there is room for one more than there are cores.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          ...{ name: 'tests', include: tests, exclude: [crashTests, ...alone, ...leftOut] },
          // One process for many files: to load the engine takes longer than most of them.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: alone, exclude: leftOut } },
      {
        extends: true,
        ...killable,
        test: { name: 'crash', include: [crashTests], exclude: leftOut, isolate: false },
      },
      // Killed twice: minutes of work, and for whoever asks for it by name.
      ...(isAsked('pairs')
        ? [
            {
              extends: true as const,
              ...killable,
              test: {
                name: 'pairs',
                include: ['tests/crash/pairs/*.pairs.ts'],
                globalSetup: ['tests/crash/pairs/summary.ts'],
              },
            },
          ]
        : []),
    ],
  },
});
