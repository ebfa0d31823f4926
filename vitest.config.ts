import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    // Worlds (databases, child processes) are slow to build on two cores; a hang is still a failure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
  },
});
