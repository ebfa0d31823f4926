import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { crashPoints } from './tests/crash/instrument.ts';

const tests = ['src/**/*.test.ts', 'tests/**/*.test.ts'];
const crashTests = 'tests/crash/**/*.test.ts';

export default defineConfig({
  test: {
    // Worlds (databases, child processes) are slow to build on two cores; a hang is still a failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ['tests/support/collect-logs.ts'],
    pool: 'forks',
    // Most tests wait for a disk, a socket or a child: there is room for one more than there are cores.
    maxWorkers: availableParallelism() + 1,
    projects: [
      { extends: true, test: { name: 'tests', include: tests, exclude: [crashTests, '**/node_modules/**'] } },
      // The engine with a point after every await, at which it can be killed.
      { extends: true, plugins: [crashPoints()], test: { name: 'crash', include: [crashTests] } },
    ],
  },
});
