import { createHash } from 'node:crypto';
import { constants, setPriority } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DialectName } from '../../src/db/dialect.ts';
import { systemIds } from '../../src/std/ids.ts';
import { type Counterpart, counterpartNames, startCounterpart } from './counterparts.ts';
import { createGround, type Ground } from './ground.ts';
import { createLife, type Death } from './life.ts';
import { createScenario, type Scenario } from './scenario.ts';
import { lateness, problemsOf } from './verdict.ts';

/**
 * A provider beside the ground on which one scenario after the other is lived, each time with a death at another point, and
 * the checks of what is left of it.
 */
export interface CrashWorld {
  /** Without a death: how often each point is passed. */
  rehearse(): Promise<ReadonlyMap<string, number>>;
  /** Killed there, started again, and looked at; answers what is wrong. */
  dieAt(death: Death): Promise<string[]>;
  close(): Promise<void>;
}

export async function createCrashWorld(ground: Ground, name: Counterpart['name']): Promise<CrashWorld> {
  const { admin, clock } = ground;
  const counterpart = await startCounterpart(name, clock);

  async function live(scenario: Scenario, worker: string, death?: Death) {
    const { db, leave } = await ground.enter();
    const provider = counterpart.connect(db);
    const life = createLife({ death });
    const parts = { db, provider, clock, worker, ids: systemIds };
    const { isDead } = await life.live(() => scenario.run(parts));
    await leave(isDead);
    return { isDead, passed: life.passed, guarantees: provider.guarantees };
  }

  async function prepared(): Promise<Scenario> {
    const scenario = createScenario(ground.nextNumber());
    await ground.clear();
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
      return [...lateness(clock.now() - diedAt, first.guarantees), ...(await problems(scenario, 1))];
    },
    close: counterpart.close,
  };
}

/** Some of a life is waiting for a socket: two are lived side by side, each with a database and a server of its own. */
const worldsAtOnce = 2;

/**
 * Each point at its first passing; with `TIDINGS_CRASH_LAST=1` at its last one too, which takes as long again. With one of the
 * providers with whom it is passed, in turn, and an eighth of them on PostgreSQL too, with another one; with `TIDINGS_CRASH_ALL=1` each
 * on both databases, with each.
 */
export function crashTests(dialect: DialectName, name: Counterpart['name']): void {
  const isEach = process.env.TIDINGS_CRASH_ALL === '1';
  describe(`killed at every await (${dialect}, ${name})`, () => {
    let grounds: Ground[] = [];
    beforeAll(async () => {
      // Nothing here depends on how fast it goes. Tests beside it that do come first.
      setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
      grounds = await Promise.all(Array.from({ length: worldsAtOnce }, () => createGround(dialect)));
    });
    afterAll(() => Promise.all(grounds.map((ground) => ground.close())));

    it('and started again: each mail is accepted once, the outbox agrees, nothing is stuck', {
      timeout: 600_000,
    }, async () => {
      const passedWith = await rehearseAll(grounds[0] as Ground);
      const passed = passedWith.get(name) ?? new Map<string, number>();
      const mine = isEach ? passed : shareOf(name, passedWith, dialect);
      const deaths = [...mine].flatMap(([point, times]) =>
        [...new Set(process.env.TIDINGS_CRASH_LAST === '1' ? [1, times] : [1])].map(
          (passing): Death => ({ point, passing }),
        ),
      );
      const problems: Record<string, string[]> = {};
      const liveAndDie = async (ground: Ground) => {
        const world = await createCrashWorld(ground, name);
        try {
          for (let death = deaths.shift(); death; death = deaths.shift()) {
            const found = await world.dieAt(death);
            if (found.length > 0) problems[`${death.point}, passing ${death.passing}`] = found;
          }
        } finally {
          await world.close();
        }
      };
      await Promise.all(grounds.map(liveAndDie));
      expect(problems).toEqual({});
    });
  });
}

type Passed = ReadonlyMap<string, number>;

/** Every point falls to exactly one of the providers with whom it is passed, or on PostgreSQL to at most one. */
function shareOf(
  name: Counterpart['name'],
  passedWith: ReadonlyMap<Counterpart['name'], Passed>,
  dialect: DialectName,
): Passed {
  return new Map(
    [...(passedWith.get(name) ?? [])].filter(([point]) => {
      const able = counterpartNames.filter((each) => passedWith.get(each)?.has(point));
      const [turn = 0, lot = 0] = createHash('sha256').update(point).digest();
      if (dialect === 'postgres') return lot % 8 === 0 && able[turn % able.length] === name;
      return able[(turn + 1) % able.length] === name;
    }),
  );
}

/** What is passed without a death, with each of the providers. */
export async function rehearseAll(ground: Ground): Promise<ReadonlyMap<Counterpart['name'], Passed>> {
  const passedWith = new Map<Counterpart['name'], Passed>();
  for (const name of counterpartNames) {
    const world = await createCrashWorld(ground, name);
    try {
      passedWith.set(name, await world.rehearse());
    } finally {
      await world.close();
    }
  }
  return passedWith;
}
