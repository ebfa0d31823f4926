import { createHash } from 'node:crypto';
import { constants, setPriority } from 'node:os';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import { migrate } from '../../src/db/migrate.ts';
import { systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog as log } from '../../src/std/log.ts';
import { emptyDatabase } from '../support/world.ts';
import { type Counterpart, counterpartNames, startCounterpart } from './counterparts.ts';
import { createJumpingClock } from './jumping-clock.ts';
import { createLife, type Death } from './life.ts';
import { createScenario, type Scenario } from './scenario.ts';
import { booksTable, lateness, problemsOf } from './verdict.ts';

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

export async function createCrashWorld(dialect: DialectName, name: Counterpart['name']): Promise<CrashWorld> {
  const { url, drop } = await emptyDatabase(dialect);
  const clock = createJumpingClock();
  const counterpart = await startCounterpart(name, clock);
  const open = (as = '') => openDatabase(`${url}${as}`, { clock: systemClock, log });
  // Under another name, so that it outlives those that die.
  const admin = await open(dialect === 'postgres' ? '?application_name=bystander' : '');
  await migrate(admin, { clock: systemClock, ids: systemIds });
  await sql.raw(booksTable).execute(admin.write);
  let number = 0;

  /** What a killed process leaves to the database: connections that are gone, and so are their transactions. */
  async function bury(db: Database): Promise<void> {
    if (dialect === 'sqlite') {
      // A process that is gone has no lock; ours is still here and has to let go of it.
      await db.script('ROLLBACK', undefined as never).catch(() => {});
      return db.close();
    }
    // Until they are gone: their end is asked for, and comes a moment later.
    for (;;) {
      const { rows } = await sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'tidings'`.execute(admin.write);
      if (rows.length === 0) return;
    }
  }

  async function live(scenario: Scenario, worker: string, death?: Death) {
    const db = await open();
    const provider = counterpart.connect(db);
    const life = createLife({ death });
    const parts = { db, provider, clock, worker, ids: systemIds };
    const end = await life.live(() => scenario.run(parts));
    await (end.isDead ? bury(db) : db.close());
    return {
      isDead: end.isDead,
      passed: life.passed,
      longestCallMs: provider.guarantees.longestCallMs,
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
      'captured_mails',
    ] as const) {
      await admin.write.deleteFrom(table).execute();
    }
    await sql`DELETE FROM crash_books`.execute(admin.write);
    const provider = counterpart.connect(admin);
    const worker = 'the one before';
    await scenario.leaveBehind({ db: admin, provider, clock, worker, ids: systemIds });
    return scenario;
  }

  const problems = async (scenario: Scenario, deaths: number) =>
    problemsOf(admin, scenario, {
      ...{ accepted: await counterpart.accepted(admin), deaths },
      ...{ name: counterpart.name, connections: counterpart.connections },
    });

  return {
    async rehearse() {
      const scenario = await prepared();
      const { passed } = await live(scenario, 'worker-1');
      expect(await problems(scenario, 0)).toEqual([]);
      return passed;
    },
    async dieAt(death) {
      const scenario = await prepared();
      const first = await live(scenario, 'worker-1', death);
      if (!first.isDead) {
        // How often a point is passed differs a little from life to life; that it is passed at all does not.
        return death.passing > 1 ? problems(scenario, 0) : [`${death.point} was not passed`];
      }
      const diedAt = clock.now();
      await live(scenario, 'worker-2');
      return [...lateness(clock.now() - diedAt, first.longestCallMs), ...(await problems(scenario, 1))];
    },
    async close() {
      await counterpart.close();
      await admin.close();
      await drop();
    },
  };
}

/** Most of a life is waiting for a socket: several are lived side by side, each with a database and a server of its own. */
const worldsAtOnce = 4;

/**
 * Each point at its first passing; with `TIDINGS_CRASH_LAST=1` at its last one too, which takes as long again. With one of the
 * providers with whom it is passed, in turn, and a quarter of them on PostgreSQL too, with another one; with `TIDINGS_CRASH_ALL=1` each
 * on both databases, with each.
 */
export function crashTests(dialect: DialectName, name: Counterpart['name']): void {
  const isEach = process.env.TIDINGS_CRASH_ALL === '1';
  describe(`killed at every await (${dialect}, ${name})`, () => {
    let worlds: CrashWorld[] = [];
    beforeAll(async () => {
      // Nothing here depends on how fast it goes. Tests beside it that do come first.
      setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
      const making = Array.from({ length: worldsAtOnce }, () => createCrashWorld(dialect, name));
      worlds = await Promise.all(making);
    });
    afterAll(() => Promise.all(worlds.map((world) => world.close())));

    it('and started again: each mail is accepted once, the outbox agrees, nothing is stuck', {
      timeout: 600_000,
    }, async () => {
      const passed = (await worlds[0]?.rehearse()) ?? new Map<string, number>();
      const mine = isEach ? passed : await shareOf(name, passed, dialect);
      const deaths = [...mine].flatMap(([point, times]) =>
        [...new Set(process.env.TIDINGS_CRASH_LAST === '1' ? [1, times] : [1])].map(
          (passing): Death => ({ point, passing }),
        ),
      );
      const problems: Record<string, string[]> = {};
      const liveAndDie = async (world: CrashWorld) => {
        for (let death = deaths.shift(); death; death = deaths.shift()) {
          const found = await world.dieAt(death);
          if (found.length > 0) problems[`${death.point}, passing ${death.passing}`] = found;
        }
      };
      await Promise.all(worlds.map(liveAndDie));
      expect(problems).toEqual({});
    });
  });
}

/** Every point falls to exactly one of the providers with whom it is passed, or on PostgreSQL to at most one. */
async function shareOf(
  name: Counterpart['name'],
  passed: ReadonlyMap<string, number>,
  dialect: DialectName,
): Promise<ReadonlyMap<string, number>> {
  const passedWith = new Map<Counterpart['name'], ReadonlyMap<string, number>>([[name, passed]]);
  for (const other of counterpartNames) {
    if (other !== name) passedWith.set(other, await rehearseWith(other, dialect));
  }
  return new Map(
    [...passed].filter(([point]) => {
      const able = counterpartNames.filter((each) => passedWith.get(each)?.has(point));
      const [turn = 0, lot = 0] = createHash('sha256').update(point).digest();
      if (dialect === 'postgres') return lot % 4 === 0 && able[turn % able.length] === name;
      return able[(turn + 1) % able.length] === name;
    }),
  );
}

async function rehearseWith(name: Counterpart['name'], dialect: DialectName) {
  const world = await createCrashWorld(dialect, name);
  try {
    return await world.rehearse();
  } finally {
    await world.close();
  }
}
