import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import { migrate } from '../../src/db/migrate.ts';
import { plainPolicy } from '../../src/domain/policy.ts';
import { statuses } from '../../src/domain/status.ts';
import { systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog as log } from '../../src/std/log.ts';
import { emptyDatabase } from '../support/world.ts';
import { type Counterpart, startCounterpart } from './counterparts.ts';
import { createJumpingClock } from './jumping-clock.ts';
import { createLife, type Death } from './life.ts';
import { createScenario, type Scenario } from './scenario.ts';

/**
 * A database and a provider on which one scenario after the other is lived, each time with a death at another point, and
 * the checks of what is left of it.
 */
export interface CrashWorld {
  /** Without a death: how often each point is passed. */
  rehearse(): Promise<ReadonlyMap<string, number>>;
  /** Killed there, started again, and looked at; answers what is wrong. */
  dieAt(death: Death): Promise<string[]>;
  close(): Promise<void>;
}

const sweepMs = 2_000;
/** Doubt is looked into after 5 s, a provider that was down is asked after 1 s, and the bounce of the scenario waits 1 s. */
const backOffMs = 15_000;

export async function createCrashWorld(dialect: DialectName, name: Counterpart['name']): Promise<CrashWorld> {
  const { url, drop } = await emptyDatabase(dialect);
  const clock = createJumpingClock();
  const counterpart = await startCounterpart(name, clock);
  const open = (as = '') => openDatabase(`${url}${as}`, { clock: systemClock, log });
  // Under another name, so that it outlives those that die.
  const admin = await open(dialect === 'postgres' ? '?application_name=bystander' : '');
  await migrate(admin, { clock: systemClock, ids: systemIds });
  await sql`CREATE TABLE crash_books (delivery_seq BIGINT NOT NULL, kind TEXT NOT NULL)`.execute(admin.write);
  let number = 0;

  /** What a killed process leaves to the database: connections that are gone, and so are their transactions. */
  async function bury(db: Database): Promise<void> {
    if (dialect === 'sqlite') {
      // A process that is gone has no lock; ours is still here and has to let go of it.
      await db.script('ROLLBACK', undefined as never).catch(() => {});
      return db.close();
    }
    const grave = new pg.Client({ connectionString: url });
    await grave.connect();
    await grave.query(`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'tidings'`);
    await grave.end();
  }

  async function live(scenario: Scenario, worker: string, death?: Death) {
    const db = await open();
    const provider = counterpart.connect(db);
    const life = createLife(death);
    const parts = { db, provider, clock, worker };
    const end = await life.live(() => scenario.run(parts));
    await (end.isDead ? bury(db) : db.close());
    return {
      isDead: end.isDead,
      passed: life.passed,
      longestHoldMs: longestHoldMs(provider.guarantees.longestCallMs),
    };
  }

  async function prepared(): Promise<Scenario> {
    const scenario = createScenario(number++);
    for (const table of [
      'deliveries',
      'delivery_mails',
      'delivery_events',
      'owed_facts',
      'operator_requests',
      'unsubscribe_tokens',
      'suppressions',
    ] as const) {
      await admin.write.deleteFrom(table).execute();
    }
    await sql`DELETE FROM crash_books`.execute(admin.write);
    const provider = counterpart.connect(admin);
    await scenario.leaveBehind({ db: admin, provider, clock, worker: 'the one before' });
    return scenario;
  }

  return {
    async rehearse() {
      const scenario = await prepared();
      const { passed } = await live(scenario, 'worker-1');
      expect(await wrong(admin, scenario, 'nobody died')).toEqual([]);
      return passed;
    },
    async dieAt(death) {
      const scenario = await prepared();
      const first = await live(scenario, 'worker-1', death);
      if (!first.isDead) {
        // How often a point is passed differs a little from life to life; that it is passed at all does not.
        return death.passing > 1 ? wrong(admin, scenario, 'nobody died') : [`${death.point} was not passed`];
      }
      const diedAt = clock.now();
      await live(scenario, 'worker-2');
      const tookMs = clock.now() - diedAt;
      const boundMs = first.longestHoldMs + backOffMs + 2 * sweepMs;
      const late = tookMs > boundMs ? [`it took ${tookMs} ms to settle, more than ${boundMs}`] : [];
      return [...late, ...(await wrong(admin, scenario, 'died'))];
    },
    async close() {
      await counterpart.close();
      await admin.close();
      await drop();
    },
  };

  async function wrong(db: Database, { expected, prefix }: Scenario, story: string): Promise<string[]> {
    const rows = await db.read.selectFrom('deliveries').selectAll().where('occasion', '=', prefix).execute();
    const accepted = await counterpart.accepted(db);
    const books = await sql<{ seq: number; kind: string }>`SELECT delivery_seq AS seq, kind FROM crash_books`
      .execute(db.read)
      .then((result) => result.rows);
    const problems: string[] = [];
    for (const row of rows) {
      const times = accepted.filter((address) => address === row.recipient).length;
      const asked = expected.get(row.recipient) ?? 0;
      const inDoubt = row.status === 'needs_review';
      if (!statuses[row.status].isFinal && !inDoubt)
        problems.push(`${row.recipient} is stuck in ${row.status}`);
      if (times > asked) problems.push(`${row.recipient} was accepted ${times} times instead of ${asked}`);
      if (times < asked && !inDoubt)
        problems.push(`${row.recipient} is ${row.status}, accepted ${times} times instead of ${asked}`);
      if (times > 0 && !inDoubt && row.provider_message_id === null)
        problems.push(`${row.recipient} has no evidence`);
      const booked = books.filter(({ seq, kind }) => seq === row.seq && kind === 'first_accepted').length;
      // What somebody only says to be sent was told to nobody.
      if (booked !== (row.sent_at === null || inDoubt ? 0 : 1))
        problems.push(`${row.recipient} was booked ${booked} times`);
    }
    if (rows.length !== expected.size + 2)
      problems.push(`${rows.length} deliveries instead of ${expected.size + 2}`);
    const doubts = rows.filter(({ status }) => status === 'needs_review').length;
    // Without keys: the three that were left behind in any case, and what was on the wire at the death.
    const doubtsMax = counterpart.name === 'smtp' ? 3 + (story === 'died' ? counterpart.connections : 0) : 0;
    if (doubts > doubtsMax) problems.push(`${doubts} deliveries need a person, more than ${doubtsMax}`);
    return problems;
  }
}

/** The longer of the two leases under which a delivery can be held when its holder dies. */
const longestHoldMs = (longestCallMs: number) => Math.max(plainPolicy.leaseMs, longestCallMs + 30_000);

/** Each point at its first passing; with `TIDINGS_CRASH_LAST=1` at its last one too, which takes as long again. */
export function crashTests(dialect: DialectName, name: Counterpart['name']): void {
  describe(`killed at every await (${dialect}, ${name})`, () => {
    let world: CrashWorld;
    beforeAll(async () => {
      world = await createCrashWorld(dialect, name);
    });
    afterAll(() => world.close());

    it('and started again: each mail is accepted once, the outbox agrees, nothing is stuck', {
      timeout: 600_000,
    }, async () => {
      const passed = await world.rehearse();
      const deaths = [...passed].flatMap(([point, times]) =>
        [...new Set(process.env.TIDINGS_CRASH_LAST === '1' ? [1, times] : [1])].map(
          (passing): Death => ({ point, passing }),
        ),
      );
      const problems: Record<string, string[]> = {};
      for (const death of deaths) {
        const found = await world.dieAt(death);
        if (found.length > 0) problems[`${death.point}, passing ${death.passing}`] = found;
      }
      expect(problems).toEqual({});
    });
  });
}
