/**
 * How much is run. `short`, for whoever waits for it, is the engine, its sources and its proof; `wide`, which CI runs, has the doors (command
 * line, HTTP, client, pages in a browser), Redis, packages and images as well; `all` is everything, on both databases. Who asks for some files
 * gets all of what they say.
 */
const size = process.env.TIDINGS_TEST_SIZE ?? 'all';

/** The ways in, and what needs more than Node and a database. */
const doors = [
  'tests/{browser,cli,client,deployment,http,inbox,runners,samples,tracing}/**/*.test.ts',
  'tests/contracts/002-queues.test.ts',
  'tests/refusals/{api,command-line}.test.ts',
];

/** What searches for long, or counts plans and loads; the simulator's own tests; and the crash points once more on PostgreSQL. */
const longest = [
  'tests/cli/loading.test.ts',
  'tests/crash/crash-postgres-*.test.ts',
  // The same points once more: a provider without keys, as SMTP, and with look-ups, as Resend.
  'tests/crash/crash-sqlite-postmark.test.ts',
  'tests/crashtest.test.ts',
  'tests/dispatch/storm.test.ts',
  'tests/emails/{email-dev,hostile,loading}.test.ts',
  'tests/fuzz/*.test.ts',
  'tests/outbox/search.test.ts',
  'tests/**/*plans.test.ts',
  'tests/proof/*.test.ts',
  'tests/providers/smtp-refusals.test.ts',
  'tests/webhooks/*-order{,s}.test.ts',
];

export const leftOut: readonly string[] =
  size === 'short' ? [...doors, ...longest] : size === 'wide' ? longest : [];

/** Where the databases' own SQL is the matter, both of them are asked every time. */
const foldersOfSql = /\/tests\/(db|outbox|upgrade)\//;

export function isOnPostgresToo(testPath: string): boolean {
  return size === 'all' || foldersOfSql.test(testPath);
}
