/**
 * `npm test` without `--all` is for whoever waits for it: what takes long is left to the run of everything.
 */
export const isShort = process.env.TIDINGS_TEST_SHORT === '1';

/** Whole files: browsers, other servers, packages, and the same once more on PostgreSQL. */
export const longFiles = [
  'tests/browser/*.test.ts',
  'tests/cli/*queue*.test.ts',
  'tests/client/package.test.ts',
  'tests/contracts/002-queues.test.ts',
  'tests/crash/crash-postgres-*.test.ts',
  'tests/deployment/*.test.ts',
  'tests/http/queues.test.ts',
  'tests/runners/*.test.ts',
];

/** Where the databases' own SQL is the matter, both of them are asked every time. */
const foldersOfSql = /\/tests\/(db|outbox)\//;

export function isOnPostgresToo(testPath: string): boolean {
  return !isShort || foldersOfSql.test(testPath);
}
