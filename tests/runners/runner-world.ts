import { describe } from 'vitest';
import { readConfig } from '../../src/config.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import type { Address } from '../../src/domain/address.ts';
import { loadTemplates } from '../../src/emails/render.ts';
import { createEngine, type Engine } from '../../src/engine.ts';
import { createBudgetStore } from '../../src/sources/newsletters/budget/budget-store.ts';
import { createLocalUsers } from '../../src/sources/newsletters/users/local-users.ts';
import { systemClock } from '../../src/std/clock.ts';
import { decimalOf } from '../../src/std/decimal.ts';
import type { Log } from '../../src/std/log.ts';
import { type FakeResend, startFakeResend } from '../support/fake-resend/fake-resend.ts';
import { migratedDatabase } from '../support/own-database.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts';
import { hasPostgres, intentNumber } from '../support/world.ts';

/** The whole engine with its runner, on real time: a real database, a provider over a socket and, for queues, a real Redis. */
export interface RunnerWorld {
  kind: RunnerKind;
  provider: FakeResend;
  redis: RedisServer | undefined;
  log: ReturnType<typeof createRecordingLog>;
  /** One more process, as far as the database and the queues can tell. Not started. */
  engine(settings?: Readonly<Record<string, string>>, log?: Log): Promise<Engine>;
  close(): Promise<void>;
}

export const kinds = {
  'embedded, SQLite': { dialect: 'sqlite', hasQueues: false },
  'embedded, PostgreSQL': { dialect: 'postgres', hasQueues: false },
  'BullMQ, Redis, PostgreSQL': { dialect: 'postgres', hasQueues: true },
} as const satisfies Record<string, { dialect: DialectName; hasQueues: boolean }>;

export type RunnerKind = keyof typeof kinds;

export function onEveryRunner(name: string, tests: (kind: RunnerKind) => void): void {
  for (const kind of Object.keys(kinds) as RunnerKind[]) {
    const { dialect, hasQueues } = kinds[kind];
    const isThere = (dialect === 'sqlite' || hasPostgres) && (!hasQueues || hasRedis);
    describe.skipIf(!isThere)(`${name} (${kind})`, () => tests(kind));
  }
}

const apiKey = 're_test_0123456789abcdef';

export async function createRunnerWorld(kind: RunnerKind): Promise<RunnerWorld> {
  const { dialect, hasQueues } = kinds[kind];
  const database = await migratedDatabase(dialect);
  await database.db.close();
  await loadTemplates();
  const provider = await startFakeResend({ keys: [{ apiKey, account: 'main' }] });
  const redis = hasQueues ? await startRedis() : undefined;
  const log = createRecordingLog();
  const engines: Engine[] = [];
  return {
    ...{ kind, provider, redis, log },
    async engine(settings = {}, ownLog) {
      const config = readConfig(
        {
          ...{ DATABASE_URL: database.url, MAIL_PROVIDER: 'resend', RESEND_API_KEY: apiKey },
          ...{ RESEND_BASE_URL: provider.url, RESEND_MAX_RPS: '1000', EMAIL_FROM_ADDRESS: 'n@example.org' },
          ...{
            PLATFORM_BASE_URL: 'http://127.0.0.1:3000',
            TOKEN_SECRET: 's'.repeat(32),
            TIDINGS_ENV: 'test',
          },
          ...(redis && { JOBS_ENABLED: 'true', REDIS_URL: redis.url }),
          ...settings,
        },
        'no such file',
      );
      const engine = await createEngine(config, { log: ownLog ?? log, migrations: 'all' });
      engines.push(engine);
      return engine;
    },
    async close() {
      await Promise.all(engines.map((engine) => engine.close()));
      await redis?.stop();
      await provider.close();
      await database.drop();
    },
  };
}

/** Twenty times as long as anything here takes on a quiet machine. */
const patienceMs = 60_000;

export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await systemClock.sleep(20))
    if (await isSo()) return;
  throw new Error(`it never came to this: ${what}`);
}

export const statusesOf = async ({ db }: Engine): Promise<Record<string, number>> => {
  const rows = await db.read.selectFrom('deliveries').select('status').execute();
  const counts: Record<string, number> = {};
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

export const untilAllSent = (engine: Engine, count: number) =>
  until(async () => (await statusesOf(engine)).sent === count, `${count} sent`);

/** By their numbers, each once however often it was handed in. */
export function accepted({ provider }: RunnerWorld): string[] {
  return provider.ledger.accepted.map(({ body }) => body.subject);
}

export const intents = (count: number, more = {}) =>
  Array.from({ length: count }, (_, number) => intentNumber(number, more));

export const follower = (number: number) => `citizen-${number}`;

/** Citizens who follow one town hall by year, with what a run needs to tell them. */
export async function foundTown({ db, clock, newsletters }: Engine, count: number): Promise<void> {
  const year = String(new Date(clock.now()).getUTCFullYear() - 1);
  await createBudgetStore({ db, clock }).put([
    {
      kind: 'entity',
      cui: '4305857',
      name: 'Cluj-Napoca',
      entityType: null,
      countyName: null,
      population: 286_598,
    },
    ...(['income', 'expenses'] as const).map((side) => ({
      ...({ kind: 'amount', cui: '4305857', periodKey: year, side, chapter: '', chapterName: null } as const),
      ...{ amount: decimalOf('1000000'), currency: 'RON' },
    })),
  ]);
  const numbers = Array.from({ length: count }, (_, number) => number);
  await createLocalUsers({ db, clock }).put(
    numbers.map((number) => ({
      userId: follower(number),
      email: `${follower(number)}@example.org` as Address,
      isVerified: true,
    })),
  );
  await newsletters.notifications.add(
    numbers.map((number) => ({
      ...{ userId: follower(number), type: 'newsletter_entity_yearly', entityCui: '4305857' },
    })),
  );
}
